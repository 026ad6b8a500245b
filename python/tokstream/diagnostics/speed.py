"""How fast a tokenizer is on a text: one call, chunks, first and last ids, memory, other engines.

Enters: a tokenizer and UTF-8. Leaves: `Speed`, medians of a few rounds. Held back: the text, and
the ids of one pass. If nothing else is said, lists of ids are measured, which every engine gives,
on one thread; the text was encoded once before, so that rates are those of text that resembles what
came earlier. The first pass is the one that counts the text while it is new.
"""

from __future__ import annotations

import statistics
import sys
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tokstream import Tokenizer

__all__ = ["CHUNK_BYTES", "ChunkSpeed", "OtherSpeed", "Speed", "measure"]

CHUNK_BYTES: Final = (16, 64, 1024, 4096, 65536)
MOST_FEEDS: Final = 20_000
"""Of chunks of one size; they come from the beginning of the text."""
PIECE_BYTES: Final = 4096
"""The last piece of a text, whose ids are waited for."""


@dataclass(frozen=True)
class ChunkSpeed:
    """A text in chunks.

    Attributes:
        chunk_bytes: of each but the last.
        mb_per_s: 10^6 bytes of text in a second.
        relative: the same over that of one call on the same text.
        p50_us: microseconds of a feed, the median.
        p99_us: what 99 of 100 feeds stay below.
        mean_delay_bytes: bytes that no id covers after a feed.
        max_delay_bytes: the most of them.
    """

    chunk_bytes: int
    mb_per_s: float
    relative: float
    p50_us: float
    p99_us: float
    mean_delay_bytes: float
    max_delay_bytes: int


@dataclass(frozen=True)
class OtherSpeed:
    """Another engine in one call; `is_same`: whether its ids are these."""

    name: str
    mb_per_s: float
    is_same: bool


@dataclass(frozen=True)
class Speed:
    """What was found of one text.

    Attributes:
        name: of the text.
        n_bytes: of UTF-8.
        n_tokens: ids.
        mb_per_s: in one call.
        first_pass_mb_per_s: while the text was new: streamed, its ids counted.
        array_mb_per_s: in one call, for an array; None without numpy.
        cores_mb_per_s: in one call, on all cores or as the environment says.
        growth: time of the text over that of its first half; None where a half has no character.
        first_us: microseconds until the first batch of `encode_iter`.
        last_us: from the last piece of at most 4 KB to the last id.
        streamed_bytes: by how much the peak of resident memory rose while the text was streamed.
        whole_bytes: by how much it rose further in one call, for the ids of which there is room.
        chunks: the text in chunks.
        others: other engines.
    """

    name: str
    n_bytes: int
    n_tokens: int
    mb_per_s: float
    first_pass_mb_per_s: float
    array_mb_per_s: float | None
    cores_mb_per_s: float
    growth: float | None
    first_us: float
    last_us: float
    streamed_bytes: int
    whole_bytes: int
    chunks: list[ChunkSpeed]
    others: list[OtherSpeed]

    def as_json(self) -> dict[str, object]:
        """Give the figures as plain values."""
        return asdict(self)


