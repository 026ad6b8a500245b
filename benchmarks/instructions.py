"""Instructions: small fixed work is counted by callgrind and compared with what was counted before.

Enters: nothing but the repository; texts and tables are made of the embedded vocabulary. Leaves: a
line for each piece of work, and exit code 1 if one takes more than the tolerance in addition.
Held back: nothing. Times vary on a machine that does other work, counts do not.

    python benchmarks/instructions.py            # compare with instructions.json
    python benchmarks/instructions.py --update   # write it

Callgrind knows AVX2 but not AVX-512. Another compiler counts differently: then differences are told
and are no failure.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from array import array
from pathlib import Path
from typing import Any

import texts
from tokstream.encodings import get_encoding
from tokstream.encodings.registry import compiled_pattern, vocabulary

ROOT = Path(__file__).resolve().parents[1]
EXPECTED = Path(__file__).with_suffix(".json")
ENCODING = "r50k_base"
"""Its vocabulary is the smallest: building it is not what is counted."""
PATHS = ("scalar", "avx2")
TOLERANCE = 0.03
N_BYTES = 60_000
COUNTED = re.compile(r"^\s*([\d,]+)[^:]*:.*\bcount_(\w+)", re.MULTILINE)


def main() -> int:
    """Count and compare; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--update", action="store_true", help="write what is counted now")
    job = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("valgrind is not installed: no instructions are counted (apt-get install valgrind)")
        return 0
    program = build()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_inputs(folder)
        found = {path: count(program, folder, path) for path in PATHS if can(path)}
    if job.update:
        EXPECTED.write_text(json.dumps({"rustc": rustc(), **found}, indent=2) + "\n", "utf-8")
        print(f"written: {EXPECTED}")
        return 0
    return compare(found, json.loads(EXPECTED.read_text("utf-8")))


def build() -> Path:
    """Build the program that does the work; return it.

    Raises:
        SystemExit: it cannot be built.
    """
    command = ["cargo", "build", "--release", "--locked", "--package", "tokstream-core"]
    command += ["--example", "instructions", "--message-format", "json-render-diagnostics"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise SystemExit("the program cannot be built")
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    found = [m["executable"] for m in messages if m.get("executable")]
    return Path(found[-1])


def write_inputs(folder: Path) -> None:
    """Write tables and texts, the same on every machine."""
    known = vocabulary(ENCODING)
    (folder / "tokens").write_bytes(known.blob)
    (folder / "lengths").write_bytes(array("I", known.lengths).tobytes())
    automaton = compiled_pattern(get_encoding(ENCODING).pattern)
    assert automaton is not None
    (folder / "automaton").write_bytes(automaton)
    (folder / "prose").write_bytes(texts.prose(N_BYTES))
    (folder / "scripts").write_bytes(texts.generated_blocks(1, N_BYTES)[0])
    (folder / "blanks").write_bytes(texts.run("line break", N_BYTES // 6))


def count(program: Path, folder: Path, path: str) -> dict[str, int]:
    """Run the work under callgrind; return instructions by the name of what was done."""
    output = folder / f"callgrind.{path}"
    command = ["valgrind", "--tool=callgrind", "--toggle-collect=*count_*", "--quiet"]
    command += [f"--callgrind-out-file={output}", str(program), str(folder)]
    subprocess.run(command, check=True, env={**os.environ, "TOKSTREAM_SIMD": path})
    annotate = ["callgrind_annotate", "--inclusive=yes", "--threshold=100", str(output)]
    said = subprocess.run(annotate, check=True, capture_output=True, text=True).stdout
    counts = {name: int(n.replace(",", "")) for n, name in COUNTED.findall(said)}
    if not counts:
        raise SystemExit("callgrind counted nothing")
    return dict(sorted(counts.items()))


def compare(found: dict[str, dict[str, int]], expected: dict[str, Any]) -> int:
    """Print all counts beside the expected ones; return the exit code."""
    n_worse = 0
    for path, counts in found.items():
        for name, n in counts.items():
            known = expected.get(path, {}).get(name, 0)
            change = n / known - 1 if known else float("inf")
            is_worse = change > TOLERANCE
            n_worse += is_worse
            mark = "  <-- more" if is_worse else "  (less)" if change < -TOLERANCE else ""
            print(f"{path:8} {name:20} {n:13,} {known:13,} {change:+8.2%}{mark}")
    missing = [f"{p}: {name}" for p in found for name in set(expected.get(p, {})) - set(found[p])]
    if missing:
        print("no longer counted; if that is meant: --update:", *sorted(missing))
        return 1
    if not n_worse:
        return 0
    if expected["rustc"] != rustc():
        print(f"expected with {expected['rustc']}, this is {rustc()}: no failure")
        return 0
    print(f"{n_worse} take more than {TOLERANCE:.0%} in addition; if that is meant: --update")
    return 1


def can(path: str) -> bool:
    """Whether this processor has the instructions of a way to read."""
    if path == "scalar":
        return True
    try:
        return f" {path} " in Path("/proc/cpuinfo").read_text("utf-8").replace("\n", " \n")
    except OSError:
        return False


def rustc() -> str:
    """Return the compiler and the machine it compiles for."""
    said = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    facts = dict(line.split(": ", 1) for line in said.splitlines() if ": " in line)
    return f"{facts['release']} {facts['host']}"


if __name__ == "__main__":
    sys.exit(main())
