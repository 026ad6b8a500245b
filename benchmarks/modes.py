"""The price of `delay="optimal"`: its time over that of "composition", on ordinary text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import digests
import processes
import records
import texts

if TYPE_CHECKING:
    from pathlib import Path

    from records import Facts, Row
    from workloads import Workload

__all__ = ["run"]


def run(workloads: list[Workload], n_rounds: int, facts: Facts, folder: Path) -> list[Row]:
    """Compare both delays on every text, in one process each, rounds in turn.

    Args:
        workloads: texts from corpora, with the bytes per chunk.
        n_rounds: rounds per process.
        facts: circumstances.
        folder: for text files.

    Returns:
        For each text a row of ratios, one a round, and a row of times per feed with "optimal".
    """
    rows = []
    for workload in workloads:
        path = folder / "modes.txt"
        path.write_bytes(content := texts.corpus(workload.corpus, workload.n_bytes))
        n_feeds = -(-len(content) // workload.chunk)
        for encoding in workload.encodings:
            options = ["--chunk", str(workload.chunk), "--rounds", str(n_rounds)]
            options += processes.free_core()
            found = processes.run("modes_tokstream", encoding, path, *options)
            known = processes.measure(f"run_{processes.REFERENCE}", encoding, path)
            wrong = [mode for mode, ids in found["ids"].items() if ids != known.ids]
            optimal, composition = (found["elapsed_ns"][k] for k in ("optimal", "composition"))
            measures = {
                "ratio": [a / b for a, b in zip(optimal, composition, strict=True)],
                "ns": [ns / n_feeds for ns in optimal],
            }
            rows += [
                records.row(
                    facts,
                    values,
                    benchmark="modes",
                    workload=workload.name,
                    encoding=encoding,
                    engine="tokstream",
                    version=found["version"],
                    n_bytes=len(content),
                    n_tokens=found["n_tokens"],
                    verdict=f"void: other ids with {', '.join(wrong)}" if wrong else "ok",
                    unit=unit,
                    text=digests.of_text(content),
                )
                for unit, values in measures.items()
            ]
    return rows
