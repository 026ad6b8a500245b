"""Pretokens that were seen before get the same ids again, and the reference's.

The engine keeps ids of pretokens by their lengths and by how many ids they have, and a pretoken of
four ids with less room for each. So: all lengths and numbers of ids around those limits, small ids
and large ones, pretokens that are new and that come again, in one text and in the next.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Final

import pytest
import tiktoken

from cutting import feed_all, random_parts
from tokstream import Tokenizer
from tokstream.vocabulary import Vocabulary

PATTERN: Final = r"[a-z]+|[^a-z]"
LETTERS: Final = "abcdef"
LENGTHS: Final = (1, 3, 4, 5, 14, 15, 16, 17, 31, 32, 33, 63, 64, 65, 253, 254, 255, 256, 257, 300)
FIRST_IDS: Final = {
    "small": 0,
    "the letter d is the first with more than 24 bits": (1 << 24) - ord("d"),
    "a pair is the first with more than 24 bits": (1 << 24) - 258,
    "more than 24 bits": 1 << 24,
    "the upper byte is full": 0xFF00_0000,
    "the largest": (1 << 32) - 400,
}


@cache
def _pair(first_id: int) -> tuple[Tokenizer, tiktoken.Encoding]:
    """All bytes and some joins, of up to 64 letters."""
    tokens = [bytes([byte]) for byte in range(256)]
    tokens += [b"ab", b"cd", b"ef", b"abcd", b"aa", *(b"a" * 2**k for k in range(2, 7))]
    table = {token: first_id + k for k, token in enumerate(tokens)}
    reference = tiktoken.Encoding("kept", pat_str=PATTERN, mergeable_ranks=table, special_tokens={})
    return Tokenizer("kept", Vocabulary.from_ranks(table), PATTERN), reference


def _word(rng: random.Random) -> str:
    """Of many ids, of few, or of a number near a limit."""
    n = rng.choice(LENGTHS)
    kind = rng.randrange(3)
    if kind == 0:
        return "".join(rng.choices(LETTERS, k=n))
    if kind == 1:
        return "a" * n
    n_single = min(n, rng.choice((0, 1, 2, 3, 4, 5, 6, 7, 8, 14, 15, 16, 62, 63, 64)))
    return "a" * (n - n_single) + "fdb"[rng.randrange(3)] * n_single


@pytest.mark.parametrize("first_id", FIRST_IDS.values(), ids=FIRST_IDS)
def test_ids_are_the_reference_s_however_often_a_pretoken_comes(first_id: int) -> None:
    tokenizer, reference = _pair(first_id)
    rng = random.Random(first_id)
    for n_words in (1, 2, 4, 30, 1500) * 3:
        words = [_word(rng) for _ in range(n_words)]
        for _ in range(3):
            text = " ".join(rng.choices(words, k=n_words)) + rng.choice(("", " ", "."))
            expected = reference.encode_ordinary(text)
            assert tokenizer.encode_ordinary(text) == expected
            assert feed_all(tokenizer.stream(), random_parts(rng, text, 5)) == expected
