"""Time to the first ids: of a text at hand, of one that arrives, of a process that starts."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from dataclasses import asdict
from time import monotonic_ns
from typing import TYPE_CHECKING

import models
import processes
import records
import texts
from throughput import jobs_of, wants_hf

if TYPE_CHECKING:
    from pathlib import Path

    from records import Facts, Row
    from workloads import Workload

__all__ = ["run"]

SECONDS = 0.3
"""For one text and size in one process, unless one measurement takes longer."""
BUILT = "tokstream, built"
NOTHING_KEPT = {"TOKSTREAM_CACHE_DIR": "off"}
START = "start"
"""The measure of workloads that start processes."""


def run(workloads: list[Workload], n_rounds: int, facts: Facts, folder: Path) -> list[Row]:
    """Measure engines on texts of several sizes, and the start of processes.

    Args:
        workloads: texts from corpora with their sizes, or `measures = ["start"]`.
        n_rounds: processes per engine, workload and encoding.
        facts: circumstances.
        folder: for text files.
    """
    rows: list[Row] = []
    for workload in workloads:
        if START in workload.measures:
            rows += starts(workload, n_rounds, facts, folder)
        else:
            rows += firsts(workload, n_rounds, facts, folder)
    return rows


def firsts(workload: Workload, n_rounds: int, facts: Facts, folder: Path) -> list[Row]:
    """Measure first and last ids; a value is the median of one process."""
    paths = {}
    for corpus in workload.corpora:
        path = folder / f"ttft-{corpus}.txt"
        with path.open("wb") as file:
            file.writelines(texts.long(corpus, workload.n_bytes))
        paths[corpus] = str(path)
    values: dict[tuple[str, str, int, str, str], list[float]] = {}
    versions = {}
    jobs = jobs_of([workload])
    for number in range(n_rounds):
        for _, encoding, engine in jobs[:: 1 if number % 2 == 0 else -1]:
            if number >= workload.rounds.get(engine, n_rounds):
                continue
            limit = workload.limits.get(engine, sys.maxsize)
            job = {
                "engine": engine,
                "files": asdict(models.files(encoding, with_hf=wants_hf(engine, encoding))),
                "texts": paths,
                "sizes": [size for size in workload.sizes if size <= limit],
                "core": processes.last_core(),
                "seconds": SECONDS,
            }
            said = processes.run_job("first_ids", job)
            versions[engine] = said["version"]
            for corpus, by_size in said["times"].items():
                for size, by_measure in by_size.items():
                    for measure, found in by_measure.items():
                        key = encoding, corpus, int(size), measure, engine
                        values.setdefault(key, []).append(statistics.median(found))
    of_all = ", texts" if len(workload.corpora) > 1 else ""
    return [
        records.row(
            facts,
            found,
            benchmark="ttft",
            workload=f"{corpus}, {size}, {measure}" + of_all,
            encoding=encoding,
            engine=engine,
            version=versions[engine],
            n_bytes=size,
            n_tokens=0,
            verdict="ok",
            unit="ns",
        )
        for (encoding, corpus, size, measure, engine), found in values.items()
    ]


def starts(workload: Workload, n_rounds: int, facts: Facts, folder: Path) -> list[Row]:
    """Measure from the start of a process to its first id; `python` loads nothing.

    `tokstream, built` finds no prepared file and keeps none; what making the tables takes by
    itself is a row of its own.
    """
    jobs = [(workload, encoding, "python") for encoding in workload.encodings]
    jobs += [(workload, encoding, BUILT) for encoding in workload.encodings]
    jobs += jobs_of([workload])
    values: dict[tuple[str, str], list[int]] = {}
    for number in range(-1, n_rounds):  # the first one fills the system's caches
        for _, encoding, engine in jobs:
            command = [sys.executable, str(processes.FOLDER / "first_id.py")]
            environment = dict(os.environ)
            if engine == BUILT:
                command += ["tokstream", encoding]
                environment |= NOTHING_KEPT
            elif engine != "python":
                files = asdict(models.files(encoding, with_hf=wants_hf(engine, encoding)))
                command += [engine, encoding if engine == "tokstream" else json.dumps(files)]
            begin = monotonic_ns()
            done = subprocess.run(
                command, capture_output=True, text=True, check=True, env=environment
            )
            if number >= 0:
                values.setdefault((encoding, engine), []).append(int(done.stdout) - begin)
    rows = [
        records.row(
            facts,
            found,
            benchmark="ttft",
            workload="process start",
            encoding=encoding,
            engine=engine,
            version=facts.python
            if engine == "python"
            else processes.version_of(engine.split(",")[0]),
            n_bytes=0,
            n_tokens=1,
            verdict="ok",
            unit="ns",
        )
        for (encoding, engine), found in values.items()
    ]
    return rows + [build(encoding, n_rounds, facts, folder) for encoding in workload.encodings]


def build(encoding: str, n_rounds: int, facts: Facts, folder: Path) -> Row:
    """Measure how long tables take that no file keeps."""
    path = folder / "few.txt"
    path.write_text("few words\n", "utf-8")
    job = {
        "engine": "tokstream",
        "files": asdict(models.files(encoding, with_hf=False)),
        "texts": [str(path)],
        "core": processes.last_core(),
        "measures": ["first"],
    }
    found = [processes.run_job("passes", job, environment=NOTHING_KEPT) for _ in range(n_rounds)]
    return records.row(
        facts,
        [said["load_ns"] for said in found],
        benchmark="ttft",
        workload="build",
        encoding=encoding,
        engine="tokstream",
        version=found[0]["version"],
        n_bytes=0,
        n_tokens=0,
        verdict="ok",
        unit="ns",
    )
