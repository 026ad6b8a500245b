"""Splits against the reference: every behaviour, inverted or not, on patterns that leave gaps."""

from __future__ import annotations

import random
from itertools import product

import pytest
from cascade import check, levels_of
from tokenizers import Regex
from tokenizers.pre_tokenizers import Split

from tokstream.errors import PatternError
from tokstream.patterns import levels as made

BEHAVIOURS = ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous")
PATTERNS = {  # with an alphabet in which they match here and there
    r"aab": "abc",
    r"aaa": "ab",
    r"ab|bc+": "abc",
    r"ab*c|b": "abcd",
    r"a*b": "abc",
    r"(?:aa|bb)*c": "abc",
    r"abababc|ba|abc": "abc",
    r"(?:ab|a)(?:c|bcd)*": "abcd",
    r"(?:ab)+a|ba*$": "abc",
    r"a{2,3}?b|aa": "abc",
    r"a+?": "ab",
    r"a.*?b": "abc\n",
    r"a(?=b)|bc": "abc",
    r"a+(?!b)": "abc",
    r"a+$": "ab\n",
    r"b?a$|bb": "ab\n",
    r"a\z|b": "ab\n",
    r"\s+(?!\S)|\s+": "a \n",
    r"\s*[\r\n]+": "a \n",
    r"\d{1,3}": "12a",
    r" ?a+| ?b+": "ab c",
    r"é+|中.": "é中a",
    r"z": "ab",
    r"[\s\S]": "ab",
    r"[\s\S]+": "ab",
}
TEXTS = {"-": "-a", "--": "-a", "---": "-a", "aab": "ab", "abab": "abc", ".": ".a\n", " ": " a",
         r"\d+": "\\d+1", "中a": "中a", "a\nb": "ab\n", "[a]": "[a]", "#&~ -": "#&~ -"}  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns(pattern: str) -> None:
    rng = random.Random(pattern)
    for behaviour, invert in product(BEHAVIOURS, (False, True)):
        reference = Split(Regex(pattern), behaviour, invert=invert)
        levels = levels_of(reference)
        for _ in range(40):
            check(reference, levels, "".join(rng.choices(PATTERNS[pattern], k=rng.randint(0, 12))))


@pytest.mark.parametrize("text", TEXTS)
def test_texts(text: str) -> None:
    rng = random.Random(text)
    for behaviour, invert in product(BEHAVIOURS, (False, True)):
        reference = Split(text, behaviour, invert=invert)
        levels = levels_of(reference)
        for _ in range(25):
            check(reference, levels, "".join(rng.choices(TEXTS[text], k=rng.randint(0, 12))))


def test_random_patterns() -> None:
    """Small patterns with every construct that matters, on an alphabet of two or three."""
    rng = random.Random(5)
    n_compared = 0
    while n_compared < 400:
        pattern = random_pattern(rng, 3)
        reference = Split(Regex(pattern), rng.choice(BEHAVIOURS), invert=rng.random() < 0.5)
        try:
            levels = levels_of(reference)
        except PatternError:
            continue  # it may match the empty string
        n_compared += 1
        for _ in range(8):
            check(reference, levels, "".join(rng.choices("aab", k=rng.randint(1, 11))))


def random_pattern(rng: random.Random, depth: int) -> str:
    kind = rng.randrange(9) if depth else 0
    if kind <= 2:
        return rng.choice(("a", "b", "[ab]", "c", "ab", "aa", "bb"))
    one = random_pattern(rng, depth - 1)
    if kind <= 4:
        return one + random_pattern(rng, depth - 1)
    if kind == 5:
        return f"(?:{one}|{random_pattern(rng, depth - 1)})"
    if kind == 6:
        return f"(?:{one}){rng.choice(('+', '*', '?', '+?', '{1,2}', '{2}'))}"
    return one + rng.choice(("(?!b)", "(?=a)", "$", "(?!a)"))


@pytest.mark.parametrize("pattern", ["a*", "(?=b)", "a?b?", "$", "b*|a"])
def test_matches_of_nothing_are_refused(pattern: str) -> None:
    with pytest.raises(PatternError, match="empty string"):
        made.split(pattern, "isolated")


def test_an_empty_text_is_refused() -> None:
    with pytest.raises(PatternError, match="empty"):
        made.split_at_text("", "isolated")
