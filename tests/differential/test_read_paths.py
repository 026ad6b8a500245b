"""Every way to read text gives the reference's ids: plain, in blocks, with each kind of SIMD.

The way is chosen when a tokenizer is built, so each runs in a process of its own. A way that this
processor lacks falls back to its best one, which is tested then.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache

import pytest

from data import CORPUS_NAMES, corpus, tiktoken_encoding

PATHS = ("plain", "scalar", "avx2", "avx512")
ENCODINGS = ("r50k_base", "cl100k_base", "o200k_base")
N_CHARACTERS = 200_000
CHUNK = 3000

PROGRAM = """
import json, sys
import tokstream
texts = json.load(sys.stdin)
results = []
ways = set()
for name in sys.argv[2:]:
    tokenizer = tokstream.get_encoding(name)
    ways.add(tokenizer.info()["reads_by"])
    for text in texts:
        whole = tokenizer.encode_ordinary(text)
        stream = tokenizer.stream(allowed_special=(), disallowed_special=())
        step = int(sys.argv[1])
        parts = [stream.feed(text[k : k + step]) for k in range(0, len(text), step)]
        assert [i for part in [*parts, stream.finish()] for i in part] == whole
        results.append(whole)
json.dump([sorted(ways), results], sys.stdout)
"""


@cache
def texts() -> list[str]:
    """Slices of the corpora, and runs that are longer than a block."""
    runs = [
        "a" * 9000 + " b",
        " " * 9000 + "x",
        "\n \n" * 4000,
        "中文，" * 3000,
        "don't I'LL " * 900,
    ]
    return [corpus(kind)[:N_CHARACTERS] for kind in CORPUS_NAMES] + runs


@cache
def best_path() -> str:
    """Ask a process without the variable what this processor is best read by."""
    code = "import tokstream; print(tokstream.get_encoding('gpt2').info()['reads_by'])"
    environment = {k: value for k, value in os.environ.items() if k != "TOKSTREAM_SIMD"}
    command = [sys.executable, "-c", code]
    return subprocess.check_output(command, env=environment, text=True).strip()


@pytest.mark.parametrize("path", PATHS)
def test_ids(path: str) -> None:
    program = [sys.executable, "-c", PROGRAM, str(CHUNK), *ENCODINGS]
    environment = {**os.environ, "TOKSTREAM_SIMD": path}
    done = subprocess.run(
        program,
        check=False,
        env=environment,
        input=json.dumps(texts()),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    ways, results = json.loads(done.stdout)
    assert ways == [min(path, best_path(), key=PATHS.index)], "the way that was asked for"
    found = iter(results)
    for name in ENCODINGS:
        encoding = tiktoken_encoding(name)
        for text in texts():
            assert next(found) == encoding.encode_ordinary(text), (name, text[:20])
