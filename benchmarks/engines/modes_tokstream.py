"""Engine: tokstream, streams of both delays in turn over the same chunks.

Enters: a job on the command line. Leaves: one JSON object on standard output: elapsed_ns, for each
delay a list with the time of each round; n_tokens, ids (digest) of both, version.
"""

from __future__ import annotations

import json
from array import array
from importlib.metadata import version
from time import perf_counter_ns
from typing import TYPE_CHECKING, Literal

from harness import job_parser, pin

import made
from digests import IdDigest

if TYPE_CHECKING:
    from tokstream import EncodeStream

MODES: tuple[Literal["optimal", "composition"], ...] = ("optimal", "composition")


def main() -> None:
    """Run the job of the command line."""
    parser = job_parser()
    parser.add_argument("--chunk", type=int, required=True, help="bytes per chunk")
    parser.add_argument("--rounds", type=int, required=True)
    job = parser.parse_args()
    pin(job.core)
    text = job.text.read_bytes()
    chunks = [text[at : at + job.chunk] for at in range(0, len(text), job.chunk)]
    streams = {
        mode: made.tokenizer(job.encoding).stream(delay=mode, disallowed_special=())
        for mode in MODES
    }
    digests = {mode: ids(stream, chunks) for mode, stream in streams.items()}
    elapsed_ns: dict[str, list[int]] = {mode: [] for mode in MODES}
    for number in range(job.rounds):
        # Who goes first changes from round to round.
        for mode in MODES[:: 1 if number % 2 == 0 else -1]:
            elapsed_ns[mode].append(once(streams[mode], chunks))
    result = {
        "elapsed_ns": elapsed_ns,
        "n_tokens": digests["optimal"].n_tokens,
        "ids": {mode: digest.hex() for mode, digest in digests.items()},
        "version": version("tokstream"),
    }
    print(json.dumps(result))


def ids(stream: EncodeStream, chunks: list[bytes]) -> IdDigest:
    """Digest the ids of all chunks; it warms up what is remembered, too."""
    digest = IdDigest()
    for chunk in chunks:
        digest.update(array("I", stream.feed(chunk)).tobytes())
    digest.update(array("I", stream.finish()).tobytes())
    return digest


def once(stream: EncodeStream, chunks: list[bytes]) -> int:
    """Return the nanoseconds of all chunks, counted only: what the ids are put into is the same."""
    stream.reset()
    advance = stream.advance
    begin = perf_counter_ns()
    for chunk in chunks:
        advance(chunk)
    return perf_counter_ns() - begin


if __name__ == "__main__":
    main()
