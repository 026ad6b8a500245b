"""Cascades of splits as one automaton: the same pieces, or none."""

from __future__ import annotations

import random

import pytest
from cascade import cut, expected, levels_of
from pattern_texts import ALPHABET, class_texts, random_texts
from published_cascades import PUBLISHED
from test_levels_split import random_pattern
from tokenizers import Regex
from tokenizers.pre_tokenizers import Sequence, Split

from tokstream.errors import PatternError
from tokstream.patterns import levels as made
from tokstream.patterns.combine import combine

ONE = ("deepseek", "glm4", "converted from tiktoken", "starcoder", "bloom")


@pytest.mark.parametrize("name", ONE)
def test_published(name: str) -> None:
    levels = levels_of(PUBLISHED[name])
    assert levels.pop() == made.BYTE_LEVEL
    automaton = combine(levels)
    assert automaton is not None
    texts = [*random_texts(automaton, 1_500, 1), *class_texts(automaton, 3)]
    rng = random.Random(name)
    texts += ["".join(rng.choices(ALPHABET + "aA1 \n'", k=20)) for _ in range(300)]
    for text in texts:
        assert automaton.split(text) == cut(levels, text).pieces(), text


@pytest.mark.parametrize("name", sorted(set(PUBLISHED) - set(ONE)))
def test_others_stay_cascades(name: str) -> None:
    assert combine(levels_of(PUBLISHED[name])) is None


def test_drawn() -> None:
    """Whatever is combined gives the reference's pieces."""
    rng = random.Random(8)
    n_combined = n_not = 0
    while n_combined < 250:
        n = rng.choice((2, 2, 3))
        patterns = [random_pattern(rng, rng.randint(1, 3)) for _ in range(n)]
        if rng.random() < 0.4:
            patterns[0] = rng.choice(("a", "a+", "[ab]", "b+", "c", "[ac]{1,2}", "a{1,3}"))
        reference = Sequence([Split(Regex(pattern), "isolated") for pattern in patterns])
        try:
            automaton = combine(levels_of(reference))
        except PatternError:
            continue  # it may match the empty string
        if automaton is None:
            n_not += 1
            continue
        n_combined += 1
        for _ in range(25):
            text = "".join(rng.choices("aabc", k=rng.randint(1, 11)))
            assert automaton.split(text) == expected(reference, text), (patterns, text)
    assert n_not > 50


def test_what_drops_or_joins_is_not_combined() -> None:
    for level in (
        made.whitespace_split(),
        made.fixed_length(2),
        made.split("a", "merged_with_next"),
        made.BYTE_LEVEL,
        # where its gaps end is not known one character later
        made.split_at_text("aaaab", "isolated"),
    ):
        assert combine([level]) is None
        assert combine([made.digits(individual=True), level]) is None


def test_cuts_that_come_late_are_not_combined() -> None:
    late = made.split("a*b|a", "isolated")
    early = made.split("b+", "isolated")
    assert combine([early, late]) is not None
    assert combine([late, early]) is None


def test_an_inner_cut_in_a_counted_run_is_not_combined() -> None:
    """The outer one counts three digits, and would count anew behind the inner one's cut."""
    outer = made.split(r"\d{1,3}", "isolated")
    assert combine([outer, made.split(r"1", "isolated")]) is None
    assert combine([outer, made.split(r"x", "isolated")]) is not None
