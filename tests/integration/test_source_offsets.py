"""What each id stands for in the source, behind normalizers, levels and expansions.

The reference gives characters; a part of a character stands for all of it.
"""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import pytest
from small_models import ALPHABET, build, parts_of
from small_pipelines import cascade, steps
from test_merge_lists import config, model
from test_pipelines import BYTES, CHARACTERS, LETTERS, NORMALIZERS, added
from tokenizers import Tokenizer

import tokstream

OPTIONS: list[dict[str, Any]] = [
    {"unk_token": "<unk>"},
    {"unk_token": None, "byte_fallback": True},
    {"unk_token": "<unk>", "end_of_word_suffix": "</w>"},
]


def in_characters(span: tuple[int, int], text: bytes) -> tuple[int, int]:
    """The same span in characters, of whole ones."""
    begin, end = span
    while 0 < begin < len(text) and text[begin] & 0xC0 == 0x80:
        begin -= 1
    while end < len(text) and text[end] & 0xC0 == 0x80:
        end += 1
    return len(text[:begin].decode()), len(text[:end].decode())


def has_two_prefixes(data: dict[str, Any]) -> bool:
    """A normalizer and a level may both put something before the text."""
    return "Prepend" in str(data["normalizer"]) and (
        "Metaspace" in str(data["pre_tokenizer"]) or "True" in str(data["pre_tokenizer"])
    )


@pytest.mark.parametrize("normalizer", NORMALIZERS, ids=lambda n: str(n and n["type"]))
def test_offsets(normalizer: dict[str, Any] | None) -> None:
    rng = random.Random(f"{normalizer}")
    for given, is_bytes in [*((c, True) for c in BYTES), *((c, False) for c in CHARACTERS)]:
        for options, _ in itertools.product(OPTIONS, range(2)):
            cutter = given
            if is_bytes:
                bpe = model(rng, "abĠ", 8, unk_token=None)
                for char in ALPHABET:
                    bpe["vocab"].setdefault(char, len(bpe["vocab"]))
                cutter = json.loads(json.dumps(given).replace(': true, "use', ': false, "use'))
            else:
                bpe = model(rng, "ab▁é_1", 8, **options)
            tokens = added(rng, bpe["vocab"])
            data = config(bpe, normalizer=normalizer, pre_tokenizer=cutter, added_tokens=tokens)
            peer = Tokenizer.from_str(json.dumps(data))
            parts = parts_of(data)
            parts.extra["normalizer"], parts.extra["levels"] = steps(normalizer), cascade(cutter)
            core = build(parts)
            specials = core.special_set(None, [])
            for _ in range(4):
                text = "".join(rng.choices(LETTERS, k=rng.randrange(1, 14)))
                expected = peer.encode(text, add_special_tokens=False)
                ids, spans = core.encode_with_spans(text, specials, False, False)  # noqa: FBT003
                assert ids == expected.ids
                assert len(spans) == len(ids)
                if not has_two_prefixes(data):
                    got = [in_characters(span, text.encode()) for span in spans]
                    assert got == expected.offsets, (text, data)


@pytest.mark.parametrize("level", ["FixedLength", "Split", "Metaspace"])
def test_pieces_of_what_one_character_became(level: str) -> None:
    """Each of them comes from that character, not from the one before."""
    one = {"type": "FixedLength", "length": 1}
    split = {"type": "Split", "pattern": {"Regex": "a|b"}, "behavior": "Isolated", "invert": False}
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": True}
    cutter = {"FixedLength": one, "Split": split, "Metaspace": metaspace}[level]
    replaced = {"type": "Replace", "pattern": {"String": "é"}, "content": "a b"}
    bpe = {"type": "BPE", "vocab": {"a": 0, "b": 1, "▁": 2, " ": 3}, "merges": []}
    data: dict[str, Any] = {"version": "1.0", "model": bpe, "added_tokens": []}
    text_of_file = json.dumps(data | {"normalizer": replaced, "pre_tokenizer": cutter})
    peer, tok = Tokenizer.from_str(text_of_file), tokstream.load(text_of_file.encode())
    for text in ("é", "éé", "aéb", "éaé b"):
        expected = peer.encode(text)
        assert tok.encode_with_offsets(text) == (expected.ids, expected.offsets), text
