"""Engine process: load, encode a few words, print the clock at the first id.

Enters: a job, one JSON object as the only argument: engine (`python` loads nothing), files. Leaves:
the system's monotonic clock in nanoseconds, which the parent's is compared with.
"""

from __future__ import annotations

import sys
from time import monotonic_ns


def main() -> None:
    """Run the job of the command line."""
    if len(sys.argv) > 1:
        import json  # noqa: PLC0415 - bare Python does without

        from peers import load  # noqa: PLC0415

        job = json.loads(sys.argv[1])
        engine = load(job["engine"], job["files"])
        encode = engine.as_list or engine.encode  # a list needs no numpy
        assert encode("Hello, streaming world!")[0] >= 0
    print(monotonic_ns())


if __name__ == "__main__":
    main()
