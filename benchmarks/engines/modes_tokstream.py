"""Engine: tokstream, streams of both delays, in turn, over the same chunks.

Enters: a job on the command line. Leaves: one JSON object on standard output: elapsed_ns, for each
delay a list with the CPU time of each round; n_tokens, ids (digest) of both, version.
"""

from __future__ import annotations

import json
from array import array
from importlib.metadata import version
from time import process_time_ns
from typing import TYPE_CHECKING, Literal, TypeAlias

from harness import job_parser, pin

import made
from digests import IdDigest

if TYPE_CHECKING:
    from tokstream import EncodeStream

Mode: TypeAlias = Literal["optimal", "composition"]
MODES: tuple[Mode, ...] = ("optimal", "composition")
BLOCK_BYTES = 512


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
    elapsed_ns: dict[Mode, list[int]] = {mode: [] for mode in MODES}
    for _ in range(job.rounds):
        for mode, ns in once(streams, chunks).items():
            elapsed_ns[mode].append(ns)
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


def once(streams: dict[Mode, EncodeStream], chunks: list[bytes]) -> dict[Mode, int]:
    """Return the CPU time of all chunks for each delay.

    The streams take turns after a block of some hundred microseconds, and who goes first changes,
    so that what disturbs the machine disturbs both. Ids are only counted: what they are put into is
    the same for both.
    """
    elapsed_ns = dict.fromkeys(MODES, 0)
    for stream in streams.values():
        stream.reset()
    length = max(4, BLOCK_BYTES // len(chunks[0]))
    for number, at in enumerate(range(0, len(chunks), length)):
        block = chunks[at : at + length]
        for mode in MODES[:: 1 if number % 2 == 0 else -1]:
            advance = streams[mode].advance
            begin = process_time_ns()
            for chunk in block:
                advance(chunk)
            elapsed_ns[mode] += process_time_ns() - begin
    return elapsed_ns


if __name__ == "__main__":
    main()
