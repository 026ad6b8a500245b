"""The definitions against each other, and the online stages against the definitions."""

from __future__ import annotations

import random
from functools import partial
from itertools import product

import pytest
from instances import random_dfa, random_rules

from tokstream.errors import ConfigurationError, PatternError
from tokstream.reference import CUT, MergeRules, Pretokens, Segments, Tokens
from tokstream.reference.automata import Dfa, Nfa
from tokstream.reference.definitions import delay, is_total, seg, split, stable_prefix
from tokstream.reference.rulelists import READINGS, RuleList


def words(alphabet: str, longest: int) -> list[str]:
    return ["".join(w) for n in range(longest + 1) for w in product(alphabet, repeat=n)]


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("reading", READINGS)
def test_exact_window_is_the_maximum_stable_prefix(reading: str, shuffled: bool) -> None:
    """The paper leaves online BPE without delay open; W_exact has none, in all readings."""
    rng = random.Random(1)
    n_improper = 0
    for _ in range(40):
        rules = random_rules(rng, "ab", rng.randint(1, 7), 5, reading=reading, shuffled=shuffled)
        n_improper += bool(rules.improper())
        live = Tokens(rules)

        def ids(text: str, rules: RuleList = rules) -> list[int]:
            return rules.encode(text.encode())

        text = "".join(rng.choices("ab", k=11))
        out: list[int] = []
        outputs, best = [[*out]], [[*out]]
        for i, character in enumerate(text):
            out += live.push(character)
            outputs.append([*out])
            best.append(stable_prefix(ids, text[: i + 1], "ab", 4))
        assert delay(outputs, best) == 0, (rules.pairs, text)
        assert out + live.cut() == rules.encode(text.encode())
    assert (n_improper > 0) is (shuffled and reading != "P")


def test_readings_agree_on_proper_lists_only() -> None:
    """Lemma: if ranks increase along the own run of each token, P and H are the same."""
    rng = random.Random(2)
    texts = [w.encode() for w in words("ab", 8)]
    n_proper = n_differ = 0
    for _ in range(150):
        seed = rng.random()
        lists = {
            reading: random_rules(
                random.Random(seed), "ab", 6, 5, reading=reading, shuffled=seed < 0.5
            )
            for reading in "PH"
        }
        differ = any(lists["P"].merge(text) != lists["H"].merge(text) for text in texts)
        if lists["H"].improper():
            n_differ += differ
        else:
            n_proper += 1
            assert not differ, lists["H"].pairs
    assert n_proper > 50
    assert n_differ > 10


def test_rank_of_the_result_is_the_table_of_ranks() -> None:
    rng = random.Random(3)
    for _ in range(100):
        rules = random_rules(rng, "ab", 6, 5, reading="T", shuffled=rng.random() < 0.5)
        table = MergeRules(rules.ids)
        for text in words("ab", 7):
            assert rules.merge(text.encode()) == table.merge(text.encode())
        assert [*filter(rules.reachable, rules.ids)] == [*filter(table.reachable, table.ids)]
        for token in filter(rules.reachable, rules.ids):
            rule, expected = rules.rule(token), table.rule(token)
            assert rule is not None
            assert expected is not None
            assert rule == expected


def test_reading_must_exist() -> None:
    with pytest.raises(ConfigurationError, match="reading"):
        RuleList([], b"a", "B")


def test_split_gives_out_its_maximum_stable_prefix() -> None:
    """Zero delay, and no more than the lookback is held (Lemmas 4.17 and 4.20)."""
    rng = random.Random(4)

    def marked(automaton: Dfa, text: str) -> list[str]:
        return [mark for pretoken in split(automaton, text) for mark in (*pretoken, "‖")]

    n_behind = n_infinite = 0
    for _ in range(60):
        dfa = random_dfa(rng, "ab", rng.randint(2, 6))
        lookback = dfa.lookback()
        n_infinite += lookback is None
        stage = Pretokens(dfa)
        out: list[str] = []
        text = "".join(rng.choices("ab", k=8))
        for i, character in enumerate(text):
            for part in stage.push(character):
                out += ["‖"] if part is CUT else part
            assert out == stable_prefix(partial(marked, dfa), text[: i + 1], "ab", 7)
            assert lookback is None or stage.n_held <= lookback
            n_behind += stage.n_held > 1
    assert n_behind > 20
    assert n_infinite > 5


def test_seg_gives_out_its_maximum_stable_prefix() -> None:
    rng = random.Random(5)

    def items(special: set[str], text: str) -> list[str]:
        """Without the marks, which follow from what stands between them."""
        found = (item for item in seg(text, special) if isinstance(item, str))
        return [f"<{item}>" if item in special else item for item in found]

    for _ in range(60):
        special = {"".join(rng.choices("ab", k=rng.randint(1, 4))) for _ in range(3)}
        stage = Segments({name: k for k, name in enumerate(special)})
        text = "".join(rng.choices("abc", k=9))
        out: list[str] = []
        for i, character in enumerate(text):
            for part in stage.push(character):
                out += [*part] if isinstance(part, str) else [f"<{part.text}>"]
            best = stable_prefix(partial(items, special), text[: i + 1], "abc", 4)
            assert out == best, (special, text[: i + 1])


def test_lookback_by_its_definition() -> None:
    rng = random.Random(6)
    n_finite = 0
    for _ in range(150):
        dfa = random_dfa(rng, "ab", rng.randint(2, 5))
        lookback = dfa.lookback()
        accepted = {w for w in words("ab", 9) if w and dfa.accepts(w)}
        back = [
            len(w) - max(n for n in range(1, len(w)) if w[:n] in accepted)
            for w in accepted
            if len(w) > 1
        ]
        longest = max(back, default=1)
        if lookback is None:
            assert longest > 2  # longer words would need more
        else:
            assert longest == lookback
            n_finite += lookback > 1
    assert n_finite > 10


def test_nfa_is_its_dfa() -> None:
    rng = random.Random(7)
    for _ in range(50):
        delta = [{c: {q for q in range(4) if rng.random() < 0.4} for c in "ab"} for _ in range(4)]
        delta.append({})
        delta[0] = {c: targets | {4} for c, targets in delta[0].items()}
        nfa = Nfa("ab", delta, {4, 3})
        dfa = nfa.determinize()
        assert is_total(dfa, "ab")
        for text in words("ab", 6)[1:]:
            assert nfa.accepts(text) == dfa.accepts(text)


def test_automata_that_are_not_total() -> None:
    with pytest.raises(PatternError, match="'b'"):
        Dfa("ab", [[1, 0], [1, 1]], [1])


def test_delay_of_what_is_not_stable_is_none() -> None:
    assert delay(["", "b"], ["", "a"]) is None
    assert delay(["", "", ""], ["", "", "a"]) == 1
