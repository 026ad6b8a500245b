"""`encode`, `encode_ordinary` and their array twins: whole texts in, ids out."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from data import tiktoken_encoding
from tokstream import (
    ConfigurationError,
    DisallowedSpecialTokenError,
    Tokenizer,
    get_encoding,
    list_encoding_names,
)

TEXT = "Hello, wörld! 漢字 👍🏽\n\n  <|endoftext|>"


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return get_encoding("cl100k_base")


@pytest.mark.parametrize("name", list_encoding_names())
def test_every_encoding(name: str) -> None:
    tokenizer, reference = get_encoding(name), tiktoken_encoding(name)
    assert tokenizer.encode("hello world") == reference.encode("hello world")
    assert tokenizer.encode_ordinary(TEXT) == reference.encode_ordinary(TEXT)
    assert tokenizer.encode(TEXT, allowed_special="all") == reference.encode(
        TEXT, allowed_special="all"
    )


def test_empty_text(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode("") == tokenizer.encode(b"") == []
    assert tokenizer.encode_ordinary("") == []
    for array in (tokenizer.encode_array(""), tokenizer.encode_ordinary_array(b"")):
        assert array.shape == (0,)
        assert array.dtype == np.uint32


def test_lists_hold_plain_ints(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("hello world")
    assert type(ids) is list
    assert {type(token_id) for token_id in ids} == {int}


@pytest.mark.parametrize(
    "text", ["hello", TEXT, "漢" * 50_000, b"bytes \xc3\xa9", "\ud83d\udc4d \ud800"]
)
def test_array_twins_agree_with_lists(tokenizer: Tokenizer, text: str | bytes) -> None:
    plain: dict[str, Any] = {"disallowed_special": ()}
    array = tokenizer.encode_array(text, **plain)
    assert isinstance(array, np.ndarray)
    assert array.dtype == np.uint32
    assert array.ndim == 1
    assert array.tolist() == tokenizer.encode(text, **plain)
    assert tokenizer.encode_ordinary_array(text).tolist() == tokenizer.encode_ordinary(text)


def test_arrays_are_the_callers_own(tokenizer: Tokenizer) -> None:
    first, second = tokenizer.encode_array("hello world"), tokenizer.encode_array("hello world")
    first[0] = 7
    assert second.tolist() == tokenizer.encode("hello world") == [15339, 1917]


def test_encode_ordinary_takes_special_tokens_as_text(tokenizer: Tokenizer) -> None:
    plain = tokenizer.encode(TEXT, disallowed_special=())
    assert tokenizer.encode_ordinary(TEXT) == plain
    assert 100257 not in plain
    with pytest.raises(DisallowedSpecialTokenError):
        tokenizer.encode(TEXT)


def test_the_message_tells_the_way_out(tokenizer: Tokenizer) -> None:
    with pytest.raises(DisallowedSpecialTokenError) as caught:
        tokenizer.encode("déjà <|endoftext|>")
    error = caught.value
    assert (error.token, error.offset) == ("<|endoftext|>", len("déjà ".encode()))
    assert isinstance(error, ValueError)
    for part in ("<|endoftext|>", "offset 7", "allowed_special", "disallowed_special=()"):
        assert part in str(error)
    assert tokenizer.decode(error.ids) == "déjà"


def test_add_special_tokens_changes_nothing_for_rank_files(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode("hello", add_special_tokens=True) == tokenizer.encode("hello")
    array = tokenizer.encode_array("hello", add_special_tokens=True)
    assert array.tolist() == tokenizer.encode("hello")


@pytest.mark.parametrize("text", [None, 5, 1.5, ["a"], ("a",), {"a"}, object(), [97, 98]])
def test_wrong_types(tokenizer: Tokenizer, text: Any) -> None:
    for verb in (
        tokenizer.encode,
        tokenizer.encode_array,
        tokenizer.encode_ordinary,
        tokenizer.encode_ordinary_array,
        tokenizer.count,
        tokenizer.stream().feed,
        tokenizer.stream().advance,
    ):
        with pytest.raises(TypeError, match=r"expected str or a contiguous bytes-like object"):
            verb(text)


@pytest.mark.parametrize("errors", ["ignore", "", "STRICT", None, b"strict"])
def test_wrong_error_mode(tokenizer: Tokenizer, errors: Any) -> None:
    for verb in (tokenizer.encode, tokenizer.encode_ordinary, tokenizer.count):
        with pytest.raises(ConfigurationError, match=r'it must be "strict" or "replace"'):
            verb("x", errors=errors)
    with pytest.raises(ConfigurationError, match="errors is"):
        tokenizer.stream(errors=errors)
    with pytest.raises(ConfigurationError, match="errors is"):
        next(iter(tokenizer.encode_iter("x", errors=errors)), None)


def test_a_bare_string_is_no_collection_of_names(tokenizer: Tokenizer) -> None:
    # it would be a collection of characters
    for choice in ("<|endoftext|>", "none", ""):
        with pytest.raises(ConfigurationError, match="all"):
            tokenizer.encode("x", allowed_special=choice)
        with pytest.raises(ConfigurationError, match="all"):
            tokenizer.stream(disallowed_special=choice)


@pytest.mark.parametrize("names", [{""}, [5], [None], [b"<|endoftext|>"], ["ok", ""]])
def test_names_are_non_empty_str(tokenizer: Tokenizer, names: Any) -> None:
    with pytest.raises(ConfigurationError, match="non-empty str"):
        tokenizer.encode("x", allowed_special=names)
    with pytest.raises(ConfigurationError, match="non-empty str"):
        tokenizer.encode("x", disallowed_special=names)


def test_a_name_that_no_text_can_spell(tokenizer: Tokenizer) -> None:
    with pytest.raises(ConfigurationError, match="lone surrogate"):
        tokenizer.encode("hello", allowed_special={"\ud800"})
    with pytest.raises(ConfigurationError, match="lone surrogate"):
        tokenizer.encode("hello", disallowed_special={"x\ud800"})


def test_choices_are_read_once(tokenizer: Tokenizer) -> None:
    names = {"<|endoftext|>"}
    stream = tokenizer.stream(allowed_special=names)
    names.clear()
    assert stream.feed("<|endoftext|>") + stream.finish() == [100257]


def test_arguments_have_names(tokenizer: Tokenizer) -> None:
    verb: Any = tokenizer.encode
    with pytest.raises(TypeError):
        verb("x", "all")
    with pytest.raises(TypeError):
        verb("x", allowed_specials="all")


def test_str_subclasses(tokenizer: Tokenizer) -> None:
    class Text(str):
        __slots__ = ()

        def isascii(self) -> bool:
            return True

        def encode(self, *_: Any, **__: Any) -> bytes:
            return b"wrong"

        def __getitem__(self, _: Any) -> str:
            return "wrong"

        def __len__(self) -> int:
            return 1

    for text in ("hello wörld", "\ud800x", "plain", "漢" * 300_000):
        assert tokenizer.encode(Text(text)) == tokenizer.encode(text)
        stream = tokenizer.stream()
        assert stream.feed(Text(text)) + stream.finish() == tokenizer.encode(text)
        assert tokenizer.encode_batch([Text(text)]) == [tokenizer.encode(text)]
        assert [n for ids in tokenizer.encode_iter(Text(text)) for n in ids] == tokenizer.encode(
            text
        )
        for side in ("right", "left"):
            found = tokenizer.truncate(Text(text), 2, side=side)
            assert found == tokenizer.truncate(text, 2, side=side)
        if "\ud800" not in text:
            assert tokenizer.split(Text(text), 4) == tokenizer.split(text, 4)


@pytest.mark.parametrize(
    "text",
    ["é" * 100, "é" * 100_000, "漢字" * 200_000, "👍" * 99_999, "ascii" * 99, "\ud83d\udc4d" * 99],
)
def test_no_cached_utf8_is_left_on_the_callers_str(tokenizer: Tokenizer, text: str) -> None:
    # CPython keeps the UTF-8 of a str once somebody asks for it: as much memory again
    text = "".join(text)
    before = sys.getsizeof(text)
    tokenizer.encode(text)
    tokenizer.encode_array(text)
    tokenizer.encode_ordinary(text)
    tokenizer.count(text)
    tokenizer.count(text, limit=3)
    tokenizer.truncate(text, 5)
    tokenizer.truncate(text, 5, side="left")
    tokenizer.encode_with_offsets(text[:1000])
    tokenizer.encode_batch([text, text])
    list(tokenizer.encode_iter(text))
    stream = tokenizer.stream()
    stream.feed(text)
    stream.advance(text)
    stream.finish()
    assert sys.getsizeof(text) == before


def test_long_and_short_take_the_same_path(tokenizer: Tokenizer) -> None:
    # around the sizes at which blocks, slices and the GIL are handled otherwise
    reference = tiktoken_encoding("cl100k_base")
    unit = "The quick brown föx, 漢字! "
    text = unit * 60_000
    for n in (1 << 15, 1 << 18, 1 << 20):
        for size in (n - 1, n, n + 1):
            part = text[:size]
            assert tokenizer.encode(part) == reference.encode(part)
            ascii_part = part.encode("ascii", "ignore").decode()
            assert tokenizer.encode(ascii_part) == reference.encode(ascii_part)


def test_lists_share_their_numbers() -> None:
    """A list costs 8 bytes an id, not 40."""
    tokenizer = get_encoding("cl100k_base")
    one, other = tokenizer.encode(" tokenization streams"), tokenizer.encode(" tokenization")
    assert max(other) > 256  # smaller numbers are shared in any case
    assert all(a is b for a, b in zip(one, other, strict=False))
