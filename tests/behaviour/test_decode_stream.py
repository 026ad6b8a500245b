"""`decode_stream`: ids in, text out as soon as characters are complete."""

from __future__ import annotations

import codecs
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawing import texts
from nasty import TEXTS
from tokstream import DecodeStream, InvalidTokenIdError, Tokenizer, get_encoding


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return get_encoding("cl100k_base")


def _fed(stream: DecodeStream, parts: list[list[int]]) -> str:
    return "".join([stream.feed(part) for part in parts]) + stream.finish()


@pytest.mark.parametrize("name", ["gpt2", "o200k_base"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_every_cut(name: str, text: str) -> None:
    tokenizer = get_encoding(name)
    ids = tokenizer.encode(text, allowed_special="all")
    decoded = tokenizer.decode(ids)
    assert _fed(tokenizer.decode_stream(), [[token_id] for token_id in ids]) == decoded
    for cut in range(len(ids) + 1):
        assert _fed(tokenizer.decode_stream(), [ids[:cut], ids[cut:]]) == decoded


def test_characters_come_whole(tokenizer: Tokenizer) -> None:
    text = "aཀ👍🏽猫b"
    ids = tokenizer.encode(text)
    stream = tokenizer.decode_stream()
    pieces = [stream.feed(token_id) for token_id in ids]
    assert "" in pieces, "an id that ends inside a character gives nothing yet"
    assert all("\ufffd" not in piece for piece in pieces)
    assert "".join(pieces) == text
    assert stream.finish() == ""


@given(st.data())
def test_random_cuts_of_random_ids(data: st.DataObject) -> None:
    # any ids: parts of characters, in any order
    tokenizer = get_encoding("cl100k_base")
    bytes_only = st.integers(0, 255)
    ids = data.draw(
        st.one_of(
            st.lists(st.one_of(bytes_only, st.integers(0, 100_255)), max_size=20),
            texts("cl100k_base").map(tokenizer.encode_ordinary),
        )
    )
    cuts = sorted(data.draw(st.lists(st.integers(0, len(ids)), max_size=6)))
    parts = [ids[i:j] for i, j in zip([0, *cuts], [*cuts, len(ids)], strict=True)]
    for errors in ("replace", "ignore", "backslashreplace"):
        assert _fed(tokenizer.decode_stream(errors=errors), parts) == tokenizer.decode(
            ids, errors=errors
        )


def test_an_unfinished_character_at_the_end(tokenizer: Tokenizer) -> None:
    part = tokenizer.encode("Hello world ཀ")[:-1]
    stream = tokenizer.decode_stream()
    assert stream.feed(part) == "Hello world "
    assert stream.finish() == "\ufffd"
    assert tokenizer.decode(part) == "Hello world \ufffd"
    strict = tokenizer.decode_stream(errors="strict")
    assert strict.feed(part) == "Hello world "
    with pytest.raises(UnicodeDecodeError):
        strict.finish()


def test_finish_and_reset_start_anew(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("ཀ")
    stream = tokenizer.decode_stream()
    assert stream.feed(ids[:1]) == ""
    assert stream.finish() == "\ufffd"
    assert stream.feed(ids) == "ཀ"
    assert stream.feed(ids[:1]) == ""
    stream.reset()
    assert stream.feed(ids) + stream.finish() == "ཀ"
    assert stream.finish() == ""


def test_one_id_or_several(tokenizer: Tokenizer) -> None:
    one: list[Any] = [15339, [15339], (15339,), iter([15339]), np.array([15339])]
    one += [np.int64(15339), np.uint32(15339), np.array([15339], dtype=np.uint32)]
    for ids in one:
        assert tokenizer.decode_stream().feed(ids) == "hello"
    assert tokenizer.decode_stream().feed([]) == ""


def test_a_bad_id_consumes_nothing(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("aཀb")
    stream = tokenizer.decode_stream()
    text = stream.feed(ids[:2])
    for bad in (-1, 100256, [15339, 2**40], [ids[2], 100256]):
        with pytest.raises(InvalidTokenIdError):
            stream.feed(bad)
    for wrong in (1.5, "a", None, [None]):
        with pytest.raises(TypeError):
            stream.feed(wrong)  # type: ignore[arg-type]
    assert text + stream.feed(ids[2:]) + stream.finish() == "aཀb"


def test_invalid_bytes_in_strict_mode(tokenizer: Tokenizer) -> None:
    stream = tokenizer.decode_stream(errors="strict")
    assert stream.feed(tokenizer.encode("ok")) == "ok"
    with pytest.raises(UnicodeDecodeError):
        stream.feed([tokenizer.token_to_id(b"\xff")])
    stream.reset()
    assert stream.feed(tokenizer.encode("again")) == "again"


def test_unknown_error_handler(tokenizer: Tokenizer) -> None:
    stream = tokenizer.decode_stream(errors="no such handler")
    with pytest.raises(LookupError):
        stream.feed([tokenizer.token_to_id(b"\xff")])


def test_streams_are_independent(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("ཀ")
    first, second = tokenizer.decode_stream(), tokenizer.decode_stream()
    assert first.feed(ids[:1]) == ""
    assert second.feed(ids) == "ཀ"
    assert first.feed(ids[1:]) == "ཀ"


def test_same_as_the_incremental_decoder_of_python(tokenizer: Tokenizer) -> None:
    ids = [tokenizer.token_to_id(bytes([b])) for b in b"\xe6\xbc\xe6\xbc\xa2\xff\xf0\x9f\x99"]
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    stream = tokenizer.decode_stream()
    for token_id in ids:
        assert stream.feed(token_id) == decoder.decode(tokenizer.token_bytes(token_id))
    assert stream.finish() == decoder.decode(b"", final=True)
