"""Results as dated CSV: rows come in, `records/DATE-BENCHMARK.csv` goes out, and back.

A row says what was measured, on what, with which versions, and how often.
"""

from __future__ import annotations

import csv
import os
import platform
import statistics
import subprocess
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Facts", "Row", "latest", "row", "write"]

FOLDER = Path(__file__).parent / "records"
ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Facts:
    """The circumstances that all rows of a run share."""

    date: str
    commit: str
    machine: str
    n_cores: int
    python: str

    @classmethod
    def now(cls) -> Facts:
        """Look at this machine and this working tree."""
        return cls(
            date=datetime.now(UTC).strftime("%Y-%m-%dT%H%M"),
            commit=_commit(),
            machine=_machine(),
            n_cores=os.cpu_count() or 1,
            python=platform.python_version(),
        )


@dataclass(frozen=True)
class Row:
    """One engine on one workload; times in nanoseconds, sizes in bytes, as the unit says."""

    date: str
    commit: str
    machine: str
    n_cores: int
    python: str
    benchmark: str
    workload: str
    encoding: str
    engine: str
    version: str
    n_bytes: int
    n_tokens: int
    verdict: str
    """`ok`, or why the row is void: its ids are not the expected ones."""
    unit: str
    n_rounds: int
    median: float
    low: float
    high: float
    max_delay_bytes: int | None = None
    text: str = ""
    """Digest of the text."""

    @property
    def is_valid(self) -> bool:
        """Whether the ids were right."""
        return self.verdict == "ok"


def row(
    facts: Facts,
    values: Sequence[float],
    **columns: str | int | None,
) -> Row:
    """Make a row of the values of all rounds."""
    return Row(
        date=facts.date,
        commit=facts.commit,
        machine=facts.machine,
        n_cores=facts.n_cores,
        python=facts.python,
        n_rounds=len(values),
        median=statistics.median(values),
        low=min(values),
        high=max(values),
        **columns,  # type: ignore[arg-type]
    )


def write(rows: Sequence[Row], folder: Path | None = None) -> Path:
    """Write the rows of one run; return the file."""
    folder = FOLDER if folder is None else folder
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{rows[0].date}-{rows[0].benchmark}.csv"
    names = [column.name for column in fields(Row)]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        for each in rows:
            values = (getattr(each, name) for name in names)
            writer.writerow("" if value is None else value for value in values)
    return path


def latest(benchmark: str, folder: Path | None = None) -> list[Row]:
    """Read the newest record of a benchmark; empty if there is none."""
    paths = sorted((FOLDER if folder is None else folder).glob(f"*-{benchmark}.csv"))
    if not paths:
        return []
    with paths[-1].open(newline="", encoding="utf-8") as file:
        return [_parse(entry) for entry in csv.DictReader(file)]


def _parse(entry: dict[str, str]) -> Row:
    numbers = ("n_cores", "n_bytes", "n_tokens", "n_rounds")
    measures = ("median", "low", "high")
    delay = entry.pop("max_delay_bytes")
    return Row(
        **{name: int(entry.pop(name)) for name in numbers},  # type: ignore[arg-type]
        **{name: float(entry.pop(name)) for name in measures},  # type: ignore[arg-type]
        **entry,  # type: ignore[arg-type]
        max_delay_bytes=int(delay) if delay else None,
    )


def _commit() -> str:
    """Return the commit, with a `+` if files that are part of it have been changed since."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+", "--exclude=*"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return "unknown"
    return done.stdout.strip() or "unknown"


def _machine() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()
