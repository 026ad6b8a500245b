"""A stream between two feeds is small, whatever was fed: a gateway can hold thousands."""

from __future__ import annotations

import pytest

from memory import needs_proc, run_child

# Streams that are fed the same text and kept; prints bytes for each.
_KEPT = """
import sys, tokstream
def resident():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmRSS"))
tokenizer = tokstream.get_encoding(sys.argv[1])
period, size = sys.argv[2].encode().decode("unicode_escape"), int(sys.argv[3])
text = period * (100_000 // len(period))
def fed():
    stream = tokenizer.stream()
    for at in range(0, len(text), size):
        stream.advance(text[at : at + size])
    return stream
first = [fed() for _ in range(20)]
before = resident()
kept = [fed() for _ in range(400)]
print(max(0, resident() - before) // len(kept))
"""


@needs_proc
@pytest.mark.parametrize("size", ["1000", "4096", "100000"])
@pytest.mark.parametrize("period", ["a", r"\x20", r"\n\x20", "ab. c"])
def test_streams_behind_a_run(period: str, size: str) -> None:
    """Behind a run the room that each chunk took is given back, not kept with the stream."""
    (n_bytes,) = run_child(_KEPT, "o200k_base", period, size)
    assert n_bytes < 8 << 10
