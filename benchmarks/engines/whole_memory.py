"""Engine process: a file is read, encoded in one call, and the peak of resident memory told.

Enters: a job, one JSON object as the only argument: engine, files, text (path; empty: a few words).
Leaves: one JSON object: version, peak_bytes, n_tokens, ids (digest).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from harness import WARM_UP, id_bytes
from peaks import peak_bytes
from peers import load, version_of

from digests import IdDigest


def main() -> None:
    """Run the job of the command line."""
    job = json.loads(sys.argv[1])
    engine = load(job["engine"], job["files"])
    if job["text"]:
        ids = engine.encode(Path(job["text"]).read_bytes().decode())
    else:
        ids = (engine.as_list or engine.encode)(WARM_UP)  # a list needs no numpy
    peak = peak_bytes()
    digest = IdDigest()
    digest.update(id_bytes(ids, engine.first_id))
    result = {
        "version": version_of(job["engine"]),
        "peak_bytes": peak,
        "n_tokens": digest.n_tokens,
        "ids": digest.hex(),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
