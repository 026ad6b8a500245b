"""Every fact that the algorithms rest on, on random instances."""

from __future__ import annotations

import random

import pytest
from instances import random_dfa, random_rules

from tokstream.reference.definitions import common_prefix
from tokstream.reference.lemmas import (
    bounded_influence,
    every_match_is_near_the_last,
    locality,
    pair_lemma,
    unique_last_token,
)
from tokstream.reference.rulelists import READINGS


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("shuffled", [False, True])
def test_facts_about_merge(reading: str, shuffled: bool) -> None:
    rng = random.Random(1)
    n_merged = n_not = 0
    for _ in range(60):
        rules = random_rules(rng, "ab", rng.randint(1, 8), 6, reading=reading, shuffled=shuffled)
        reachable = [token for token in rules.ids if rules.reachable(token)]
        for _ in range(5):
            text = "".join(rng.choices("ab", k=rng.randint(1, 16))).encode()
            assert locality(rules, text)
            assert unique_last_token(rules, text)
            tokens = rng.choices(reachable, k=rng.randint(2, 5))
            assert pair_lemma(rules, tokens)
            is_merged = rules.merge(b"".join(tokens)) == tokens
            n_merged += is_merged
            n_not += not is_merged
    assert min(n_merged, n_not) > 50


@pytest.mark.parametrize("reading", READINGS)
def test_bounded_influence(reading: str) -> None:
    rng = random.Random(2)
    n_changed = 0
    for _ in range(200):
        rules = random_rules(rng, "ab", rng.randint(1, 3), 3, reading=reading, shuffled=True)
        common = "".join(rng.choices("ab", [4, 1], k=30))
        a, b = ((common + "".join(rng.choices("ab", k=4))).encode() for _ in range(2))
        assert bounded_influence(rules, a, b, rules.n_rules)
        agree = common_prefix([rules.merge(a), rules.merge(b)])
        n_changed += sum(map(len, agree)) < len(common)
    assert n_changed > 10


def test_lookback() -> None:
    rng = random.Random(3)
    n_said = 0
    for _ in range(300):
        dfa = random_dfa(rng, "ab", rng.randint(2, 7))
        text = "".join(rng.choices("ab", k=rng.randint(1, 9)))
        assert every_match_is_near_the_last(dfa, text), (dfa.delta, dfa.accepting, text)
        n_said += dfa.lookback() is not None
    assert n_said > 100
