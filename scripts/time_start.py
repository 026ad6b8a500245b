"""What a start costs: from nothing to the first id, in processor time and on the clock.

    python scripts/time_start.py [FILE_OR_DIRECTORY ...]

Enters: the embedded encodings, and tokenizers in files. Leaves: a line for each way to start: an
empty program, the import alone, the first id with tables that are mapped, and with tables that have
to be made (and kept). Medians of several processes, milliseconds above the empty program.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ENCODINGS = ("o200k_base", "cl100k_base", "gpt2")
N_RUNS = 11
N_FIRST = 3
# compiled once, as installed packages are
BYTECODE = tempfile.TemporaryDirectory()


def run(code: str, folder: str) -> tuple[float, float]:
    """Run one process; return its processor time and how long it took, in milliseconds."""
    begin = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | {"TOKSTREAM_CACHE_DIR": folder, "PYTHONPYCACHEPREFIX": BYTECODE.name}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime
    used -= before.ru_utime + before.ru_stime
    return 1000 * used, 1000 * (time.perf_counter() - begin)


def medians(code: str, folder: str | None, n_runs: int) -> tuple[float, float]:
    """Run `n_runs` processes; without a folder each has a new one."""
    times = []
    for _ in range(n_runs):
        with tempfile.TemporaryDirectory() as own:
            times.append(run(code, folder or own))
    cpu, wall = zip(*times, strict=True)
    return statistics.median(cpu), statistics.median(wall)


def main() -> None:
    """Print the table."""
    starts = {f"{name}": f"tokstream.get_encoding({name!r})" for name in ENCODINGS}
    starts |= {path: f"tokstream.load({os.path.abspath(path)!r})" for path in sys.argv[1:]}  # noqa: PTH100
    with tempfile.TemporaryDirectory() as folder:
        empty = medians("pass", folder, N_RUNS)
        print(f"{'processor':>9} {'clock':>7}  milliseconds")
        print(f"{empty[0]:9.1f} {empty[1]:7.1f}  an empty program")
        codes: list[tuple[str, str, str | None, int]] = [
            ("import tokstream", "import tokstream", folder, N_RUNS)
        ]
        for name, start in starts.items():
            code = f"import tokstream; {start}.encode('hello')"
            run(code, folder)
            codes.append((f"{name}, mapped", code, folder, N_RUNS))
            codes.append((f"{name}, made and kept", code, None, N_FIRST))
        for label, code, where, n_runs in codes:
            cpu, wall = medians(code, where, n_runs)
            print(f"{cpu - empty[0]:+9.1f} {wall - empty[1]:+7.1f}  {label}")


if __name__ == "__main__":
    main()
