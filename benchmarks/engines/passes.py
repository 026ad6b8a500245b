"""Engine process: passes over texts; the time of each, and the ids.

Enters: a job, one JSON object as the only argument: engine, files, texts (paths), core, measures.
Leaves: one JSON object: version; times, by measure; load_ns; n_tokens and ids (digest).

`first` is the first pass over the first text, `repeated` the second; `list` a third, as a list;
`fresh` all texts, one after another, none of which the process has seen.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter_ns
from typing import TYPE_CHECKING

from harness import WARM_UP, id_bytes, pin
from peers import load, version_of

from digests import IdDigest

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness import Ids


def main() -> None:
    """Run the job of the command line."""
    job = json.loads(sys.argv[1])
    pin(job["core"])
    datas = [Path(path).read_bytes() for path in job["texts"]]
    begin = perf_counter_ns()
    engine = load(job["engine"], job["files"])
    load_ns = perf_counter_ns() - begin
    engine.encode(WARM_UP)  # what is built at first use is no part of encoding
    times = {}
    digest = IdDigest()
    if "fresh" in job["measures"]:
        total = 0
        for data in datas:
            elapsed, ids = timed(engine.encode, data)
            total += elapsed
            digest.update(id_bytes(ids, engine.first_id))
            del ids
        times["fresh"] = total
    else:
        for measure in job["measures"]:
            encode = engine.as_list if measure == "list" else engine.encode
            if encode is None:
                continue
            encode(WARM_UP)  # a verb's first use may import what it needs
            times[measure], ids = timed(encode, datas[0])
            found = IdDigest()
            found.update(id_bytes(ids, engine.first_id))
            if digest.n_tokens and found.hex() != digest.hex():
                raise SystemExit(f"{measure}: other ids than before")
            digest = found
            del ids
    result = {
        "version": version_of(job["engine"]),
        "times": times,
        "load_ns": load_ns,
        "n_tokens": digest.n_tokens,
        "ids": digest.hex(),
    }
    print(json.dumps(result))


def timed(encode: Callable[[str], Ids], data: bytes) -> tuple[int, Ids]:
    """Time one pass; the text is a new `str`, of which nothing is cached."""
    text = data.decode()
    begin = perf_counter_ns()
    ids = encode(text)
    return perf_counter_ns() - begin, ids


if __name__ == "__main__":
    main()
