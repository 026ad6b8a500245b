"""What a cascade holds back, and that its time is linear, for every input and pattern."""

from __future__ import annotations

import random
from time import process_time
from typing import TYPE_CHECKING

import pytest
from cascade import Cascade, cut, levels_of
from published_cascades import PUBLISHED
from test_levels_split import random_pattern

from tokstream import _core
from tokstream.errors import PatternError
from tokstream.patterns import levels as made
from tokstream.patterns.automaton import Automaton
from tokstream.patterns.search import held_by_levels, held_by_search

if TYPE_CHECKING:
    from tokstream.patterns.levels import Level

LONG = 200_000
BOUNDED: dict[str, tuple[list[Level], str, int]] = {
    "digits": ([made.digits(individual=False)], "a1", 0),
    "text": ([made.split_at_text("---", "merged_with_next")], "-a", 2),
    "merged": ([made.split("ab", "merged_with_previous")], "ab", 1),
    "scripts": ([made.unicode_scripts()], "aж ", 4),
    "metaspace": ([made.metaspace("▁", "always", split=True)], "a ", 0),
    "counted": ([made.split("a[ab]{20}c|b", "removed")], "ab", 21),
    "deepseek": (levels_of(PUBLISHED["deepseek"]), "aA1 .中,é", 4),
    "falcon": ([made.split(made.GPT2, "isolated"), made.BYTE_LEVEL, made.digits(individual=True)],
               "a1 '.é", 3),
}  # fmt: skip


@pytest.mark.parametrize("name", BOUNDED)
def test_held_text_is_bounded(name: str) -> None:
    levels, alphabet, bound = BOUNDED[name]
    rng = random.Random(name)
    for letters in (alphabet, alphabet[:1], alphabet[-1:], alphabet[:2]):
        stage = _core.Levels(levels)
        for at in range(0, 20_000, 50):
            stage.push("".join(rng.choices(letters, k=50 if at % 100 else 1)))
            assert stage.n_held <= bound, letters
        stage.finish()
        assert stage.n_held == 0


@pytest.mark.parametrize(
    ("pattern", "unit"),
    [
        ("a*b", "a"),
        ("(?:a|aa|aaa)*b|a", "a"),
        ("a{50}b|a", "a"),
        ("a[ab]{60}c|b", "ab"),
        ("a(?:[ab]*c)?", "ab"),
        (r"\s*\n+|\s", "\n   "),
        (r"\s*\n+|\s", " "),
        ("aaaaaaab", "a"),
    ],
)
@pytest.mark.parametrize("n_chunk", [7, LONG])
def test_time_is_linear(pattern: str, unit: str, n_chunk: int) -> None:
    levels = [made.split(pattern, "isolated")]

    def seconds(length: int) -> float:
        text = (unit * length)[:length]
        stage = _core.Levels(levels)
        begin = process_time()
        for at in range(0, length, n_chunk):
            stage.push(text[at : at + n_chunk])
        stage.finish()
        return process_time() - begin

    shorts, longs = [], []
    for _ in range(5):  # other work on the machine only ever adds time
        shorts.append(seconds(LONG // 8))
        longs.append(seconds(LONG))
        if min(longs) < 24 * min(shorts) + 0.05:  # quadratic would be 64 times as long
            return
    pytest.fail(f"{longs} s, {shorts} s for an eighth of it")


def test_what_is_given_stays_whatever_follows() -> None:
    rng = random.Random(6)
    patterns = {r"a*b": "ab", r"ab*c|b": "abc", r"\s+(?!\S)|\s*\n": "a \n", r"aab|ab$": "ab"}
    for pattern, alphabet in patterns.items():
        for behaviour in ("isolated", "merged_with_previous", "merged_with_next", "contiguous"):
            levels = [made.split(pattern, behaviour), made.metaspace("▁", "always", split=True)]
            for _ in range(60):
                stream = Cascade.of(levels)
                begin = "".join(rng.choices(alphabet, k=rng.randint(1, 8)))
                stream.push(begin)
                for _ in range(6):
                    more = "".join(rng.choices(alphabet, k=rng.randint(0, 5)))
                    whole = cut(levels, begin + more).marks
                    assert whole[: len(stream.marks)] == stream.marks, (pattern, begin, more)


def test_the_bound_is_reached_and_kept() -> None:
    rng = random.Random(9)
    n_reached = 0
    for _ in range(300):
        try:
            level = made.split(random_pattern(rng, 3), "isolated")
        except PatternError:
            continue  # it may match the empty string
        assert isinstance(level[1], bytes)
        bound = held_by_search(Automaton.from_bytes(level[1]))
        assert held_by_levels([level, made.BYTE_LEVEL, made.fixed_length(2)]) == bound
        most = 0
        for _ in range(30):
            stage = _core.Levels([level])
            letters = rng.choice(("aab", "abb", "abc", "a", "b"))
            for character in rng.choices(letters, k=25):
                stage.push(character)
                most = max(most, stage.n_held)
        assert bound is None or most <= bound
        n_reached += most == bound or (bound is None and most > 4)
    assert n_reached > 100


@pytest.mark.parametrize(
    ("pattern", "bound"),
    [("a", 0), ("abc", 2), ("a+", 0), ("a*b", None), (r"\s+(?!\S)|\s+", 1), (r"\s*\n|\s", None)],
)
def test_known_bounds(pattern: str, bound: int | None) -> None:
    assert held_by_levels([made.split(pattern, "isolated")]) == bound
