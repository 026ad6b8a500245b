"""Ids from an iterable of chunks, lazily; also from one big text, sliced here.

Enters: a text, or chunks of one text. Leaves: batches of ids as they become stable.
Held back: what the stream holds back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from tokstream._buffers import is_buffer, plain, view_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Sized

    from tokstream._types import Text

__all__ = ["encode_async_chunks", "encode_chunks", "slices"]

_Batch = TypeVar("_Batch", bound="Sized")

FIRST_SLICE = 1 << 8
"""Length of the first slice of all: its ids come in microseconds."""
BIG_SLICE = 1 << 10
"""Length of the first slice of a later chunk; other tasks may run after one of this length."""
LAST_SLICE = 1 << 16
"""Slices grow up to this length."""


def slices(text: Text, length: int) -> Iterator[Text]:
    """Cut a text into slices, the first of which has `length`; short texts come whole."""
    whole = plain(text) if isinstance(text, str) else view_of(text)
    begin = 0
    while begin < len(whole):
        yield whole[begin : begin + length]
        begin += length
        length = min(4 * length, LAST_SLICE)


def is_text(source: object) -> bool:
    """Tell a text from an iterable of chunks."""
    return isinstance(source, str | bytes | bytearray) or is_buffer(source)


def encode_chunks(
    source: Text | Iterable[Text],
    feed: Callable[[Text], _Batch],
    finish: Callable[[], _Batch],
) -> Iterator[_Batch]:
    """Yield the non-empty batches of ids of one text."""
    chunks: Iterable[Text] = (source,) if is_text(source) else source  # type: ignore[assignment]
    length = FIRST_SLICE
    for chunk in chunks:
        for part in slices(chunk, length):
            if len(batch := feed(part)):
                yield batch
        length = BIG_SLICE
    if len(batch := finish()):
        yield batch


async def encode_async_chunks(
    source: AsyncIterable[Text] | Iterable[Text] | Text,
    feed: Callable[[Text], _Batch],
    finish: Callable[[], _Batch],
) -> AsyncIterator[_Batch]:
    """Yield the non-empty batches of ids of one text; let other tasks run within a big chunk."""
    import asyncio  # noqa: PLC0415 - most users have no event loop

    length = FIRST_SLICE
    async for chunk in _as_async(source):
        for part in slices(chunk, length):
            if len(batch := feed(part)):
                yield batch
            if len(part) >= BIG_SLICE:  # type: ignore[arg-type]
                await asyncio.sleep(0)
        length = BIG_SLICE
    if len(batch := finish()):
        yield batch


async def _as_async(source: AsyncIterable[Text] | Iterable[Text] | Text) -> AsyncIterator[Text]:
    if hasattr(source, "__aiter__"):
        async for chunk in source:
            yield chunk
    else:
        for chunk in (source,) if is_text(source) else source:  # type: ignore[union-attr]
            yield chunk  # type: ignore[misc]
