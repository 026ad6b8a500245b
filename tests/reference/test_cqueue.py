"""cQueue against reading again, and the paper's pretokenization against cutQ's."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from instances import random_dfa

from tokstream.errors import PatternError
from tokstream.patterns import compile_pattern
from tokstream.reference import CUT, Pretokens
from tokstream.reference.automata import Dfa, Nfa
from tokstream.reference.cqueue import (
    CQueue,
    Deterministic,
    FastPretokenization,
    Nondeterministic,
)

sys.path.insert(0, str(Path(__file__).parents[1] / "stages"))
from oracles import random_automaton

if TYPE_CHECKING:
    from tokstream.reference.cqueue import Machine
    from tokstream.reference.pretokens import Pretoken

PATTERNS = {
    r"(?:aa|bb)*c|[\s\S]": "abc",
    r"a+(?!b)|a|b+?c|[\s\S]": "abc",
    r"\s*\n+|\s+(?!\S)|\s|\S": "a \n",
    r"\s++$|\s*\n|\s+(?!\S)|\s|\S+": "a \n",
    r"(?:ab|a)(?:c|bcd)*|[\s\S]": "abcd",
}


def marks(parts: list[Pretoken]) -> list[str]:
    return [mark for part in parts for mark in (["‖"] if part is CUT else part)]


def random_nfa(rng: random.Random, alphabet: str, n: int) -> Nfa:
    """State n accepts every single character and goes no further; n + 1 is a sink."""
    delta: list[dict[str, set[int]]] = [
        {c: {q for q in range(1, n) if rng.random() < 0.35} for c in alphabet} for _ in range(n)
    ]
    delta[0] = {c: targets | {n} for c, targets in delta[0].items()}
    accepting = {q for q in range(1, n) if rng.random() < 0.25}
    return Nfa(alphabet, [*delta, {}, {}], {*accepting, n})


def compare(machine: Machine, pretokens: Pretokens, text: str) -> None:
    fast = FastPretokenization(machine)
    for _ in range(2):  # the second time in the same object
        for i, character in enumerate(text):
            given = fast.push(character)
            assert marks(given) == marks(pretokens.push(character)), text[: i + 1]
        assert marks(fast.finish()) == marks(pretokens.finish())
    whole = fast.push(text) + fast.finish()
    assert marks(whole) == marks(pretokens.push(text) + pretokens.finish())


def test_queue_is_reading_again() -> None:
    rng = random.Random(1)
    for _ in range(60):
        dfa = random_dfa(rng, "ab", rng.randint(2, 6))
        queue = CQueue(Deterministic(dfa))
        word: list[int] = []
        for _ in range(40):
            if word and rng.random() < 0.4:
                n = rng.randint(1, min(4, len(word)))
                assert queue.pop(n) == word[:n]
                word = word[n:]
            else:
                word.append(rng.randrange(2))
                queue.push(word[-1])
            assert len(queue) == len(word)
            for start in range(1, len(dfa.delta) + 1):
                state, last = start, -1
                for i, symbol in enumerate(word):
                    state, matched = dfa.step(state, symbol)
                    last = i if matched else last
                reach = queue.query({start: -1})
                assert max(reach.values(), default=-1) == last
                assert set(reach) - {0} == {state} - {0}


def test_pretokens_of_random_automata() -> None:
    rng = random.Random(2)
    for _ in range(100):
        automaton = random_automaton(rng, "ab", rng.randint(4, 9))
        text = "".join(rng.choices("ab", k=25))
        compare(Deterministic(automaton), Pretokens(automaton), text)
        dfa = random_dfa(rng, "ab", rng.randint(2, 8))
        compare(Deterministic(dfa), Pretokens(dfa), text)


def test_pretokens_of_nondeterministic_automata() -> None:
    rng = random.Random(3)
    n_wide = 0
    for _ in range(100):
        nfa = random_nfa(rng, "ab", rng.randint(2, 5))
        dfa = nfa.determinize()
        n_wide += len(dfa.delta) > len(nfa.delta)
        text = "".join(rng.choices("ab", k=25))
        compare(Nondeterministic(nfa), Pretokens(dfa), text)
    assert n_wide > 10


@pytest.mark.parametrize("pattern", PATTERNS)
def test_compiled_patterns(pattern: str) -> None:
    automaton: Any = compile_pattern(pattern)
    rng = random.Random(4)
    for _ in range(20):
        text = "".join(rng.choices(PATTERNS[pattern], k=25))
        compare(Deterministic(automaton), Pretokens(automaton), text)


def test_what_is_held_and_what_it_costs() -> None:
    """At most b(R) characters, and about two compositions per symbol, at the worst input too."""
    dfa = Dfa.from_words("abc", ["a", "b", "c", "ab" * 30 + "c"])
    lookback = dfa.lookback()
    assert lookback == 60
    stage = FastPretokenization(Deterministic(dfa))
    text = ("ab" * 30 + "a") * 20 + "ab" * 300
    held = 0
    for character in text:
        stage.push(character)
        held = max(held, stage.n_held)
    assert held <= lookback
    assert stage._queue.n_compositions <= 2 * len(text)


def test_pattern_without_a_match_is_named() -> None:
    nfa = Nfa("ab", [{"a": {1}, "b": {2}}, {"a": {1}, "b": {2}}, {}], {2})  # a*b
    stage = FastPretokenization(Nondeterministic(nfa))
    assert marks(stage.push("aab")) == [*"aab", "‖"]
    with pytest.raises(PatternError, match="not total"):
        stage.push("aa") + stage.finish()
