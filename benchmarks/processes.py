"""Engines as processes: a job comes in, what the engine printed goes out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

__all__ = [
    "ENGINES",
    "FOLDER",
    "REFERENCE",
    "Result",
    "free_core",
    "is_installed",
    "last_core",
    "measure",
    "reference_ids",
    "run",
    "run_job",
    "version_of",
]

FOLDER = Path(__file__).parent / "engines"
ENGINES = ("tokstream", "tiktoken")
REFERENCE = "tiktoken"


@dataclass(frozen=True)
class Result:
    """What an engine says of one run."""

    elapsed_ns: int
    n_tokens: int
    ids: str
    version: str
    max_delay_bytes: int | None = None


def measure(script: str, encoding: str, text: Path, *options: str) -> Result:
    """Run an engine that measures once, as `run` does."""
    return Result(**run(script, encoding, text, *options))


def run(
    script: str, encoding: str, text: Path, *options: str, python: str = sys.executable
) -> dict[str, Any]:
    """Run an engine in a process of its own; return the object that it prints.

    Raises:
        RuntimeError: the engine failed; with what it said.
    """
    command = [python, str(FOLDER / f"{script}.py"), "--encoding", encoding]
    command += ["--text", str(text), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{script} failed on {encoding}: {done.stderr.strip()[-2000:]}")
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def reference_ids(encoding: str, text: Path, ids: Path) -> Result:
    """Let the reference encode a text; write the ids to a file."""
    return measure(f"run_{REFERENCE}", encoding, text, "--ids", str(ids))


def run_job(
    script: str, job: dict[str, Any], *, environment: dict[str, str] | None = None
) -> dict[str, Any]:
    """Run an engine that takes its job as one JSON object; return the object that it prints.

    Raises:
        RuntimeError: the engine failed; with what it said.
    """
    command = [sys.executable, str(FOLDER / f"{script}.py"), json.dumps(job)]
    variables = {**os.environ, **(environment or {})}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=variables)
    if done.returncode != 0:
        raise RuntimeError(f"{script} failed on {job}: {done.stderr.strip()[-2000:]}")
    said: dict[str, Any] = json.loads(done.stdout)
    return said


@cache
def is_installed(engine: str) -> bool:
    """Whether the package of an engine is there."""
    try:
        version(engine)
    except PackageNotFoundError:
        return False
    return True


def version_of(engine: str) -> str:
    """Return the version of an installed engine."""
    return version(engine)


def last_core() -> int | None:
    """Return the last core this process may use; None where the system does not say."""
    return max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None


def free_core() -> list[str]:
    """Return the option that keeps an engine on the last core this process may use."""
    core = last_core()
    return [] if core is None else ["--core", str(core)]
