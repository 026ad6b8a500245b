"""Patterns that decide late: how a text is split may depend on something hundreds of bytes on.

Small vocabularies, the reference's ids, at random cuts and byte by byte; stability too. Runs are
longer than what the engine reads again, so that it follows several ways to split at once.
"""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import pytest
import tiktoken

from cutting import check_unit_by_unit, feed_all, random_parts
from tokstream import Tokenizer
from tokstream.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokstream._types import DelayMode

PATTERNS = [
    r"(?:aa|bb)*c|[\s\S]",
    r"(?:ab)+c|(?:ba)+c|[\s\S]",
    r"(?:a*b)*c|[\s\S]",
    r"(?:a|b)+?c|[\s\S]",
    r"a+(?:b+c)?|[\s\S]",
    r"[ab]*c[ab]*c|[ab]+|[\s\S]",
    r"(?:aab|aa)+(?:c|$)|[\s\S]",
    r"(?:aaa)+(?!\S)|a+b|[\s\S]",
    r"\s*\n+|\s+(?!\S)|\s|\S+",
    r"(?: *\n)+c|\s+(?!\S)|\s+|[^\s]",
    r"a(?:[ab ]*c)?|b{2,}|[\s\S]",
]
TOKENS = [b"aa", b"aaaa", b"ab", b"bb", b"  ", b"    ", b"\n\n", b" a", b"aab", b"bc", b"abab"]
TABLE = {bytes([b]): b for b in range(256)} | {token: 256 + k for k, token in enumerate(TOKENS)}
UNITS = ["a", "b", "c", " ", "\n", "x", "ab", "ba", "aab", " \n"]
CONTINUATIONS = ["", "a", "b", "c", " ", "\n", "x", "aab", "bc", " c", "a" * 70, "ab" * 40 + "c"]


def _texts(seed: int, n: int) -> list[str]:
    rng = random.Random(seed)
    return [
        "".join(
            rng.choice(UNITS) * rng.choice([1, 1, 2, 3, 7, 40, 130])
            for _ in range(rng.randint(1, 9))
        )
        for _ in range(n)
    ]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_random_texts(pattern: str) -> None:
    reference = tiktoken.Encoding("late", pat_str=pattern, mergeable_ranks=TABLE, special_tokens={})
    tokenizer = Tokenizer("late", Vocabulary.from_ranks(TABLE), pattern)
    rng = random.Random(pattern)
    for text in _texts(len(pattern), 40):
        expected = reference.encode_ordinary(text)
        assert tokenizer.encode(text) == expected, text
        check_unit_by_unit(tokenizer.stream, text, expected)
        for n_cuts in (1, 1, 2, 5, 30):
            parts = random_parts(rng, text, n_cuts)
            assert feed_all(tokenizer.stream(), parts) == expected, parts
            assert feed_all(tokenizer.stream(delay="composition"), parts) == expected, parts
        stream = tokenizer.stream()
        ids = stream.feed(text)
        for y in CONTINUATIONS:
            assert reference.encode_ordinary(text + y)[: len(ids)] == ids, (text, y)


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("unit", ["a", "ab", "aab", " ", " \n", "b"])
@pytest.mark.parametrize("delay", ["optimal", "composition"])
def test_linear_time(pattern: str, unit: str, delay: DelayMode) -> None:
    tokenizer = Tokenizer("late", Vocabulary.from_ranks(TABLE), pattern)

    def fed(n_bytes: int, size: int) -> None:
        text = unit * (n_bytes // len(unit))
        stream = tokenizer.stream(delay=delay)
        for i in range(0, len(text), size):
            stream.advance(text[i : i + size])
        stream.finish()

    _check_linear(lambda n: fed(n, 4096), 100_000)
    _check_linear(lambda n: fed(n, 2), 8_000)
    if delay == "optimal":
        _check_linear(lambda n: tokenizer.count(unit * (n // len(unit))), 200_000)


def _check_linear(call: Callable[[int], object], n_bytes: int) -> None:
    def seconds(n_bytes: int) -> float:
        begin = time.process_time()
        call(n_bytes)
        return time.process_time() - begin

    small = large = float("inf")
    for _ in range(60):
        small, large = min(small, seconds(n_bytes)), min(large, seconds(2 * n_bytes))
        if large < 2.3 * small:
            break
    # What is undecided is held, and outgrows the processor's caches; quadratic would be 4.
    assert large < 2.7 * small + 0.0005
