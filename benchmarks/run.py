"""Benchmarks: the name of one comes in, a dated record of what was measured goes out.

    python benchmarks/run.py throughput     # first pass over 8 MB, against tiktoken, one core
    python benchmarks/run.py memory         # peak of `tokstream encode` on 64 MiB and 2 GiB
    python benchmarks/run.py linear         # time(2n) / time(n) of runs, fed in chunks
    python benchmarks/run.py verify         # small sizes, counts and digests only, no record
    python benchmarks/run.py expect         # what `expected` in throughput.toml should say

Needs the extras `bench`. A row whose ids are not the expected ones is void, and the exit code 1.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import digests
import linear
import peak_memory
import processes
import records
import texts
import throughput
import workloads

N_ROUNDS = {"throughput": 5, "memory": 1, "linear": 5}
VERIFY_BYTES = {"throughput": 100_000, "memory": 1_000_000, "linear": 30_000}


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit code."""
    lines = (__doc__ or "").splitlines()
    parser = argparse.ArgumentParser(description=lines[0])
    parser.add_argument("benchmark", choices=[*N_ROUNDS, "verify", "expect"])
    parser.add_argument("--rounds", type=int, help="processes per engine and workload")
    parser.add_argument("--bytes", type=int, help="limit every text, to try things out")
    parser.add_argument("--only", metavar="NAME", action="append", help="these workloads only")
    parser.add_argument("--folder", type=Path, help="where to write the record")
    job = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        if job.benchmark == "expect":
            return expect(scratch)
        if job.benchmark == "verify":
            rows = [row for kind in N_ROUNDS for row in small(kind, scratch)]
        else:
            chosen = workloads.load(job.benchmark, job.bytes)
            if job.only is not None:
                chosen = [workload for workload in chosen if workload.name in job.only]
            n_rounds = job.rounds or N_ROUNDS[job.benchmark]
            rows = measure(job.benchmark, chosen, n_rounds, scratch)
            print(f"written: {records.write(rows, job.folder)}")
    for row in rows:
        print(line(row))
    n_void = sum(not row.is_valid for row in rows)
    print(f"{len(rows)} rows, {n_void} void")
    return 1 if n_void else 0


def measure(
    kind: str, chosen: list[workloads.Workload], n_rounds: int, scratch: Path
) -> list[records.Row]:
    """Run one benchmark."""
    facts = records.Facts.now()
    if kind == "throughput":
        return throughput.run(chosen, n_rounds, facts, scratch)
    if kind == "memory":
        return peak_memory.run(chosen, n_rounds, facts, scratch)
    return linear.run(chosen, n_rounds, facts, scratch)


def small(kind: str, scratch: Path) -> list[records.Row]:
    """Run one benchmark on little text; everything is compared with the reference."""
    chosen = workloads.load(kind, VERIFY_BYTES[kind])
    if kind == "linear":
        return linear.run(chosen, 1, records.Facts.now(), scratch, check=True)
    return measure(kind, chosen, 1, scratch)


def expect(scratch: Path) -> int:
    """Print the reference's ids of every corpus in the form of the workload file."""
    for workload in workloads.load("throughput"):
        path = scratch / "text.txt"
        path.write_bytes(texts.corpus(workload.corpus, workload.n_bytes))
        text = digests.of_text(path.read_bytes())
        print(f"# {workload.name}\n[workload.expected.{text}]")
        for encoding in workload.encodings:
            found = processes.reference_ids(encoding, path, scratch / "ids.u32")
            print(f'{encoding} = {{ n_tokens = {found.n_tokens}, ids = "{found.ids}" }}')
    return 0


def line(row: records.Row) -> str:
    """Say in one line what a row says."""
    scale, unit = (1e6, "ms") if row.unit == "ns" else (1 << 20, "MiB")
    spread = f"{row.low / scale:.1f}-{row.high / scale:.1f}"
    delay = "" if row.max_delay_bytes is None else f", at most {row.max_delay_bytes} bytes behind"
    return (
        f"{row.benchmark} {row.workload} {row.encoding} {row.engine}: "
        f"{row.median / scale:.1f} {unit} ({spread}), {row.n_tokens} ids{delay}, {row.verdict}"
    )


if __name__ == "__main__":
    sys.exit(main())
