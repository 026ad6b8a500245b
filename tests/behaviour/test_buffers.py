"""Bytes-like input of every kind: same ids, no copy that changes, clear refusals."""

from __future__ import annotations

import mmap
from array import array
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tokstream import Tokenizer, get_encoding

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DATA = "Hello, wörld! 漢字 👍\n".encode() * 3


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return get_encoding("o200k_base")


def _verbs(tokenizer: Tokenizer) -> dict[str, Callable[[Any], list[int]]]:
    """Every way to encode a whole text, as a function from text to ids."""

    def streamed(text: Any) -> list[int]:
        stream = tokenizer.stream()
        return stream.feed(text) + stream.finish()

    def streamed_array(text: Any) -> list[int]:
        stream = tokenizer.stream()
        ids: list[int] = [*stream.feed_array(text), *stream.finish_array()]
        return ids

    return {
        "encode": tokenizer.encode,
        "encode_array": lambda text: tokenizer.encode_array(text).tolist(),
        "encode_ordinary": tokenizer.encode_ordinary,
        "encode_batch": lambda text: tokenizer.encode_batch([text])[0],
        "encode_batch_array": lambda text: tokenizer.encode_batch_array([text])[0].tolist(),
        "encode_iter": lambda text: [i for ids in tokenizer.encode_iter(text) for i in ids],
        "encode_iter of chunks": lambda text: [i for x in tokenizer.encode_iter([text]) for i in x],
        "encode_with_offsets": lambda text: tokenizer.encode_with_offsets(text)[0],
        "truncate": lambda text: tokenizer.encode(tokenizer.truncate(text, 10**6).text),
        "feed": streamed,
        "feed_array": streamed_array,
    }


VERBS = [*_verbs(get_encoding("o200k_base"))]

_writable = bytearray(DATA)
_padded = b"ab" + DATA + b"cd"
_GOOD: dict[str, Any] = {
    "bytes": DATA,
    "bytearray": bytearray(DATA),
    "memoryview": memoryview(DATA),
    "slice of a memoryview": memoryview(_padded)[2:-2],
    "writable memoryview": memoryview(_writable),
    "read-only view of writable": memoryview(_writable).toreadonly(),
    "array": array("B", DATA),
    "numpy": np.frombuffer(DATA, dtype=np.uint8),
    "numpy copy": np.frombuffer(DATA, dtype=np.uint8).copy(),
    "numpy slice": np.frombuffer(_padded, dtype=np.uint8)[2:-2],
    "bytes subclass": type("Bytes", (bytes,), {})(DATA),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("data", _GOOD.values(), ids=_GOOD)
def test_contiguous_buffers_of_bytes(tokenizer: Tokenizer, verb: str, data: Any) -> None:
    assert _verbs(tokenizer)[verb](data) == tokenizer.encode(DATA.decode())
    assert tokenizer.count(data) == len(tokenizer.encode(DATA.decode()))


@pytest.mark.parametrize("verb", VERBS)
def test_mmap(tokenizer: Tokenizer, verb: str, tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(DATA)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert _verbs(tokenizer)[verb](mapped) == tokenizer.encode(DATA.decode())
    # leaving the block closes it: nothing holds on to the buffer


@pytest.mark.parametrize("verb", VERBS)
def test_writable_buffers_are_released_and_may_change_afterwards(
    tokenizer: Tokenizer, verb: str
) -> None:
    data = bytearray(DATA)
    ids = _verbs(tokenizer)[verb](data)
    data[:] = b"x"  # would raise BufferError if somebody held on to it
    assert ids == tokenizer.encode(DATA)


_WRONG: dict[str, Any] = {
    "every other byte": memoryview(DATA)[::2],
    "backwards": memoryview(DATA)[::-1],
    "numpy, every other": np.frombuffer(DATA, dtype=np.uint8)[::2],
    "numpy, transposed": np.zeros((4, 6), dtype=np.uint8).T,
    "numpy, strings": np.array(["a", "b"]),
    "array of uint32": array("I", [1, 2, 3]),
    "array of uint16": array("H", [1, 2, 3]),
    "array of double": array("d", [1.0]),
    "numpy uint32": np.array([1, 2, 3], dtype=np.uint32),
    "numpy float": np.array([1.0]),
    "memoryview of ints": memoryview(array("i", [1, 2])),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("data", _WRONG.values(), ids=_WRONG)
def test_other_buffers_are_refused(tokenizer: Tokenizer, verb: str, data: Any) -> None:
    with pytest.raises(TypeError, match="expected str or a contiguous bytes-like object"):
        _verbs(tokenizer)[verb](data)


def test_a_refused_buffer_does_not_spoil_a_stream(tokenizer: Tokenizer) -> None:
    stream = tokenizer.stream()
    ids = stream.feed("hello ")
    for data in (None, 7, array("I", [1]), memoryview(DATA)[::2]):
        with pytest.raises(TypeError):
            stream.feed(data)  # type: ignore[arg-type]
    assert ids + stream.feed("world") + stream.finish() == tokenizer.encode("hello world")


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    "empty", [b"", bytearray(), memoryview(b""), array("B"), np.array([], "u1")]
)
def test_empty_buffers(tokenizer: Tokenizer, verb: str, empty: Any) -> None:
    assert _verbs(tokenizer)[verb](empty) == []


def test_empty_chunks_change_nothing(tokenizer: Tokenizer) -> None:
    stream = tokenizer.stream()
    ids = stream.feed("hel")
    for empty in ("", b"", bytearray(), memoryview(b"")):
        assert stream.feed(empty) == []
        assert stream.delay_bytes == 3
    assert ids + stream.feed("lo") + stream.finish() == tokenizer.encode("hello")


def test_a_released_memoryview(tokenizer: Tokenizer) -> None:
    view = memoryview(DATA)
    view.release()
    with pytest.raises((TypeError, ValueError)):
        tokenizer.encode(view)


def test_a_chunk_of_numpy_reads_from_a_file(tokenizer: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(DATA)
    mapped: Any = np.memmap(path, dtype=np.uint8, mode="r")
    stream = tokenizer.stream()
    ids: list[int] = []
    for begin in range(0, len(mapped), 5):
        ids += stream.feed(mapped[begin : begin + 5])
    assert ids + stream.finish() == tokenizer.encode(DATA)
