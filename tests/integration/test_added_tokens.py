"""Added tokens with every flag against `tokenizers`, next to each other and to blanks."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from engine_checks import check_stability, check_text
from small_models import build, parts_of
from small_pipelines import steps
from test_merge_lists import config
from tokenizers import Tokenizer

from tokstream.errors import VocabularyError

N_TOKENIZERS = 150

NORMALIZERS: list[dict[str, Any] | None] = [
    None,
    {"type": "Lowercase"},
    {"type": "NFC"},
    {"type": "Strip", "strip_left": True, "strip_right": True},
    {"type": "Prepend", "prepend": "_"},
    {
        "type": "Sequence",
        "normalizers": [
            {"type": "Prepend", "prepend": "_"},
            {"type": "Replace", "pattern": {"String": " "}, "content": "_"},
        ],
    },
]
CONTENTS = [
    "a",
    "ab",
    "b a",
    "aB",
    "<s>",
    "<",
    "s>",
    " ",
    "  ",
    " a",
    "a ",
    "\n",
    "é",
    "e\u0301",
    "b",
]
LETTERS = "aabbBs<> \n\u3000eé\u0301_"


def tokenizer(rng: random.Random, normalizer: dict[str, Any] | None) -> dict[str, Any]:
    """A model of single characters, and a few added tokens."""
    vocab = {char: k for k, char in enumerate(dict.fromkeys(LETTERS + "S"))}
    vocab |= {"ab": len(vocab), "_a": len(vocab) + 1}
    bpe = {"type": "BPE", "vocab": vocab, "merges": [("a", "b"), ("_", "a")], "unk_token": None}
    contents = rng.sample(CONTENTS, k=rng.randrange(1, 5))
    next_id = len(vocab)
    added: list[dict[str, Any]] = []
    for content in contents:
        flags = {
            flag: rng.random() < 0.4 for flag in ("single_word", "lstrip", "rstrip", "normalized")
        }
        token = {"id": vocab.get(content, next_id), "content": content, **flags}
        next_id += content not in vocab
        added.append(token | {"special": rng.random() < 0.5})
    added.sort(key=lambda token: token["id"])
    return config(bpe, normalizer=normalizer, added_tokens=added)


@pytest.mark.parametrize(
    "normalizer", NORMALIZERS, ids=lambda n: "none" if n is None else n["type"]
)
def test_flags(normalizer: dict[str, Any] | None) -> None:
    rng = random.Random(f"{normalizer}")
    n_checked = 0
    for _ in range(N_TOKENIZERS):
        data = tokenizer(rng, normalizer)
        peer = Tokenizer.from_str(json.dumps(data))
        parts = parts_of(data)
        parts.extra["normalizer"] = steps(normalizer)
        try:
            core = build(parts)
        except VocabularyError:
            continue  # empty once it is normalized, or the same as another
        both = [core.special_set(None, []), core.special_set([], [])]
        for specials, ignores in zip(both, (False, True), strict=True):
            peer.encode_special_tokens = ignores

            def reference(text: str, peer: Tokenizer = peer) -> list[int] | None:
                try:
                    return peer.encode(text, add_special_tokens=False).ids
                except BaseException as error:  # it panics at some blanks
                    if "bad split" not in str(error):
                        raise
                    return None

            for _ in range(6):
                text = "".join(rng.choices(LETTERS, k=rng.randrange(1, 12)))
                check_text(core, specials, text, reference(text))
                more = ["".join(rng.choices(LETTERS, k=rng.randrange(1, 6))) for _ in range(8)]
                check_stability(core, specials, text, more, reference)
                n_checked += 1
    assert n_checked > N_TOKENIZERS
