"""The README's tables: the newest records come in, the text between the markers goes out.

A table stands between `<!-- table: NAME -->` and `<!-- end -->`.

    python benchmarks/report.py           # rewrite the tables
    python benchmarks/report.py --check   # change nothing; exit code 1 if a table is out of date
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import records
from records import Row

README = Path(__file__).resolve().parents[1] / "README.md"
TABLE = re.compile(r"(?<=<!-- table: )(?P<name>\w+) -->\n.*?<!-- end -->", re.DOTALL)
NOTHING = "Not measured yet: `python benchmarks/run.py {}`.\n"


def throughput() -> str:
    """Tabulate first-pass rates and the ratio to tiktoken."""
    rows = valid("throughput")
    if not rows:
        return NOTHING.format("throughput")
    found = {(row.workload, row.encoding, row.engine): row for row in rows}
    lines = [
        "| text | encoding | tokstream, MB/s | tiktoken, MB/s | ratio |",
        "|---|---|---|---|---|",
    ]
    for workload, encoding in dict.fromkeys((row.workload, row.encoding) for row in rows):
        ours = found.get((workload, encoding, "tokstream"))
        theirs = found.get((workload, encoding, "tiktoken"))
        if ours is None or theirs is None:
            continue
        ratio = theirs.median / ours.median
        cells = [workload, encoding, rate(ours), rate(theirs), f"{ratio:.1f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + f"\n\nMedian (slowest to fastest) of {circumstances(rows)}\n"


def memory() -> str:
    """Tabulate peak memory by size of the input."""
    rows = valid("memory")
    if not rows:
        return NOTHING.format("memory")
    lines = ["| through the pipe | encoding | peak memory, MiB |", "|---|---|---|"]
    for row in rows:
        size = f"{row.n_bytes / (1 << 20):,.0f} MiB"
        lines.append(f"| {size} | {row.encoding} | {row.high / (1 << 20):.1f} |")
    return "\n".join(lines) + f"\n\nHighest of {circumstances(rows)}\n"


def linear() -> str:
    """Tabulate how time grows with length, and the delay."""
    rows = valid("linear")
    if not rows:
        return NOTHING.format("linear")
    lines = [
        "| run | bytes | MB/s | time(2n) / time(n) | largest delay, bytes |",
        "|---|---|---|---|---|",
    ]
    found = {row.workload: row for row in rows}
    for name, twice in found.items():
        base, _, times = name.rpartition(" x")
        once = found.get(f"{base} x1")
        if times != "2" or once is None:
            continue
        growth = twice.median / once.median
        cells = [
            base,
            f"{twice.n_bytes:,}",
            rate(twice),
            f"{growth:.2f}",
            str(twice.max_delay_bytes),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + f"\n\nIn chunks of 4 KB; {circumstances(rows)}\n"


def valid(benchmark: str) -> list[Row]:
    """Read the newest record without its void rows."""
    return [row for row in records.latest(benchmark) if row.is_valid]


def rate(row: Row) -> str:
    """Give MB/s with its spread."""
    median, low, high = (1e3 * row.n_bytes / ns for ns in (row.median, row.high, row.low))
    return f"{median:.1f} ({low:.1f}-{high:.1f})"


def circumstances(rows: list[Row]) -> str:
    """Say how often, when, where and with which versions."""
    first = rows[0]
    versions = sorted({f"{row.engine.split()[0]} {row.version}" for row in rows})
    processes = "process" if first.n_rounds == 1 else "processes"
    return (
        f"{first.n_rounds} {processes} each, {first.date[:10]}, commit {first.commit}, "
        f"{first.machine}, one core, Python {first.python}, {', '.join(versions)}."
    )


TABLES = {"throughput": throughput, "memory": memory, "linear": linear}


def main() -> int:
    """Rewrite or check; return the exit code."""
    old = README.read_text("utf-8")
    new = TABLE.sub(lambda m: f"{m['name']} -->\n{TABLES[m['name']]()}<!-- end -->", old)
    if "--check" in sys.argv[1:]:
        if new != old:
            print(f"{README}: out of date; run python benchmarks/report.py", file=sys.stderr)
        return int(new != old)
    README.write_text(new, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
