"""Normalizers, pre-tokenizers and byte-level or character models together, against `tokenizers`."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import pytest
from engine_checks import check_stability, check_text
from small_models import ALPHABET, build, parts_of
from small_pipelines import cascade, steps
from test_merge_lists import config, model
from tokenizers import Tokenizer

from tokstream.errors import VocabularyError

LETTERS = "aabb  \n_éé\u0301x1.漢\u3000A\ufb01"

SPACES_TO_MARKS = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
NORMALIZERS: list[dict[str, Any] | None] = [
    None,
    {"type": "NFC"},
    {"type": "NFKD"},
    {"type": "Lowercase"},
    {"type": "Strip", "strip_left": True, "strip_right": True},
    {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}, SPACES_TO_MARKS]},
    {"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}]},
]


def byte_level(*, prefix: bool = False, regex: bool = True) -> dict[str, Any]:
    """A ByteLevel pre-tokenizer."""
    return {
        "type": "ByteLevel",
        "add_prefix_space": prefix,
        "trim_offsets": True,
        "use_regex": regex,
    }


def split(pattern: str, behavior: str, *, invert: bool = False) -> dict[str, Any]:
    """A Split pre-tokenizer."""
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": invert}


def metaspace(scheme: str, *, splits: bool) -> dict[str, Any]:
    """A Metaspace pre-tokenizer."""
    return {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": splits}


def sequence(*parts: dict[str, Any]) -> dict[str, Any]:
    """A sequence of pre-tokenizers."""
    return {"type": "Sequence", "pretokenizers": list(parts)}


BYTES: list[dict[str, Any]] = [
    byte_level(),
    byte_level(prefix=True),
    byte_level(prefix=True, regex=False),
    sequence(split(r"\s+", "Isolated"), byte_level(regex=False)),
    sequence({"type": "Digits", "individual_digits": True}, byte_level(prefix=True)),
    sequence(split(r"[ab]+", "MergedWithNext"), byte_level()),
]
CHARACTERS: list[dict[str, Any] | None] = [
    None,
    metaspace("always", splits=True),
    metaspace("first", splits=False),
    metaspace("never", splits=True),
    {"type": "Whitespace"},
    {"type": "WhitespaceSplit"},
    split(r"a", "Removed"),
    split(r"\s", "MergedWithPrevious", invert=True),
    sequence({"type": "Whitespace"}, {"type": "Digits", "individual_digits": False}),
]
OPTIONS = [
    {"unk_token": None},
    {"unk_token": "<unk>", "fuse_unk": True},
    {"unk_token": None, "byte_fallback": True},
    {"unk_token": "<unk>", "end_of_word_suffix": "</w>"},
    {"unk_token": None, "byte_fallback": True, "ignore_merges": True},
]


def added(rng: random.Random, vocab: dict[str, int]) -> list[dict[str, Any]]:
    """Two added tokens, or none."""
    flags = ("single_word", "lstrip", "rstrip", "normalized", "special")
    contents = rng.sample(["<s>", "ab", "x1", "A"], k=2) if rng.random() < 0.6 else []
    contents = [content for content in contents if content not in vocab]
    return [
        {
            "id": len(vocab) + k,
            "content": content,
            **{flag: rng.random() < 0.3 for flag in flags},
        }
        for k, content in enumerate(contents)
    ]


def check(rng: random.Random, data: dict[str, Any]) -> bool:
    """One configuration on a few texts; False if the engine refuses it."""
    peer = Tokenizer.from_str(json.dumps(data))
    parts = parts_of(data)
    parts.extra["normalizer"] = steps(data["normalizer"])
    parts.extra["levels"] = cascade(data["pre_tokenizer"])
    try:
        core = build(parts)
    except VocabularyError:
        return False
    specials = core.special_set(None, [])

    def reference(text: str) -> list[int]:
        return peer.encode(text, add_special_tokens=False).ids

    for _ in range(4):
        text = "".join(rng.choices(LETTERS, k=rng.randrange(1, 14)))
        check_text(core, specials, text, reference(text))
        more = ["".join(rng.choices(LETTERS, k=rng.randrange(1, 6))) for _ in range(8)]
        check_stability(core, specials, text, more, reference)
    return True


@pytest.mark.parametrize("normalizer", NORMALIZERS, ids=lambda n: str(n and n["type"]))
def test_byte_level_models(normalizer: dict[str, Any] | None) -> None:
    rng = random.Random(f"bytes {normalizer}")
    for cutter, complete in itertools.product(BYTES, (True, False)):
        for _ in range(4):
            alphabet = "".join(ALPHABET) if complete else "abĠĊ_1.Ã©"
            options: dict[str, Any] = {"unk_token": rng.choice([None, "<unk>"])}
            bpe = model(rng, "abĠ", rng.randrange(1, 12), **options)
            for char in alphabet:
                bpe["vocab"].setdefault(char, len(bpe["vocab"]))
            tokens = added(rng, bpe["vocab"])
            assert check(
                rng, config(bpe, normalizer=normalizer, pre_tokenizer=cutter, added_tokens=tokens)
            )


@pytest.mark.parametrize("normalizer", NORMALIZERS, ids=lambda n: str(n and n["type"]))
def test_character_models(normalizer: dict[str, Any] | None) -> None:
    rng = random.Random(f"characters {normalizer}")
    for cutter, options in itertools.product(CHARACTERS, OPTIONS):
        for _ in range(2):
            bpe = model(rng, "ab▁é_1", rng.randrange(1, 14), **options)
            tokens = added(rng, bpe["vocab"])
            assert check(
                rng, config(bpe, normalizer=normalizer, pre_tokenizer=cutter, added_tokens=tokens)
            )
