"""Random texts, cut at random, give the reference's ids (promises 1 and 2)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutting import feed_all
from data import tiktoken_encoding
from drawing import byte_parts, parts, texts
from tokstream import get_encoding, list_encoding_names

pytestmark = pytest.mark.parametrize("name", list_encoding_names())


@settings(max_examples=250)
@given(st.data())
def test_plain_text(name: str, data: st.DataObject) -> None:
    chunks = data.draw(parts(texts(name, surrogates=True)))
    text = "".join(chunks)
    expected = tiktoken_encoding(name).encode_ordinary(text)
    tokenizer = get_encoding(name)
    assert tokenizer.encode_ordinary(text) == expected
    assert feed_all(tokenizer.stream(disallowed_special=()), chunks) == expected


@settings(max_examples=200)
@given(st.data())
def test_bytes(name: str, data: st.DataObject) -> None:
    chunks = data.draw(byte_parts(texts(name)))
    whole = b"".join(chunks)
    expected = tiktoken_encoding(name).encode_ordinary(whole.decode())
    tokenizer = get_encoding(name)
    assert tokenizer.encode_ordinary(whole) == expected
    assert feed_all(tokenizer.stream(disallowed_special=()), chunks) == expected


@settings(max_examples=200)
@given(st.data())
def test_special_tokens_honoured(name: str, data: st.DataObject) -> None:
    chunks = data.draw(parts(texts(name)))
    text = "".join(chunks)
    expected = tiktoken_encoding(name).encode(text, allowed_special="all")
    tokenizer = get_encoding(name)
    assert tokenizer.encode(text, allowed_special="all") == expected
    assert tokenizer.count(text, allowed_special="all") == len(expected)
    assert feed_all(tokenizer.stream(allowed_special="all"), chunks) == expected
    assert tokenizer.decode_bytes(expected) == _decoded(name, text, expected)


@settings(max_examples=100)
@given(st.data())
def test_every_verb_for_chunks_agrees(name: str, data: st.DataObject) -> None:
    """`advance`, `peek`, `copy` and the array twins between and beside the feeds."""
    chunks = data.draw(parts(texts(name, surrogates=True)))
    text = "".join(chunks)
    tokenizer = get_encoding(name)
    reference = tiktoken_encoding(name)
    stream, counting = (tokenizer.stream(disallowed_special=()) for _ in range(2))
    arrays = tokenizer.stream(disallowed_special=())
    ids: list[int] = []
    so_far = ""
    for chunk in chunks:
        so_far += chunk
        new = stream.feed(chunk)
        ids += new
        assert counting.advance(chunk) == len(new)
        assert arrays.feed_array(chunk).tolist() == new
        assert ids + stream.peek() == reference.encode_ordinary(so_far)
        assert ids + stream.copy().finish() == reference.encode_ordinary(so_far)
        assert stream.n_tokens == counting.n_tokens == len(ids)
    rest = stream.peek_array().tolist()
    assert stream.finish() == rest
    assert arrays.finish_array().tolist() == rest
    assert ids + rest == reference.encode_ordinary(text)


def _decoded(name: str, text: str, ids: list[int]) -> bytes:
    """The text, except that an id of two names decodes to the first of them."""
    if name == "o200k_harmony":
        return tiktoken_encoding(name).decode_bytes(ids)
    return text.encode()
