"""Throughput: passes of every engine over a text, in fresh processes, rounds interleaved.

Four benchmarks are measured this way: `throughput` and `models` (first pass, repeated text, lists),
`fresh` (text that never ends being new) and `peers` (first pass of engines beyond the usual ones).
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any

import digests
import models
import processes
import records
import texts
from workloads import Expected, Workload

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from records import Facts, Row

__all__ = ["jobs_of", "of_reference", "run", "verdict", "wants_hf", "write_texts"]

WINDOW_BYTES = 8_000_000
"""Of text that is made in windows."""
REMEMBER = ("tokstream", "gigatoken")
"""Engines for which a text is different the second time."""
Key = tuple[str, str, str]
"""Workload, encoding, engine."""


def run(
    workloads: list[Workload],
    n_rounds: int,
    facts: Facts,
    folder: Path,
    *,
    benchmark: str = "throughput",
) -> list[Row]:
    """Measure all engines on all workloads.

    Args:
        workloads: texts from corpora.
        n_rounds: processes per engine, workload and encoding, at most.
        facts: circumstances.
        folder: for text files.
        benchmark: what the rows are called.
    """
    paths = {workload.name: write_texts(workload, folder) for workload in workloads}
    jobs = jobs_of(workloads)
    results: dict[Key, list[dict[str, Any]]] = {}
    failures: dict[Key, str] = {}
    for number in range(n_rounds):
        # Who goes first changes from round to round.
        for workload, encoding, engine in jobs[:: 1 if number % 2 == 0 else -1]:
            key = workload.name, encoding, engine
            if number >= workload.rounds.get(engine, n_rounds) or key in failures:
                continue
            job = {
                "engine": engine,
                "files": asdict(models.files(encoding, with_hf=wants_hf(engine, encoding))),
                "texts": [str(path) for path in paths[workload.name]],
                "core": processes.last_core(),
                "measures": measures_of(workload, engine),
            }
            try:
                results.setdefault(key, []).append(processes.run_job("passes", job))
            except RuntimeError as error:
                if engine == models.reference(encoding) or engine == "tokstream":
                    raise
                failures[key] = str(error).strip().splitlines()[-1][:200]
    rows: list[Row] = loads(facts, benchmark, results)
    for workload, encoding, engine in jobs:
        key = workload.name, encoding, engine
        if key in failures:
            print(f"{' '.join(key)}: no row: {failures[key]}", file=sys.stderr)
            continue
        expected = expectation(workload, encoding, paths[workload.name], results)
        rows += rows_of(facts, benchmark, key, results[key], expected, paths[workload.name])
    return rows


def write_texts(workload: Workload, folder: Path) -> list[Path]:
    """Write the texts of a workload; return their paths."""
    if "fresh" in workload.measures:
        n_windows = max(2, workload.n_bytes // WINDOW_BYTES)
        contents = texts.windows(workload.corpus, workload.n_bytes // n_windows, n_windows)
    else:
        contents = iter([texts.plain(workload.corpus, workload.n_bytes)])
    paths = []
    for number, content in enumerate(contents):
        path = folder / f"{workload.name}-{number}.txt"
        path.write_bytes(content)
        paths.append(path)
    return paths


def jobs_of(workloads: list[Workload]) -> list[tuple[Workload, str, str]]:
    """List what can be measured here; say what cannot."""
    jobs = []
    missing = set()
    for workload in workloads:
        for encoding in workload.encodings:
            try:
                models.files(encoding, with_hf=False)
            except models.MissingError as error:
                missing.add(f"{encoding}: left out: {error}")
                continue
            for engine in workload.engines:
                if engine == "REFERENCE":
                    jobs.append((workload, encoding, models.reference(encoding)))
                elif processes.is_installed(engine):
                    jobs.append((workload, encoding, engine))
                else:
                    missing.add(f"{engine} is not installed: left out")
    for line in sorted(missing):
        print(line, file=sys.stderr)
    return jobs


def measures_of(workload: Workload, engine: str) -> list[str]:
    """List what is measured of an engine: the first pass, and of some engines more."""
    return workload.measures if engine in REMEMBER else [workload.measures[0]]


def wants_hf(engine: str, encoding: str) -> bool:
    """Whether an engine needs a tokenizer.json, which takes a while to make the first time."""
    if engine == "gigatoken":
        return encoding in ("p50k_base", "tekken")
    return engine in ("tokenizers", "fastokens", "tokie", "iree-tokenizer")


def expectation(
    workload: Workload,
    encoding: str,
    paths: Sequence[Path],
    results: dict[Key, list[dict[str, Any]]],
) -> Expected:
    """Return the ids that are right: known ones, else those of the reference's own run."""
    text = digests.of_text(b"".join(path.read_bytes() for path in paths))
    known = workload.expected.get(text, {}).get(encoding)
    if known is not None:
        return known
    reference = models.reference(encoding)
    measured = results.get((workload.name, encoding, reference))
    if measured is not None:
        return Expected(measured[0]["n_tokens"], measured[0]["ids"])
    return of_reference(encoding, tuple(paths))  # it is no engine of this workload


@cache
def of_reference(encoding: str, paths: tuple[Path, ...]) -> Expected:
    """Return the reference's ids of texts, one after another."""
    reference = models.reference(encoding)
    job = {
        "engine": reference,
        "files": asdict(models.files(encoding, with_hf=wants_hf(reference, encoding))),
        "texts": [str(path) for path in paths],
        "core": None,
        "measures": ["fresh"],
    }
    said = processes.run_job("passes", job)
    return Expected(said["n_tokens"], said["ids"])


def rows_of(
    facts: Facts,
    benchmark: str,
    key: Key,
    found: list[dict[str, Any]],
    expected: Expected,
    paths: Sequence[Path],
) -> list[Row]:
    """Make one row for each measure."""
    workload, encoding, engine = key
    content = b"".join(path.read_bytes() for path in paths)
    return [
        records.row(
            facts,
            [result["times"][measure] for result in found],
            benchmark=benchmark,
            workload=f"{workload}, {measure}",
            encoding=encoding,
            engine=engine,
            version=found[0]["version"],
            n_bytes=len(content),
            n_tokens=found[0]["n_tokens"],
            verdict=verdict([Expected(r["n_tokens"], r["ids"]) for r in found], expected),
            unit="ns",
            text=digests.of_text(content),
        )
        for measure in found[0]["times"]
    ]


def loads(facts: Facts, benchmark: str, results: dict[Key, list[dict[str, Any]]]) -> list[Row]:
    """Make a row of the time that loading took in all processes, for each engine and encoding."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for (_, encoding, engine), results_of in results.items():
        found.setdefault((encoding, engine), []).extend(results_of)
    return [
        records.row(
            facts,
            [result["load_ns"] for result in of_both],
            benchmark=benchmark,
            workload="load",
            encoding=encoding,
            engine=engine,
            version=of_both[0]["version"],
            n_bytes=0,
            n_tokens=0,
            verdict="ok",
            unit="ns",
        )
        for (encoding, engine), of_both in found.items()
        if of_both  # an engine that failed has rows that say so
    ]


def verdict(found: Sequence[Expected | processes.Result], expected: Expected) -> str:
    """Say `ok`, or how the ids of any round differ from the expected ones."""
    for result in found:
        if (result.n_tokens, result.ids) != (expected.n_tokens, expected.ids):
            return f"void: {result.n_tokens} ids, digest {result.ids}, expected {expected}"
    return "ok"
