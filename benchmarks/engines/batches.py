"""Engine process: many texts at once, on one thread and on several.

Enters: a job, one JSON object as the only argument: engine, files, text (path), threads (numbers),
rounds, machine (whether to hash, too, to see what the machine gives). Leaves: one JSON object:
version; times by shape (documents, one text, SHA-256) and number of threads, a list of ns; by shape
n_bytes, n_tokens and ids (digest), one text after another.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter_ns
from typing import TYPE_CHECKING

import numpy as np
from harness import WARM_UP, id_bytes
from peers import load, version_of

from digests import IdDigest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

DOCUMENT_BYTES = 32_000
MACHINE = "SHA-256"
HASHED = 1_000_000
N_HASHED = 100


def main() -> None:
    """Run the job of the command line."""
    job = json.loads(sys.argv[1])
    engine = load(job["engine"], job["files"])
    assert engine.batch is not None
    text = Path(job["text"]).read_bytes().decode()
    engine.batch([WARM_UP, WARM_UP], 2)
    shapes = [
        Shape("documents", engine.batch, documents(text)),
        Shape("one text", engine.batch, [text]),
    ]
    if job["machine"]:
        shapes.append(Shape(MACHINE, digests_of, [bytes(HASHED)] * N_HASHED))
    for number in range(-1, job["rounds"]):  # the first one fills what is remembered
        for shape in shapes:
            for n in job["threads"][:: 1 if number % 2 == 0 else -1]:
                shape.measure(n, counts=number >= 0)
    result = {
        "version": version_of(job["engine"]),
        "shapes": {shape.name: shape.result() for shape in shapes},
    }
    print(json.dumps(result))


@dataclass
class Shape:
    """Texts that are encoded again and again.

    Attributes:
        name: of the shape.
        batch: what encodes.
        texts: what is encoded.
        times: by number of threads, nanoseconds of each time that counts.
        found: digests of what came out, which should be one.
    """

    name: str
    batch: Callable[[Any, int], Sequence[Any]]
    texts: list[Any]
    times: dict[str, list[int]] = field(default_factory=dict)
    found: dict[str, int] = field(default_factory=dict)

    def measure(self, n_threads: int, *, counts: bool) -> None:
        """Encode once."""
        begin = perf_counter_ns()
        ids = self.batch(self.texts, n_threads)
        if counts:
            self.times.setdefault(str(n_threads), []).append(perf_counter_ns() - begin)
        digest = digest_of(ids)
        self.found[digest.hex()] = digest.n_tokens

    def result(self) -> dict[str, Any]:
        """Give the times, and what came out."""
        assert len(self.found) == 1, "ids depend on the number of threads"
        ((ids, n_tokens),) = self.found.items()
        n_bytes = sum(len(t.encode() if isinstance(t, str) else t) for t in self.texts)
        return {"times": self.times, "n_bytes": n_bytes, "n_tokens": n_tokens, "ids": ids}


def digests_of(blocks: list[bytes], n_threads: int) -> list[Any]:
    """Hash blocks on several threads, which have nothing in common: so much the machine gives."""
    with ThreadPoolExecutor(n_threads) as pool:
        hashed = pool.map(lambda block: hashlib.sha256(block).digest(), blocks)
        return [np.frombuffer(one, np.uint32) for one in hashed]


def documents(text: str) -> list[str]:
    """Cut a text at lines, into documents that engines encode by themselves."""
    found = []
    at = 0
    for end in re.finditer(r"\n(?=\w)", text):
        if end.end() - at >= DOCUMENT_BYTES:
            found.append(text[at : end.end()])
            at = end.end()
    found.append(text[at:])
    return found


def digest_of(ids: Sequence[Any]) -> IdDigest:
    """Digest the ids of all texts."""
    digest = IdDigest()
    for each in ids:
        # Awkward arrays are no arrays of numpy.
        digest.update(id_bytes(each if isinstance(each, list) else np.asarray(each)))
    return digest


if __name__ == "__main__":
    main()
