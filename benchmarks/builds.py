"""Two builds of tokstream: the first pass of each over the same texts, in turn.

The other build is that of another Python environment. This is how a change is judged that is
meant to make `encode` faster (docs/performance.md).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import digests
import processes
import records
import texts
from throughput import verdict
from workloads import Expected, Workload

if TYPE_CHECKING:
    from pathlib import Path

    from records import Facts, Row

__all__ = ["run"]


def run(
    workloads: list[Workload], n_rounds: int, facts: Facts, folder: Path, *, other: str
) -> list[Row]:
    """Compare this build with another one on every text.

    Args:
        workloads: texts from corpora.
        n_rounds: processes per build, text and encoding.
        facts: circumstances.
        folder: for text files.
        other: the Python of the other build's environment.

    Returns:
        For each text a row of the other build's time over this one's, one a round.
    """
    rows = []
    for workload in workloads:
        path = folder / "builds.txt"
        path.write_bytes(content := texts.corpus(workload.corpus, workload.n_bytes))
        for encoding in workload.encodings:
            known = processes.measure(f"run_{processes.REFERENCE}", encoding, path)
            theirs: list[processes.Result] = []
            ours: list[processes.Result] = []
            builds = [(other, theirs), (sys.executable, ours)]
            for number in range(n_rounds):
                # Who goes first changes from round to round.
                for python, results in builds[:: 1 if number % 2 == 0 else -1]:
                    said = processes.run(
                        "run_tokstream", encoding, path, *processes.free_core(), python=python
                    )
                    results.append(processes.Result(**said))
            rows.append(
                records.row(
                    facts,
                    [a.elapsed_ns / b.elapsed_ns for a, b in zip(theirs, ours, strict=True)],
                    benchmark="builds",
                    workload=workload.name,
                    encoding=encoding,
                    engine="tokstream",
                    version=ours[0].version,
                    n_bytes=len(content),
                    n_tokens=ours[0].n_tokens,
                    verdict=verdict(theirs + ours, Expected(known.n_tokens, known.ids)),
                    unit="ratio",
                    text=digests.of_text(content),
                )
            )
    return rows
