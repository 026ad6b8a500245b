"""What type checkers see of the public API; checked by `test_types.py`, never run.

`assert_type` pins the types, an unused `type: ignore` is an error: so wrong calls must be refused.
"""

from __future__ import annotations

import mmap
from array import array
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, BinaryIO, assert_type

import numpy as np
from numpy.typing import NDArray

import tokstream
from tokstream import DecodeStream, EncodeStream, Tokenizer, Truncated

Ids = list[int]
Array = NDArray[np.uint32]

tok = tokstream.get_encoding("o200k_base")
assert_type(tok, Tokenizer)
assert_type(tokstream.encoding_for_model("gpt-4o"), Tokenizer)
assert_type(tokstream.list_encoding_names(), list[str])
assert_type(tokstream.load("x.tiktoken", pattern=r"\S+|\s+"), Tokenizer)
assert_type(tokstream.load(Path("x"), pattern="", special_tokens={"<x>": 5}, name="x"), Tokenizer)
assert_type(tokstream.load(b"YQ== 0", pattern=""), Tokenizer)
assert_type(tokstream.load(Path("model")), Tokenizer)
assert_type(tokstream.from_hub("owner/model", revision="main", name="x"), Tokenizer)
assert_type(tokstream.__version__, str)

# properties
assert_type(tok.name, str)
assert_type(tok.pattern, str)
assert_type(tok.n_vocab, int)
assert_type(tok.eos_id, int | None)
assert_type(tok.special_tokens, dict[str, int])
assert_type(tok.info(), dict[str, object])
assert_type(tok.token_bytes(5), bytes)
assert_type(tok.token_to_id(b"x"), int)
assert_type(tok.token_to_id("x"), int)

# ids of whole texts
assert_type(tok.encode("x"), Ids)
assert_type(tok.encode(b"x", allowed_special="all", errors="replace"), Ids)
assert_type(tok.encode(bytearray(), allowed_special={"x"}, disallowed_special=()), Ids)
assert_type(tok.encode(memoryview(b""), disallowed_special="all"), Ids)
assert_type(tok.encode(array("B"), allowed_special=["x"], disallowed_special=frozenset({"y"})), Ids)
assert_type(tok.encode(np.zeros(3, dtype=np.uint8).data, add_special_tokens=True), Ids)
assert_type(tok.encode(mmap.mmap(-1, 1)), Ids)
assert_type(tok.encode_array("x"), Array)
assert_type(tok.encode_ordinary("x"), Ids)
assert_type(tok.encode_ordinary_array(b"x", errors="strict"), Array)
assert_type(tok.encode_batch(["x", b"y"]), list[Ids])
assert_type(tok.encode_batch(iter(["x"]), num_threads=3), list[Ids])
assert_type(tok.encode_batch_array(("x",)), list[Array])
assert_type(tok.count("x"), int)
assert_type(tok.count(b"x", limit=5), int)
assert_type(tok.encode_with_offsets("x"), tuple[Ids, list[tuple[int, int]]])
assert_type(tok.encode_with_offsets(b"x", unit="byte"), tuple[Ids, list[tuple[int, int]]])

# the kept part is of the same kind as the text
assert_type(tok.truncate("x", 5), Truncated[str])
assert_type(tok.truncate("x", 5, side="left").text, str)
assert_type(tok.truncate(b"x", 5), Truncated[bytes])
assert_type(tok.truncate(bytearray(), 5).text, bytes)
assert_type(tok.truncate("x", 5).n_tokens, int)
assert_type(tok.truncate("x", 5).offset, int)


def lazily(chunks: Iterator[str], more: list[bytes], file: BinaryIO) -> None:
    """Batches."""
    assert_type(tok.encode_iter("x"), Iterator[Ids])
    assert_type(tok.encode_iter(chunks), Iterator[Ids])
    assert_type(tok.encode_iter_array(more), Iterator[Array])
    assert_type(tok.encode_iter(file), Iterator[Ids])
    for ids in tok.encode_iter(chunks, allowed_special="all"):
        assert_type(ids, Ids)


async def asynchronously(chunks: AsyncIterator[bytes]) -> None:
    """Batches."""
    assert_type(tok.encode_aiter(chunks), AsyncIterator[Ids])
    assert_type(tok.encode_aiter_array("x"), AsyncIterator[Array])
    async for ids in tok.encode_aiter(chunks):
        assert_type(ids, Ids)


# decoding
assert_type(tok.decode([1, 2]), str)
assert_type(tok.decode(np.array([1], dtype=np.uint32), errors="strict"), str)
assert_type(tok.decode_bytes(range(5)), bytes)
assert_type(tok.decode_stream(), DecodeStream)
assert_type(tok.decode_stream(errors="strict").feed(5), str)
assert_type(tok.decode_stream().feed([5]), str)
assert_type(tok.decode_stream().finish(), str)

# streams
with tok.stream() as stream:
    assert_type(stream, EncodeStream)
assert_type(tok.stream(errors="replace", max_pending_bytes=5), EncodeStream)
assert_type(stream.tokenizer, Tokenizer)
assert_type(stream.feed("x"), Ids)
assert_type(stream.feed(b"x", allowed_special=(), disallowed_special={"x"}), Ids)
assert_type(stream.feed_array(memoryview(b"")), Array)
assert_type(stream.advance("x", allowed_special="all"), int)
assert_type(stream.feed_special("<|endoftext|>"), Ids)
assert_type(stream.peek(), Ids)
assert_type(stream.peek_array(), Array)
assert_type(stream.finish(), Ids)
assert_type(stream.finish_array(), Array)
assert_type(stream.copy(), EncodeStream)
assert_type(stream.n_tokens, int)
assert_type(stream.n_bytes, int)
assert_type(stream.delay_bytes, int)
stream.reset()

# parts
assert_type(tok.split("x", 5, overlap=1), list[tokstream.Part])
assert_type(tok.split("x", 5)[0].text, str)
assert_type(tok.split("x", 5)[0].start, int)

# errors
try:
    tok.encode("x")
except tokstream.DisallowedSpecialTokenError as error:
    assert_type(error.token, str)
    assert_type(error.offset, int | None)
    assert_type(error.ids, Ids)
except tokstream.InvalidTokenIdError as error:
    assert_type(error.token_id, int | None)
    assert_type(error.index, int | None)

# wrong calls
tok.encode(5)  # type: ignore[arg-type]
tok.encode("x", "all")  # type: ignore[call-arg]
tok.encode("x", errors="ignore")  # type: ignore[arg-type]
tok.encode_batch(5)  # type: ignore[arg-type]
tok.split(b"x", 5)  # type: ignore[arg-type]
tok.truncate("x", 5, side="middle")  # type: ignore[call-overload]
tok.encode_with_offsets("x", unit="token")  # type: ignore[arg-type]
tok.decode("x")  # type: ignore[arg-type]
tok.name = "other"  # type: ignore[misc]
stream.feed(None)  # type: ignore[arg-type]
stream.feed(chunk="x")  # type: ignore[call-arg]
stream.n_tokens = 5  # type: ignore[misc]


class MyTokenizer(Tokenizer):  # type: ignore[misc]  # final
    """A tokenizer of one's own."""


def taken(anything: Any) -> None:
    """Nothing of the API is Any by accident: this would not be reported otherwise."""
    assert_type(tok.encode(anything), Ids)
