"""Optimal delay: stable by brute force, ahead of composition, level by level."""

from __future__ import annotations

import random
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tokstream.errors import ConfigurationError
from tokstream.patterns import compile_pattern
from tokstream.reference import MergeRules, Stream
from tokstream.reference.adaptive import LEVELS, Adaptive
from tokstream.reference.composition import Composition

sys.path.insert(0, str(Path(__file__).parents[1] / "stages"))
from oracles import (
    TableAutomaton,
    naive_merge,
    naive_split,
    random_automaton,
    random_bpe_tokens,
    random_tokens,
    stable,
    ways_to_cut,
)

if TYPE_CHECKING:
    from collections.abc import Callable

PATTERNS = {  # with an alphabet that has a character of each class that matters
    r"(?:aa|bb)*c|[\s\S]": "abc",
    r"aaab|[\s\S]": "ab",
    r"a*b|[\s\S]": "abc",
    r"a+(?!b)|a|b+?c|[\s\S]": "abc",
    r" ?a+| ?b+|\s+(?!\S)|\s+|[\s\S]": "ab ",
    r"\s*\n+|\s+(?!\S)|\s|\S": "a \n",
    r"\s++$|\s*\n|\s+(?!\S)|\s|\S+": "a \n",
    r"(?:ab|a)(?:c|bcd)*|[\s\S]": "abcd",
}


def tokenize(tokens: list[bytes], split: Callable[[str], list[str]], text: str) -> list[int]:
    """Tok: the ids of each pretoken; one that is a token is that token."""
    ids = []
    for pretoken in split(text):
        piece = pretoken.encode()
        parts = [piece] if piece in tokens else naive_merge(tokens, piece)
        ids += [tokens.index(part) for part in parts]
    return ids


def pretokens(automaton: TableAutomaton, text: str) -> list[str]:
    return "".join(naive_split(automaton, text)).split("‖")[:-1]


def check(
    rng: random.Random,
    tokens: list[bytes],
    automaton: Any,
    split: Callable[[str], list[str]],
    alphabet: str,
    n: int,
    n_ahead: int,
) -> tuple[int, list[int], int]:
    """Feed a text character by character; how often each level gives out all that is stable."""
    rules = MergeRules(tokens)
    levels = [Adaptive(rules, automaton, level=level) for level in LEVELS]
    composition = Composition(rules, automaton)
    tok = partial(tokenize, tokens, split)
    outs: list[list[int]] = [[] for _ in LEVELS]
    composed: list[int] = []
    n_exact, n_first = [0] * len(LEVELS), 0
    weights = [rng.choice((1, 1, 3)) for _ in alphabet]
    text = "".join(rng.choices(alphabet, weights, k=n))
    for i, character in enumerate(text):
        composed += composition.push(character)
        for out, level in zip(outs, levels, strict=True):
            out.extend(level.push(character))
        best = stable(tok, text[: i + 1], alphabet, n_ahead)
        n_out = len(composed)
        for k, out in enumerate(outs):
            assert out == best[: len(out)], (tokens, automaton, text[: i + 1], LEVELS[k])
            assert len(out) >= n_out, (tokens, automaton, text[: i + 1], LEVELS[k])
            n_exact[k] += out == best
            n_out = len(out)
        n_first += outs[-1] != composed
    for out, level in zip(outs, levels, strict=True):
        assert out + level.finish() == tok(text)
    return n, n_exact, n_first


@pytest.mark.parametrize("make", [random_bpe_tokens, random_tokens])
def test_stable_and_never_behind(make: Callable[..., list[bytes]]) -> None:
    rng = random.Random(1)
    n_steps, n_ahead = 0, 0
    n_exact = [0] * len(LEVELS)
    for _ in range(100):
        tokens = make(rng, "ab", rng.randint(1, 5), 4)
        automaton = random_automaton(rng, "ab", rng.randint(4, 7))
        split = partial(pretokens, automaton)
        n, exact, ahead = check(rng, tokens, automaton, split, "ab", 9, 6)
        n_steps += n
        n_exact = [a + b for a, b in zip(n_exact, exact, strict=True)]
        n_ahead += ahead
    assert n_ahead > 0.1 * n_steps
    assert n_exact[2] > 0.97 * n_steps
    assert n_exact[0] < 0.95 * n_steps  # to see that there is something to find


