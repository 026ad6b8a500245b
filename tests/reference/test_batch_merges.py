"""Three ways to merge a whole pretoken give the same."""

from __future__ import annotations

import random

import pytest
from instances import random_rules

from tokstream.errors import VocabularyError
from tokstream.reference import MergeRules
from tokstream.reference.batch import backtracking, naive
from tokstream.reference.rulelists import READINGS


def test_naive_heap_and_backtracking_agree() -> None:
    rng = random.Random(1)
    n_back = 0
    for k in range(150):
        tokens = random_rules(rng, "abc", 9, 7, reading="T", shuffled=k % 2 == 0).ids
        rules = MergeRules(tokens)
        for n in (0, 1, 7, 40):
            piece = "".join(rng.choices("abc", k=n)).encode()
            expected = rules.merge(piece)
            assert naive(rules, piece) == expected
            assert backtracking(rules, piece) == expected
            longest = [t for t in tokens if rules.reachable(t) and piece.startswith(t)]
            n_back += n > 0 and expected[0] != max(longest, key=len)
    assert n_back > 5  # where greedy search would have been wrong


@pytest.mark.parametrize("reading", READINGS)
def test_backtracking_in_all_readings(reading: str) -> None:
    rng = random.Random(2)
    for _ in range(60):
        rules = random_rules(rng, "ab", 7, 6, reading=reading, shuffled=True)
        piece = "".join(rng.choices("ab", k=30)).encode()
        assert backtracking(rules, piece) == rules.merge(piece)


def test_no_offset_fails_twice() -> None:
    """The longest tokens lead astray again and again: 82 questions, 124 if nothing is noted."""
    tokens = [b"a", b"b", b"ab", b"aab", b"aa", b"aabaa", b"aabaab", b"aabaaa", b"aaa"]
    rules = MergeRules(tokens)
    n_asked = 0
    compatible = rules.compatible

    def counted(left: bytes, right: bytes) -> bool:
        nonlocal n_asked
        n_asked += 1
        return compatible(left, right)

    rules.compatible = counted  # type: ignore[method-assign]
    piece = b"aaba" * 15 + b"aa"
    assert backtracking(rules, piece) == rules.merge(piece)
    assert n_asked <= 90


def test_byte_that_is_no_token() -> None:
    with pytest.raises(VocabularyError, match="0x63"):
        backtracking(MergeRules([b"a", b"b", b"ab"]), b"abacab")
