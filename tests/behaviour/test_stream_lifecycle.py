"""The life of an `EncodeStream`: feed, peek, copy, finish, reset, and what comes after the end."""

from __future__ import annotations

import contextlib
import copy
import pickle
import warnings
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest

from cutting import feed_all
from nasty import TEXTS
from tokstream import (
    ConfigurationError,
    DisallowedSpecialTokenError,
    InvalidUtf8Error,
    PendingLimitError,
    StreamClosedError,
    StreamError,
    Tokenizer,
    TokstreamError,
    UnfinishedStreamWarning,
    get_encoding,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokstream import EncodeStream


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return get_encoding("cl100k_base")


def test_feed_and_finish(tokenizer: Tokenizer) -> None:
    stream = tokenizer.stream()
    assert stream.tokenizer is tokenizer
    assert stream.feed("hello wor") == [15339]
    assert stream.feed("ld, how") == [1917, 11]
    assert stream.finish() == [1268]


def test_no_input_at_all(tokenizer: Tokenizer) -> None:
    assert tokenizer.stream().finish() == []
    stream = tokenizer.stream()
    assert stream.feed("") == stream.feed(b"") == stream.peek() == stream.finish() == []
    assert (stream.n_tokens, stream.n_bytes, stream.delay_bytes) == (0, 0, 0)


def test_array_twins(tokenizer: Tokenizer) -> None:
    stream = tokenizer.stream()
    arrays = [stream.feed_array("hello wor"), stream.peek_array(), stream.finish_array()]
    assert [array.tolist() for array in arrays] == [[15339], [4191], [4191]]
    assert {array.dtype for array in arrays} == {np.dtype(np.uint32)}
    assert stream.peek_array().shape == (0,)


@pytest.mark.parametrize("n", [0, 1, 3, 1000, 1023, 1024, 1025, 3000])
def test_arrays_of_few_ids_are_like_those_of_many(tokenizer: Tokenizer, n: int) -> None:
    tokenizer.encode_array("a")  # few ids are arrays of their own once numpy is imported
    stream, twin = tokenizer.stream(), tokenizer.stream()
    for text in (" a" * n + "!", "b" + " c" * n + "!"):
        array, expected = stream.feed_array(text), twin.feed(text)
        assert type(array) is np.ndarray
        assert (array.dtype, array.shape) == (np.dtype(np.uint32), (len(expected),))
        assert array.tolist() == expected
        assert array.flags.writeable
        assert array.flags.c_contiguous
        array[:] = 7
    assert stream.finish_array().tolist() == twin.finish()


def _after_finish(stream: EncodeStream) -> dict[str, Callable[[], object]]:
    return {
        "feed": lambda: stream.feed("x"),
        "feed_array": lambda: stream.feed_array(b"x"),
        "advance": lambda: stream.advance("x"),
        "feed_special": lambda: stream.feed_special("<|endoftext|>"),
        "finish": stream.finish,
        "finish_array": stream.finish_array,
    }


@pytest.mark.parametrize("verb", ["feed", "feed_array", "advance", "feed_special", "finish"])
def test_nothing_goes_in_after_finish(tokenizer: Tokenizer, verb: str) -> None:
    stream = tokenizer.stream()
    feed_all(stream, ["hello world"])
    for _ in range(2):
        with pytest.raises(
            StreamClosedError, match=rf"{verb.removesuffix('_array')} after finish.*11.*reset"
        ):
            _after_finish(stream)[verb]()
    assert issubclass(StreamClosedError, StreamError)
    assert issubclass(StreamError, RuntimeError)
    assert issubclass(StreamError, TokstreamError)
    assert (stream.n_tokens, stream.n_bytes, stream.delay_bytes) == (2, 11, 0)
    assert stream.peek() == []
    with pytest.raises(StreamClosedError):
        _after_finish(stream.copy())[verb]()


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_reset_starts_anew_at_any_time(tokenizer: Tokenizer, text: str) -> None:
    expected = tokenizer.encode(text, allowed_special="all")
    stream = tokenizer.stream(allowed_special="all")
    for cut in {0, 1, len(text) // 2, max(len(text) - 1, 0), len(text)}:
        stream.feed(text[:cut])
        stream.reset()
        assert (stream.n_tokens, stream.n_bytes, stream.delay_bytes) == (0, 0, 0)
        assert stream.peek() == []
        assert feed_all(stream, [text]) == expected
        stream.reset()
    stream.feed("é".encode()[:1])
    stream.reset()
    stream.feed("\ud83d")
    stream.reset()
    assert feed_all(stream, [text]) == expected


def test_peek_changes_nothing(tokenizer: Tokenizer) -> None:
    for text in TEXTS.values():
        short = text[:100]
        quiet, peeked = (tokenizer.stream(allowed_special="all") for _ in range(2))
        for character in short:
            new = quiet.feed(character)
            assert peeked.feed(character) == new
            state = (peeked.n_tokens, peeked.n_bytes, peeked.delay_bytes)
            first = peeked.peek()
            assert peeked.peek() == first == peeked.peek_array().tolist()
            assert (peeked.n_tokens, peeked.n_bytes, peeked.delay_bytes) == state
        assert quiet.finish() == peeked.peek() == peeked.finish()


def test_peek_at_an_unfinished_character(tokenizer: Tokenizer) -> None:
    strict = tokenizer.stream()
    ids = strict.feed(b"a" + "漢".encode()[:2])
    with pytest.raises(InvalidUtf8Error):
        strict.peek()
    assert ids + strict.feed("漢".encode()[2:]) + strict.finish() == tokenizer.encode("a漢")
    lenient = tokenizer.stream(errors="replace")
    ids = lenient.feed(b"a" + "漢".encode()[:2])
    assert ids + lenient.peek() == tokenizer.encode("a\ufffd")
    assert ids + lenient.feed("漢".encode()[2:]) + lenient.finish() == tokenizer.encode("a漢")


def _copies(stream: EncodeStream) -> list[EncodeStream]:
    return [stream.copy(), copy.copy(stream), copy.deepcopy(stream)]


def test_copies_are_independent(tokenizer: Tokenizer) -> None:
    shared = "You are a helpful assistant.\n\nUser: hel"
    stream = tokenizer.stream()
    prefix = stream.feed(shared)
    for ending in ("lo", "p me", "  \n", "ium", ""):
        for fork in _copies(stream):
            assert fork.n_bytes == len(shared)
            ids = fork.feed(ending) + fork.finish()
            assert prefix + ids == tokenizer.encode(shared + ending)
    assert stream.delay_bytes > 0
    assert prefix + stream.finish() == tokenizer.encode(shared)


def test_copies_keep_all_kinds_of_pending_input(tokenizer: Tokenizer) -> None:
    held: list[tuple[str | bytes, str | bytes]] = [
        ("漢".encode()[:1], "漢".encode()[1:]),
        ("\ud83d", "\udc4d"),
        ("x<|endof", "text|>"),
        ("foo   ", "bar"),
        ("\n   \n  ", "\n"),
    ]
    for first, second in held:
        stream = tokenizer.stream(allowed_special="all")
        ids = stream.feed(first)
        forks = _copies(stream)
        expected = ids + stream.feed(second) + stream.finish()
        for fork in forks:
            assert ids + fork.feed(second) + fork.finish() == expected


def test_copies_keep_options(tokenizer: Tokenizer) -> None:
    stream = tokenizer.stream(allowed_special={"<|endoftext|>"}, errors="replace")
    fork = stream.copy()
    assert fork.tokenizer is tokenizer
    assert feed_all(fork, ["<|endoftext|>", b"\xff"]) == [100257, *tokenizer.encode("\ufffd")]
    limited = tokenizer.stream(max_pending_bytes=3).copy()
    with pytest.raises(PendingLimitError):
        limited.feed("abcdefghijk"[:8].upper() * 4 + "\n" + " " * 9)


# --- leaving a with block ------------------------------------------------------------------------


def test_with_block(tokenizer: Tokenizer) -> None:
    with tokenizer.stream() as stream:
        ids = stream.feed("hello wor")
        ids += stream.finish()
    assert ids == tokenizer.encode("hello wor")


def test_leaving_without_finish_warns(tokenizer: Tokenizer) -> None:
    with (
        pytest.warns(UnfinishedStreamWarning, match=r"3 bytes are pending.*finish") as caught,
        tokenizer.stream() as stream,
    ):
        stream.feed("foo")
    assert caught[0].filename == __file__, "it points to the with statement"
    assert issubclass(UnfinishedStreamWarning, UserWarning)
    # the stream is still usable: the warning may be ignored on purpose
    assert stream.finish() == tokenizer.encode("foo")


def test_no_warning_where_nothing_is_lost(tokenizer: Tokenizer) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with tokenizer.stream():
            pass
        with tokenizer.stream() as stream:
            stream.feed("foo")
            stream.reset()
        with tokenizer.stream() as stream:
            stream.feed("x")
            stream.feed_special("<|endoftext|>")
        with contextlib.suppress(OSError), tokenizer.stream() as stream:
            stream.feed("foo")
            raise OSError
        with pytest.raises(DisallowedSpecialTokenError), tokenizer.stream() as stream:
            stream.feed("foo <|endoftext|>")


# --- refused from the start ----------------------------------------------------------------------


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_max_pending_bytes(tokenizer: Tokenizer, limit: int) -> None:
    stream = tokenizer.stream(max_pending_bytes=limit)
    text = "\n" + " " * 50
    with pytest.raises(PendingLimitError, match=rf"more than {limit} undecided bytes") as caught:
        stream.feed(text)
    assert caught.value.offset == len(text)
    calls: list[Callable[[], object]] = [lambda: stream.feed("x"), stream.finish]
    for call in calls:
        with pytest.raises(PendingLimitError):
            call()
    stream.reset()
    assert feed_all(stream, [""]) == []


def test_max_pending_bytes_that_is_never_reached(tokenizer: Tokenizer) -> None:
    text = "some words and numbers 123456 " * 100
    stream = tokenizer.stream(max_pending_bytes=64)
    assert feed_all(stream, [text[i : i + 7] for i in range(0, len(text), 7)]) == tokenizer.encode(
        text
    )


def test_wrong_max_pending_bytes(tokenizer: Tokenizer) -> None:
    with pytest.raises(ConfigurationError, match="max_pending_bytes is -1; it must be 0 or more"):
        tokenizer.stream(max_pending_bytes=-1)
    wrong: list[Any] = [1.5, "3", []]
    for limit in wrong:
        with pytest.raises(TypeError):
            tokenizer.stream(max_pending_bytes=limit)
    assert feed_all(tokenizer.stream(max_pending_bytes=2**200), ["x"]) == tokenizer.encode("x")


def test_delay_modes(tokenizer: Tokenizer) -> None:
    blanks = "x\n" + " " * 400
    ways: list[Literal["optimal", "composition"]] = ["optimal", "composition"]
    held = []
    for delay in ways:
        stream = tokenizer.stream(delay=delay)
        ids = stream.feed(blanks)
        fork = stream.copy()
        held.append(stream.delay_bytes)
        for each in (stream, fork):
            assert ids + each.feed("y") + each.finish() == tokenizer.encode(blanks + "y")
        stream.reset()
        stream.feed(blanks)
        assert stream.delay_bytes == held[-1], "copies and reset keep the mode"
    assert held[0] < 150 < held[1] == 401
    wrong: Any = "none"
    with pytest.raises(ConfigurationError, match="delay is 'none'"):
        tokenizer.stream(delay=wrong)


def test_a_stream_is_no_value(tokenizer: Tokenizer) -> None:
    stream = tokenizer.stream()
    with pytest.raises(TypeError):
        pickle.dumps(stream)
    assert stream != tokenizer.stream()
    assert len({stream, tokenizer.stream()}) == 2


def test_repr(tokenizer: Tokenizer) -> None:
    stream = tokenizer.stream()
    stream.feed("hello wor")
    assert repr(stream) == "<EncodeStream cl100k_base: 9 bytes, 1 ids, 4 pending>"
    stream.finish()
    assert repr(stream) == "<EncodeStream cl100k_base: 9 bytes, 2 ids, finished>"
