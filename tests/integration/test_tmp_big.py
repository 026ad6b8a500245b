"""Merge lists of every shape against `tokenizers`: proper or not, with unknown characters or bytes.

The text is one pretoken, so that nothing but the model counts.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from engine_checks import check_stability, check_text
from small_models import build, parts_of
from tokenizers import Tokenizer

N_MODELS = 600


def model(rng: random.Random, alphabet: str, n_merges: int, **options: Any) -> dict[str, Any]:
    """A random merge list in which parts are made before they are used, mostly."""
    prefix, suffix = (
        options.get("continuing_subword_prefix") or "",
        options.get("end_of_word_suffix") or "",
    )
    vocab: dict[str, int] = {}
    for char in alphabet:
        for form in sorted({char, char + suffix, prefix + char, prefix + char + suffix}):
            if not vocab or rng.random() < 0.95:
                vocab.setdefault(form, len(vocab))
    merges: list[tuple[str, str]] = []
    while len(merges) < n_merges:
        left, right = rng.choices(list(vocab), k=2)
        if (prefix and not right.startswith(prefix)) or (suffix and left.endswith(suffix)):
            continue
        if len(left + right) > 12 or (left, right) in merges:
            if rng.random() < 0.1:
                break
            continue
        merges.append((left, right))
        vocab.setdefault(left + right[len(prefix) :], len(vocab))
    order = rng.random()
    if order < 0.3:
        rng.shuffle(merges)
    elif order < 0.6:
        for _ in range(len(merges) // 3):
            a, b = rng.randrange(len(merges)), rng.randrange(len(merges))
            merges[a], merges[b] = merges[b], merges[a]
    if options.get("unk_token"):
        vocab.setdefault(options["unk_token"], len(vocab))
    if options.get("byte_fallback"):
        for byte in range(256):
            vocab.setdefault(f"<0x{byte:02X}>", len(vocab))
    return {"type": "BPE", "dropout": None, "vocab": vocab, "merges": merges, **options}


def config(bpe: dict[str, Any], **parts: Any) -> dict[str, Any]:
    """A whole tokenizer.json."""
    empty = dict.fromkeys(
        ("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor")
    )
    return {"version": "1.0", **empty, "decoder": None, "added_tokens": [], "model": bpe, **parts}


OPTIONS = [
    {"unk_token": None},
    {"unk_token": "<unk>"},
    {"unk_token": "<unk>", "fuse_unk": True},
    {"unk_token": None, "byte_fallback": True},
    {"unk_token": "<unk>", "byte_fallback": True, "fuse_unk": True},
    {"unk_token": "<unk>", "end_of_word_suffix": "</w>"},
    {"unk_token": "<unk>", "continuing_subword_prefix": "##"},
    {"unk_token": "<unk>", "continuing_subword_prefix": "##", "end_of_word_suffix": "</w>"},
    {"unk_token": "<unk>", "fuse_unk": True, "end_of_word_suffix": "</w>"},
    {"unk_token": None, "ignore_merges": True, "byte_fallback": True},
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: "-".join(k for k, v in o.items() if v))
@pytest.mark.parametrize("alphabet", ["ab", "aé漢", "ab🙂c"])
def test_random_merge_lists(options: dict[str, Any], alphabet: str) -> None:
    rng = random.Random()
    for _ in range(N_MODELS):
        data = config(model(rng, alphabet, rng.randrange(1, 30), **options))
        peer = Tokenizer.from_str(json.dumps(data))
        parts = parts_of(data)
        if alphabet == "ab" and rng.random() < 0.5:
            alphabet_of_text = "ab"
        else:
            alphabet_of_text = alphabet * 4 + "xü字😀"
        core = build(parts)
        specials = core.special_set(None, [])

        def reference(text: str, peer: Tokenizer = peer) -> list[int]:
            return peer.encode(text, add_special_tokens=False).ids

        for _ in range(6):
            text = "".join(rng.choices(alphabet_of_text, k=rng.randrange(1, 16)))
            check_text(core, specials, text, reference(text))
            continuations = [
                "".join(rng.choices(alphabet_of_text, k=rng.randrange(1, 6))) for _ in range(12)
            ]
            check_stability(core, specials, text, continuations, reference)
        long = "".join(rng.choices(alphabet_of_text, k=300))
        assert core.encode(long, specials, False, False) == reference(long)  # noqa: FBT003
