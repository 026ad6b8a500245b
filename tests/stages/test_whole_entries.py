"""Entries that merging never makes, and that are tokens where they are whole pretokens.

What a stream gives out must stay right when a pretoken that seemed to go on turns out to have ended
and the next one to be such an entry. Decided by brute force: all short continuations.
"""

from __future__ import annotations

import random
from itertools import product

import pytest

from tokstream.tokenizer import Tokenizer
from tokstream.vocabulary import Vocabulary

PATTERNS = {
    r"a*b|[\s\S]": "ab",
    r"(?:aa|bb)*c|a+|b|c|[^abc]": "abc",
    r"\s*\n+|\s+(?!\S)|\s|\S+": "a \n",
    r"a{0,3}b|a+(?!c)|[\s\S]": "abc",
    r"(?:ab)*c|a+|b+|[\s\S]": "abc",
}
N_VOCABULARIES = 12
N_TEXTS = 6


def vocabulary(rng: random.Random, alphabet: str) -> Vocabulary:
    """Single bytes, and strings of two to four letters in any order, so that many are no merges."""
    strings = ["".join(p) for n in (2, 3, 4) for p in product(alphabet, repeat=n)]
    chosen = rng.sample(strings, rng.randint(3, 10))
    ranks = {bytes([b]): b for b in range(256)}
    return Vocabulary.from_ranks(ranks | {s.encode(): 256 + k for k, s in enumerate(chosen)})


@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_was_given_out_stays_right(pattern: str) -> None:
    alphabet = PATTERNS[pattern]
    rng = random.Random(pattern)
    n_with_entries = n_early = 0
    longest = 4 if len(alphabet) < 3 else 3
    rests = ["".join(p) for n in range(longest + 1) for p in product(alphabet, repeat=n)]
    for _ in range(N_VOCABULARIES):
        tokenizer = Tokenizer("made up", vocabulary(rng, alphabet), pattern, {})
        n_with_entries += bool(tokenizer._core.unreachable_ids)
        for _ in range(N_TEXTS):
            text = "".join(rng.choices(alphabet, k=12))
            stream, plain = tokenizer.stream(), tokenizer.stream(delay="composition")
            given: list[int] = []
            n_plain = 0
            for end in range(1, len(text) + 1):
                given += stream.feed(text[end - 1])
                n_plain += len(plain.feed(text[end - 1]))
                n_early += len(given) > n_plain
                assert len(given) >= n_plain
                for rest in rests:
                    whole = tokenizer.encode(text[:end] + rest)
                    assert whole[: len(given)] == given, (text[:end], rest)
            assert given + stream.finish() == tokenizer.encode(text)
    assert n_with_entries > N_VOCABULARIES / 2
    assert n_early > 0
