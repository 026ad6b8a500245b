"""`as_hf` in programs: other processes, event loops, arrays of ids; all as with `tokenizers`."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tokenizers import Tokenizer as Peer

from hf_compare import COLUMNS, assert_equal
from hf_small import byte_level
from tokstream.compat.huggingface import Tokenizer

if TYPE_CHECKING:
    from tokstream.compat.huggingface import Encoding

TEXTS = ["hello the world", "", "na\u00efve \u6f22\u5b57 <mask> 1234", "the " * 40, "</s><s>"]


@pytest.fixture
def both() -> tuple[Tokenizer, Peer]:
    document = json.dumps(byte_level())
    return Tokenizer.from_str(document), Peer.from_str(document)


def encoded(tokenizer: Tokenizer, texts: list[str]) -> list[Encoding]:
    return tokenizer.encode_batch(texts)


def test_a_worker_that_was_spawned(both: tuple[Tokenizer, Peer]) -> None:
    """The tokenizer goes to it as a pickle, settings and added tokens with it."""
    ours, peer = both
    for tokenizer in both:
        tokenizer.add_tokens(["worl"])
        tokenizer.enable_padding(pad_id=2, pad_token="<pad>", direction="left")
        tokenizer.enable_truncation(30, stride=3)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.apply(encoded, (ours, TEXTS))
    for got, expected in zip(found, peer.encode_batch(TEXTS), strict=True):
        assert_equal(got, expected)


def test_many_at_once_in_one_loop(both: tuple[Tokenizer, Peer]) -> None:
    """Places are characters throughout; `async_encode` of the reference counts bytes."""
    texts = TEXTS * 8

    async def run(tokenizer: Any) -> tuple[list[Any], list[list[Any]]]:
        single = [tokenizer.async_encode(text) for text in texts]
        batches = [tokenizer.async_encode_batch(TEXTS) for _ in range(4)]
        return await asyncio.gather(*single), await asyncio.gather(*batches)

    (single, batches), (expected, expected_batches) = (asyncio.run(run(t)) for t in both)
    others = [column for column in COLUMNS if column != "offsets"]
    for text, got, other in zip(texts, single, expected, strict=True):
        assert_equal(got, other, text, others)
        assert_equal(got, both[1].encode(text), text)
    for found, other in zip(batches, expected_batches, strict=True):
        for pair in zip(found, other, strict=True):
            assert_equal(*pair)


@pytest.mark.parametrize(
    ("verb", "wrong", "options"),
    [
        ("async_encode", 123, {}),
        ("async_encode", "a", {"is_pretokenized": True}),
        ("async_encode_batch", [1], {}),
        ("async_encode_batch", None, {}),
        ("async_encode_batch_fast", "abc", {}),
        ("async_decode_batch", [[1.5]], {}),
    ],
)
def test_errors_of_async_verbs(
    both: tuple[Tokenizer, Peer], verb: str, wrong: object, options: dict[str, Any]
) -> None:
    """Wrong inputs are found at the call, before anything is awaited."""

    async def run(tokenizer: Any) -> None:
        with pytest.raises(TypeError):
            getattr(tokenizer, verb)(wrong, **options)

    for tokenizer in both:
        asyncio.run(run(tokenizer))


def test_async_verbs_return_futures(both: tuple[Tokenizer, Peer]) -> None:
    """Work begins at the call; a future can be awaited twice, waited for, and asked."""

    async def run(tokenizer: Any) -> list[list[int]]:
        future = tokenizer.async_encode(TEXTS[0])
        assert asyncio.isfuture(future)
        assert future.get_loop() is asyncio.get_running_loop()
        called: list[Any] = []
        future.add_done_callback(called.append)
        for _ in range(2000):
            if future.done():
                break
            await asyncio.sleep(0.005)
        assert future.done()
        first, second = await future, await future
        assert first is second
        await asyncio.sleep(0)
        assert called == [future]
        verbs = (tokenizer.async_encode_batch, tokenizer.async_encode_batch_fast)
        futures = [verb(TEXTS) for verb in verbs]
        done, waiting = await asyncio.wait([*futures, tokenizer.async_decode_batch([[1]])])
        assert len(done) == 3
        assert not waiting
        return [first.ids, *(encoding.ids for future in futures for encoding in future.result())]

    got, expected = (asyncio.run(run(tokenizer)) for tokenizer in both)
    assert got == expected


def test_async_verbs_go_by_the_settings_and_the_input_of_the_call(
    both: tuple[Tokenizer, Peer],
) -> None:
    ours, _ = both
    expected = (
        ours.encode(["hello", "the"], is_pretokenized=True).ids[:2] + ours.encode("a").ids[-1:]
    )

    async def run() -> None:
        words, texts, ids = ["hello", "the"], ["hello the"], [expected]
        ours.enable_truncation(3)
        futures = (
            ours.async_encode(words, is_pretokenized=True),
            ours.async_encode_batch(texts),
            ours.async_decode_batch(ids),
        )
        ours.no_truncation()
        given: list[Any]
        for given in (words, texts, ids):
            given.clear()
        one, several, decoded = await asyncio.gather(*futures)
        assert one.ids == expected
        assert [len(encoding) for encoding in several] == [3]
        assert decoded == [ours.decode(expected)]

    asyncio.run(run())


def test_errors_of_the_work_are_those_of_the_future(both: tuple[Tokenizer, Peer]) -> None:
    async def run(tokenizer: Any) -> None:
        tokenizer.enable_truncation(3, strategy="only_second")
        future = tokenizer.async_encode(TEXTS[0])
        for _ in range(2):
            with pytest.raises(Exception, match=r"only_second|Second sequence"):
                await future

    for tokenizer in both:
        asyncio.run(run(tokenizer))


def test_async_verbs_need_a_loop(both: tuple[Tokenizer, Peer]) -> None:
    tokenizer: Any
    for tokenizer in both:
        for verb, given in (
            (tokenizer.async_encode, "a"),
            (tokenizer.async_encode_batch, ["a"]),
            (tokenizer.async_encode_batch_fast, ["a"]),
            (tokenizer.async_decode_batch, [[1]]),
        ):
            with pytest.raises(RuntimeError, match="no running event loop"):
                verb(given)
        with pytest.raises(TypeError):
            tokenizer.async_encode(5)


@pytest.mark.parametrize(
    "dtype", [np.uint8, np.uint16, np.int32, np.uint32, np.int64, np.uint64, object]
)
def test_ids_in_arrays(both: tuple[Tokenizer, Peer], dtype: type) -> None:
    ours, peer = both
    ids = [k for k in peer.encode(TEXTS[2]).ids if k < 256]
    given: Any
    for given in (np.array(ids, dtype), np.array(ids * 2, dtype)[::2], np.array([], dtype)):
        expected = peer.decode(given)
        assert ours.decode(given) == expected == ours.decode(given.tolist())
        assert ours.decode_batch([given]) == peer.decode_batch([given])


@pytest.mark.parametrize("wrong", [np.array([1.5]), [1.5], np.array([[1, 2]]), ["a"], 5, None])
def test_no_ids(both: tuple[Tokenizer, Peer], wrong: Any) -> None:
    for tokenizer in both:
        with pytest.raises(TypeError):
            tokenizer.decode(wrong)


def test_windows_of_a_long_text(both: tuple[Tokenizer, Peer]) -> None:
    """The parts that overflow say where they are; together they are the text."""
    text = " ".join(TEXTS) * 3
    for direction in ("right", "left"):
        for tokenizer in both:
            tokenizer.enable_truncation(40, stride=10, strategy="only_second", direction=direction)
        got, expected = (tokenizer.encode("hello?", text) for tokenizer in both)
        assert_equal(got, expected)
        parts = sorted(
            (start, end)
            for part in [got, *got.overflowing]
            for (start, end), sequence in zip(part.offsets, part.sequence_ids, strict=True)
            if sequence == 1
        )
        reached = 0
        for start, end in parts:
            assert text[reached:start].strip() == ""
            reached = max(reached, end)
        assert reached == len(text)
