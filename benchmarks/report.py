"""The documents' tables: the newest records come in, the text between the markers goes out.

A table stands between `<!-- table: NAME -->` and `<!-- end -->`.

    python benchmarks/report.py           # rewrite the tables
    python benchmarks/report.py --check   # change nothing; exit code 1 if a table is out of date
"""

from __future__ import annotations

import re
import statistics
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import records
from records import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TABLE = re.compile(r"(?<=<!-- table: )(?P<name>\w+) -->\n.*?<!-- end -->", re.DOTALL)
NOTHING = "Not measured yet: `python benchmarks/run.py {}`.\n"


def table(heads: str, lines: Iterable[Sequence[str]], note: str) -> str:
    """Return a table with a note below it; `heads` are separated by bars."""
    columns = heads.split(" | ")
    text = [f"| {' | '.join(row)} |" for row in (columns, *lines)]
    text.insert(1, "|---" * len(columns) + "|")
    return "\n".join(text) + f"\n\n{note}\n"


def throughput(rows: list[Row]) -> str:
    """Tabulate first-pass rates and the ratio to tiktoken."""
    lines = []
    for workload, encoding, (ours, theirs) in pairs(rows, "tokstream", "tiktoken"):
        ratio = theirs.median / ours.median
        lines.append([workload, encoding, rate(ours), rate(theirs), f"{ratio:.1f}"])
    heads = "text | encoding | tokstream, MB/s | tiktoken, MB/s | ratio"
    return table(heads, lines, f"Median (slowest to fastest) of {circumstances(rows)}")


def memory(rows: list[Row]) -> str:
    """Tabulate peak memory by size of the input."""
    mib = 1 << 20
    lines = [
        (f"{row.n_bytes / mib:,.0f} MiB", row.encoding, f"{row.high / mib:.1f}") for row in rows
    ]
    heads = "through the pipe | encoding | peak memory, MiB"
    return table(heads, lines, f"Highest of {circumstances(rows)}")


def growth(rows: list[Row]) -> str:
    """Tabulate how time grows with length, and the delay."""
    found = {row.workload: row for row in rows}
    lines = []
    for name, twice in found.items():
        base, _, times = name.rpartition(" x")
        once = found.get(f"{base} x1")
        if times != "2" or once is None:
            continue
        ratio = f"{twice.median / once.median:.2f}"
        delay = f"{twice.max_delay_bytes:,}"
        lines.append([base, f"{twice.n_bytes:,}", rate(twice), ratio, delay])
    heads = "run | bytes | MB/s | time(2n) / time(n) | largest delay, bytes"
    return table(heads, lines, f"In chunks of 4 KB, CPU time; {circumstances(rows)}")


def undecided(rows: list[Row]) -> str:
    """Tabulate what is pending behind a line break and blanks, for both delays."""
    lines = []
    for workload, encoding, both in pairs(rows, "tokstream", "tokstream composition"):
        delays = [f"{row.max_delay_bytes:,}" for row in both]
        lines.append([workload, encoding, f"{both[0].n_tokens:,}", *delays])
    heads = "behind `foo` and a line break | encoding | ids | pending, optimal | composition"
    return table(heads, lines, f"The most bytes pending after a feed; {circumstances(rows)}")


def feeds(rows: list[Row]) -> str:
    """Tabulate what one byte costs in a run of blanks, and how that and memory grow."""
    found = {(row.workload, row.encoding): row for row in rows}
    lines = []
    for (name, encoding), mean in found.items():
        run, _, what = name.rpartition(", ")
        if not what.startswith("mean "):
            continue
        p99, grown = (
            found[f"{run}, {what.replace('mean', other)}", encoding] for other in ("p99", "grown")
        )
        times = [f"{row.median / 1e3:.1f}" for row in (mean, p99)]
        lines.append([run, encoding, f"{mean.n_bytes:,}", *times, f"{grown.high / 1024:,.0f}"])
    heads = "run | encoding | feeds | mean, µs | p99, µs | memory grown, KiB"
    return table(heads, lines, f"One byte per feed; {circumstances(rows)}")


def modes(rows: list[Row]) -> str:
    """Tabulate the time of `delay="optimal"` over that of "composition"."""
    found = {(row.workload, row.encoding, row.unit): row for row in rows}
    lines = []
    for (name, encoding, unit), ratio in found.items():
        if unit != "ratio":
            continue
        text, _, chunk = name.rpartition(", ")
        per_feed = found[name, encoding, "ns"].median / 1e3
        spread = f"{ratio.median:.2f} ({ratio.low:.2f}-{ratio.high:.2f})"
        lines.append([text, chunk, encoding, f"{per_feed:.2f}", spread])
    middle = statistics.median(row.median for row in rows if row.unit == "ratio")
    return table(
        "text | bytes per feed | encoding | optimal, µs per feed | optimal / composition",
        lines,
        f"Median (lowest to highest) of {rows[0].n_rounds} rounds of CPU time, both in turn "
        f"in one process; the median of all medians is {middle:.3f}. {when(rows)}",
    )


def pairs(rows: list[Row], *engines: str) -> Iterator[tuple[str, str, list[Row]]]:
    """Yield workloads and encodings with the rows of all of the engines."""
    found = {(row.workload, row.encoding, row.engine): row for row in rows}
    for workload, encoding in dict.fromkeys((row.workload, row.encoding) for row in rows):
        of_all = [found.get((workload, encoding, engine)) for engine in engines]
        both = [row for row in of_all if row is not None]
        if len(both) == len(engines):
            yield workload, encoding, both


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


TABLES: dict[str, Callable[[list[Row]], str]] = {
    "throughput": throughput,
    "memory": memory,
    "linear": growth,
    "lookback": growth,
    "undecided": undecided,
    "feeds": feeds,
    "modes": modes,
}


def tabulate(name: str) -> str:
    """Return the table of a benchmark's newest record."""
    rows = valid(name)
    return TABLES[name](rows) if rows else NOTHING.format(name)


def main() -> int:
    """Rewrite or check; return the exit code."""
    is_check = "--check" in sys.argv[1:]
    n_stale = 0
    for document in DOCUMENTS:
        old = document.read_text("utf-8")
        new = TABLE.sub(lambda m: f"{m['name']} -->\n{tabulate(m['name'])}<!-- end -->", old)
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
