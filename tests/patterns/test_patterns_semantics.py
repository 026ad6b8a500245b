"""Random patterns against the engines, and the tables against their definitions."""

from __future__ import annotations

import itertools
import random

import pytest
from pattern_drawing import TEXT_ALPHABET, draw_pattern
from pattern_oracles import TiktokenOracle, TokenizersOracle
from pattern_texts import random_texts
from published import PUBLISHED

from tokstream.errors import PatternError
from tokstream.patterns import compile_pattern
from tokstream.patterns.analysis import analyse
from tokstream.patterns.automaton import DEAD, START, Automaton


def _texts(rng, count):
    return ["".join(rng.choices(TEXT_ALPHABET, k=rng.randint(1, 12))) for _ in range(count)]


@pytest.mark.parametrize("seed", range(3))
def test_random_patterns_cut_like_tiktoken(seed):
    rng = random.Random(seed)
    compared = 0
    while compared < 60:
        pattern = draw_pattern(rng) + r"|[\s\S]"
        try:
            automaton = compile_pattern(pattern)
        except PatternError:
            continue
        compared += 1
        assert TiktokenOracle(pattern).differences(_texts(rng, 60), automaton.split) == [], pattern


@pytest.mark.parametrize("seed", range(3))
def test_random_patterns_cut_like_tokenizers(seed):
    rng = random.Random(seed)
    compared = 0
    while compared < 80:
        pattern = draw_pattern(rng) + rng.choice(("", r"|\O"))
        try:
            automaton = compile_pattern(pattern, "tokenizers", gaps=True)
        except PatternError:
            continue
        compared += 1
        assert TokenizersOracle(pattern).differences(_texts(rng, 80), automaton.split) == [], (
            pattern
        )


SMALL = [
    r"(?:aa|bb)*c|a|b|c|[\s\S]",
    r"a{5}b|a|b|[\s\S]",
    r"a(?!b)|ab|[\s\S]",
    r"a+$|a|[\s\S]",
    r"\s+(?!\S)|\s+|\S+?b|\S",
    r"(?>ab|c)|a|[\s\S]",
]


@pytest.mark.parametrize("pattern", SMALL)
def test_covers_and_ends_are_what_they_say(pattern):
    """By brute force over all continuations of up to seven classes, the end included."""
    automaton = compile_pattern(pattern)
    depth = 7

    def later_end(state, left):
        """Whether a match ends here or later, whatever follows; unknown counts as yes."""
        if not left:
            return True
        for symbol in range(automaton.n_classes + 1):
            after, flagged = automaton.step(state, symbol)
            if not flagged and (after == DEAD or not later_end(after, left - 1)):
                return False
        return True

    for state in range(automaton.n_states):
        assert automaton.covers[state] == (state != DEAD and later_end(state, depth)), state
        steps = [automaton.step(state, symbol) for symbol in range(automaton.n_classes + 1)]
        assert automaton.ends[state] == (state != DEAD and set(steps) == {(DEAD, True)}), state


@pytest.mark.parametrize("pattern", SMALL)
def test_lookback_is_the_longest_distance_between_ends(pattern):
    """By brute force over all texts of up to eight classes."""
    automaton = compile_pattern(pattern)
    facts = analyse(automaton)
    longest = 0
    for classes in itertools.product(range(automaton.n_classes), repeat=8):
        state, end = START, None
        for position, symbol in enumerate([*classes, automaton.end_symbol]):
            state, flagged = automaton.step(state, symbol)
            if flagged:
                longest = max(longest, position - end if end is not None else 0)
                end = position
            if state == DEAD:
                break
    if facts.lookback is None:
        assert longest > facts.lookback_finite or longest >= 6
    else:
        assert longest <= facts.lookback
        assert longest == facts.lookback or facts.lookback == 1


def test_known_lookbacks():
    assert analyse(compile_pattern(r"(aa|bb)*c|a|b|c|[\s\S]")).lookback is None
    assert analyse(compile_pattern(r"a{5}b|a|b|[\s\S]")).lookback == 5
    assert analyse(compile_pattern(r"[\s\S]")).lookback == 1
    assert analyse(compile_pattern(r"[\s\S]")).lookahead_lag == 0
    assert analyse(compile_pattern(r"a+$|[\s\S]")).lookahead_lag == 1


@pytest.mark.parametrize("name", ["r50k", "cl100k", "o200k", "deepseek_v3_text"])
def test_certain_cuts_are_cuts_and_the_others_are_not(name):
    entry = PUBLISHED[name]
    automaton = compile_pattern(entry.pattern, entry.dialect, gaps=entry.gaps)
    certain = set(analyse(automaton).certain_cuts)
    assert certain
    joined: set[tuple[int, int]] = set()
    for text in random_texts(automaton, 6_000, seed=5):
        pretokens = automaton.split(text)
        assert "".join(pretokens) == text
        for pretoken in pretokens:
            classes = [automaton.class_of(ord(c)) for c in pretoken]
            joined.update(itertools.pairwise(classes))
    assert not certain & joined
    missing = set(itertools.product(range(automaton.n_classes), repeat=2)) - certain - joined
    assert len(missing) < automaton.n_classes  # nearly every other pair was seen inside a pretoken


@pytest.mark.parametrize("name", PUBLISHED)
def test_tables_are_well_formed(name):
    entry = PUBLISHED[name]
    automaton = compile_pattern(entry.pattern, entry.dialect, gaps=entry.gaps)
    width = automaton.n_classes + 1
    assert len(automaton.transitions) == automaton.n_states * width
    assert len(automaton.class_index) == 17_408
    assert not any(automaton.transitions[:width])
    assert not any(automaton.step(START, symbol)[1] for symbol in range(width))
    assert all(automaton.step(q, width - 1)[0] == DEAD for q in range(automaton.n_states))
    assert automaton.class_of(0xD800) == automaton.class_of(0)
    seen = [START]
    for state in seen:  # breadth first numbering
        for symbol in range(width):
            after = automaton.step(state, symbol)[0]
            if after != DEAD and after not in seen:
                assert after == len(seen) + 1
                seen.append(after)
    assert len(seen) == automaton.n_states - 1


def test_damaged_tables_are_refused():
    data = compile_pattern(r"a+|[\s\S]").to_bytes()
    n_classes = int.from_bytes(data[12:16], "little")
    n_blocks = int.from_bytes(data[16:20], "little")
    transitions = 20 + 2 * 17_408 + 64 * n_blocks + 2 * (n_classes + 1)
    broken = {
        "TKSA": b"XXXX" + data[4:],
        "version": data[:4] + b"\2\0\0\0" + data[8:],
        "bytes": data[:-1],
        "outside": data[:transitions] + b"\xff\x7f" + data[transitions + 2 :],
    }
    for message, content in broken.items():
        with pytest.raises(ValueError, match=message):
            Automaton.from_bytes(content)
    with pytest.raises(ValueError, match="TKSA"):
        Automaton.from_bytes(b"")
