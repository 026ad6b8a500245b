"""Bytes that are not UTF-8, at every cut: the place Python names, or what Python's "replace" gives.

With `errors="strict"` the offset is that of `bytes.decode`; with "replace" the ids are those of
`data.decode("utf-8", "replace")`.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutting import check_single_cuts, check_unit_by_unit, feed_all, outcome, random_parts
from data import tiktoken_encoding
from nasty import INVALID_BYTES
from tokstream import (
    EncodeStream,
    InputError,
    InvalidUtf8Error,
    UnfinishedCharacterError,
    get_encoding,
    list_encoding_names,
)

NAME = "cl100k_base"


def _fault(data: bytes) -> int | None:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    return None


def _check_strict(stream: EncodeStream, chunks: list[bytes]) -> None:
    """The offset, the ids before it, and that the stream has failed for good."""
    data = b"".join(chunks)
    ids: list[int] = []
    with pytest.raises(InvalidUtf8Error) as caught:
        feed_all_into(ids, stream, chunks)
    error = caught.value
    assert error.offset == _fault(data)
    ids += error.ids
    before = tiktoken_encoding(NAME).encode_ordinary(data[: error.offset].decode())
    assert before[: len(ids)] == ids
    assert stream.n_tokens == len(ids)
    for call in (lambda: stream.feed(b"more"), stream.finish, stream.peek):
        assert outcome(call) == ("InvalidUtf8Error", {"offset": error.offset, "ids": []})


def feed_all_into(ids: list[int], stream: EncodeStream, chunks: list[bytes]) -> None:
    for chunk in chunks:
        ids += stream.feed(chunk)
    ids += stream.finish()


@pytest.mark.parametrize("data", INVALID_BYTES.values(), ids=INVALID_BYTES)
def test_strict_offset_at_every_cut(data: bytes) -> None:
    tokenizer = get_encoding(NAME)
    with pytest.raises(InvalidUtf8Error, match=f"offset {_fault(data)}") as caught:
        tokenizer.encode_ordinary(data)
    assert caught.value.offset == _fault(data)
    for verb in (tokenizer.count, tokenizer.encode_with_offsets, tokenizer.encode_array):
        with pytest.raises(InvalidUtf8Error) as caught:
            verb(data, disallowed_special=())
        assert caught.value.offset == _fault(data)
    for cut in range(len(data) + 1):
        _check_strict(tokenizer.stream(disallowed_special=()), [data[:cut], data[cut:]])
    _check_strict(
        tokenizer.stream(disallowed_special=()), [data[i : i + 1] for i in range(len(data))]
    )


@pytest.mark.parametrize("name", list_encoding_names())
@pytest.mark.parametrize("data", INVALID_BYTES.values(), ids=INVALID_BYTES)
def test_replace_at_every_cut(name: str, data: bytes) -> None:
    tokenizer, reference = get_encoding(name), tiktoken_encoding(name)
    text = data.decode("utf-8", "replace")
    plain = reference.encode_ordinary(text)
    honoured = reference.encode(text, allowed_special="all")
    assert tokenizer.encode_ordinary(data, errors="replace") == plain
    assert tokenizer.encode(data, allowed_special="all", errors="replace") == honoured
    assert tokenizer.count(data, allowed_special="all", errors="replace") == len(honoured)
    assert tokenizer.encode_batch([data], disallowed_special=(), errors="replace") == [plain]
    cuts = range(len(data) + 1)

    def make() -> EncodeStream:
        return tokenizer.stream(disallowed_special=(), errors="replace")

    check_single_cuts(make, data, cuts, plain)
    check_unit_by_unit(make, data, plain)
    rng = random.Random(len(data))
    for _ in range(20):
        chunks = random_parts(rng, data, 6)
        stream = tokenizer.stream(allowed_special="all", errors="replace")
        assert feed_all(stream, chunks) == honoured
        assert stream.delay_bytes == 0
        assert stream.n_bytes == len(data)


_bytes = st.lists(
    st.one_of(
        st.binary(max_size=3),
        st.sampled_from([b"\xe6\xbc", b"\xf0\x9f\x99", b"\xc3", b"\xed\xa0", b"a", b" ", b"\n"]),
        st.text(max_size=2).map(lambda s: s.encode("utf-8", "replace")),
    ),
    max_size=10,
)


@settings(max_examples=500)
@given(_bytes)
def test_random_bytes(chunks: list[bytes]) -> None:
    data = b"".join(chunks)
    tokenizer, reference = get_encoding(NAME), tiktoken_encoding(NAME)
    expected = reference.encode_ordinary(data.decode("utf-8", "replace"))
    assert feed_all(tokenizer.stream(errors="replace", disallowed_special=()), chunks) == expected
    if _fault(data) is not None:
        _check_strict(tokenizer.stream(disallowed_special=()), chunks)
    else:
        assert feed_all(tokenizer.stream(disallowed_special=()), chunks) == expected


def test_long_invalid_input_across_blocks() -> None:
    # long input is read in blocks of about a megabyte: a character lies across their border
    tokenizer, reference = get_encoding(NAME), tiktoken_encoding(NAME)
    for shift in range(4):
        data = b"x" * shift + "漢字 ".encode() * 310_000
        assert tokenizer.encode_ordinary(data) == reference.encode_ordinary(data.decode())
        assert tokenizer.encode_ordinary(bytearray(data)) == tokenizer.encode_ordinary(data)
        bad = data[:2_000_000] + b"\xff" + data[2_000_000:]
        with pytest.raises(InvalidUtf8Error) as caught:
            tokenizer.encode_ordinary(bad)
        assert caught.value.offset == _fault(bad)
        text = bad.decode("utf-8", "replace")
        assert tokenizer.encode_ordinary(bad, errors="replace") == reference.encode_ordinary(text)


# --- str and bytes mixed -------------------------------------------------------------------------


def test_str_and_bytes_mix_between_characters() -> None:
    expected = tiktoken_encoding(NAME).encode_ordinary("é漢x 👍y")
    chunks: list[str | bytes] = ["é", "漢".encode(), "", b"", "x", b" ", "👍".encode(), "y"]
    assert feed_all(get_encoding(NAME).stream(), chunks) == expected


@pytest.mark.parametrize("character", ["é", "漢", "👍"])
@pytest.mark.parametrize("before", ["", "ab", "漢 "])
def test_str_inside_a_character(character: str, before: str) -> None:
    tokenizer, reference = get_encoding(NAME), tiktoken_encoding(NAME)
    data = character.encode()
    for n in range(1, len(data)):
        stream = tokenizer.stream()
        ids = stream.feed(before) + stream.feed(data[:n])
        with pytest.raises(UnfinishedCharacterError) as caught:
            stream.feed("z")
        assert caught.value.offset == len(before.encode())
        assert isinstance(caught.value, InputError)
        ids += caught.value.ids
        assert reference.encode_ordinary(before)[: len(ids)] == ids
        with pytest.raises(UnfinishedCharacterError):
            stream.feed(data[n:])
        stream.reset()
        assert feed_all(stream, [before, data]) == reference.encode_ordinary(before + character)
        lenient = tokenizer.stream(errors="replace")
        expected = reference.encode_ordinary(before + "\ufffdz")
        assert feed_all(lenient, [before, data[:n], "z"]) == expected


def test_an_empty_str_inside_a_character_changes_nothing() -> None:
    expected = tiktoken_encoding(NAME).encode_ordinary("漢")
    data = "漢".encode()
    assert (
        feed_all(get_encoding(NAME).stream(), [data[:1], "", data[1:2], "", data[2:]]) == expected
    )


def test_the_rest_of_a_character_is_missing_at_the_end() -> None:
    tokenizer = get_encoding(NAME)
    for data in (b"Hello world \xf0\x9f\x8c", b"\xc3", b"a\xe6\xbc"):
        stream = tokenizer.stream()
        stream.feed(data)
        with pytest.raises(InvalidUtf8Error, match="ends inside a character") as caught:
            stream.finish()
        assert caught.value.offset == _fault(data)
        lenient = tokenizer.stream(errors="replace")
        expected = tiktoken_encoding(NAME).encode_ordinary(data.decode("utf-8", "replace"))
        assert feed_all(lenient, [data]) == expected
