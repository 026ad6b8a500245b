"""`encode_with_offsets`: which part of the text each id stands for."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data import tiktoken_encoding
from drawing import texts
from nasty import SURROGATE_TEXTS, TEXTS
from tokstream import (
    ConfigurationError,
    DisallowedSpecialTokenError,
    InvalidUtf8Error,
    Tokenizer,
    get_encoding,
)
from tokstream.vocabulary import Vocabulary

PLAIN: dict[str, Any] = {"disallowed_special": ()}


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return get_encoding("cl100k_base")


def _check(name: str, text: str) -> None:
    tokenizer, reference = get_encoding(name), tiktoken_encoding(name)
    ids, spans = tokenizer.encode_with_offsets(text, **PLAIN)
    assert ids == reference.encode_ordinary(text)
    assert len(spans) == len(ids)
    # in bytes: one behind the other, each the token's own bytes
    data = text.encode()
    for source in (text, data):
        same_ids, byte_spans = tokenizer.encode_with_offsets(source, unit="byte", **PLAIN)
        assert same_ids == ids
        assert [data[a:b] for a, b in byte_spans] == [
            reference.decode_tokens_bytes([i])[0] for i in ids
        ]
        assert all(a[1] == b[0] for a, b in pairwise(byte_spans))
        assert not ids or (byte_spans[0][0], byte_spans[-1][1]) == (0, len(data))
    # in characters: the ones the token's bytes touch
    edges = [0]
    for character in text:
        edges.append(edges[-1] + len(character.encode()))
    for (a, b), (first, last) in zip(spans, byte_spans, strict=True):
        assert edges[a] <= first < edges[a + 1]
        assert edges[b - 1] < last <= edges[b]
    assert tokenizer.encode_with_offsets(data, **PLAIN) == (ids, spans)
    assert [a for a, _ in spans] == reference.decode_with_offsets(ids)[1]


@pytest.mark.parametrize("name", ["gpt2", "o200k_base"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_nasty_texts(name: str, text: str) -> None:
    _check(name, text)


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
@settings(max_examples=100)
@given(st.data())
def test_random_texts(name: str, data: st.DataObject) -> None:
    _check(name, data.draw(texts(name)))


def test_by_example(tokenizer: Tokenizer) -> None:
    text = "Hello wörld"
    ids, spans = tokenizer.encode_with_offsets(text)
    assert ids == tokenizer.encode(text)
    assert [text[a:b] for a, b in spans] == [tokenizer.decode([i]) for i in ids]
    assert tokenizer.encode_with_offsets("") == ([], [])
    assert tokenizer.encode_with_offsets(b"") == ([], [])


def test_several_ids_in_one_character(tokenizer: Tokenizer) -> None:
    ids, spans = tokenizer.encode_with_offsets("aཀb")
    assert len(ids) > 3
    assert spans[0] == (0, 1)
    assert set(spans[1:-1]) == {(1, 2)}
    assert spans[-1] == (2, 3)


def test_special_tokens(tokenizer: Tokenizer) -> None:
    text = "é<|endoftext|>b"
    ids, spans = tokenizer.encode_with_offsets(text, allowed_special="all")
    assert ids == [978, 100257, 65]
    assert spans == [(0, 1), (1, 14), (14, 15)]
    with pytest.raises(DisallowedSpecialTokenError):
        tokenizer.encode_with_offsets(text)


def test_special_tokens_that_share_an_id() -> None:
    harmony = get_encoding("o200k_harmony")
    names = ["<|endofprompt|>", "<|reserved_200018|>"]
    for parts in (names, names[::-1], ["a", *names, "b"], [names[1], "漢", names[1], names[0]]):
        text = "".join(parts)
        ids, spans = harmony.encode_with_offsets(text, allowed_special="all")
        assert [text[a:b] for a, b in spans] == parts
        assert len(ids) == len(parts)
        _, byte_spans = harmony.encode_with_offsets(text, unit="byte", allowed_special="all")
        data = text.encode()
        assert [data[a:b].decode() for a, b in byte_spans] == parts


def test_shared_ids_whose_lengths_add_up_by_chance() -> None:
    table = {bytes([b]): b for b in range(256)}
    names = {"<123>": 300, "<1>": 300, "<12345>": 300}
    tokenizer = Tokenizer("shared", Vocabulary.from_ranks(table), r"[\s\S]", names)
    text = "<1><12345>"
    ids, spans = tokenizer.encode_with_offsets(text, allowed_special="all")
    assert ids == [300, 300]
    assert [text[a:b] for a, b in spans] == ["<1>", "<12345>"]


@pytest.mark.parametrize("text", SURROGATE_TEXTS.values(), ids=SURROGATE_TEXTS)
def test_surrogates(tokenizer: Tokenizer, text: str) -> None:
    ids, spans = tokenizer.encode_with_offsets(text, **PLAIN)
    repaired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    same, spans_of_repaired = tokenizer.encode_with_offsets(repaired, **PLAIN)
    assert ids == same == tokenizer.encode_ordinary(text)
    # a pair is two characters of the text, and one after repair
    places = [0]
    at = 0
    for character in repaired:
        at += 2 if ord(character) > 0xFFFF and text[at] < "\ue000" else 1
        places.append(at)
    assert spans == [(places[a], places[b]) for a, b in spans_of_repaired]
    _, byte_spans = tokenizer.encode_with_offsets(text, unit="byte", **PLAIN)
    assert byte_spans == tokenizer.encode_with_offsets(repaired, unit="byte", **PLAIN)[1]


def test_wrong_arguments(tokenizer: Tokenizer) -> None:
    wrong: Any = "token"
    with pytest.raises(ConfigurationError, match="unit is 'token'"):
        tokenizer.encode_with_offsets("x", unit=wrong)
    with pytest.raises(InvalidUtf8Error):
        tokenizer.encode_with_offsets(b"\xff")
    nothing: Any = None
    with pytest.raises(TypeError):
        tokenizer.encode_with_offsets(nothing)
