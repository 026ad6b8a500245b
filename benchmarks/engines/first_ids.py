"""Engine process: time to the first ids, and from the last byte to the last id.

Enters: a job, one JSON object as the only argument: engine, files, texts (paths by name), sizes,
core, seconds. Leaves: one JSON object: version; times, by text, size and measure a list of ns.

Ours gives the first ids of a text at hand by `encode_iter`; of one that arrives in pieces of 4 KB
by `feed`, whose time counts from the first piece, and whose last ids come from the last piece and
`finish`. Engines without a stream can begin when all of the text is there, and have the first id
when they have the last: one call is all of these times. `at once` is a text just made,
and no part of a text is used twice, so far as there is text; `again` is the same text once more.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter_ns
from typing import TYPE_CHECKING

from harness import WARM_UP, pin
from peers import load, version_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tokstream import Tokenizer

PIECE_BYTES = 4096
N_REPEATS = 21
N_FEWEST = 3
N_AGAIN = 5
N_BYTES = 50_000_000


def main() -> None:
    """Run the job of the command line."""
    job = json.loads(sys.argv[1])
    pin(job["core"])
    if job["engine"] == "tokstream":
        import tokstream  # noqa: PLC0415 - only one engine needs it

        measures = ours(tokstream.get_encoding(job["files"]["name"]))
    else:
        encode = load(job["engine"], job["files"]).encode
        encode(WARM_UP)
        measures = {"at once, str": lambda data: timed(encode, data.decode())}
    times: dict[str, dict[str, dict[str, list[int]]]] = {}
    for name, path in job["texts"].items():
        text = Path(path).read_bytes()
        by_size = times[name] = {}
        # The ASCII of a text in another script is nothing but gaps.
        is_latin = len(text.decode().encode("ascii", "ignore")) > len(text) // 2
        for size in job["sizes"]:
            if size > len(text) + 100:
                continue
            by_size[str(size)] = {
                measure: repeat(once, text, size, job["seconds"])
                for measure, once in measures.items()
                if is_latin or "ASCII" not in measure
            }
    print(json.dumps({"version": version_of(job["engine"]), "times": times}))


def repeat(once: Callable[[bytes], int], text: bytes, size: int, seconds: float) -> list[int]:
    """Measure parts of a text until there are enough measurements or the time is up."""
    found: list[int] = []
    for part in parts(text, size):
        found.append(once(part))
        # Making a large part takes longer than measuring it.
        if len(found) * size > N_BYTES and len(found) >= N_FEWEST:
            break
        if len(found) == N_REPEATS or sum(found) > seconds * 1e9:
            break
    return found


def parts(text: bytes, size: int) -> Iterator[bytes]:
    """Yield parts of whole characters, round and round."""
    while True:
        for at in range(0, max(1, len(text) - size), size):
            yield text[at : at + size].decode(errors="ignore").encode()


def timed(encode: Callable[[str], object], text: str) -> int:
    """Time one call."""
    begin = perf_counter_ns()
    encode(text)
    return perf_counter_ns() - begin


def ours(tokenizer: Tokenizer) -> dict[str, Callable[[bytes], int]]:
    """Return what is measured of our streams, by name."""
    tokenizer.encode_ordinary_array(WARM_UP)

    def first(text: str | bytes) -> int:
        begin = perf_counter_ns()
        ids = next(tokenizer.encode_iter(text))
        elapsed = perf_counter_ns() - begin
        assert ids
        return elapsed

    def again(text: str | bytes) -> int:
        # As in a server that does little else: caches hold what encoding needs.
        first(text)
        return sorted(first(text) for _ in range(N_AGAIN))[N_AGAIN // 2]

    def ascii_only(data: bytes) -> str:
        # As long as the text was: what is no ASCII becomes blanks.
        return data.decode("ascii", "replace").replace("\ufffd", " ")

    def arriving(data: bytes) -> int:
        stream = tokenizer.stream()
        begin = perf_counter_ns()
        for at in range(0, len(data), PIECE_BYTES):
            if stream.feed(data[at : at + PIECE_BYTES]):
                break
        return perf_counter_ns() - begin

    def last(data: bytes) -> int:
        stream = tokenizer.stream()
        end = max(0, (len(data) - 1) // PIECE_BYTES * PIECE_BYTES)
        for at in range(max(0, end - (1 << 20)), end, PIECE_BYTES):
            stream.advance(data[at : at + PIECE_BYTES])
        begin = perf_counter_ns()
        stream.feed(data[end:])
        stream.finish()
        return perf_counter_ns() - begin

    return {
        "at once, str": lambda data: first(data.decode()),
        "again, str": lambda data: again(data.decode()),
        "again, ASCII": lambda data: again(ascii_only(data)),
        "again, bytes": again,
        "arriving, first": arriving,
        "arriving, last": last,
    }


if __name__ == "__main__":
    main()
