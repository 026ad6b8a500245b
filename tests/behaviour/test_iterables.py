"""`encode_iter` and `encode_aiter`: ids of one text in batches, lazily, as they become stable."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from data import corpus
from nasty import TEXTS
from tokstream import DisallowedSpecialTokenError, InvalidUtf8Error, Tokenizer, get_encoding
from tokstream.pipelines.iterables import encode_chunks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return get_encoding("cl100k_base")


def _joined(batches: Any) -> list[int]:
    return [token_id for batch in batches for token_id in batch]


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_batches_joined_are_encode(tokenizer: Tokenizer, text: str) -> None:
    expected = tokenizer.encode(text, allowed_special="all")
    data = text.encode()
    sources: list[Any] = [text, data, bytearray(data), memoryview(data), list(text)]
    sources += [[data[i : i + 3] for i in range(0, len(data), 3)], iter([text])]
    for source in sources:
        batches = list(tokenizer.encode_iter(source, allowed_special="all"))
        assert _joined(batches) == expected
        assert all(batches), "no batch is empty"


def test_arrays(tokenizer: Tokenizer) -> None:
    text = corpus("english", 1 << 17)
    batches = list(tokenizer.encode_iter_array(text, disallowed_special=()))
    assert all(batch.dtype == np.uint32 and batch.size for batch in batches)
    assert np.concatenate(batches).tolist() == tokenizer.encode_ordinary(text)


def test_one_big_text_comes_in_many_batches(tokenizer: Tokenizer) -> None:
    text = corpus("chinese", 1 << 20)
    for source in (text, text.encode()):
        batches = list(tokenizer.encode_iter(source, disallowed_special=()))
        assert len(batches) > 5
        assert len(batches[0]) < 2000, "the first comes early"
        assert max(map(len, batches)) < 200_000
        assert _joined(batches) == tokenizer.encode_ordinary(text)


def test_lazily_one_chunk_at_a_time(tokenizer: Tokenizer) -> None:
    taken = []

    def chunks() -> Iterator[str]:
        for k in range(100):
            taken.append(k)
            yield f"word {k}, "

    batches = tokenizer.encode_iter(chunks())
    assert not taken, "nothing is read before the first batch is asked for"
    next(batches)
    assert len(taken) == 1
    next(batches)
    assert len(taken) <= 3
    rest = _joined(batches)
    assert len(taken) == 100
    assert rest


def test_an_endless_source(tokenizer: Tokenizer) -> None:
    def chunks() -> Iterator[bytes]:
        while True:
            yield b"for ever and "

    batches = tokenizer.encode_iter(chunks())
    first = [next(batches) for _ in range(50)]
    assert len(_joined(first)) > 50


def test_errors_come_where_they_happen(tokenizer: Tokenizer) -> None:
    batches = tokenizer.encode_iter(["one two three ", "four <|endoftext|>", "five"])
    ids = next(batches)
    with pytest.raises(DisallowedSpecialTokenError) as caught:
        list(batches)
    assert tokenizer.decode(ids + caught.value.ids) == "one two three four"
    assert caught.value.offset == len("one two three four ")
    assert list(batches) == [], "a generator that raised is at its end"
    with pytest.raises(InvalidUtf8Error):
        list(tokenizer.encode_iter([b"a\xc3", b"b"]))
    assert _joined(tokenizer.encode_iter([b"a\xc3", b"b"], errors="replace")) == tokenizer.encode(
        "a\ufffdb"
    )


def test_errors_of_the_source_pass_through(tokenizer: Tokenizer) -> None:
    def chunks() -> Iterator[str]:
        yield "fine and "
        raise OSError("the network is down")

    batches = tokenizer.encode_iter(chunks())
    assert next(batches)
    with pytest.raises(OSError, match="network"):
        next(batches)


@pytest.mark.parametrize("source", [5, None, object(), [5], ["a", None]])
def test_wrong_sources(tokenizer: Tokenizer, source: Any) -> None:
    with pytest.raises(TypeError):
        list(tokenizer.encode_iter(source))


def test_empty_sources(tokenizer: Tokenizer) -> None:
    sources: list[Any] = ["", b"", [], [""], ["", b""], iter(())]
    assert [list(tokenizer.encode_iter(source)) for source in sources] == [[]] * len(sources)


def test_a_file_is_an_iterable_of_chunks(tokenizer: Tokenizer, tmp_path: Any) -> None:
    text = "line one\n\n  line two\r\nline three 漢字\n"
    path = tmp_path / "text"
    path.write_bytes(text.encode())
    with path.open("rb") as file:
        assert _joined(tokenizer.encode_iter(file)) == tokenizer.encode(text)
    with path.open(encoding="utf-8", newline="") as file:
        assert _joined(tokenizer.encode_iter(file)) == tokenizer.encode(text)


# --- asynchronous --------------------------------------------------------------------------------


async def _collect(batches: AsyncIterator[Any]) -> list[list[int]]:
    assert isinstance(batches, AsyncIterator)
    return [list(batch) async for batch in batches]


async def _chunks(*chunks: str | bytes) -> AsyncIterator[str | bytes]:
    for chunk in chunks:
        await asyncio.sleep(0)
        yield chunk


def test_async_batches_joined_are_encode(tokenizer: Tokenizer) -> None:
    text = "Hello wörld! 漢字 <|endoftext|>\n\n  end"
    expected = tokenizer.encode(text, allowed_special="all")
    data = text.encode()
    sources: list[Callable[[], Any]] = [
        lambda: _chunks(text),
        lambda: _chunks(*text),
        lambda: _chunks(*(data[i : i + 2] for i in range(0, len(data), 2))),
        lambda: text,
        lambda: data,
        lambda: [text[:9], text[9:]],
        _chunks,
    ]
    wanted = [expected] * 6 + [[]]
    for source, ids in zip(sources, wanted, strict=True):
        given = source()
        batches = asyncio.run(_collect(tokenizer.encode_aiter(given, allowed_special="all")))
        assert _joined(batches) == ids
        assert all(batches)
    arrays = asyncio.run(_collect(tokenizer.encode_aiter_array(text, allowed_special="all")))
    assert _joined(arrays) == expected


def test_other_tasks_run_within_one_big_chunk(tokenizer: Tokenizer) -> None:
    text = corpus("english", 1 << 20)

    async def run() -> tuple[int, list[int]]:
        turns = 0
        done = False

        async def other() -> None:
            nonlocal turns
            while not done:
                turns += 1
                await asyncio.sleep(0)

        task = asyncio.create_task(other())
        ids = []
        async for batch in tokenizer.encode_aiter(_chunks(text), disallowed_special=()):
            ids += batch
        done = True
        await task
        return turns, ids

    turns, ids = asyncio.run(run())
    assert turns >= (1 << 20) // (1 << 16)
    assert ids == tokenizer.encode_ordinary(text)


def test_async_errors(tokenizer: Tokenizer) -> None:
    batches = tokenizer.encode_aiter(_chunks("one two ", "<|endoftext|>"))
    with pytest.raises(DisallowedSpecialTokenError) as caught:
        asyncio.run(_collect(batches))
    assert caught.value.offset == len("one two ")


def test_a_cancelled_consumer(tokenizer: Tokenizer) -> None:
    async def slow() -> AsyncIterator[str]:
        yield "one two three "
        await asyncio.sleep(30)
        yield "never"

    async def run() -> list[int]:
        ids: list[int] = []

        async def consume() -> None:
            async for batch in tokenizer.encode_aiter(slow()):
                ids.extend(batch)

        task = asyncio.create_task(consume())
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return ids

    assert tokenizer.decode(asyncio.run(run())) == "one two three"


def test_many_async_streams_at_once(tokenizer: Tokenizer) -> None:
    texts = [f"stream {k} says {k * k} 漢字" * 5 for k in range(40)]

    async def one(text: str) -> list[int]:
        return _joined(await _collect(tokenizer.encode_aiter(_chunks(*text))))

    async def run() -> list[list[int]]:
        return await asyncio.gather(*map(one, texts))

    assert asyncio.run(run()) == [tokenizer.encode(text) for text in texts]


def test_a_first_slice_is_short_and_later_chunks_are_whole() -> None:
    """The first ids come soon; a chunk of ordinary size costs one feed."""
    lengths: list[int] = []

    def feed(part: Any) -> str:
        lengths.append(len(part))
        return ""

    list(encode_chunks("a" * 6000, feed, str))
    assert lengths == [256, 1024, 4096, 624]
    lengths.clear()
    list(encode_chunks(["a" * 1000] * 3, feed, str))
    assert lengths == [256, 744, 1000, 1000]
