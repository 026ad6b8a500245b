"""Feeds of one byte: how long each takes, and whether that or memory grows with the text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import processes
import records
import texts

if TYPE_CHECKING:
    from pathlib import Path

    from records import Facts, Row
    from workloads import Workload

__all__ = ["MEASURES", "run"]

MEASURES = {
    "mean": ("mean_ns", "ns"),
    "p99": ("p99_ns", "ns"),
    "grown": ("grown_bytes", "bytes"),
}
"""What is recorded of a text: its name, the engine's name for it, its unit."""


def run(workloads: list[Workload], n_rounds: int, facts: Facts, folder: Path) -> list[Row]:
    """Feed n and 2n bytes of every run, one by one.

    Args:
        workloads: generated runs.
        n_rounds: processes per size.
        facts: circumstances.
        folder: for text files.
    """
    rows = []
    jobs = [(w, encoding, times) for w in workloads for encoding in w.encodings for times in (1, 2)]
    for workload, encoding, times in jobs:
        path = folder / "feeds.txt"
        path.write_bytes(texts.run(workload.run, times * workload.n_bytes))
        known = processes.measure(f"run_{processes.REFERENCE}", encoding, path)
        found = [
            processes.run("feeds_tokstream", encoding, path, *processes.free_core())
            for _ in range(n_rounds)
        ]
        for name, (key, unit) in MEASURES.items():
            rows.append(
                records.row(
                    facts,
                    [result[key] for result in found],
                    benchmark="feeds",
                    workload=f"{workload.name}, {name} x{times}",
                    encoding=encoding,
                    engine="tokstream",
                    version=found[0]["version"],
                    n_bytes=times * workload.n_bytes,
                    n_tokens=found[0]["n_tokens"],
                    verdict=verdict(found, known),
                    unit=unit,
                )
            )
    return rows


def verdict(found: list[dict[str, Any]], known: processes.Result) -> str:
    """Say `ok`, or how the ids of any round differ from the reference's."""
    for result in found:
        if (result["n_tokens"], result["ids"]) != (known.n_tokens, known.ids):
            return f"void: {result['n_tokens']} ids, expected {known.n_tokens}"
    return "ok"
