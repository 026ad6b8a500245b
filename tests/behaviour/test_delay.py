"""Measuring the delay: counts, the sampled lower bound, and what the engine gains by waiting less."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree as ET

import pytest

import tokstream
from data import CORPUS_NAMES, corpus
from tokstream.diagnostics.charts import delay_chart
from tokstream.diagnostics.continuations import (
    Continuations,
    complete_character,
    unfinished_bytes,
)
from tokstream.diagnostics.delay import Distribution, measure

TEXT = "Words, wörter 漢字 and 12345 numbers;\n\n    indented 'til the end.\n".encode()


@pytest.fixture(scope="module")
def cl100k():
    return tokstream.get_encoding("cl100k_base")


def test_figures_of_a_distribution():
    one = Distribution.of(Counter({1: 50, 2: 49, 9: 1}))
    assert (one.mean, one.p50, one.p99, one.max) == (1.57, 1, 2, 9)
    assert Distribution.of(Counter()).max == 0


def test_every_byte_is_counted(cl100k):
    result = measure(cl100k, TEXT, n_samples=0)
    assert result.n_places == len(TEXT) == sum(result.optimal.counts.values())
    by_hand: Counter[int] = Counter()
    stream = cl100k.stream()
    for k in range(len(TEXT)):
        stream.feed(TEXT[k : k + 1])
        by_hand[stream.delay_bytes] += 1
    assert result.optimal.counts == dict(by_hand)
    assert result.share_equal is None


def test_by_characters(cl100k):
    result = measure(cl100k, TEXT, unit="char", n_samples=10**6)
    assert result.n_places == len(TEXT.decode()) == result.n_sampled
    assert result.n_sampled_inside == 0


def test_the_bound_is_below_the_delay_and_nearly_reached(cl100k):
    result = measure(cl100k, TEXT, n_samples=10**6)
    assert result.n_sampled + result.n_sampled_inside == len(TEXT)
    assert result.sampled == result.optimal
    assert result.lower_bound.mean <= result.optimal.mean <= result.composition.mean
    assert result.n_equal >= 0.98 * result.n_sampled


def test_a_line_break_and_blanks(cl100k):
    """What composition holds all of, and the optimum does not."""
    result = measure(cl100k, b"foo\n" + b" " * 3000, n_samples=50)
    assert result.composition.max >= 3000
    assert result.optimal.max < 200
    assert result.share_equal == 1


def test_the_same_seed_gives_the_same(cl100k):
    first, again = (measure(cl100k, TEXT, n_samples=20, seed=3) for _ in range(2))
    assert first == again
    assert first.lower_bound != measure(cl100k, TEXT, n_samples=20, seed=4).lower_bound


@pytest.mark.parametrize("held", [b"", b" wor", b"\n   ", "é漢".encode(), b"\xe6\xbc", b"\xf0\x9f"])
def test_continuations_make_text(cl100k, held):
    texts = list(Continuations(cl100k, ["<|endoftext|>"]).of(held, may_end=False))
    assert len(texts) > 20
    for rest in texts:
        (held + rest).decode()
    assert (b"" in texts) == (not unfinished_bytes(held))


def test_continuations_complete_tokens(cl100k):
    assert b"ld" in set(Continuations(cl100k).of(b" wor"))
    assert b"ndoftext|>" in set(Continuations(cl100k, ["<|endoftext|>"]).of(b"x<|e"))


def test_common_ids_are_the_common_beginning(cl100k):
    """Against a stream that never emits: all of the text is held, all ids are to be found."""
    stream = cl100k.stream()
    held = b""
    continuations = Continuations(cl100k)
    for k in range(len(TEXT)):
        stream.feed(TEXT[k : k + 1])
        held = TEXT[k + 1 - stream.delay_bytes : k + 1]
        common, _ = continuations.common_ids(stream, held, may_end=False)
        for rest in continuations.of(held, may_end=False):
            fork = stream.copy()
            assert (fork.feed(rest) + fork.finish())[: len(common)] == common


@pytest.mark.parametrize(
    ("data", "tail"),
    [(b"", b""), (b"a", b""), ("é".encode(), b""), (b"a\xc3", b"\xc3"), (b"\xf0\x9f\x99",) * 2],
)
def test_unfinished_bytes(data, tail):
    assert unfinished_bytes(data) == tail
    whole = complete_character(data)
    assert whole is not None
    assert whole.startswith(data)
    whole.decode()


def test_no_text_is_completed_to_none():
    assert complete_character(b"\xff") is None
    assert complete_character(b"\xc3(") is None


def test_the_chart_is_xml_and_has_all_lines(cl100k):
    results = [measure(cl100k, TEXT, name=name, n_samples=9) for name in ("one", "a<b&c", "three")]
    picture = delay_chart(results, "Delay of <this>")
    root = ET.fromstring(picture)
    texts = {node.text for node in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"one", "a<b&c", "three", "Delay of <this>", "composition", "lower bound"} <= texts
    assert len(re.findall("stroke-width='2'", picture)) == 3 + 3 * 3
    assert picture == delay_chart(results, "Delay of <this>")


def test_an_empty_text(cl100k):
    result = measure(cl100k, b"")
    assert (result.n_places, result.optimal.max) == (0, 0)
    ET.fromstring(delay_chart([result], "nothing"))


@pytest.mark.parametrize("kind", CORPUS_NAMES)
@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_between_characters_nothing_is_left_to_gain(name, kind):
    """No special token can form: the engine has emitted all that every continuation agrees on."""
    tok = tokstream.get_encoding(name)
    text = corpus(kind, 60_000).encode()[-20_000:].decode(errors="ignore").encode()
    result = measure(
        tok, text, unit="char", n_samples=500, allowed_special=(), disallowed_special=()
    )
    assert result.n_equal == result.n_sampled > 0, result.gaps
