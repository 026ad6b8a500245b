"""Linear time: a run of n bytes and one of 2n bytes, fed in chunks; and how far ids are behind."""

from __future__ import annotations

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

__all__ = ["CHUNK_BYTES", "run"]

CHUNK_BYTES = 4096


def run(
    workloads: list[Workload],
    n_rounds: int,
    facts: Facts,
    folder: Path,
    *,
    benchmark: str = "linear",
    check: bool = False,
) -> list[Row]:
    """Measure the stream on n and 2n bytes of every run.

    Args:
        workloads: generated runs.
        n_rounds: processes per size.
        facts: circumstances.
        folder: for text files.
        benchmark: what the rows are called.
        check: compare with the reference; else ids that are not known beforehand are compared
            with those of the whole text in one call.
    """
    files: dict[tuple[str, int], Path] = {}
    for workload in workloads:
        for times in (1, 2):
            path = folder / f"{workload.name}-{times}.txt"
            path.write_bytes(texts.run(workload.run, times * workload.n_bytes))
            files[workload.name, times] = path
    jobs = [(w, encoding, times) for w in workloads for encoding in w.encodings for times in (1, 2)]
    options = ["--chunk", str(CHUNK_BYTES), *processes.free_core()]
    results: dict[tuple[str, str, int], list[processes.Result]] = {}
    for _ in range(n_rounds):
        for workload, encoding, times in jobs:
            file = files[workload.name, times]
            result = processes.measure("stream_tokstream", encoding, file, *options)
            results.setdefault((workload.name, encoding, times), []).append(result)
    rows = []
    for workload, encoding, times in jobs:
        file = files[workload.name, times]
        content = file.read_bytes()
        text = digests.of_text(content)
        known = workload.expected.get(text, {}).get(encoding)
        if known is None:
            whole = processes.measure(
                f"run_{processes.REFERENCE if check else 'tokstream'}", encoding, file
            )
            known = Expected(whole.n_tokens, whole.ids)
        found = results[workload.name, encoding, times]
        rows.append(
            records.row(
                facts,
                [result.elapsed_ns for result in found],
                benchmark=benchmark,
                workload=f"{workload.name} x{times}",
                encoding=encoding,
                engine="tokstream",
                version=found[0].version,
                n_bytes=len(content),
                n_tokens=found[0].n_tokens,
                verdict=verdict(found, known),
                unit="ns",
                max_delay_bytes=max(result.max_delay_bytes or 0 for result in found),
                text=text,
            )
        )
    return rows
