"""Engine process: many streams, each in the middle of a text; what one of them keeps.

Enters: a job, one JSON object as the only argument: files, text (path), n_streams. Leaves: one JSON
object: version, bytes_per_stream (resident memory, or by the allocator's count where the system
does not tell), n_tokens and ids (digest) of all streams' texts one after another.
"""

from __future__ import annotations

import json
import os
import sys
from array import array
from pathlib import Path

from harness import WARM_UP
from peers import version_of

import tokstream
from digests import IdDigest

BYTES_EACH = 2000


def main() -> None:
    """Run the job of the command line."""
    job = json.loads(sys.argv[1])
    tokenizer = tokstream.get_encoding(job["files"]["name"])
    text = Path(job["text"]).read_bytes()
    parts = [
        text[k * 500 : k * 500 + BYTES_EACH].decode(errors="ignore").encode()
        for k in range(job["n_streams"])
    ]
    for part in [WARM_UP.encode(), *parts]:  # what all streams share is there
        stream = tokenizer.stream()
        stream.feed(part)
        stream.finish()
    expected = IdDigest()
    for part in parts:
        expected.update(array("I", tokenizer.encode_ordinary(part)).tobytes())
    ids: list[int] = [0] * (len(text) + len(parts) * BYTES_EACH)
    n_tokens = 0
    before = resident()
    streams = [tokenizer.stream() for _ in parts]
    for stream, part in zip(streams, parts, strict=True):
        for token_id in stream.feed(part):
            ids[n_tokens] = token_id
            n_tokens += 1
    kept = resident() - before
    found = IdDigest()
    at = 0
    for stream in streams:
        end = at + stream.n_tokens
        found.update(array("I", ids[at:end]).tobytes())
        at = end
        found.update(array("I", stream.finish()).tobytes())
    result = {
        "version": version_of("tokstream"),
        "bytes_per_stream": kept / len(parts),
        "n_tokens": found.n_tokens,
        "ids": found.hex(),
        "expected": expected.hex(),
    }
    print(json.dumps(result))


def resident() -> int:
    """Return the bytes of resident memory.

    Raises:
        OSError: the system does not tell.
    """
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
