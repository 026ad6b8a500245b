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