def measure(
    tokenizer: Tokenizer,
    text: bytes,
    *,
    name: str = "",
    n_rounds: int = 3,
    others: dict[str, Callable[[str], list[int]]] | None = None,
    advance: Callable[[int, int], None] | None = None,
    **options: Any,  # noqa: ANN401 - those of `Tokenizer.stream`
) -> Speed:
    """Measure one text.

    Args:
        tokenizer: whose streams and calls.
        text: UTF-8, not empty.
        name: what to call the text.
        n_rounds: values of which medians are taken.
        others: other engines: text to ids.
        advance: is told of bytes, and no ids, once for every size of chunks.
        options: `allowed_special`, `disallowed_special`, `errors`, as in `Tokenizer.stream`.

    Raises:
        InputError: as in `Tokenizer.encode`.
        ValueError: the text is empty, or there are no rounds.

    Cost: some twenty passes over the text, and those of the other engines.
    """
    if not text or n_rounds < 1:
        raise ValueError("there is nothing to measure: the text is empty, or there are no rounds")
    before = peak_bytes()
    stream = tokenizer.stream(**options)

    def first_pass() -> None:
        for at in range(0, len(text), PIECE_BYTES):
            stream.advance(text[at : at + PIECE_BYTES])
        stream.finish()

    first_pass_seconds = seconds(first_pass)
    streamed = peak_bytes()
    ids = tokenizer.encode(text, num_threads=1, **options)
    whole = peak_bytes()

    def median(encode: Callable[..., object], part: bytes, **more: Any) -> float:  # noqa: ANN401
        choice = {**options, **more}
        return statistics.median(seconds(lambda: encode(part, **choice)) for _ in range(n_rounds))

    def one_call(part: bytes) -> float:
        return median(tokenizer.encode, part, num_threads=1)

    half = whole_characters(text, len(text) // 2)
    array_seconds = None
    if find_spec("numpy") is not None:
        array_seconds = median(tokenizer.encode_array, text, num_threads=1)

    chunks = []
    for size in CHUNK_BYTES:
        if size < len(text):
            part = text[: size * MOST_FEEDS]
            chunks.append(in_chunks(tokenizer, part, size, n_rounds, one_call(part), options))
        if advance is not None:
            advance(len(text) // len(CHUNK_BYTES), 0)
    one_seconds = one_call(text)
    return Speed(
        name=name,
        n_bytes=len(text),
        n_tokens=len(ids),
        mb_per_s=len(text) / one_seconds / 1e6,
        first_pass_mb_per_s=len(text) / first_pass_seconds / 1e6,
        array_mb_per_s=None if array_seconds is None else len(text) / array_seconds / 1e6,
        cores_mb_per_s=len(text) / median(tokenizer.encode, text) / 1e6,
        growth=one_seconds / one_call(half) if half else None,
        first_us=first_batch(tokenizer, text, options),
        last_us=last_ids(tokenizer, text, options),
        streamed_bytes=streamed - before,
        whole_bytes=whole - streamed,
        chunks=chunks,
        others=[other(who, encode, text, ids, n_rounds) for who, encode in (others or {}).items()],
    )


def in_chunks(
    tokenizer: Tokenizer,
    text: bytes,
    size: int,
    n_rounds: int,
    whole_seconds: float,
    options: dict[str, Any],
) -> ChunkSpeed:
    """Feed a text in chunks of a size: once to look at each feed, then for the rate."""
    chunks = [text[at : at + size] for at in range(0, len(text), size)]
    is_cut = {"errors": "replace"}  # the last chunk may end inside a character
    stream = tokenizer.stream(**{**options, **is_cut})
    times, delays = [], []
    for chunk in chunks:
        begin = perf_counter_ns()
        stream.feed(chunk)
        times.append(perf_counter_ns() - begin)
        delays.append(stream.delay_bytes)
    stream.finish()

    def all_feeds() -> None:
        stream.reset()
        for chunk in chunks:
            stream.feed(chunk)
        stream.finish()

    elapsed = statistics.median(seconds(all_feeds) for _ in range(n_rounds))
    times.sort()
    return ChunkSpeed(
        chunk_bytes=size,
        mb_per_s=len(text) / elapsed / 1e6,
        relative=whole_seconds / elapsed,
        p50_us=times[len(times) // 2] / 1e3,
        p99_us=times[len(times) * 99 // 100] / 1e3,
        mean_delay_bytes=statistics.fmean(delays),
        max_delay_bytes=max(delays),
    )


def first_batch(tokenizer: Tokenizer, text: bytes, options: dict[str, Any]) -> float:
    """Return microseconds until the first ids of a text at hand."""

    def once() -> None:
        next(tokenizer.encode_iter(text, **options), None)

    return statistics.median(seconds(once) for _ in range(9)) * 1e6


def last_ids(tokenizer: Tokenizer, text: bytes, options: dict[str, Any]) -> float:
    """Return microseconds from the last piece of a text to its last id."""
    stream = tokenizer.stream(**{**options, "errors": "replace"})
    found = []
    for _ in range(9):
        stream.reset()
        stream.advance(text[-2 * PIECE_BYTES : -PIECE_BYTES])
        begin = perf_counter_ns()
        stream.feed(text[-PIECE_BYTES:])
        stream.finish()
        found.append((perf_counter_ns() - begin) / 1e3)
    return statistics.median(found)


def other(
    name: str,
    encode: Callable[[str], list[int]],
    text: bytes,
    ids: Sequence[int],
    n_rounds: int,
) -> OtherSpeed:
    """Measure another engine, and compare its ids."""
    whole = text.decode(errors="replace")
    found = encode(whole)
    elapsed = statistics.median(seconds(lambda: encode(whole)) for _ in range(n_rounds))
    return OtherSpeed(name, len(text) / elapsed / 1e6, found == ids)


def whole_characters(text: bytes, n_bytes: int) -> bytes:
    """Return the beginning of UTF-8, at most so many bytes, no character cut."""
    while 0 < n_bytes < len(text) and text[n_bytes] & 0xC0 == 0x80:
        n_bytes -= 1
    return text[:n_bytes]


def seconds(once: Callable[[], object]) -> float:
    """Time one call."""
    begin = perf_counter_ns()
    once()
    return (perf_counter_ns() - begin) / 1e9


def peak_bytes() -> int:
    """Return the peak of resident memory; 0 where the system does not tell."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10
