"""Surrogates in a `str` are read as the reference reads them: pairs joined, lone ones U+FFFD.

Also when a pair is cut between two chunks, at every cut, and beside special tokens.
"""

from __future__ import annotations

import random
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutting import check_single_cuts, check_unit_by_unit, feed_all, random_parts
from data import tiktoken_encoding
from drawing import parts, texts
from nasty import SURROGATE_TEXTS
from tokstream import UnfinishedCharacterError, get_encoding, list_encoding_names


def _repaired(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


@pytest.mark.parametrize("name", list_encoding_names())
@pytest.mark.parametrize("text", SURROGATE_TEXTS.values(), ids=SURROGATE_TEXTS)
def test_every_cut(name: str, text: str) -> None:
    tokenizer, reference = get_encoding(name), tiktoken_encoding(name)
    expected = reference.encode_ordinary(text)
    assert expected == reference.encode_ordinary(_repaired(text))
    assert tokenizer.encode_ordinary(text) == expected
    assert tokenizer.encode_batch([text], disallowed_special=()) == [expected]
    batches = tokenizer.encode_iter([text[:1], text[1:]], disallowed_special=())
    assert [token_id for batch in batches for token_id in batch] == expected
    assert tokenizer.count(text, disallowed_special=()) == len(expected)
    honoured = reference.encode(text, allowed_special="all")
    cuts = range(len(text) + 1)
    plain = partial(tokenizer.stream, disallowed_special=())
    check_single_cuts(partial(plain, errors="strict"), text, cuts, expected)
    check_single_cuts(partial(plain, errors="replace"), text, cuts, expected)
    check_single_cuts(lambda: tokenizer.stream(allowed_special="all"), text, cuts, honoured)
    check_unit_by_unit(lambda: tokenizer.stream(allowed_special="all"), text, honoured)
    rng = random.Random(len(text))
    for _ in range(20):
        chunks = random_parts(rng, text, 5)
        assert feed_all(tokenizer.stream(disallowed_special=()), chunks) == expected


@pytest.mark.parametrize("name", ["gpt2", "o200k_base"])
@settings(max_examples=150)
@given(st.data())
def test_random_texts(name: str, data: st.DataObject) -> None:
    soup = st.text(st.sampled_from("\ud83d\ud800\udbff\udc00\udc4d\udfff a\n漢\U0001f44d"))
    chunks = data.draw(parts(st.one_of(soup, texts(name, surrogates=True))))
    text = "".join(chunks)
    expected = tiktoken_encoding(name).encode_ordinary(text)
    assert get_encoding(name).encode_ordinary(text) == expected
    assert feed_all(get_encoding(name).stream(disallowed_special=()), chunks) == expected


def test_long_texts_with_surrogates_are_sliced_anywhere() -> None:
    # a long str is encoded in slices; pairs must be joined across them
    tokenizer, reference = get_encoding("o200k_base"), tiktoken_encoding("o200k_base")
    for shift in range(3):
        text = "x" * shift + "\ud83d\udc4d漢" * 180_000
        expected = reference.encode_ordinary(text)
        assert tokenizer.encode_ordinary(text) == expected
        assert [i for ids in tokenizer.encode_iter(text) for i in ids] == expected


def test_peek_at_half_a_pair() -> None:
    tokenizer, reference = get_encoding("cl100k_base"), tiktoken_encoding("cl100k_base")
    stream = tokenizer.stream()
    ids = stream.feed("a\ud83d")
    assert ids + stream.peek() == reference.encode_ordinary("a\ufffd")
    assert stream.delay_bytes >= 3
    ids += stream.feed("\udc4d")
    assert ids + stream.finish() == reference.encode_ordinary("a👍")


def test_an_empty_chunk_between_the_halves() -> None:
    expected = tiktoken_encoding("cl100k_base").encode_ordinary("👍")
    assert feed_all(get_encoding("cl100k_base").stream(), ["\ud83d", "", b"", "\udc4d"]) == expected


@pytest.mark.parametrize("before", ["", "ab ", "漢"])
def test_bytes_behind_half_a_pair(before: str) -> None:
    tokenizer, reference = get_encoding("cl100k_base"), tiktoken_encoding("cl100k_base")
    stream = tokenizer.stream()
    ids = stream.feed(before + "\ud83d")
    with pytest.raises(UnfinishedCharacterError, match=f"offset {len(before.encode())}") as caught:
        stream.feed(b"x")
    assert caught.value.offset == len(before.encode())
    ids += caught.value.ids
    assert reference.encode_ordinary(before)[: len(ids)] == ids
    lenient = tokenizer.stream(errors="replace")
    assert feed_all(lenient, [before + "\ud83d", b"x"]) == reference.encode_ordinary(
        before + "\ufffdx"
    )


def test_surrogates_in_bytes_are_no_utf8() -> None:
    # they would be if written by "surrogatepass": that is for str alone
    pair = "\ud83d\udc4d".encode("utf-8", "surrogatepass")
    tokenizer = get_encoding("cl100k_base")
    expected = tokenizer.encode("\ufffd" * 6)
    assert tokenizer.encode(pair, errors="replace") == expected
    with pytest.raises(UnicodeError):
        pair.decode()
    with pytest.raises(ValueError, match="offset 0"):
        tokenizer.encode(pair)
