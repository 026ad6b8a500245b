"""Engines as processes: a job comes in, what the engine printed goes out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["ENGINES", "REFERENCE", "Result", "free_core", "measure", "reference_ids", "run"]

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


def free_core() -> list[str]:
    """Return the option that keeps an engine on the last core this process may use."""
    if not hasattr(os, "sched_getaffinity"):
        return []
    return ["--core", str(max(os.sched_getaffinity(0)))]
