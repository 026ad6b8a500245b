"""Theorem 1.7 as published: stable, exact where it says so, and never ahead of `Adaptive`."""

from __future__ import annotations

import random
from functools import partial

import pytest
from instances import random_dfa, random_rules

from tokstream.reference import Stream
from tokstream.reference.adaptive import Adaptive
from tokstream.reference.automata import Dfa
from tokstream.reference.composition import Composition
from tokstream.reference.definitions import delay, stable_prefix, tok
from tokstream.reference.optimal import BpeQ, IncBpe, OptimalDelay, first_tokens, n_merges
from tokstream.reference.rulelists import READINGS, RuleList


def loop(word: str) -> Dfa:
    """(word)*c | a | b | c, where the word has two letters or more."""
    n = len(word)
    # 0 start; 1 + i behind i letters of the word, later rounds; n + 1 first letter; then the ends
    first, single, sink = n + 1, n + 2, n + 3
    delta = [[single, single, single]]
    for i in range(n + 1):
        at = i if i < n else 1  # the first letter is read like any other, but it is accepted
        row = [sink, sink, single if at == 0 else sink]
        row["ab".index(word[at])] = 1 + (at + 1) % n
        delta.append(row)
    delta[0]["ab".index(word[0])] = first
    return Dfa("abc", [*delta, [sink] * 3, [sink] * 3], [first, single])


@pytest.mark.parametrize("reading", READINGS)
def test_exact_where_the_theorem_says(reading: str) -> None:
    """Few merges, so that 3 m t is less than the text; infinite lookback."""
    rng = random.Random(READINGS.index(reading))
    n_exact = n_held = n_threshold = 0
    for _ in range(40):
        rules = random_rules(rng, "abc", 1, 2, reading=reading, shuffled=True)
        word = "".join(rng.choices("ab", k=rng.randint(2, 3)))
        dfa = loop(word) if rng.random() < 0.7 else random_dfa(rng, "abc", rng.randint(3, 6))
        threshold = 3 * max(1, n_merges(rules)) * rules.max_length
        literal, adaptive = OptimalDelay(dfa, rules), Adaptive(rules, dfa)
        composition = Composition(rules, dfa)
        text = (rng.choice(["", "a", "b"]) + word * 6)[:12] + rng.choice("abc") + word
        out: list[bytes | str] = []
        ids: list[int] = []
        composed: list[int] = []
        outputs, best = [[*out]], [[*out]]
        for i, character in enumerate(text):
            out += literal.push(character)
            ids += adaptive.push(character)
            composed += composition.push(character)
            known = [rules.ids[token] for token in out if isinstance(token, bytes)]
            assert ids[: len(known)] == known, (rules.pairs, dfa.delta, text[: i + 1])
            assert ids[: len(composed)] == composed, (rules.pairs, dfa.delta, text[: i + 1])
            outputs.append([*out])
            n = 5 if literal.is_exact and literal.n_held else 3
            best.append(stable_prefix(partial(tok, dfa, rules), text[: i + 1], "abc", n))
            if literal.is_exact:
                n_exact += 1
                n_held += literal.n_held > 0
                assert out == best[-1], (rules.pairs, dfa.delta, dfa.accepting, text[: i + 1])
            else:
                n_threshold += 1
                assert literal.n_held <= threshold
        behind = delay(outputs, best)
        assert behind is not None
        assert behind <= threshold
        tokens = tok(dfa, rules, text)
        assert out + literal.finish() == tokens
        assert ids + adaptive.finish() == [rules.ids[t] for t in tokens if isinstance(t, bytes)]
    assert n_exact > 20

    assert n_held > 20  # by a difference that is found, not since all is out
    assert n_threshold > 50


def test_delay_of_composition_is_bounded() -> None:
    """Theorem 1.2: b(R) + (m + 1) t + l, with l the longest special token; and optimal is never later."""
    rng = random.Random(7)
    n_finite = 0
    for _ in range(60):
        rules = random_rules(rng, "ab", rng.randint(0, 3), 3, reading="P", shuffled=False)
        dfa = random_dfa(rng, "ab", rng.randint(2, 6))
        lookback = dfa.lookback()
        special = {"".join(rng.choices("ab", k=rng.randint(3, 6))): 100}
        composition = Stream(rules, dfa, special, allowed=special)
        optimal = Stream(rules, dfa, special, allowed=special, delay="optimal")
        bound = (n_merges(rules) + 1) * rules.max_length + max(map(len, special))
        for character in rng.choices("ab", [4, 1], k=40):
            composition.feed(character)
            optimal.feed(character)
            assert optimal.delay_bytes <= composition.delay_bytes
            if lookback is not None:
                n_finite += 1
                assert composition.delay_bytes <= lookback + bound
    assert n_finite > 1_000


@pytest.mark.parametrize("reading", READINGS)
def test_first_token_of_every_suffix(reading: str) -> None:
    rng = random.Random(3)
    for _ in range(40):
        rules = random_rules(rng, "ab", rng.randint(0, 7), 5, reading=reading, shuffled=True)
        text = "".join(rng.choices("ab", k=16)).encode()
        assert first_tokens(rules, text) == [rules.merge(text[i:])[0] for i in range(len(text))]


def test_long_enough_texts_have_the_same_first_token() -> None:
    """Claim 5.1, and what BpeQ makes of it."""
    rng = random.Random(4)
    n_known = 0
    for _ in range(30):
        rules = random_rules(rng, "ab", rng.randint(0, 3), 3, reading="P", shuffled=True)
        queue = BpeQ(rules)
        n = (n_merges(rules) + 1) * rules.max_length
        text = b""
        for _ in range(60):
            if text and rng.random() < 0.3:
                k = rng.randint(1, min(3, len(text)))
                queue.pop(k)
                text = text[k:]
            byte = rng.choice([b"a", b"b"])
            queue.push(byte)
            text += byte
            first = queue.first()
            n_known += first is not None
            assert (first is not None) == (len(text) >= 3 * queue.unit)
            assert first in (None, rules.merge(text)[0])
            assert len(text) < n or rules.merge(text)[0] == rules.merge(text[:n])[0]
    assert n_known > 50


def test_first_token_behind_a_boundary() -> None:
    rng = random.Random(5)
    for _ in range(40):
        rules = random_rules(rng, "ab", 5, 4, reading="P", shuffled=False)
        hidden = IncBpe(rules)
        starts: dict[int, bytes] = {}
        for _ in range(3):
            hidden.mark()
            start, piece = hidden.end, "".join(rng.choices("ab", k=rng.randint(1, 9))).encode()
            hidden.push(piece)
            place = start
            for token in rules.merge(piece):
                starts[place] = token
                place += len(token)
        for place in range(start, hidden.end):
            assert hidden.first(place) == starts.get(place)


def test_no_merges_at_all() -> None:
    rules = RuleList([], b"ab")
    assert n_merges(rules) == 0
    assert BpeQ(rules).unit == 1
