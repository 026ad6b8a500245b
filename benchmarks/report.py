"""The documents' tables: the newest records come in, the text between the markers goes out.

A table stands between `<!-- table: NAME -->` and `<!-- end -->`.

    python benchmarks/report.py           # rewrite the tables
    python benchmarks/report.py --check   # change nothing; exit code 1 if a table is out of date
"""

from __future__ import annotations

import re
import statistics
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import records
from records import Row

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
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


def growth(benchmark: str) -> str:
    """Tabulate how time grows with length, and the delay."""
    rows = valid(benchmark)
    if not rows:
        return NOTHING.format(benchmark)
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
        ratio = twice.median / once.median
        cells = [
            base,
            f"{twice.n_bytes:,}",
            rate(twice),
            f"{ratio:.2f}",
            f"{twice.max_delay_bytes:,}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + f"\n\nIn chunks of 4 KB, CPU time; {circumstances(rows)}\n"


def undecided() -> str:
    """Tabulate what is pending behind a line break and blanks, for both delays."""
    rows = valid("undecided")
    if not rows:
        return NOTHING.format("undecided")
    lines = [
        "| behind `foo` and a line break | encoding | ids | pending, optimal | composition |",
        "|---|---|---|---|---|",
    ]
    found = {(row.workload, row.encoding, row.engine): row for row in rows}
    for workload, encoding in dict.fromkeys((row.workload, row.encoding) for row in rows):
        optimal = found.get((workload, encoding, "tokstream"))
        composition = found.get((workload, encoding, "tokstream composition"))
        if optimal is None or composition is None:
            continue
        delays = (f"{row.max_delay_bytes:,}" for row in (optimal, composition))
        cells = [workload, encoding, f"{optimal.n_tokens:,}", *delays]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + f"\n\nThe most bytes pending after a feed; {circumstances(rows)}\n"


def feeds() -> str:
    """Tabulate what one byte costs in a run of blanks, and how that and memory grow."""
    rows = valid("feeds")
    if not rows:
        return NOTHING.format("feeds")
    lines = [
        "| run | encoding | feeds | mean, µs | p99, µs | memory grown, KiB |",
        "|---|---|---|---|---|---|",
    ]
    found = {(row.workload, row.encoding): row for row in rows}
    for (name, encoding), mean in found.items():
        run, _, what = name.rpartition(", ")
        if not what.startswith("mean "):
            continue
        p99, grown = (
            found[f"{run}, {what.replace('mean', other)}", encoding] for other in ("p99", "grown")
        )
        cells = [run, encoding, f"{mean.n_bytes:,}", f"{mean.median / 1e3:.1f}"]
        cells += [f"{p99.median / 1e3:.1f}", f"{grown.high / 1024:,.0f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + f"\n\nOne byte per feed; {circumstances(rows)}\n"


def modes() -> str:
    """Tabulate the time of `delay="optimal"` over that of "composition"."""
    rows = valid("modes")
    if not rows:
        return NOTHING.format("modes")
    lines = [
        "| text | bytes per feed | encoding | optimal, µs per feed | optimal / composition |",
        "|---|---|---|---|---|",
    ]
    found = {(row.workload, row.encoding, row.unit): row for row in rows}
    for (name, encoding, unit), ratio in found.items():
        if unit != "ratio":
            continue
        text, _, chunk = name.rpartition(", ")
        per_feed = found[name, encoding, "ns"].median / 1e3
        spread = f"{ratio.median:.2f} ({ratio.low:.2f}-{ratio.high:.2f})"
        lines.append(f"| {text} | {chunk} | {encoding} | {per_feed:.2f} | {spread} |")
    middle = statistics.median(row.median for row in rows if row.unit == "ratio")
    first = rows[0]
    return (
        "\n".join(lines)
        + f"\n\nMedian (lowest to highest) of {first.n_rounds} rounds of CPU time, both in turn "
        f"in one process; the median of all medians is {middle:.3f}. {when(rows)}\n"
    )


def valid(benchmark: str) -> list[Row]:
    """Read the newest record without its void rows."""
    return [row for row in records.latest(benchmark) if row.is_valid]


def rate(row: Row) -> str:
    """Give MB/s with its spread."""
    median, low, high = (1e3 * row.n_bytes / ns for ns in (row.median, row.high, row.low))
    return f"{median:.1f} ({low:.1f}-{high:.1f})"


def circumstances(rows: list[Row]) -> str:
    """Say how often, when, where and with which versions."""
    n_rounds = rows[0].n_rounds
    return f"{n_rounds} {'process' if n_rounds == 1 else 'processes'} each, {when(rows)}"


def when(rows: list[Row]) -> str:
    """Say when, where and with which versions."""
    first = rows[0]
    versions = sorted({f"{row.engine.split()[0]} {row.version}" for row in rows})
    return (
        f"{first.date[:10]}, commit {first.commit}, "
        f"{first.machine}, one core, Python {first.python}, {', '.join(versions)}."
    )


TABLES: dict[str, Callable[[], str]] = {
    "throughput": throughput,
    "memory": memory,
    "linear": partial(growth, "linear"),
    "lookback": partial(growth, "lookback"),
    "undecided": undecided,
    "feeds": feeds,
    "modes": modes,
}


def main() -> int:
    """Rewrite or check; return the exit code."""
    is_check = "--check" in sys.argv[1:]
    n_stale = 0
    for document in DOCUMENTS:
        old = document.read_text("utf-8")
        new = TABLE.sub(lambda m: f"{m['name']} -->\n{TABLES[m['name']]()}<!-- end -->", old)
        if new == old:
            continue
        n_stale += 1
        if is_check:
            print(f"{document}: out of date; run python benchmarks/report.py", file=sys.stderr)
        else:
            document.write_text(new, "utf-8")
    return int(is_check and n_stale > 0)


if __name__ == "__main__":
    sys.exit(main())
