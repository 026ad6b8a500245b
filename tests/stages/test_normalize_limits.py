"""What normalizers hold back, how long they take, what they refuse; and what has no reference."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest
from charsmaps import charsmap
from normalizing import Spec, mapped, normalized, run, text_of

from cutting import random_parts
from tokstream import _core
from tokstream.errors import VocabularyError
from tokstream.patterns import compile_pattern

N = 200_000
N_TRIES = 6


def pattern(text: str) -> bytes:
    return compile_pattern(text, "tokenizers", partial=True).to_bytes()


@pytest.mark.parametrize(
    ("step", "waits"),
    [
        (("nfc",), True),
        (("nfkd",), True),
        (("lowercase",), False),
        (("byte_level",), False),
        (("strip", True, False), False),
        (("strip", False, True), True),
        (("prepend", "\u2581"), False),
        (("prepend_unless", "\u2581", True), False),
        (("replace", "abc", "x"), False),
        (("replace_pattern", pattern(" {2,}"), "x"), False),
        (("replace_pattern", pattern("a+b"), "x"), True),
        (("replace_pattern", pattern("ab{0,9}c"), "x"), False),
        (("precompiled", charsmap({"a": "b"})), False),
        (("sp_normalize", b"", [], [True, False, True, False]), False),
        (("sp_normalize", b"", [], [True, True, True, False]), True),
    ],
)
def test_which_steps_wait_without_limit(step: tuple[Any, ...], waits: bool) -> None:
    assert bool(_core.Normalize([step]).unbounded) == waits


ADVERSARIAL = {
    "marks of falling class": "e" + "\u0345\u0301\u0323\u0334" * 50_000,
    "marks of one class": "e" + "\u0301" * N,
    "korean": "\u1100\u1161\u11a8" * (N // 3),
    "blanks": " " * N,
    "blanks and letters": " a" * (N // 2),
    "near misses": "aab" * (N // 3),
    "a run": "a" * N,
    "flags": "\U0001f1e9" * (N // 4),
    "family": "\U0001f469\u200d" * (N // 7),
    "signs": "\u2581" * (N // 3),
}
CHAINS: dict[str, Spec] = {
    "forms": [("nfd",), ("nfkc",), ("nfd",), ("nfc",)],
    "literals": [("replace", "a" * 500 + "b", "c"), ("replace", "aac", "x"), ("replace", " ", "")],
    "patterns": [("replace_pattern", pattern("(?:aa|bb)*c|a+b"), "x")],
    "strip": [("strip", True, True), ("prepend", "\u2581")],
    "map": [("precompiled", charsmap({"a": "b", "\u0301": "", "e": "eee"}))],
    "sentencepiece": [("sp_normalize", b"", [" " * 9 + "x", "aaaab"], [True, True, True, False])],
}


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("name", ADVERSARIAL)
def test_time_is_linear(chain: str, name: str) -> None:
    """Fed character by character, twice the text must not take much more than twice the time."""

    def seconds(text: str) -> float:
        stage = _core.Normalize(CHAINS[chain])
        begin = time.process_time()
        for c in text:
            stage.push(c)
        stage.finish()
        return time.process_time() - begin

    text = ADVERSARIAL[name]
    half = text[: len(text) // 2]
    wholes, halves = [], []
    for _ in range(N_TRIES):  # other work on the machine only ever adds time
        wholes.append(seconds(text))
        halves.append(seconds(half))
        if min(wholes) < 3.2 * min(halves):
            return
    pytest.fail(f"{wholes} s for the whole, {halves} s for half of it")


def test_little_is_held_of_ordinary_text() -> None:
    """At most the last character, or the beginning of what is replaced."""
    text = "The caf\xe9, na\xefve \u65e5\u672c\u8a9e \ud55c\uad6d\uc5b4 text.\n" * 5
    limits: list[tuple[Spec, int]] = [
        ([("nfc",)], 3),
        ([("nfkc",), ("lowercase",), ("nfd",)], 3),
        ([("replace", "  ", "x")], 1),
        ([("precompiled", charsmap({"a": "b"}))], 5),
        ([("strip", True, True), ("prepend", "\u2581"), ("replace", " ", "\u2581")], 2),
    ]
    for spec, limit in limits:
        stage = _core.Normalize(spec)
        for c in text:
            stage.push(c)
            assert stage.n_held <= limit, (spec, c)


@pytest.mark.parametrize("first_only", [True, False])
def test_prepend_unless(first_only: bool) -> None:
    rng = random.Random(4)
    for _ in range(2000):
        prefix = rng.choice(["\u2581", "ab", "aba", ""])
        stage = _core.Normalize([("prepend_unless", prefix, first_only)])
        for k in range(3):
            text = "".join(rng.choices("ab\u2581 \u0301", k=rng.randint(0, 4)))
            given = [part for cut in random_parts(rng, text, 2) for part in stage.push(cut)]
            given += stage.finish()
            adds = text and not text.startswith(prefix) and (k == 0 or not first_only)
            assert text_of(given) == (prefix if adds else "") + text
            assert sum(n for _, n in given) == len(text.encode())
            own = [(c, i) for i, c in enumerate(text)]
            assert mapped(given, text) == [(c, 0) for c in prefix if adds] + own


def test_a_text_that_does_not_begin_with_text_has_no_first_segment() -> None:
    stage = _core.Normalize([("prepend_unless", "x", True)])
    stage.leave_start()
    assert text_of(stage.push("a") + stage.finish()) == "a"


def test_segments_begin_anew() -> None:
    stage = _core.Normalize([("nfc",), ("strip", True, True), ("prepend", "\u2581")])
    for text, expected in [
        (" e", "\u2581e"),
        ("\u0301 ", "\u2581\u0301"),
        ("  ", ""),
        ("a", "\u2581a"),
    ]:
        assert text_of(stage.push(text) + stage.finish()) == expected


def test_copies_are_independent() -> None:
    stage = _core.Normalize([("nfc",), ("replace", "ab", "x")])
    stage.push("ae")
    twin = stage.copy()
    assert text_of(stage.push("\u0301") + stage.finish()) == "a\xe9"
    assert text_of(twin.push("b") + twin.finish()) == "aeb"


def test_long_pushes_are_cut_into_blocks() -> None:
    text = "e\u0301\u3042 " * 30_000
    spec: Spec = [("nfkc",), ("lowercase",), ("replace", " ", "\u2581")]
    expected = "\xe9\u3042\u2581" * 30_000
    assert normalized(spec, text) == expected == text_of(run(spec, [text[:50_001], text[50_001:]]))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ([("replace", "", "x")], "the pattern is empty"),
        ([("precompiled", b"\1")], "fewer than 4 bytes"),
        ([("precompiled", b"\xff\0\0\0abcd")], "the trie is cut short"),
        ([("precompiled", b"\0\0\0\0")], "the trie is empty"),
        ([("precompiled", charsmap({"a": "b"})[:4] + bytes(3 * 1024) + b"\xff")], "not UTF-8"),
        ([("precompiled", b"\4\0\0\0" + b"\0\4\0\0x\0")], "leads out of the data"),
        ([("replace_pattern", b"x", "y")], "automaton"),
    ],
)
def test_tables_that_are_refused(spec: Spec, message: str) -> None:
    with pytest.raises(VocabularyError, match=message):
        _core.Normalize(spec)


def test_a_trie_that_leads_around_in_a_circle_is_refused() -> None:
    units = [0] * 256
    units[0] = 0
    units[ord("a")] = ord("a") | ord("a") << 10
    data = (1024).to_bytes(4, "little") + b"".join(u.to_bytes(4, "little") for u in units) + b"x\0"
    with pytest.raises(VocabularyError, match="circle"):
        _core.Normalize([("precompiled", data)])


@pytest.mark.parametrize(
    "spec", [[("nonsense",)], [("nfc", 1)], [("strip", True)], [("prepend", 1)]]
)
def test_specs_that_make_no_sense(spec: Spec) -> None:
    with pytest.raises((ValueError, TypeError)):
        _core.Normalize(spec)
