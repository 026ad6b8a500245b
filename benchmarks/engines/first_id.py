"""Engine process: load, encode a few words, print the clock at the first id.

Enters: nothing (`python` loads nothing), or an engine and its files as JSON; of ours the name of an
embedded encoding, so that nothing else need be imported. Leaves: the system's monotonic clock in
nanoseconds, which the parent's is compared with.
"""

from __future__ import annotations

import sys
from time import monotonic_ns

TEXT = "Hello, streaming world!"


def main() -> None:
    """Run the job of the command line."""
    if sys.argv[1:2] == ["tokstream"]:
        import tokstream  # noqa: PLC0415 - bare Python does without

        assert tokstream.get_encoding(sys.argv[2]).encode(TEXT)[0] >= 0
    elif len(sys.argv) > 1:
        import json  # noqa: PLC0415 - bare Python does without

        from peers import load  # noqa: PLC0415

        engine = load(sys.argv[1], json.loads(sys.argv[2]))
        assert (engine.as_list or engine.encode)(TEXT)[0] >= 0  # a list needs no numpy
    print(monotonic_ns())


if __name__ == "__main__":
    main()
