"""Tokenizers for which a whole text is one pretoken: random ones, against `tokenizers`.

Long feeds are taken apart where no token spans; feeds of a character go the way of text that grows.
Vocabularies have tokens across blanks, of blanks alone, and some that no text becomes.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer as Reference

import tokstream
from format_texts import random_cuts

CHARACTERS = "\u2581ab.,\n\u00e9\u7684\u662f\U0001f600"
UNKNOWN = "xy\u00f8\u4e00\U0001f680"
"""Some of them are in no vocabulary."""
METASPACE = {"type": "Metaspace", "replacement": "\u2581", "split": False}
REPLACE = {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}
PREPEND = {"type": "Prepend", "prepend": "\u2581"}
SETTINGS: dict[str, tuple[list[dict[str, Any]], dict[str, Any] | None]] = {
    "nothing": ([], None),
    "replace": ([REPLACE], None),
    "prepend, replace": ([PREPEND, REPLACE], None),
    "replace, prepend": ([REPLACE, PREPEND], None),
    "a form": ([{"type": "NFKC"}, REPLACE], None),
    "strip": ([{"type": "Strip", "strip_left": True, "strip_right": True}, REPLACE], None),
    "metaspace, first": ([], {**METASPACE, "prepend_scheme": "first"}),
    "metaspace, always": ([], {**METASPACE, "prepend_scheme": "always"}),
    "metaspace, never": ([], {**METASPACE, "prepend_scheme": "never"}),
    "metaspace after a form": (
        [{"type": "NFC"}],
        {**METASPACE, "prepend_scheme": "always"},
    ),
}
ADDED = ("<s>", "\u2581\u2581", "\n\n", "a.", "\u7684", "<s", "b \u2581")


def made(rng: random.Random, name: str) -> dict[str, Any]:
    """Draw a tokenizer.json."""
    tokens = [*CHARACTERS, *UNKNOWN[:2]]
    merges: list[list[str]] = []
    # from words alone, or across them
    is_wild = rng.random() < 0.5
    for _ in range(rng.choice((5, 30, 150))):
        left, right = rng.choice(tokens), rng.choice(tokens)
        is_across = "\u2581" in right and left.strip("\u2581")
        if len(left + right) <= 8 and left + right not in tokens and (is_wild or not is_across):
            tokens.append(left + right)
            merges.append([left, right])
    vocab = {f"<0x{byte:02X}>": byte for byte in range(256)} if rng.random() < 0.7 else {}
    vocab["<unk>"] = len(vocab)
    for token in tokens:
        vocab.setdefault(token, len(vocab))
    has_bytes = len(vocab) > 256
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip"), False)
    drawn = rng.sample(ADDED, rng.choice((0, 0, 1, 2, 4)))
    added = [
        {
            "id": vocab.get(text, len(vocab) + k),
            "content": text,
            "special": rng.random() < 0.5,
            "normalized": rng.random() < 0.3,
            **flags,
        }
        for k, text in enumerate(drawn)
    ]
    normalizers, level = SETTINGS[name]
    sequence = {"type": "Sequence", "normalizers": normalizers} if normalizers else None
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": sorted(added, key=lambda token: int(str(token["id"]))),
        "normalizer": sequence,
        "pre_tokenizer": level,
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": "<unk>",
            "fuse_unk": rng.random() < 0.5,
            "byte_fallback": has_bytes,
            "ignore_merges": False,
            "vocab": vocab,
            "merges": merges,
        },
    }


def drawn_text(rng: random.Random) -> str:
    """Draw a text, now and then one with a long run that nothing cuts."""
    pool = [*CHARACTERS[1:], " ", " ", " ", "  ", "a", "b", "ab ", *UNKNOWN[: rng.randrange(6)]]
    pool += rng.choice(([], ["\u2581", "\u2581\u2581"], list(ADDED)))
    weights = [rng.random() ** 3 for _ in pool]
    text = "".join(rng.choices(pool, weights, k=rng.choice((0, 3, 60, 400))))
    if rng.random() < 0.05:
        place = rng.randrange(len(text) + 1)
        text = text[:place] + rng.choice(pool) * 20_000 + text[place:]
    return text


def check(
    content: str, tokenizer: tokstream.Tokenizer, reference: Reference, rng: random.Random
) -> None:
    text = drawn_text(rng)
    expected = reference.encode(text, add_special_tokens=False)
    assert tokenizer.encode(text) == expected.ids, text
    ids, spans = tokenizer.encode_with_offsets(text)
    assert ids == expected.ids, text
    # the sign that the reference puts before an added token when it normalizes it has a place there
    if '"normalized": true' not in content:
        assert spans == expected.offsets, text
    if len(text) > 2000:
        return
    long, short = tokenizer.stream(), tokenizer.stream()
    given: list[int] = []
    for chunk in random_cuts(rng, text.encode(), rng.choice((1, 3, 8))):
        given += long.feed(chunk)
        for byte in chunk:
            short.feed(bytes([byte]))
        # as early as if the text had come byte by byte
        assert long.n_tokens == short.n_tokens, text
        assert long.delay_bytes == short.delay_bytes, text
    short.finish()
    assert given + long.finish() == expected.ids, text
    assert short.n_tokens == len(expected.ids), text


@pytest.mark.parametrize("name", SETTINGS)
def test_equal_to_the_reference(name: str) -> None:
    rng = random.Random(name)
    n_loaded = 0
    for _ in range(60):
        content = json.dumps(made(rng, name))
        try:
            tokenizer = tokstream.load(content.encode())
        except tokstream.TokstreamError:
            continue
        n_loaded += 1
        reference = Reference.from_str(content)
        for _ in range(12):
            check(content, tokenizer, reference, rng)
    assert n_loaded > 20


@pytest.mark.parametrize("path", ["plain", "scalar", "avx2"])
def test_other_paths(path: str) -> None:
    """The way is chosen when a tokenizer is built, so each runs in a process of its own."""
    program = "import test_single_pretokens as t; t.test_equal_to_the_reference('prepend, replace')"
    folder = Path(__file__).parent
    paths = os.pathsep.join([str(folder), str(folder.parent)])
    environment = {**os.environ, "TOKSTREAM_SIMD": path, "PYTHONPATH": paths}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
