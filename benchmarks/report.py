"""The documents' tables and pictures: the newest records come in, what is shown of them goes out.

A table stands between `<!-- table: NAME -->` and `<!-- end -->`; pictures lie in docs/pictures and
are drawn where matplotlib is installed.

    python benchmarks/report.py           # rewrite the tables, draw the pictures
    python benchmarks/report.py --check   # change nothing; exit code 1 if a table is out of date
"""

from __future__ import annotations

import re
import statistics
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import floors
import pictures
import records
from layout import circumstances, rate, table, when
from records import Row
from speed_tables import SPEED_TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TABLE = re.compile(r"(?<=<!-- table: )(?P<name>\w+) -->\n.*?<!-- end -->", re.DOTALL)
NOTHING = "Not measured yet: `python benchmarks/run.py {}`.\n"


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


TABLES: dict[str, Callable[[list[Row]], str]] = {
    "linear": growth,
    "lookback": growth,
    "undecided": undecided,
    "feeds": feeds,
    "modes": modes,
}


def tabulate(name: str) -> str:
    """Return a table by its name, made of the newest records."""
    if name == "floors":
        return floors.as_table()
    if name in SPEED_TABLES:  # there void rows are shown as void
        benchmark, make = SPEED_TABLES[name]
        rows = records.latest(benchmark)
        return make(rows) if rows else NOTHING.format(benchmark)
    rows = valid(name)
    return TABLES[name](rows) if rows else NOTHING.format(name)


def main() -> int:
    """Rewrite or check; return the exit code."""
    is_check = "--check" in sys.argv[1:]
    if not is_check and find_spec("matplotlib") is not None:
        for path in pictures.draw():
            print(path)
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
