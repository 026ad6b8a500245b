"""Engine: tokstream, a stream fed in chunks; also how far the ids were behind.

Enters: a job on the command line. Leaves: one JSON object on standard output, as from `harness`,
with max_delay_bytes, the most source bytes that no id covered after a chunk. elapsed_ns is CPU
time: other work on the machine weighs less.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from time import process_time_ns

from harness import WARM_UP, job_parser, pin

import made
from digests import IdDigest


def main() -> None:
    """Run the job of the command line."""
    parser = job_parser()
    parser.add_argument("--chunk", type=int, required=True, help="bytes per chunk")
    parser.add_argument("--delay", choices=("optimal", "composition"), default="optimal")
    job = parser.parse_args()
    pin(job.core)
    text = job.text.read_bytes()
    chunks = [text[at : at + job.chunk] for at in range(0, len(text), job.chunk)]
    stream = made.tokenizer(job.encoding).stream(delay=job.delay)
    stream.feed_array(WARM_UP)
    stream.finish_array()
    stream.reset()
    arrays, delays = [], []
    begin = process_time_ns()
    for chunk in chunks:
        arrays.append(stream.feed_array(chunk))
        delays.append(stream.delay_bytes)
    arrays.append(stream.finish_array())
    elapsed_ns = process_time_ns() - begin
    digest = IdDigest()
    for array in arrays:
        digest.update(array.astype("<u4").tobytes())
    result = {
        "elapsed_ns": elapsed_ns,
        "n_tokens": digest.n_tokens,
        "ids": digest.hex(),
        "version": version("tokstream"),
        "max_delay_bytes": max(delays),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
