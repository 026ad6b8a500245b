"""`count`: as many as `encode` gives; with a limit it stops early."""

from __future__ import annotations

import time
from typing import Any

import pytest

from data import corpus, tiktoken_encoding
from nasty import SURROGATE_TEXTS, TEXTS
from tokstream import (
    ConfigurationError,
    DisallowedSpecialTokenError,
    InvalidUtf8Error,
    Tokenizer,
    get_encoding,
)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return get_encoding("o200k_base")


@pytest.mark.parametrize("text", [*TEXTS.values(), *SURROGATE_TEXTS.values()])
def test_equals_the_number_of_ids(tokenizer: Tokenizer, text: str) -> None:
    reference = tiktoken_encoding("o200k_base")
    n_plain = len(reference.encode_ordinary(text))
    assert tokenizer.count(text, disallowed_special=()) == n_plain
    n_tokens = len(reference.encode(text, allowed_special="all"))
    assert tokenizer.count(text, allowed_special="all") == n_tokens
    for limit in {0, 1, n_tokens - 1, n_tokens, n_tokens + 1, 10**12}:
        if limit >= 0:
            found = tokenizer.count(text, limit=limit, allowed_special="all")
            assert found == min(n_tokens, limit + 1)


def test_long_text(tokenizer: Tokenizer) -> None:
    text = corpus("multi", 1 << 20)
    n_tokens = len(tokenizer.encode_ordinary(text))
    for source in (text, text.encode(), bytearray(text.encode())):
        assert tokenizer.count(source, disallowed_special=()) == n_tokens
        for limit in (0, 100, n_tokens - 1, n_tokens, n_tokens + 1):
            found = tokenizer.count(source, limit=limit, disallowed_special=())
            assert found == min(n_tokens, limit + 1)


def test_stops_before_an_error_it_need_not_reach(tokenizer: Tokenizer) -> None:
    text = "word " * 2_000_000
    assert tokenizer.count(text + "<|endoftext|>", limit=10) == 11
    assert tokenizer.count(text.encode() + b"\xff", limit=10) == 11
    with pytest.raises(DisallowedSpecialTokenError) as caught:
        tokenizer.count(text + "<|endoftext|>")
    assert caught.value.offset == len(text)
    with pytest.raises(InvalidUtf8Error) as found:
        tokenizer.count(text.encode() + b"\xff")
    assert found.value.offset == len(text)
    assert tokenizer.count(b"a\xff", errors="replace") == len(tokenizer.encode("a\ufffd"))


@pytest.mark.parametrize("unit", ["word ", "wörd ", "漢字"])
@pytest.mark.parametrize("kind", [str, bytes, bytearray])
def test_the_limit_bounds_the_cost(tokenizer: Tokenizer, unit: str, kind: type) -> None:
    def source(n_chars: int) -> Any:
        text = unit * (n_chars // len(unit))
        return text if kind is str else kind(text.encode())

    def seconds(text: Any) -> float:
        least = float("inf")
        for _ in range(5):
            begin = time.process_time()
            assert tokenizer.count(text, limit=100) == 101
            least = min(least, time.process_time() - begin)
        return least

    short, long = seconds(source(2_000_000)), seconds(source(40_000_000))
    assert long < 2.3 * short + 0.002


@pytest.mark.parametrize("limit", [-1, -(10**20)])
def test_negative_limit(tokenizer: Tokenizer, limit: int) -> None:
    with pytest.raises(ConfigurationError, match=f"limit is {limit}; it must be 0 or more"):
        tokenizer.count("x", limit=limit)


def test_huge_limit(tokenizer: Tokenizer) -> None:
    assert tokenizer.count("hello world", limit=2**63) == 2
    assert tokenizer.count("hello world", limit=2**200) == 2


@pytest.mark.parametrize("limit", [1.5, "3", []])
def test_wrong_limit(tokenizer: Tokenizer, limit: Any) -> None:
    with pytest.raises(TypeError):
        tokenizer.count("x", limit=limit)
