"""Engine process: a text in one call and in chunks of several sizes, in turn.

Enters: a job, one JSON object as the only argument: files, text (path), sizes, core, rounds.
Leaves: one JSON object: version; by size, the measures below; n_tokens and ids (digest).

relative: throughput of `feed_array` over that of one call of `encode_ordinary_array` on the same
text, a value for each round, CPU time, the text known to the tables. relative, list: the same of
`feed` and `encode_ordinary`. p50, p99: nanoseconds of a `feed_array`. delay_bytes and
max_delay_bytes: mean and most of what no id covers after a feed. beyond: nanoseconds that a feed
takes beyond the native stream's: what `feed` adds to it, and a native feed of nothing.
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path
from time import perf_counter_ns, process_time_ns
from typing import TYPE_CHECKING, Any

from harness import id_bytes, pin
from peers import version_of

import tokstream
from digests import IdDigest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokstream import EncodeStream, Tokenizer

MOST_FEEDS = 50_000
"""Text for small chunks is shortened to so many."""
N_PAIRS = 20_000


def main() -> None:
    """Run the job of the command line."""
    job = json.loads(sys.argv[1])
    pin(job["core"])
    tokenizer = tokstream.get_encoding(job["files"]["name"])
    text = Path(job["text"]).read_bytes()
    digest = IdDigest()
    digest.update(id_bytes(tokenizer.encode_ordinary_array(text)))
    measures = {size: measure(tokenizer, text, size, job["rounds"]) for size in job["sizes"]}
    for found in measures.values():
        if found.pop("ids") not in ("", digest.hex()):
            raise SystemExit("other ids in chunks")
    result = {
        "version": version_of("tokstream"),
        "measures": measures,
        "n_tokens": digest.n_tokens,
        "ids": digest.hex(),
    }
    print(json.dumps(result))


def measure(tokenizer: Tokenizer, text: bytes, size: int, n_rounds: int) -> dict[str, Any]:
    """Measure one size of chunks."""
    is_whole = len(text) <= size * MOST_FEEDS
    if not is_whole:
        text = text[: size * MOST_FEEDS].decode(errors="ignore").encode()
    chunks = [text[at : at + size] for at in range(0, len(text), size)]
    stream = tokenizer.stream(disallowed_special=())
    times, delays = [], []
    digest = IdDigest()
    for chunk in chunks:
        begin = perf_counter_ns()
        ids = stream.feed_array(chunk)
        times.append(perf_counter_ns() - begin)
        digest.update(id_bytes(ids))
        delays.append(stream.delay_bytes)
    digest.update(id_bytes(stream.finish_array()))
    expected = IdDigest()
    expected.update(id_bytes(tokenizer.encode_ordinary_array(text)))
    if digest.hex() != expected.hex():
        raise SystemExit(f"chunks of {size}: other ids")
    array = against_one_call(
        stream, chunks, stream.feed_array, lambda: tokenizer.encode_ordinary_array(text), n_rounds
    )
    in_list = against_one_call(
        stream, chunks, stream.feed, lambda: tokenizer.encode_ordinary(text), n_rounds
    )
    times.sort()
    return {
        "relative": array,
        "relative, list": in_list,
        "p50": times[len(times) // 2],
        "p99": times[len(times) * 99 // 100],
        "delay_bytes": statistics.fmean(delays),
        "max_delay_bytes": max(delays),
        "beyond": beyond(stream, chunks),
        "n_feeds": len(chunks),
        "ids": digest.hex() if is_whole else "",
    }


def against_one_call(
    stream: EncodeStream,
    chunks: list[bytes],
    feed: Callable[[bytes], object],
    at_once: Callable[[], object],
    n_rounds: int,
) -> list[float]:
    """Return the time of one call over that of all feeds, in turn, a value for each round."""

    def in_chunks() -> None:
        for chunk in chunks:
            feed(chunk)
        stream.finish()

    ratios = []
    for number in range(n_rounds):
        stream.reset()
        order = (in_chunks, at_once)[:: 1 if number % 2 == 0 else -1]
        first, second = (cpu_time(once) for once in order)
        ratios.append(second / first if number % 2 == 0 else first / second)
    return ratios


def cpu_time(once: Callable[[], object]) -> int:
    """Return the CPU time of one call."""
    begin = process_time_ns()
    once()
    return process_time_ns() - begin


def beyond(stream: EncodeStream, chunks: list[bytes]) -> float:
    """Return what a `feed` takes beyond the work of the core.

    Chunks go to `feed` and to the native stream below it in turn; the difference of the medians is
    Python's part. The way into native code and back is a native feed of nothing.
    """
    stream.reset()
    native = stream._core  # noqa: SLF001 - its cost is the question
    public: list[int] = []
    inner: list[int] = []
    for number, chunk in enumerate(chunks[:N_PAIRS]):
        begin = perf_counter_ns()
        if number % 2 == 0:
            stream.feed(chunk)
            public.append(perf_counter_ns() - begin)
        else:
            native.feed(chunk)
            inner.append(perf_counter_ns() - begin)
    nothing = []
    for _ in range(1000):
        begin = perf_counter_ns()
        native.feed(b"")
        nothing.append(perf_counter_ns() - begin)
    if not inner:
        return statistics.median(nothing)
    return statistics.median(public) - statistics.median(inner) + statistics.median(nothing)


if __name__ == "__main__":
    main()
