"""Texts that begin as the last one did: ids as ever, and only what is new is encoded."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawing import texts
from tokstream import ConfigurationError, get_encoding
from tokstream.pipelines.prefixes import PrefixEncoder, _same

PLAIN = {"allowed_special": (), "disallowed_special": ()}


@given(data=st.data())
def test_any_sequence_of_texts(data: st.DataObject) -> None:
    tokenizer = get_encoding("cl100k_base")
    encoder = PrefixEncoder(tokenizer, spacing=data.draw(st.integers(1, 9)), **PLAIN)  # type: ignore[arg-type]
    text = ""
    for _ in range(4):
        text = text[: data.draw(st.integers(0, len(text)))] + data.draw(texts("cl100k_base"))
        assert encoder.encode(text) == tokenizer.encode_ordinary(text)
        assert encoder.n_reused <= len(text)


@given(st.text("ab", max_size=30), st.text("ab", max_size=30))
def test_what_two_texts_share(one: str, other: str) -> None:
    n = _same(one, other)
    assert one[:n] == other[:n]
    assert one[n : n + 1] != other[n : n + 1] or n == min(len(one), len(other))


def test_the_ids_belong_to_the_caller() -> None:
    encoder = PrefixEncoder(get_encoding("gpt2"))
    encoder.encode("hello world").clear()
    assert encoder.encode("hello world") == [31373, 995]


def test_after_a_fault() -> None:
    tokenizer = get_encoding("gpt2")
    encoder = PrefixEncoder(tokenizer, spacing=4)
    with pytest.raises(ValueError, match="endoftext"):
        encoder.encode("hello world<|endoftext|>")
    assert encoder.encode("hello world, again") == tokenizer.encode("hello world, again")
    assert encoder.n_reused >= 8


def test_few_places_are_kept() -> None:
    encoder = PrefixEncoder(get_encoding("gpt2"), spacing=10)
    text = "some words " * 2000
    encoder.encode(text)
    encoder.encode(text + "more")
    assert encoder.n_reused == len(text)
    encoder.encode(text[: len(text) // 2])
    assert encoder.n_reused > len(text) // 3
    assert len(encoder._marks) <= 97


def test_a_turn_costs_what_is_new() -> None:
    tokenizer = get_encoding("o200k_base")
    encoder = PrefixEncoder(tokenizer)
    text = "The quick brown fox jumps over the lazy dog. " * 20_000
    encoder.encode(text)
    for _ in range(5):
        times = []
        for encode in (tokenizer.encode, encoder.encode):
            begin = time.process_time()
            encode(text + "x")
            times.append(time.process_time() - begin)
        if times[1] < times[0] / 2:
            return
    raise AssertionError(times)


def test_arguments() -> None:
    with pytest.raises(ConfigurationError, match="spacing is 0"):
        PrefixEncoder(get_encoding("gpt2"), spacing=0)
