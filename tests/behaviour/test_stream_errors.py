"""After an error in the input a stream has failed: the same error again, until `reset`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cutting import feed_all
from tokstream import (
    DisallowedSpecialTokenError,
    EncodeStream,
    InputError,
    InvalidUtf8Error,
    PendingLimitError,
    Tokenizer,
    UnfinishedCharacterError,
    get_encoding,
)

if TYPE_CHECKING:
    from collections.abc import Callable

EOT = "<|endoftext|>"

# name: (options of the stream, chunks of which the last one fails, class of the error, offset)
FAULTS: dict[str, tuple[dict[str, Any], list[str | bytes], type[InputError], int]] = {
    "special": ({}, ["one two three ", f"four {EOT} five"], DisallowedSpecialTokenError, 19),
    "special cut": ({}, [f"one {EOT[:5]}", EOT[5:9], EOT[9:]], DisallowedSpecialTokenError, 4),
    "special first": ({}, [EOT], DisallowedSpecialTokenError, 0),
    "invalid": ({}, ["one two ", b"three \xff four"], InvalidUtf8Error, 14),
    "invalid cut": ({}, [b"one \xe6", b"\xbc", b"x"], InvalidUtf8Error, 4),
    "mixed": ({}, [b"one \xe6", "two"], UnfinishedCharacterError, 4),
    "mixed surrogate": ({}, ["one \ud83d", b"two"], UnfinishedCharacterError, 4),
    "pending": ({"max_pending_bytes": 8}, ["one \n", " " * 30], PendingLimitError, 35),
}


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return get_encoding("cl100k_base")


def _fail(tokenizer: Tokenizer, fault: str) -> tuple[EncodeStream, InputError, list[int]]:
    options, chunks, kind, _ = FAULTS[fault]
    stream = tokenizer.stream(**options)
    ids: list[int] = []
    for chunk in chunks[:-1]:
        ids += stream.feed(chunk)
    with pytest.raises(InputError) as caught:
        stream.feed(chunks[-1])
    assert type(caught.value) is kind
    return stream, caught.value, ids + caught.value.ids


@pytest.mark.parametrize("fault", FAULTS)
def test_the_error_carries_place_and_ids(tokenizer: Tokenizer, fault: str) -> None:
    stream, error, ids = _fail(tokenizer, fault)
    offset = FAULTS[fault][3]
    assert error.offset == offset
    assert str(offset) in str(error)
    assert str(error)[0].islower()
    assert type(error.ids) is list
    text = "".join(c if isinstance(c, str) else c.decode("latin-1") for c in FAULTS[fault][1])
    before = tokenizer.encode(text[:offset])
    assert ids == before[: len(ids)]
    assert len(ids) >= len(before) - 3
    assert stream.n_tokens == len(ids)
    assert isinstance(error, ValueError)


@pytest.mark.parametrize("fault", FAULTS)
def test_every_further_call_raises_the_same_error(tokenizer: Tokenizer, fault: str) -> None:
    stream, error, ids = _fail(tokenizer, fault)
    counters = (stream.n_tokens, stream.n_bytes, stream.delay_bytes)
    calls: list[Callable[[EncodeStream], object]] = [
        lambda s: s.feed("fine"),
        lambda s: s.feed(b"fine"),
        lambda s: s.feed(""),
        lambda s: s.feed("fine", allowed_special="all"),
        lambda s: s.feed_array("fine"),
        lambda s: s.advance("fine"),
        lambda s: s.feed_special(EOT),
        EncodeStream.peek,
        EncodeStream.finish,
        EncodeStream.finish_array,
        EncodeStream.finish,
    ]
    for call in calls:
        for victim in (stream, stream.copy()):
            with pytest.raises(type(error)) as caught:
                call(victim)
            again = caught.value
            assert again is not error, "a new object: tracebacks do not pile up"
            assert (again.offset, again.ids) == (error.offset, [])
            assert str(again) == str(error)
            assert getattr(again, "token", None) == getattr(error, "token", None)
            assert (victim.n_tokens, victim.n_bytes, victim.delay_bytes) == counters
    assert len(ids) == stream.n_tokens


@pytest.mark.parametrize("fault", FAULTS)
def test_reset_makes_it_usable_again(tokenizer: Tokenizer, fault: str) -> None:
    stream, _, _ = _fail(tokenizer, fault)
    stream.reset()
    assert (stream.n_tokens, stream.n_bytes, stream.delay_bytes) == (0, 0, 0)
    assert feed_all(stream, ["hello ", "world"]) == tokenizer.encode("hello world")


def test_faults_at_the_end(tokenizer: Tokenizer) -> None:
    stream = tokenizer.stream()
    ids = stream.feed(b"one two" + b"\xe6\xbc")
    for _ in range(2):
        with pytest.raises(InvalidUtf8Error, match=r"ends inside a character.*offset 7") as caught:
            stream.finish()
        ids += caught.value.ids
    assert ids == tokenizer.encode("one two")[: len(ids)]
    with pytest.raises(InvalidUtf8Error):
        stream.feed(b"\xa2")
    stream.reset()
    assert feed_all(stream, ["x"]) == tokenizer.encode("x")


def test_a_longer_name_is_waited_for_before_a_shorter_one_is_refused() -> None:
    harmony = get_encoding("o200k_harmony")
    stream = harmony.stream()
    stream.feed("<|reserved_20001")
    with pytest.raises(DisallowedSpecialTokenError) as caught:
        stream.feed("3|>")
    assert caught.value.token == "<|reserved_200013|>"


def test_errors_survive_pickling(tokenizer: Tokenizer) -> None:
    import pickle  # noqa: PLC0415

    for fault in FAULTS:
        _, error, _ = _fail(tokenizer, fault)
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert (str(again), again.offset, again.ids) == (str(error), error.offset, error.ids)
        assert getattr(again, "token", None) == getattr(error, "token", None)


def test_one_failed_stream_does_not_touch_others(tokenizer: Tokenizer) -> None:
    good = tokenizer.stream()
    ids = good.feed("hello wor")
    _fail(tokenizer, "special")
    assert ids + good.feed("ld") + good.finish() == tokenizer.encode("hello world")
