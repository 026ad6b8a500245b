"""What the reference knows about a vocabulary, against the definitions."""

from __future__ import annotations

import random
import sys
from itertools import product
from pathlib import Path

import pytest

from tokstream.encodings.registry import vocabulary
from tokstream.errors import VocabularyError
from tokstream.reference import MergeRules
from tokstream.reference.tokens import last_token

sys.path.insert(0, str(Path(__file__).parents[1] / "stages"))
from oracles import naive_merge, random_bpe_tokens, random_tokens

MAKERS = [random_bpe_tokens, random_tokens]


@pytest.mark.parametrize("make", MAKERS)
def test_heap_merge_is_merge(make: type) -> None:
    rng = random.Random(1)
    for _ in range(200):
        tokens = make(rng, "ab", rng.randint(1, 12), 7)
        rules = MergeRules(tokens)
        for _ in range(5):
            piece = "".join(rng.choices("ab", k=rng.randint(0, 30))).encode()
            assert rules.merge(piece) == naive_merge(tokens, piece)


@pytest.mark.parametrize("make", MAKERS)
def test_may_precede_by_its_definition(make: type) -> None:
    rng = random.Random(2)
    n_yes = n_no = n_improper = 0
    for _ in range(150):
        tokens = make(rng, "ab", rng.randint(1, 14), 6)
        rules = MergeRules(tokens)
        n_improper += len(rules.improper())
        reachable = [token for token in tokens if naive_merge(tokens, token) == [token]]
        assert [token for token in tokens if rules.reachable(token)] == reachable
        assert sorted(rules.unreachable() + reachable) == sorted(tokens)
        for left, right in product(reachable, repeat=2):
            expected = naive_merge(tokens, left + right) == [left, right]
            assert rules.compatible(left, right) is expected, (tokens, left, right)
            n_yes += expected
            n_no += not expected
    assert min(n_yes, n_no) > 1_000
    assert n_improper > 0


@pytest.mark.parametrize("make", MAKERS)
def test_straddled_by_its_definition(make: type) -> None:
    rng = random.Random(3)
    for _ in range(100):
        tokens = make(rng, "ab", rng.randint(1, 14), 6)
        rules = MergeRules(tokens)
        reachable = [token for token in tokens if rules.reachable(token)]
        beginnings = {token[:n] for token in tokens for n in range(1, len(token) + 1)}
        for before, beginning in product([None, *reachable], sorted(beginnings)):
            expected = any(
                len(token) > len(beginning)
                and token.startswith(beginning)
                and (before is None or rules.compatible(before, token))
                for token in reachable
            )
            assert rules.straddled(before, beginning) is expected


@pytest.mark.parametrize("make", MAKERS)
def test_last_token_of_every_prefix(make: type) -> None:
    rng = random.Random(4)
    for _ in range(100):
        tokens = make(rng, "abc", rng.randint(1, 14), 6)
        rules = MergeRules(tokens)
        text = "".join(rng.choices("abc", k=20)).encode()
        last: list[bytes | None] = [None]
        for i in range(1, len(text) + 1):
            last.append(last_token(rules, text, last))
            assert last[-1] == naive_merge(tokens, text[:i])[-1]


def test_canonical_rule_is_the_last_merge() -> None:
    rules = MergeRules([b"a", b"b", b"c", b"bc", b"ab", b"abc"])
    rule = rules.rule(b"abc")
    assert rule is not None
    assert (rule.n_pre, rule.increasing) == (1, True)
    assert rules.rule(b"a") is not None
    assert rules.rule(b"ca") is None


def test_tables_that_make_no_sense() -> None:
    with pytest.raises(VocabularyError, match="twice"):
        MergeRules([b"a", b"a"])
    with pytest.raises(VocabularyError, match="empty"):
        MergeRules([b"a", b""])
    with pytest.raises(VocabularyError, match="0x62"):
        MergeRules([b"a"]).merge(b"ab")


def test_ids_are_not_ranks() -> None:
    rules = MergeRules([b"a", b"b", b"ab"], [7, 5, 3])
    assert rules.encode(b"aba") == [3, 7]
    ranked = MergeRules.from_ranks({b"ab": 9, b"b": 2, b"a": 4, b"ba": 8})
    assert ranked.encode(b"bab") == [8, 2]


def test_a_published_vocabulary_is_reachable_and_proper() -> None:
    rules = MergeRules.from_ranks(vocabulary("r50k_base").to_ranks())
    assert rules.unreachable() == []
    assert rules.improper() == []
