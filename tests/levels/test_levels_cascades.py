"""Cascades of several levels, published and drawn, against the reference."""

from __future__ import annotations

import random
from typing import Any

import pytest
from cascade import Cascade, check, cut, expected, levels_of
from pattern_texts import ALPHABET
from published_cascades import LLAMA3, PUBLISHED
from tokenizers import Regex
from tokenizers import pre_tokenizers as hf

from tokstream import _core
from tokstream.patterns import compile_pattern
from tokstream.patterns import levels as made

PARTS: list[Any] = [
    hf.Split(Regex(r"\s+(?!\S)|a+"), "isolated"),
    hf.Split(Regex(r"a(?=b)|b+"), "merged_with_previous", invert=True),
    hf.Split(Regex(r"ab*c|1"), "merged_with_next"),
    hf.Split(Regex(r"(?:ab)+ |é"), "removed"),
    hf.Split("a", "contiguous"),
    hf.Split(" ", "removed"),
    hf.Digits(individual_digits=True),
    hf.Punctuation("contiguous"),
    hf.WhitespaceSplit(),
    hf.Whitespace(),
    hf.UnicodeScripts(),
    hf.FixedLength(2),
    hf.Metaspace("▁", "first", split=True),
    hf.Metaspace("_", "always", split=False),
    hf.Metaspace("b", "first", split=True),
    hf.ByteLevel(add_prefix_space=True),
    hf.ByteLevel(add_prefix_space=True, use_regex=False),
]


@pytest.mark.parametrize("name", PUBLISHED)
def test_published(name: str) -> None:
    reference = PUBLISHED[name]
    levels = levels_of(reference)
    rng = random.Random(name)
    for number in range(60):
        letters = rng.choices(ALPHABET, k=5) if number % 2 else ALPHABET + "aA1 \n'"
        check(reference, levels, "".join(rng.choices(letters, k=rng.randint(1, 22))))
    text = "".join(rng.choices(ALPHABET + "aeiou    12\n", k=20_000))
    for length in (20_000, 1_000, 7):
        assert cut(levels, text, range(length, len(text), length)).pieces() == expected(
            reference, text
        )


def test_drawn() -> None:
    rng = random.Random(11)
    n_first = 0
    for _ in range(400):
        parts = rng.choices(PARTS, k=rng.randint(2, 4))
        reference = hf.Sequence(parts)
        levels = levels_of(reference)
        kinds = [level[0] for level in levels]
        if "byte_level" in kinds and ("metaspace", "first") in [
            (level[0], level[2]) for level in levels[kinds.index("byte_level") :] if len(level) == 4
        ]:
            continue  # refused
        n_first += "metaspace" in kinds[1:]
        for _ in range(6):
            check(reference, levels, "".join(rng.choices("aab1  é._▁Ж", k=rng.randint(1, 12))))
    assert n_first > 50


def test_a_total_pattern_is_told_as_early_as_by_its_own_scan() -> None:
    rng = random.Random(3)
    for pattern in (LLAMA3, made.GPT2):
        automaton = compile_pattern(pattern, "tokenizers")
        for _ in range(200):
            stream = Cascade.of([made.split(pattern, "isolated")])
            scan = _core.Pretokens(automaton.to_bytes())
            given: list[str] = []
            for character in rng.choices("aA1. \n\t'sé", k=15):
                stream.push(character)
                for part in scan.push(character):
                    given += "‖" if part is None else part.decode()
                assert stream.marks == given


def test_the_alphabet_is_undone() -> None:
    """Pieces of bytes, cut where the characters of the alphabet were cut."""
    rng = random.Random(4)
    words = made.split(made.GPT2, "isolated")
    for _ in range(50):
        text = "".join(rng.choices(ALPHABET, k=12))
        for between in ([made.fixed_length(2)], [made.digits(individual=True)]):
            there = cut([words, made.BYTE_LEVEL, *between], text)
            native = _core.Levels([words, made.BYTE_LEVEL, *between, made.FROM_BYTE_LEVEL])
            back = native.push(text) + native.finish()
            joined = b"".join(part[0] for part in back if part)
            assert joined == text.encode()
            assert [part for part in back if part is None] == [None] * len(there.pieces())
            assert sum(part[1] for part in back if part) == len(joined)


def test_first_is_a_matter_of_the_source() -> None:
    """Only a segment where the source begins has a first piece, and none behind dropped text."""
    levels = [made.metaspace("▁", "first", split=True)]
    later = _core.Levels(levels, is_first=False)
    assert later.push("a b") + later.finish() == [
        (b"a", 1), None, ("▁".encode(), 1), (b"b", 1), None,
    ]  # fmt: skip


def test_no_levels_make_one_piece() -> None:
    stage = _core.Levels([])
    assert stage.push("a b") == [(b"a b", 3)]
    assert stage.push("c") == [(b"c", 1)]
    assert stage.finish() == [None]
    assert stage.finish() == []
