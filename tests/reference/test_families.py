"""The lower-bound and hardness families come out as predicted."""

from __future__ import annotations

import random
from itertools import product

import pytest

from tokstream.errors import ConfigurationError
from tokstream.patterns import compile_pattern
from tokstream.reference import MergeRules, Tokens
from tokstream.reference.adaptive import Adaptive
from tokstream.reference.composition import Composition
from tokstream.reference.definitions import common_prefix, tok
from tokstream.reference.families import (
    Instance,
    assignment,
    chain_family,
    composition_family,
    satisfiability_family,
    space_family,
    window_family,
)
from tokstream.reference.optimal import OptimalDelay, n_merges
from tokstream.reference.windows import LastTokens, ReferenceCounts, n_stable


def optimal(instance: Instance) -> list[int]:
    stage = Adaptive(instance.rules, instance.automaton)
    return [token for character in instance.text for token in stage.push(character)]


def composition(instance: Instance) -> list[int]:
    stage = Composition(instance.rules, instance.automaton)
    return [token for character in instance.text for token in stage.push(character)]


@pytest.mark.parametrize("f", [1, 2, 3, 4])
def test_space(f: int) -> None:
    outputs = set()
    for letters in product("ab", repeat=f):
        word = "".join(2 * letter for letter in letters)
        instance = space_family(word)
        assert instance.automaton.lookback() == 2 * f
        pairs = tok(instance.automaton, instance.rules, word + "c")
        assert pairs == [*((2 * letter).encode() for letter in letters), b"c"]
        assert tok(instance.automaton, instance.rules, word) == [c.encode() for c in word]
        assert optimal(instance) == []
        outputs.add(tuple(pairs))
    assert len(outputs) == 2**f
    for text in ("cc", "aacc", "caab"):
        assert all(len(str(token)) > 0 for token in tok(instance.automaton, instance.rules, text))


@pytest.mark.parametrize("f", [2, 3, 8, 20])
def test_composition_is_behind(f: int) -> None:
    instance = composition_family(f)
    assert instance.automaton.lookback() == f
    assert len(composition(instance)) == 1
    assert len(optimal(instance)) == f
    literal = OptimalDelay(instance.automaton, instance.rules)
    assert len(literal.push(instance.text)) == max(0, f - 3 * 1 * 2)


@pytest.mark.parametrize(("k", "s"), [(1, 1), (2, 1), (3, 1), (3, 2), (5, 2)])
def test_chain(k: int, s: int) -> None:
    rng = random.Random(k)
    firsts = set()
    for _ in range(4):
        word = "".join(rng.choices("ab", k=k))
        instance = chain_family(word, s)
        rules, text = instance.rules, instance.text.encode()
        m, t = n_merges(rules), rules.max_length
        assert (m, t) == (4 * k + 2 * s + 1, 2**s + 1)
        assert len(text) == k * t + 1
        assert len(text) > 0.12 * m * t
        assert optimal(instance) == composition(instance) == []
        with_d = rules.merge(text + b"d")
        without = rules.merge(text)
        assert without[0] == b"A"
        assert with_d[0] == b"A" + text[1 : 1 + 2**s]
        firsts.add(tuple(with_d))
    assert len(firsts) > 1


@pytest.mark.parametrize("s", [1, 2, 3, 4])
def test_window(s: int) -> None:
    instance = window_family(s)
    rules = instance.rules
    live = Tokens(rules)
    assert live.push(instance.text) == [rules.ids[b"a" * 2**s]]
    tokens, counts = LastTokens(rules), ReferenceCounts(rules)
    tokens.push(instance.text.encode())
    assert [n_stable(tokens, kind) for kind in ("jg", "chain", "exact")] == [0, 2**s, 2**s]
    assert [token for _ in instance.text for token in counts.push(b"a")] == []


def test_infinite_lookback_and_bounded_delay() -> None:
    """A line break and blanks: composition holds all of them, the optimal delay is a few tokens."""
    tokens = [b"\n", b" ", b"x", *(b" " * 2**n for n in range(1, 4)), b"\n "]
    rules = MergeRules(tokens)
    automaton = compile_pattern(r"\s*\n+|\s+(?!\S)|[\s\S]")
    stages: list[Composition | Adaptive] = [
        Composition(rules, automaton),
        Adaptive(rules, automaton),
    ]
    most = [0, 0]
    for character in "x\n" + 120 * " ":
        for k, stage in enumerate(stages):
            stage.push(character)
            most[k] = max(most[k], stage.n_held)
    assert most[0] == 121  # the line break too: the vocabulary has a token for it and a blank
    assert most[1] <= 3 * rules.max_length


def satisfiable(clauses: list[dict[int, bool]], n: int) -> bool:
    return any(
        all(any(z[v] is value for v, value in clause.items()) for clause in clauses)
        for z in product([False, True], repeat=n)
    )


def test_one_more_token_is_stable_if_and_only_if_the_formula_is_unsatisfiable() -> None:
    rng = random.Random(9)
    n = 3
    n_satisfiable = 0
    for _ in range(24):
        clauses = [
            {v: rng.random() < 0.5 for v in rng.sample(range(n), rng.choice((1, 2, 2)))}
            for _ in range(rng.randint(2, 9))
        ]
        instance = satisfiability_family(clauses, n)
        dfa, rules, text = instance
        futures = [text]
        for z in product([False, True], repeat=n):
            futures += [text + assignment(z) + tail for tail in ("", "d", "0", "dd", "e")]
        for _ in range(60):  # and what is no assignment
            y = [*assignment(rng.choices([False, True], k=n)), "d"][: rng.randint(0, 7)]
            if y:
                y[rng.randrange(len(y))] = rng.choice(dfa.alphabet)
            futures.append(text + "".join(y))
        stable = common_prefix(tok(dfa, rules, future) for future in futures)
        symbols = [symbol.encode() for symbol in text[: len(clauses)]]
        is_satisfiable = satisfiable(clauses, n)
        n_satisfiable += is_satisfiable
        assert stable[: len(clauses)] == symbols
        assert (len(stable) == len(clauses)) is is_satisfiable
        # a sound algorithm stops before c0 if the formula is satisfiable; ours does always
        assert optimal(instance) == [rules.ids[symbol] for symbol in symbols]
    assert 5 < n_satisfiable < 22


def test_what_is_no_instance() -> None:
    for word in ("", "ab", "aab", "aac"):
        with pytest.raises(ConfigurationError, match="pairs"):
            space_family(word)
    with pytest.raises(ConfigurationError, match="letters"):
        chain_family("abc", 1)
    with pytest.raises(ConfigurationError, match="clauses"):
        satisfiability_family([{0: True}], 40)
