"""Reference cascades against `tokenizers`, at every cut; what is given out against continuations."""

from __future__ import annotations

import random
from itertools import product
from typing import Any, get_args

import pytest

from tokstream.patterns import compile_pattern
from tokstream.reference.cascade import Behaviour, Cascade, FixedLength, Level, Split
from tokstream.reference.pretokens import CUT, Pretoken

P = pytest.importorskip("tokenizers.pre_tokenizers")
Regex = pytest.importorskip("tokenizers").Regex

PATTERNS = ["a", "a+", "ab|b", "ab+c|b", "(?:aa|bb)*c", r"a(?!b)", r"[^a]+$|b", "abc|ab|bb"]
CASES = list(product(PATTERNS, get_args(Behaviour), (False, True)))


def levels_of(case: tuple[str, Behaviour, bool]) -> tuple[Level, Any]:
    pattern, behaviour, invert = case
    automaton = compile_pattern(pattern, "tokenizers", partial=True)
    ours = Split(automaton, behaviour, invert=invert)
    return ours, P.Split(Regex(pattern), behaviour, invert=invert)


def theirs(levels: list[Any], text: str) -> list[str]:
    return [piece for piece, _ in P.Sequence(levels).pre_tokenize_str(text)]


def pieces_of(marked: list[Pretoken]) -> list[str]:
    pieces = [""]
    for part in marked:
        if part is CUT:
            pieces.append("")
        else:
            pieces[-1] += part
    assert pieces.pop() == ""
    assert all(pieces)
    return pieces


def texts(rng: random.Random, n: int) -> list[str]:
    return ["".join(rng.choices("abc", k=rng.randint(0, 12))) for _ in range(n)]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_one_level(case: tuple[str, Behaviour, bool]) -> None:
    ours, peer = levels_of(case)
    cascade = Cascade([ours])
    for text in texts(random.Random(str(case)), 60):
        expected = theirs([peer], text)
        assert cascade.split(text) == expected, text
        for chunks in ([text], list(text), [text[:5], text[5:]]):
            marked = [part for chunk in chunks for part in cascade.push(chunk)]
            assert pieces_of(marked + cascade.finish()) == expected, (text, chunks)
            assert cascade.n_held == 0


def test_several_levels() -> None:
    rng = random.Random(0)
    for _ in range(200):
        pairs = [levels_of(rng.choice(CASES)) for _ in range(rng.randint(1, 3))]
        if rng.random() < 0.3:
            pairs.insert(rng.randrange(len(pairs) + 1), (FixedLength(2), P.FixedLength(2)))
        cascade = Cascade(ours for ours, _ in pairs)
        for text in texts(rng, 5):
            expected = theirs([peer for _, peer in pairs], text)
            marked = [part for character in text for part in cascade.push(character)]
            assert pieces_of(marked + cascade.finish()) == expected, text


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_is_given_out_is_stable(case: tuple[str, Behaviour, bool]) -> None:
    """What a prefix gives is a beginning of what each continuation gives."""
    ours, _ = levels_of(case)
    tails = ["".join(tail) for n in range(4) for tail in product("abc", repeat=n)]
    for text in texts(random.Random(str(case)), 10):
        given = marks(Cascade([ours]).push(text))
        for tail in tails:
            cascade = Cascade([ours])
            assert marks(cascade.push(text + tail) + cascade.finish()).startswith(given)


def marks(marked: list[Pretoken]) -> str:
    return "".join("|" if part is CUT else part for part in marked)


def test_no_level_never_cuts() -> None:
    cascade = Cascade([])
    assert cascade.push("a b") == ["a b"]
    assert cascade.push("c") == ["c"]
    assert cascade.finish() == [CUT]
    assert cascade.finish() == []


def test_published_cascade() -> None:
    """Three splits in a row, as several open models have them."""
    patterns = [
        r"\p{N}{1,3}",
        r"[一-龥぀-ゟ゠-ヿ]+",
        r"[!-/:-@\[-`{-~][A-Za-z]+| ?\p{L}+|\s+(?!\S)|\s+",
    ]
    text = "x1234 日本語のテキスト, and  some-words\n\n  12 ok"
    ours = [Split(compile_pattern(p, "tokenizers", partial=True), "isolated") for p in patterns]
    peers = [P.Split(Regex(p), "isolated") for p in patterns]
    cascade = Cascade(ours)
    for end in range(len(text) + 1):
        marked = [part for character in text[:end] for part in cascade.push(character)]
        assert pieces_of(marked + cascade.finish()) == theirs(peers, text[:end])
