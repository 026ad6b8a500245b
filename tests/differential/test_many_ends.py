"""Many pretokens that become certain at once, when a match that covered them all fails."""

from __future__ import annotations

import subprocess
import sys

# In a process of its own, smallest first: buffers that have grown once hide the fault.
_CODE = r"""
from tokstream import Tokenizer
from tokstream.vocabulary import Vocabulary

ranks = {bytes([b]): b for b in range(256)} | {b"aa": 256}
tokenizer = Tokenizer("many", Vocabulary.from_ranks(ranks), r"a*b|[\s\S]")
for n in (1, 1023, 1024, 1279, 1280, 1281, 3000, 20000):
    for tail, ids in (("d", [100]), ("", []), ("dd", [100, 100])):
        text = "a" * n + tail
        expected = [97] * n + ids
        assert tokenizer.encode(text) == expected, (n, tail)
        for delay in ("optimal", "composition"):
            for size in (1, 4096) if n < 4000 else (4096,):
                stream = tokenizer.stream(delay=delay)
                got = []
                for at in range(0, len(text), size):
                    got += stream.feed(text[at : at + size])
                assert got + stream.finish() == expected, (n, tail, delay, size)
    assert tokenizer.encode("a" * n + "b")[-1] == 98
print("all")
"""


def test_thousands_of_ends_in_one_step() -> None:
    command = [sys.executable, "-c", _CODE]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout == "all\n", done.stderr[-2000:]
