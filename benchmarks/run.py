"""Benchmarks: the name of one comes in, a dated record of what was measured goes out.

    python benchmarks/run.py throughput     # first pass over 8 MB, the same again, lists; one core
    python benchmarks/run.py models         # the same for tokenizers that are files
    python benchmarks/run.py fresh          # 64 MB that never repeat
    python benchmarks/run.py peers          # first pass of more engines
    python benchmarks/run.py ttft           # time to the first ids: 1 KB to 64 MB, process start
    python benchmarks/run.py memory         # peaks for 1 MiB to 4 GiB, idle streams
    python benchmarks/run.py streaming      # chunks of 1 B to 1 MB: rate, time of a feed, delay
    python benchmarks/run.py cores          # batches on one thread and on two
    python benchmarks/run.py paths          # AVX-512, AVX2, neither
    python benchmarks/run.py linear         # time(2n) / time(n) of runs, fed in chunks
    python benchmarks/run.py lookback       # the same for patterns on their worst input
    python benchmarks/run.py undecided      # what is pending in 10 million blanks, both delays
    python benchmarks/run.py feeds          # one byte per feed in runs of blanks
    python benchmarks/run.py modes          # the price of delay="optimal" on ordinary text
    python benchmarks/run.py all            # all of these, one after another
    python benchmarks/run.py builds --other VENV/bin/python   # another build against this one
    python benchmarks/run.py verify         # small sizes, counts and digests only, no record
    python benchmarks/run.py expect         # what `expected` should say in workloads/

Needs the extras `test` and `bench`; engines of `bench-peers` are measured where they are installed.
A row whose ids are not the expected ones is void, and the exit code 1, unless the row is of another
engine. `python benchmarks/report.py` makes tables and pictures, `floors.py` says what holds.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import builds
import cores
import digests
import feeds
import linear
import modes
import peak_memory
import read_paths
import records
import streaming
import throughput
import ttft
import undecided
import workloads

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS: dict[str, Callable[..., list[records.Row]]] = {
    "throughput": throughput.run,
    "models": partial(throughput.run, benchmark="models"),
    "fresh": partial(throughput.run, benchmark="fresh"),
    "peers": partial(throughput.run, benchmark="peers"),
    "ttft": ttft.run,
    "memory": peak_memory.run,
    "streaming": streaming.run,
    "cores": cores.run,
    "paths": read_paths.run,
    "linear": linear.run,
    "lookback": partial(linear.run, benchmark="lookback"),
    "undecided": undecided.run,
    "feeds": feeds.run,
    "modes": modes.run,
}
N_ROUNDS = {
    "throughput": 4,
    "models": 3,
    "fresh": 3,
    "peers": 2,
    "ttft": 3,
    "memory": 1,
    "streaming": 3,
    "cores": 3,
    "paths": 3,
    "linear": 5,
    "lookback": 5,
    "undecided": 1,
    "feeds": 3,
    "modes": 15,
    "builds": 5,
}
VERIFY_BYTES = {
    "throughput": 100_000,
    "models": 50_000,
    "fresh": 100_000,
    "peers": 50_000,
    "ttft": 16_000,
    "memory": 1_000_000,
    "streaming": 50_000,
    "cores": 100_000,
    "paths": 100_000,
    "linear": 10_000,
    "lookback": 10_000,
    "undecided": 1_000_000,
    "feeds": 5_000,
    "modes": 5_000,
}
VERIFIED = {
    "throughput": ("code", "chinese"),
    "models": ("english", "english, of ranks"),
    "fresh": ("chinese",),
    "peers": ("english",),
    "ttft": ("sizes", "start"),
    "memory": ("words", "idle"),
    "streaming": ("code", "chinese"),
    "cores": ("english",),
    "paths": ("english", "chinese"),
    "linear": ("line break", "base64", "chinese", "ab, 255 tokens of it", "fibonacci"),
    "modes": ("english, 16", "code, 1024", "chinese, 64"),
}
"""Workloads that `verify` takes of a benchmark, if not all; more would check the same code."""
REFERENCES = ("tokstream", "tiktoken", "tokenizers", "sentencepiece", "REFERENCE")
CHECKED = ("linear", "lookback")
"""What compares with the reference only if told to: at full size that takes too long."""
UNITS = {"ns": (1e3, "µs"), "bytes": (1 << 20, "MiB"), "ratio": (1, "times")}


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit code."""
    lines = (__doc__ or "").splitlines()
    parser = argparse.ArgumentParser(description=lines[0])
    parser.add_argument("benchmark", choices=[*N_ROUNDS, "all", "verify", "expect"])
    parser.add_argument("--rounds", type=int, help="processes per engine and workload")
    parser.add_argument("--bytes", type=int, help="limit every text, to try things out")
    parser.add_argument("--only", metavar="NAME", action="append", help="these workloads only")
    parser.add_argument("--other", metavar="PYTHON", help="builds: Python of the other build")
    parser.add_argument("--folder", type=Path, help="where to write the record")
    job = parser.parse_args(arguments)
    if (job.benchmark == "builds") != (job.other is not None):
        parser.error("builds needs --other, the Python of the other build; nothing else takes it")
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        if job.benchmark == "expect":
            return expect(scratch)
        if job.benchmark == "verify":
            rows = [row for kind in KINDS for row in small(kind, scratch)]
        else:
            rows = []
            for kind in KINDS if job.benchmark == "all" else [job.benchmark]:
                rows += measured(kind, job, scratch)
    for row in rows:
        print(line(row))
    n_void = sum(not row.is_valid for row in rows)
    print(f"{len(rows)} rows, {n_void} void")
    return int(any(not row.is_valid and row.engine.startswith("tokstream") for row in rows))


