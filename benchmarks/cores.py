"""Two cores: a batch of documents on one thread and on two, each engine in a process of its own."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import digests
import models
import processes
import records
import texts
from throughput import jobs_of, verdict, wants_hf
from workloads import Expected

if TYPE_CHECKING:
    from pathlib import Path

    from records import Facts, Row
    from workloads import Workload

__all__ = ["run"]

THREADS = (1, 2)
ROUNDS_EACH = 3
"""Of both in turn, in one process."""


def run(workloads: list[Workload], n_rounds: int, facts: Facts, folder: Path) -> list[Row]:
    """Measure the batches of every engine.

    Args:
        workloads: texts from corpora; the first engine's ids are what the others' must be.
        n_rounds: processes per engine, text and encoding.
        facts: circumstances.
        folder: for text files.
    """
    rows: list[Row] = []
    for workload in workloads:
        path = folder / "cores.txt"
        path.write_bytes(content := b"".join(texts.long(workload.corpus, workload.n_bytes)))
        found: dict[tuple[str, str], list[dict[str, Any]]] = {}
        jobs = jobs_of([workload])
        for number in range(n_rounds):
            for _, encoding, engine in jobs[:: 1 if number % 2 == 0 else -1]:
                if number >= workload.rounds.get(engine, n_rounds):
                    continue
                files = models.files(encoding, with_hf=wants_hf(engine, encoding))
                job = {
                    "engine": engine,
                    "files": asdict(files),
                    "text": str(path),
                    "threads": THREADS,
                    "machine": engine == "tokstream",
                    "rounds": 1 if engine == models.reference(encoding) else ROUNDS_EACH,
                }
                said = processes.run_job("batches", job)
                found.setdefault((encoding, engine), []).append(said)
        for (encoding, engine), results in found.items():
            for shape in results[0]["shapes"]:
                of_shape = [said["shapes"][shape] for said in results]
                known = found[encoding, models.reference(encoding)][0]["shapes"]
                right = known.get(shape, of_shape[0])
                rows += [
                    records.row(
                        facts,
                        [ns for said in of_shape for ns in said["times"][str(n)]],
                        benchmark="cores",
                        workload=f"{workload.name}, {shape}, {n} threads",
                        encoding=encoding,
                        engine=engine,
                        version=results[0]["version"],
                        n_bytes=of_shape[0]["n_bytes"],
                        n_tokens=of_shape[0]["n_tokens"],
                        verdict=verdict(
                            [Expected(said["n_tokens"], said["ids"]) for said in of_shape],
                            Expected(right["n_tokens"], right["ids"]),
                        ),
                        unit="ns",
                        text=digests.of_text(content),
                    )
                    for n in THREADS
                ]
    return rows
