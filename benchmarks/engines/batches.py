"""Engine process: many texts at once, on one thread and on several.

Enters: a job, one JSON object as the only argument: engine, files, text (path), threads (numbers),
rounds. Leaves: one JSON object: version; times by shape (documents, or one text) and
number of threads, a list of ns; by shape n_tokens and ids (digest), one text after another.
"""

from __future__ import annotations

import json
import re
import sys
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


def main() -> None:
    """Run the job of the command line."""
    job = json.loads(sys.argv[1])
    engine = load(job["engine"], job["files"])
    batch = engine.batch
    assert batch is not None
    text = Path(job["text"]).read_bytes().decode()
    batch([WARM_UP, WARM_UP], 2)
    shapes = {"documents": documents(text), "one text": [text]}
    result = {
        "version": version_of(job["engine"]),
        "shapes": {
            name: measure(batch, texts, job["threads"], job["rounds"])
            for name, texts in shapes.items()
        },
    }
    print(json.dumps(result))


def measure(
    batch: Callable[[list[str], int], Sequence[Any]],
    texts: list[str],
    threads: list[int],
    n_rounds: int,
) -> dict[str, Any]:
    """Encode texts with every number of threads, in turn."""
    times: dict[str, list[int]] = {str(n): [] for n in threads}
    found = set()
    n_tokens = 0
    for number in range(-1, n_rounds):  # the first one fills what is remembered
        for n in threads[:: 1 if number % 2 == 0 else -1]:
            begin = perf_counter_ns()
            ids = batch(texts, n)
            if number >= 0:
                times[str(n)].append(perf_counter_ns() - begin)
            digest = digest_of(ids)
            found.add(digest.hex())
            n_tokens = digest.n_tokens
            del ids
    assert len(found) == 1, "ids depend on the number of threads"
    return {"times": times, "n_tokens": n_tokens, "ids": found.pop()}


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
