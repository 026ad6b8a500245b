"""Throughput: every engine's first pass over a text, in fresh processes, rounds interleaved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import digests
import processes
import records
import texts
from workloads import Expected, Workload

if TYPE_CHECKING:
    from pathlib import Path

    from records import Facts, Row

__all__ = ["run"]


def run(workloads: list[Workload], n_rounds: int, facts: Facts, folder: Path) -> list[Row]:
    """Measure all engines on all workloads.

    Args:
        workloads: texts from corpora.
        n_rounds: processes per engine, workload and encoding.
        facts: circumstances.
        folder: for text files.
    """
    files = {}
    for workload in workloads:
        files[workload.name] = folder / f"{workload.name}.txt"
        files[workload.name].write_bytes(texts.corpus(workload.corpus, workload.n_bytes))
    jobs = [(w, encoding) for w in workloads for encoding in w.encodings]
    results: dict[tuple[str, str, str], list[processes.Result]] = {}
    for number in range(n_rounds):
        for workload, encoding in jobs:
            # Who goes first changes from round to round.
            engines = processes.ENGINES[:: 1 if number % 2 == 0 else -1]
            for engine in engines:
                result = processes.measure(
                    f"run_{engine}", encoding, files[workload.name], *processes.free_core()
                )
                results.setdefault((workload.name, encoding, engine), []).append(result)
    rows = []
    for workload, encoding in jobs:
        content = files[workload.name].read_bytes()
        text = digests.of_text(content)
        reference = results[workload.name, encoding, processes.REFERENCE][0]
        expected = workload.expected.get(text, {}).get(
            encoding, Expected(reference.n_tokens, reference.ids)
        )
        for engine in processes.ENGINES:
            found = results[workload.name, encoding, engine]
            rows.append(
                records.row(
                    facts,
                    [result.elapsed_ns for result in found],
                    benchmark="throughput",
                    workload=workload.name,
                    encoding=encoding,
                    engine=engine,
                    version=found[0].version,
                    n_bytes=len(content),
                    n_tokens=found[0].n_tokens,
                    verdict=verdict(found, expected),
                    unit="ns",
                    text=text,
                )
            )
    return rows


def verdict(results: list[processes.Result], expected: Expected) -> str:
    """Say `ok`, or how the ids of any round differ from the expected ones."""
    for result in results:
        if (result.n_tokens, result.ids) != (expected.n_tokens, expected.ids):
            return f"void: {result.n_tokens} ids, digest {result.ids}, expected {expected}"
    return "ok"
