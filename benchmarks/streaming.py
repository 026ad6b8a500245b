"""Streaming: what chunks cost beside one call, how long a feed takes, how far ids are behind."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import digests
import models
import processes
import records
import texts

if TYPE_CHECKING:
    from pathlib import Path

    from records import Facts, Row
    from workloads import Workload

__all__ = ["MEASURES", "run"]

MEASURES = {
    "relative": "ratio",
    "relative, list": "ratio",
    "p50": "ns",
    "p99": "ns",
    "beyond": "ns",
    "delay": "bytes",
}
"""What is recorded of a size (`engines/chunks.py`), and its unit."""
SMALL = 256
"""Chunks up to this many bytes: beyond, the core's own time hides what comes on top of it."""
ROUNDS_EACH = 3
"""Of chunks and one call in turn, in one process."""


def run(workloads: list[Workload], n_rounds: int, facts: Facts, folder: Path) -> list[Row]:
    """Feed every text in chunks of all sizes.

    Args:
        workloads: texts from corpora, with sizes of chunks.
        n_rounds: processes per text and encoding.
        facts: circumstances.
        folder: for text files.
    """
    rows: list[Row] = []
    for workload in workloads:
        path = folder / "streaming.txt"
        path.write_bytes(content := texts.plain(workload.corpus, workload.n_bytes))
        for encoding in workload.encodings:
            expected = processes.measure(f"run_{processes.REFERENCE}", encoding, path)
            job = {
                "files": asdict(models.files(encoding, with_hf=False)),
                "text": str(path),
                "sizes": workload.sizes,
                "core": processes.last_core(),
                "rounds": ROUNDS_EACH,
            }
            found = [processes.run_job("chunks", job) for _ in range(n_rounds)]
            wrong = [said for said in found if said["ids"] != expected.ids]
            for size in workload.sizes:
                of_size = [said["measures"][str(size)] for said in found]
                for measure, unit in MEASURES.items():
                    if measure == "beyond" and size > SMALL:
                        continue
                    rows.append(
                        records.row(
                            facts,
                            values(of_size, measure),
                            benchmark="streaming",
                            workload=f"{workload.name}, {size}, {measure}",
                            encoding=encoding,
                            engine="tokstream",
                            version=found[0]["version"],
                            n_bytes=len(content),
                            n_tokens=expected.n_tokens,
                            verdict="void: ids are not the reference's" if wrong else "ok",
                            unit=unit,
                            max_delay_bytes=max(one["max_delay_bytes"] for one in of_size),
                            text=digests.of_text(content),
                        )
                    )
    return rows


def values(found: list[dict[str, Any]], measure: str) -> list[float]:
    """Gather a measure of all processes."""
    if measure == "delay":
        return [one["delay_bytes"] for one in found]
    if measure.startswith("relative"):
        return [value for one in found for value in one[measure]]
    return [one[measure] for one in found]
