"""Engine: tokstream, a stream fed one byte at a time; how long a feed takes; memory.

Enters: a job on the command line. Leaves: one JSON object on standard output: mean_ns (CPU time,
this loop included) and p99_ns of a feed; grown_bytes, by how much the peak of resident memory rose
behind the first tenth of the feeds; n_tokens, ids (digest), version.
"""

from __future__ import annotations

import json
from array import array
from importlib.metadata import version
from time import perf_counter_ns, process_time_ns

from harness import WARM_UP, job_parser, pin
from peaks import peak_bytes

import made
from digests import IdDigest


def main() -> None:
    """Run the job of the command line."""
    job = job_parser().parse_args()
    pin(job.core)
    text = job.text.read_bytes()
    stream = made.tokenizer(job.encoding).stream()
    stream.feed(WARM_UP)
    stream.finish()
    stream.reset()
    ids: array[int] = array("I", bytes(4 * len(text)))
    times = array("q", bytes(8 * len(text)))
    n_tokens = begin_peak = 0
    begin_all = process_time_ns()
    for at in range(len(text)):
        if at == len(text) // 10:
            begin_peak = peak_bytes()
        chunk = text[at : at + 1]
        begin = perf_counter_ns()
        found = stream.feed(chunk)
        times[at] = perf_counter_ns() - begin
        for token_id in found:
            ids[n_tokens] = token_id
            n_tokens += 1
    elapsed_ns = process_time_ns() - begin_all
    end_peak = peak_bytes()
    digest = IdDigest()
    digest.update(ids[:n_tokens].tobytes())
    digest.update(array("I", stream.finish()).tobytes())
    ordered = sorted(times)
    result = {
        "mean_ns": elapsed_ns // len(text),
        "p99_ns": ordered[len(ordered) * 99 // 100],
        "grown_bytes": end_peak - begin_peak,
        "n_tokens": digest.n_tokens,
        "ids": digest.hex(),
        "version": version("tokstream"),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
