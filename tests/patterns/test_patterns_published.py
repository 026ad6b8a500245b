"""Published patterns: they compile, cut like their engines, and have the known facts.

A slice of what `scripts/check_patterns.py` does in full.
"""

from __future__ import annotations

import time

import pytest
from pattern_check import check
from pattern_oracles import TiktokenOracle
from pattern_texts import random_texts
from published import PUBLISHED

from tokstream.errors import PatternError
from tokstream.patterns import compile_pattern
from tokstream.patterns.analysis import analyse
from tokstream.patterns.automaton import Automaton


def compiled(name):
    entry = PUBLISHED[name]
    return compile_pattern(entry.pattern, entry.dialect, gaps=entry.gaps)


@pytest.mark.parametrize("name", PUBLISHED)
def test_cuts_are_those_of_the_engine(name):
    result = check(PUBLISHED[name], strings=1_000, step=499)
    assert result.n_random_texts == 1_000
    assert result.differences == ()


def test_the_tiktoken_oracle_sees_every_difference():
    """Its two vocabularies betray exactly the texts which another pattern cuts differently."""
    oracle = TiktokenOracle(PUBLISHED["cl100k"].pattern)
    own = compiled("cl100k")
    texts = list(random_texts(own, 1_500, seed=3))
    for other in ("r50k", "cl100k_2023", "qwen", "tekken", "o200k"):
        split = compiled(other).split
        truly = [text for text in texts if own.split(text) != split(text)]
        assert truly
        assert oracle.differences(texts, split) == truly


@pytest.mark.parametrize(
    ("name", "unlimited", "finite"),
    [
        ("gpt2", False, 2),
        ("r50k", False, 2),
        ("bytelevel", False, 2),
        ("cl100k", True, 2),
        ("llama3", True, 2),
        ("qwen3", True, 2),
        ("o200k", True, 3),
        ("gpt_oss", True, 3),
        ("tekken", True, 2),
        ("deepseek_v3_digits", False, 1),
    ],
)
def test_lookback(name, unlimited, finite):
    facts = analyse(compiled(name))
    assert facts.lookback == (None if unlimited else finite)
    assert facts.lookback_finite == finite
    assert facts.lookahead_lag == 1


def test_sizes_are_small():
    sizes = {name: (a.n_states, a.n_classes) for name in PUBLISHED for a in [compiled(name)]}
    assert sizes["gpt2"] == sizes["r50k"] == (12, 10)
    assert sizes["cl100k"] == (17, 11)
    assert sizes["o200k"] == (20, 19)
    assert max(states for states, _ in sizes.values()) < 32


def test_equal_patterns_have_equal_tables():
    """The two spellings of GPT-2's pattern, and o200k in both dialects."""
    assert compiled("gpt2").to_bytes() == compiled("r50k").to_bytes()
    assert compiled("gpt2").to_bytes() == compiled("bytelevel").to_bytes()
    assert compiled("o200k").to_bytes() == compiled("gpt_oss").to_bytes()
    assert compiled("cl100k").to_bytes() != compiled("cl100k_2023").to_bytes()
    assert compiled("cl100k") != compiled("cl100k_2024")


@pytest.mark.parametrize("name", PUBLISHED)
def test_tables_survive_serialization(name):
    automaton = compiled(name)
    data = automaton.to_bytes()
    assert data[:4] == b"TKSA"
    again = Automaton.from_bytes(data)
    assert again == automaton
    assert again.to_bytes() == data
    assert hash(again) == hash(automaton)
    assert again.split("Hello, it's  \n 12345") == automaton.split("Hello, it's  \n 12345")


@pytest.mark.parametrize(
    ("name", "example"),
    [("deepseek_v3_digits", "':'"), ("deepseek_v3_text", "'0'"), ("bloom", "'!'")],
)
def test_patterns_that_leave_gaps_are_refused_unless_gaps_are_wanted(name, example):
    entry = PUBLISHED[name]
    with pytest.raises(PatternError, match="not total") as caught:
        compile_pattern(entry.pattern, entry.dialect)
    assert example in str(caught.value)


def test_compiling_is_quick():
    """Milliseconds each; the limit leaves room for a slow and busy machine."""
    for entry in PUBLISHED.values():
        seconds: list[float] = []
        while not seconds or min(seconds) >= 0.5:
            assert len(seconds) < 5, (entry.name, seconds)
            compile_pattern.cache_clear()
            began = time.process_time()
            compile_pattern(entry.pattern, entry.dialect, gaps=entry.gaps)
            seconds.append(time.process_time() - began)


def test_results_are_cached():
    entry = PUBLISHED["r50k"]
    assert compile_pattern(entry.pattern) is compile_pattern(entry.pattern)
