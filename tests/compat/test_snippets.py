"""Ordinary code gives the same with and without tokstream; times are measured by the script."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "compare_snippets.py"
NEEDS = {"langchain": "langchain_text_splitters"}
LIBRARIES = sorted(
    path.stem.removeprefix("with_") for path in (SCRIPT.parent / "snippets").glob("with_*.py")
)


@pytest.mark.parametrize("library", LIBRARIES)
def test_equal_results(library: str) -> None:
    if importlib.util.find_spec(NEEDS.get(library, library)) is None:
        pytest.skip(f"{library} is not installed")
    done = subprocess.run(
        [sys.executable, str(SCRIPT), library, "--rounds", "1", "--seconds", "0"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "**no**" not in done.stdout
    assert done.stdout.count("| yes |") > 3
