"""Ways to read text: the same passes with AVX-512, AVX2 and neither, forced by a variable."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import digests
import models
import processes
import records
import texts
from throughput import verdict
from workloads import Expected

if TYPE_CHECKING:
    from pathlib import Path

    from records import Facts, Row
    from workloads import Workload

__all__ = ["PATHS", "run"]

PATHS = ("avx512", "avx2", "scalar")
VARIABLE = "TOKSTREAM_SIMD"
PASSES = ("first", "repeated")


def run(workloads: list[Workload], n_rounds: int, facts: Facts, folder: Path) -> list[Row]:
    """Measure all ways, in turn; a processor that lacks one takes the best that it has.

    Args:
        workloads: texts from corpora.
        n_rounds: processes per way, text and encoding.
        facts: circumstances.
        folder: for text files.
    """
    rows: list[Row] = []
    for workload in workloads:
        path = folder / "paths.txt"
        path.write_bytes(content := texts.plain(workload.corpus, workload.n_bytes))
        for encoding in workload.encodings:
            known = processes.measure(f"run_{processes.REFERENCE}", encoding, path)
            job = {
                "engine": "tokstream",
                "files": asdict(models.files(encoding, with_hf=False)),
                "texts": [str(path)],
                "core": processes.last_core(),
                "measures": PASSES,
            }
            found: dict[str, list[dict[str, Any]]] = {name: [] for name in PATHS}
            for number in range(n_rounds):
                for name in PATHS[:: 1 if number % 2 == 0 else -1]:
                    said = processes.run_job("passes", job, environment={VARIABLE: name})
                    found[name].append(said)
            rows += [
                records.row(
                    facts,
                    [said["times"][measure] for said in results],
                    benchmark="paths",
                    workload=f"{workload.name}, {measure}",
                    encoding=encoding,
                    engine=f"tokstream {name}",
                    version=results[0]["version"],
                    n_bytes=len(content),
                    n_tokens=known.n_tokens,
                    verdict=verdict(
                        [Expected(said["n_tokens"], said["ids"]) for said in results],
                        Expected(known.n_tokens, known.ids),
                    ),
                    unit="ns",
                    text=digests.of_text(content),
                )
                for name, results in found.items()
                for measure in PASSES
            ]
    return rows
