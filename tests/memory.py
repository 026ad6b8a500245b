"""Memory of a child process: code that the child runs to measure itself.

`ru_maxrss` will not do: Linux carries the peak of the parent over `exec` into the child.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

__all__ = ["PEAK_BYTES", "needs_proc", "run_child"]

PEAK_BYTES = """
def forget_peak():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")

def peak_bytes():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM"))
"""
"""Source of two functions: the peak of resident memory of its own process, begun anew."""

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="memory is measured through /proc"
)


def run_child(code: str, *arguments: str) -> list[int]:
    """Run code in a new Python that knows `PEAK_BYTES`; return the numbers it prints."""
    command = [sys.executable, "-c", PEAK_BYTES + code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-1500:]
    return [int(word) for word in done.stdout.split()]