def measured(kind: str, job: argparse.Namespace, scratch: Path) -> list[records.Row]:
    """Run one benchmark as the command line says; write the record."""
    begin = time.monotonic()
    is_pair = kind == "builds"
    chosen = workloads.load("throughput" if is_pair else kind, job.bytes)
    if job.only is not None:
        chosen = [workload for workload in chosen if workload.name in job.only]
    measure = partial(builds.run, other=job.other) if is_pair else KINDS[kind]
    rows = measure(chosen, job.rounds or N_ROUNDS[kind], records.Facts.now(), scratch)
    path = records.write(rows, job.folder)
    print(f"written: {path}, after {time.monotonic() - begin:.0f} s", flush=True)
    return rows


def small(kind: str, scratch: Path) -> list[records.Row]:
    """Run one benchmark on little text; everything is compared with the reference."""
    chosen = workloads.load(kind, VERIFY_BYTES[kind])
    chosen = [w for w in chosen if w.name in VERIFIED.get(kind, (w.name,))]
    # What depends on the encoding is tested elsewhere, and engines are not tested at all.
    which = slice(1) if kind == "models" else slice(-1, None)
    chosen = [
        replace(
            workload,
            encodings=workload.encodings[which],
            engines=[engine for engine in workload.engines if engine in REFERENCES],
        )
        for workload in chosen
    ]
    measure = partial(KINDS[kind], check=True) if kind in CHECKED else KINDS[kind]
    return measure(chosen, 1, records.Facts.now(), scratch)


def expect(scratch: Path) -> int:
    """Print the reference's ids of every corpus in the form of the workload files."""
    for kind in ("throughput", "fresh"):
        for workload in workloads.load(kind):
            paths = throughput.write_texts(workload, scratch)
            text = digests.of_text(b"".join(path.read_bytes() for path in paths))
            print(f"# {kind}, {workload.name}\n[workload.expected.{text}]")
            for encoding in workload.encodings:
                found = throughput.of_reference(encoding, tuple(paths))
                print(f'{encoding} = {{ n_tokens = {found.n_tokens}, ids = "{found.ids}" }}')
    return 0


def line(row: records.Row) -> str:
    """Say in one line what a row says."""
    scale, unit = UNITS[row.unit]
    spread = f"{row.low / scale:.3g}-{row.high / scale:.3g}"
    delay = "" if row.max_delay_bytes is None else f", at most {row.max_delay_bytes} bytes behind"
    return (
        f"{row.benchmark} {row.workload} {row.encoding} {row.engine}: "
        f"{row.median / scale:.3g} {unit} ({spread}), {row.n_tokens} ids{delay}, {row.verdict}"
    )


if __name__ == "__main__":
    sys.exit(main())