@pytest.mark.parametrize("pattern", PATTERNS)
def test_compiled_patterns(pattern: str) -> None:
    rng = random.Random(2)
    automaton: Any = compile_pattern(pattern)
    alphabet = PATTERNS[pattern]
    for _ in range(6):
        tokens = random_bpe_tokens(rng, alphabet, rng.randint(1, 6), 4)
        n_ahead = 5 if len(alphabet) < 4 else 4
        check(rng, tokens, automaton, automaton.split, alphabet, 8, n_ahead)


def test_tokens_that_cut_characters() -> None:
    """Tokens end inside é and ñ (c3 a9, c3 b1); continuations are texts, not bytes."""
    rng = random.Random(3)
    single = [bytes((byte,)) for byte in b"a\xa9\xb1\xc3"]
    automaton: Any = compile_pattern(r"aéé|éñ+a|[\s\S]")
    for _ in range(12):
        tokens = [*single]
        while len(tokens) < 9:
            token = rng.choice(tokens) + rng.choice(tokens)
            if len(token) <= 5 and token not in tokens:
                tokens.append(token)
        check(rng, tokens, automaton, automaton.split, "aéñ", 7, 4)


@pytest.mark.parametrize("level", LEVELS)
def test_every_cut_gives_the_same_ids(level: str) -> None:
    rng = random.Random(4)
    for _ in range(100):
        tokens = random_tokens(rng, "abc", rng.randint(1, 14), 6)
        automaton = random_automaton(rng, "abc", rng.randint(4, 9))
        text = "".join(rng.choices("abc", k=20))
        stage = Adaptive(MergeRules(tokens), automaton, level=level)
        for chunks in ways_to_cut(text):
            twin = stage.copy()
            ids = [token for chunk in chunks for token in twin.push(chunk)]
            ids += twin.finish()
            assert ids == tokenize(tokens, partial(pretokens, automaton), text)
            assert twin.push(text) + twin.finish() == ids


def test_a_chunk_at_once_is_not_behind_composition() -> None:
    rng = random.Random(5)
    for _ in range(150):
        rules = MergeRules(random_tokens(rng, "ab", rng.randint(1, 8), 5))
        automaton = random_automaton(rng, "ab", rng.randint(4, 9))
        text = "".join(rng.choices("ab", k=20))
        for chunks in ways_to_cut(text):
            composition, adaptive = Composition(rules, automaton), Adaptive(rules, automaton)
            composed: list[int] = []
            ids: list[int] = []
            for chunk in chunks:
                composed += composition.push(chunk)
                ids += adaptive.push(chunk)
                assert composed == ids[: len(composed)]


def test_unreachable_token_is_the_whole_pretoken_or_nothing() -> None:
    """`aba` is a token that merges never make; only a pretoken that is `aba` becomes it."""
    rules = MergeRules([b"a", b"b", b"c", b"aba"])
    stage = Adaptive(rules, compile_pattern(r"abacc|aba|[\s\S]"))
    assert [stage.push(character) for character in "abac"] == [[], [], [], []]
    assert stage.copy().finish() == [3, 2]
    assert stage.push("c") == [0, 1, 0, 2, 2]


def test_stream_with_optimal_delay() -> None:
    rules = MergeRules([bytes((byte,)) for byte in range(256)] + [b"bb"])
    automaton = compile_pattern(r"a{9}b|[\s\S]")
    stream = Stream(rules, automaton, {"<s>": 300}, allowed={"<s>"}, delay="optimal")
    assert stream.feed("a" * 9) == [97] * 9
    twin = stream.copy()
    assert stream.feed("<s") == []
    assert stream.delay_bytes == 2
    assert stream.feed(">aa") == [300, 97, 97]
    assert twin.feed("b") + twin.finish() == [98]
    stream.reset()
    assert stream.feed("aab") + stream.finish() == [97, 97, 98]
    with pytest.raises(ConfigurationError, match="delay"):
        Stream(rules, automaton, delay="least")
    with pytest.raises(ConfigurationError, match="level"):
        Adaptive(rules, automaton, level="all")
