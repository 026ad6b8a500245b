"""The engine against the reference: same vocabularies, texts and cuts, after every feed."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import pytest

import tokstream
from tokstream.encodings.registry import vocabulary
from tokstream.patterns import compile_pattern
from tokstream.reference import MergeRules, Stream

sys.path.insert(0, str(Path(__file__).parents[1] / "stages"))
import native
from oracles import random_automaton, random_bpe_tokens

DELAYS = ["composition", "optimal"]


def cuts(rng: random.Random, text: str, longest: int) -> list[str]:
    chunks = []
    while text:
        n = rng.randint(1, longest)
        chunks.append(text[:n])
        text = text[n:]
    return chunks


@pytest.mark.parametrize("delay", DELAYS)
def test_random_vocabularies_and_automata(delay: Any) -> None:
    rng = random.Random(1)
    n_feeds = n_behind = 0
    for k in range(250):
        automaton = random_automaton(rng, "ab", rng.randint(4, 9))
        tokens = random_bpe_tokens(rng, "ab", rng.randint(1, 6), 5)
        rules = MergeRules(tokens)
        if rules.improper() or rules.unreachable():
            continue
        engine = native.MergeRules(tokens).tokenizer(automaton, {}).stream(delay=delay)
        reference = Stream(rules, automaton, delay=delay)
        text = "".join(rng.choices("ab", k=20))
        out: list[int] = []
        expected: list[int] = []
        for chunk in cuts(rng, text, (1, 5)[k % 2]):
            out += engine.feed(chunk)
            expected += reference.feed(chunk)
            n_feeds += 1
            n_behind += out != expected
            assert out == expected[: len(out)], (automaton.table, tokens, text)
        assert out + engine.finish() == expected + reference.finish()
    # the engine waits where no match has ended yet behind what it gave out, and does not tell apart
    # more than two matches that may grow
    assert n_behind <= (0.002 * n_feeds if delay == "optimal" else 0)
    assert n_feeds > 1_000


@pytest.mark.slow
@pytest.mark.parametrize("delay", DELAYS)
def test_a_published_vocabulary(delay: Any) -> None:
    encoding = tokstream.get_encoding("cl100k_base")
    rules = MergeRules.from_ranks(vocabulary("cl100k_base").to_ranks())
    automaton = compile_pattern(encoding.pattern)
    reference = Stream(rules, automaton, delay=delay)
    engine = encoding.stream(delay=delay)
    text = "it's\n" + 24 * " " + "x, 日本語 don'tcha\r\n \n"
    for character in text:
        assert engine.feed(character) == reference.feed(character), text
    assert engine.finish() == reference.finish()
