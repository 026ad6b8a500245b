"""Incremental BPE: forests against the definitions, windows and common prefixes against each other."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from instances import random_rules

from tokstream.encodings.registry import vocabulary
from tokstream.errors import ConfigurationError, VocabularyError
from tokstream.reference import MergeRules
from tokstream.reference.forest import MirroredForest, SuccessorForest
from tokstream.reference.optimal import first_tokens, n_merges
from tokstream.reference.rulelists import RuleList
from tokstream.reference.windows import (
    WINDOWS,
    JumpTree,
    LastTokens,
    ReferenceCounts,
    n_stable,
    window,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

WAYS = ["descent", "longest first", "centroids"]


def proper_rules(seed: int, n: int) -> list[RuleList]:
    rng = random.Random(seed)
    found: list[RuleList] = []
    while len(found) < n:
        rules = random_rules(
            rng, rng.choice(["ab", "abc", "a"]), rng.randint(1, 9), 7, reading="H", shuffled=False
        )
        if not rules.improper():
            found.append(rules)
    return found


def random_text(rng: random.Random, rules: RuleList, n: int) -> bytes:
    letters = [token for token in rules.ids if len(token) == 1]
    return b"".join(rng.choices(letters, k=n))


@pytest.mark.parametrize("way", WAYS)
def test_last_token_of_every_prefix(way: str) -> None:
    rng = random.Random(1)
    for rules in proper_rules(1, 150):
        forest = SuccessorForest(rules)
        text = random_text(rng, rules, 25)
        expected = LastTokens(rules)
        expected.push(text)
        assert forest.last_tokens(text, way) == expected.last, (rules.pairs, text)


def test_first_token_of_every_suffix() -> None:
    rng = random.Random(2)
    n_reversed = 0
    for rules in proper_rules(2, 150):
        text = random_text(rng, rules, 25)
        expected = first_tokens(rules, text)
        assert MirroredForest(rules).first_tokens(text) == expected, (rules.pairs, text)
        n_reversed += expected[0] != rules.merge(text)[0]
    assert n_reversed == 0


def test_those_who_pass_are_one_path() -> None:
    rng = random.Random(3)
    for rules in proper_rules(3, 60):
        forest = SuccessorForest(rules)
        text = random_text(rng, rules, 20)
        last = forest.last_tokens(text)
        for i in range(1, len(text) + 1):
            suffixes = [token for token in forest.number if text[:i].endswith(token)]
            passing = {token for token in suffixes if forest.passes(token, last[:i])}
            path = set()
            token = last[i]
            while token is not None:
                path.add(token)
                token = forest.suc(token)
            assert passing == path


def test_worst_case_needs_few_centroids(monkeypatch: pytest.MonkeyPatch) -> None:
    """b, ab, aab, ...: as deep as a forest can be."""
    rules = MergeRules([b"b", *(b"a" * n + b"b" for n in range(1, 64)), b"a"])
    forest = SuccessorForest(rules)
    assert forest.depth() == 63
    n_tests = 0
    passes = forest.passes

    def counted(token: bytes, last: Sequence[bytes | None]) -> bool:
        nonlocal n_tests
        n_tests += 1
        return passes(token, last)

    monkeypatch.setattr(forest, "passes", counted)
    for n in (5, 30, 63, 70):
        text = b"a" * n + b"b"
        last: list[bytes | None] = [None, *[b"a"] * n]
        n_tests = 0
        assert forest.by_centroids(text, last) == text[-64:]
        assert n_tests <= 7


def test_improper_rules_are_refused() -> None:
    rules = RuleList([(b"a", b"b"), (b"abc", b"d"), (b"ab", b"c")], b"abcd", "H")
    for forest in (SuccessorForest, MirroredForest):
        with pytest.raises(VocabularyError, match="abcd"):
            forest(rules)


@pytest.mark.slow
def test_a_published_vocabulary() -> None:
    rules = MergeRules.from_ranks(vocabulary("r50k_base").to_ranks())
    forest = SuccessorForest(rules)
    assert forest.depth() == 7
    text = "Streaming tokenizers tokenize streams, 1234567890      \n\n" * 3
    data = text.encode()
    for way in WAYS:
        last = forest.last_tokens(data, way)
        for n in range(1, len(data), 7):
            assert last[n] == rules.merge(data[:n])[-1]


def test_windows_are_nested_and_sound() -> None:
    rng = random.Random(4)
    n_sharper = dict.fromkeys(WINDOWS, 0)
    for rules in proper_rules(5, 80):
        tokens, counts = LastTokens(rules), ReferenceCounts(rules)
        text = random_text(rng, rules, 30)
        given_out: list[bytes] = []
        bound = (n_merges(rules) + 1) * rules.max_length
        before = 0
        for i in range(len(text)):
            tokens.push(text[i : i + 1])
            given_out += counts.push(text[i : i + 1])
            jg, chain, exact = (window(tokens, kind) for kind in WINDOWS)
            assert jg >= chain >= exact
            stable = [n_stable(tokens, kind) for kind in WINDOWS]
            assert stable == sorted(stable)
            assert stable[2] >= before  # stable prefixes only grow
            before = stable[2]
            assert i + 1 - stable[0] <= bound  # Lemma 4.18
            for kind, n in zip(WINDOWS, stable, strict=True):
                n_sharper[kind] += n < stable[2]
            # counting references gives out a prefix of the common prefix of "jg"
            assert b"".join(given_out) == text[: sum(map(len, given_out))]
            assert given_out == rules.merge(text[: stable[0]])[: len(given_out)]
    assert n_sharper["jg"] > n_sharper["chain"] > n_sharper["exact"] == 0


def test_window_must_exist() -> None:
    with pytest.raises(ConfigurationError, match="window"):
        window(LastTokens(MergeRules([b"a"])), "all")


def test_jump_tree() -> None:
    rng = random.Random(5)
    for _ in range(40):
        tree = JumpTree()
        paths = [[0]]
        spread = rng.choice((1, 3, 100))
        for n in range(1, 80):
            parent = rng.randint(max(0, n - spread), n - 1)
            assert tree.add(parent) == n
            paths.append([*paths[parent], n])
        for _ in range(200):
            a, b = rng.randrange(80), rng.randrange(80)
            common = [x for x, y in zip(paths[a], paths[b], strict=False) if x == y]
            assert tree.lowest_common_ancestor(a, b) == common[-1]
            below = (
                paths[b][len(paths[a])]
                if paths[b][: len(paths[a])] == paths[a] != paths[b]
                else None
            )
            assert tree.child_towards(a, b) == below


def test_jumps_are_few() -> None:
    class Counted(list[int]):
        n = 0

        def __getitem__(self, key: Any) -> Any:
            Counted.n += 1
            return super().__getitem__(key)

    tree = JumpTree()
    for parent in range(5_000):
        tree.add(parent)
    tree._jump = Counted(tree._jump)
    for depth in range(0, 5_000, 37):
        Counted.n = 0
        assert tree.ancestor(5_000, depth) == depth
        assert Counted.n <= 3 * 13
