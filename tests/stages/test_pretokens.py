"""Stage 3 against the definition of Split, on random automata and on compiled patterns."""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from oracles import TableAutomaton, naive_split, random_automaton, stable, ways_to_cut

import tokstream.reference
from tokstream.errors import PatternError
from tokstream.patterns import compile_pattern

if TYPE_CHECKING:
    from types import ModuleType

PATTERNS = {  # with an alphabet that has a character of each class that matters
    r"(?:aa|bb)*c|[\s\S]": "abc",
    r"a{3}b|[\s\S]": "ab",
    r"a*b|[\s\S]": "abc",
    r"a+(?!b)|a|b+?c|[\s\S]": "abc",
    r" ?a+| ?b+|\s+(?!\S)|\s+|[\s\S]": "ab ",
    r"\s*\n+|\s+(?!\S)|\s|\S": "a \n",
    r"\s++$|\s*\n|\s+(?!\S)|\s|\S+": "a \n",
    r"(?:ab|a)(?:c|bcd)*|[\s\S]": "abcd",
}


def marks(parts: list[Any]) -> list[str]:
    out: list[str] = []
    for part in parts:
        out += part if isinstance(part, str) else ["‖"]
    return out


def test_maximum_stable_prefix_after_every_character(implementation: ModuleType) -> None:
    rng = random.Random(1)
    for _ in range(150):
        automaton = random_automaton(rng, "ab", rng.randint(4, 7))
        text = "".join(rng.choices("ab", k=9))
        pretokens = implementation.Pretokens(automaton)
        out: list[str] = []
        for i, character in enumerate(text):
            out += marks(pretokens.push(character))
            expected = stable(partial(naive_split, automaton), text[: i + 1], "ab", 6)
            assert out == expected, (automaton.table, text[: i + 1])
        assert out + marks(pretokens.finish()) == naive_split(automaton, text)


def test_random_automata_look_back() -> None:
    """The brute-force test above would pass on automata that always cut at once."""
    rng = random.Random(1)
    n_behind = 0
    for _ in range(100):
        automaton = random_automaton(rng, "ab", rng.randint(4, 7))
        text = "".join(rng.choices("ab", k=9))
        for n in range(1, 9):
            fixed = stable(partial(naive_split, automaton), text[:n], "ab", 6)
            if n - sum(mark != "‖" for mark in fixed) >= 2:
                n_behind += 1
                break
    assert n_behind >= 10


@pytest.mark.parametrize("pattern", PATTERNS)
def test_compiled_patterns_give_all_that_is_stable(
    implementation: ModuleType, pattern: str
) -> None:
    automaton: Any = compile_pattern(pattern)
    alphabet = PATTERNS[pattern]

    def split(text: str) -> list[str]:
        return [mark for part in automaton.split(text) for mark in (*part, "‖")]

    rng = random.Random(2)
    for _ in range(12):
        text = "".join(rng.choices(alphabet, k=8))
        pretokens = implementation.Pretokens(automaton)
        out: list[str] = []
        for i, character in enumerate(text):
            out += marks(pretokens.push(character))
            assert out == stable(split, text[: i + 1], alphabet, 4), text[: i + 1]
        assert out + marks(pretokens.finish()) == split(text)


def test_every_cut_gives_the_same(implementation: ModuleType) -> None:
    rng = random.Random(3)
    for _ in range(200):
        automaton = random_automaton(rng, "abc", rng.randint(4, 9))
        text = "".join(rng.choices("abc", k=20))
        expected = naive_split(automaton, text)
        for chunks in ways_to_cut(text):
            pretokens = implementation.Pretokens(automaton)
            out = [part for chunk in chunks for part in pretokens.push(chunk)]
            assert marks(out + pretokens.finish()) == expected


def test_finish_begins_a_new_segment(implementation: ModuleType) -> None:
    pretokens = implementation.Pretokens(compile_pattern(r"a*b|[\s\S]"))
    for _ in range(2):
        assert pretokens.finish() == []
        assert marks(pretokens.push("aa") + pretokens.finish()) == ["a", "‖", "a", "‖"]


def test_split_leaves_the_stream_alone(implementation: ModuleType) -> None:
    pretokens = implementation.Pretokens(compile_pattern(r"a*b|[\s\S]"))
    before = marks(pretokens.push("aa"))
    assert pretokens.split("aabab") == ["aab", "ab"]
    assert before + marks(pretokens.push("b") + pretokens.finish()) == ["a", "a", "b", "‖"]


@pytest.mark.parametrize("tail", ["", "c"])
def test_unbounded_lookback_takes_linear_time(implementation: ModuleType, tail: str) -> None:
    """(aa|bb)*c on aabb…: undecided to the end, and once more from every place if it fails."""
    table = [
        [(0, False)] * 4,
        [(2, False), (3, False), (5, False), (0, False)],
        [(4, True), (0, True), (0, True), (0, True)],  # a
        [(0, True), (4, True), (0, True), (0, True)],  # b
        [(6, False), (7, False), (5, False), (0, False)],  # pairs
        [(0, True)] * 4,  # c
        [(4, False), (0, False), (0, False), (0, False)],  # pairs, a
        [(0, False), (4, False), (0, False), (0, False)],  # pairs, b
    ]
    covers = bytes([0, 0, 1, 1, 0, 1, 0, 0])
    ends = bytes([0, 0, 0, 0, 0, 1, 0, 0])
    automaton = TableAutomaton("abc", table, covers, ends)
    text = "aabb" * 5_000 + tail
    pretokens = implementation.Pretokens(automaton)
    out = [part for character in text for part in pretokens.push(character)]
    out += pretokens.finish()
    assert sum(mark == "‖" for mark in marks(out)) == (1 if tail else len(text))
    assert automaton.n_steps <= len(table) * (len(text) + 1)


def test_pattern_without_a_match_is_named() -> None:
    """The engine trusts the compiler to refuse such a pattern, and cuts somewhere."""
    table = [[(0, False)] * 2, [(2, False), (0, False)], [(0, False), (0, True)]]
    broken = TableAutomaton("a", table, bytes(3), bytes(3))
    pretokens = tokstream.reference.Pretokens(broken)
    with pytest.raises(PatternError, match="not total"):
        pretokens.push("aa")
