"""Engine: tokstream, a stream fed one byte at a time; how long a feed takes; memory.

Enters: a job on the command line. Leaves: one JSON object on standard output: mean_ns (CPU time,
this loop included) and p99_ns of a feed; grown_bytes, by how much the peak of resident memory rose
behind the first tenth of the feeds; n_tokens, ids (digest), version.
"""

from __future__ import annotations

import json
import resource
import sys
from array import array
from importlib.metadata import version
from time import perf_counter_ns, process_time_ns

from harness import WARM_UP, job_parser, pin

import made
from digests import IdDigest

RSS_UNIT = 1 if sys.platform == "darwin" else 1024


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
            begin_peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        chunk = text[at : at + 1]
        begin = perf_counter_ns()
        found = stream.feed(chunk)
        times[at] = perf_counter_ns() - begin
        for token_id in found:
            ids[n_tokens] = token_id
            n_tokens += 1
    elapsed_ns = process_time_ns() - begin_all
    end_peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    digest = IdDigest()
    digest.update(ids[:n_tokens].tobytes())
    digest.update(array("I", stream.finish()).tobytes())
    ordered = sorted(times)
    result = {
        "mean_ns": elapsed_ns // len(text),
        "p99_ns": ordered[len(ordered) * 99 // 100],
        "grown_bytes": (end_peak - begin_peak) * RSS_UNIT,
        "n_tokens": digest.n_tokens,
        "ids": digest.hex(),
        "version": version("tokstream"),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
