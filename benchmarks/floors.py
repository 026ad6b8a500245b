"""Floors: what must hold of the newest records, and what is aimed at; a list and an exit code.

    python benchmarks/floors.py     # exit code 1 if something measured is below its floor

Every ratio is one of medians of the same run. A floor without a measurement is said to have none.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import records
from layout import table
from speed_tables import Index, index

if TYPE_CHECKING:
    from collections.abc import Iterator

    from records import Row

__all__ = ["Floor", "as_table", "floors"]

TEXTS = ("code", "english", "chinese")
BOTH = ("cl100k_base", "o200k_base")
OF_REFERENCE = ("gpt2", "qwen3", "llama3", "tekken")
MACHINE = "SHA-256"
"""What shares nothing between threads: its gain is what the machine gives."""
OF_SENTENCEPIECE = ("llama2", "mistral", "gemma3")


@dataclass
class Floor:
    """One promise.

    Attributes:
        name: what is measured.
        floor: what it has to be at least, or at most.
        aim: what would be good.
        benchmark: whose record says.
        unit: of the numbers.
        is_most: whether the floor is a ceiling.
        measured: by what differs, such as the encoding.
    """

    name: str
    floor: float
    aim: float | None
    benchmark: str
    unit: str = ""
    is_most: bool = False
    measured: dict[str, float] = field(default_factory=dict)

    def add(self, what: str, value: float | None) -> None:
        """Take a measurement, if there is one."""
        if value is not None:
            self.measured[what] = value

    @property
    def worst(self) -> float | None:
        """The measurement that decides."""
        if not self.measured:
            return None
        return max(self.measured.values()) if self.is_most else min(self.measured.values())

    def holds(self, bound: float | None) -> bool:
        """Whether all measurements keep a bound."""
        if self.worst is None or bound is None:
            return False
        return self.worst <= bound if self.is_most else self.worst >= bound

    @property
    def verdict(self) -> str:
        """Say in a word how it stands."""
        if self.worst is None:
            return "not measured"
        if not self.holds(self.floor):
            return "**missed**"
        return "aim" if self.holds(self.aim) else "holds"


def floors() -> Iterator[Floor]:
    """Yield all floors with what the newest records say."""
    yield from of_gigatoken()
    yield from of_references()
    yield from of_streams()
    yield from of_first_ids()
    yield from of_memory()
    yield from of_time()


def of_gigatoken() -> Iterator[Floor]:
    """Yield ratios to gigatoken."""
    passes, fresh, published = index("throughput"), index("fresh"), index("models")
    kinds = (
        ("first pass", passes, "first", (1.0, 1.0, 8.0), (1.3, 1.3, 10.0)),
        ("fresh 64 MB", fresh, "fresh", (1.0, 1.0, 8.0), (1.4, 1.2, 10.0)),
        ("repeated text", passes, "repeated", (0.85, 0.85, 1.9), (1.1, 1.1, 2.5)),
    )
    for kind, found, measure, bounds, aims in kinds:
        for text, bound, aim in zip(TEXTS, bounds, aims, strict=True):
            benchmark = "fresh" if measure == "fresh" else "throughput"
            floor = Floor(f"{kind}, {text}, to gigatoken", bound, aim, benchmark)
            for encoding in BOTH:
                ratio = found.ratio(f"{text}, {measure}", encoding, "gigatoken")
                floor.add(encoding, ratio)
            yield floor
    floor = Floor("first pass of r50k_base, code and English, to gigatoken", 0.9, 1.1, "throughput")
    for text in TEXTS[:2]:
        floor.add(text, passes.ratio(f"{text}, first", "r50k_base", "gigatoken"))
    yield floor
    floor = Floor("lists to gigatoken's as_tiktoken", 1.3, 1.8, "throughput")
    for encoding in BOTH:
        for text in TEXTS:
            ratio = passes.ratio(f"{text}, list", encoding, "gigatoken")
            floor.add(f"{encoding} {text}", ratio)
    yield floor
    floor = Floor("first pass of SentencePiece models to gigatoken", 1.3, 2.0, "models")
    for name in OF_SENTENCEPIECE:
        for text in TEXTS:
            floor.add(f"{name} {text}", published.ratio(f"{text}, first", name, "gigatoken"))
    yield floor


def of_references() -> Iterator[Floor]:
    """Yield ratios to the references."""
    passes, published = index("throughput"), index("models")
    for text, bound, aim in zip(TEXTS, (10.0, 10.0, 13.0), (15.0, 15.0, 16.0), strict=True):
        floor = Floor(f"first pass, {text}, to tiktoken", bound, aim, "throughput")
        for encoding in BOTH:
            floor.add(encoding, passes.ratio(f"{text}, first", encoding, "tiktoken"))
        yield floor
    floor = Floor("first pass to tokenizers", 60.0, 80.0, "models")
    for name in OF_REFERENCE:
        for text in TEXTS:
            suffix = ", of ranks" if name == "tekken" else ""
            ratio = published.ratio(f"{text}{suffix}, first", name, "tokenizers")
            floor.add(f"{name} {text}", ratio)
    yield floor


def of_streams() -> Iterator[Floor]:
    """Yield what chunks cost."""
    streaming = index("streaming")
    for size, bound in ((65536, 0.95), (1024, 0.7)):
        floor = Floor(f"arrays in chunks of {size:,} bytes to one call", bound, None, "streaming")
        for encoding in BOTH:
            for text in TEXTS:
                row = streaming.row(f"{text}, {size}, relative", encoding)
                floor.add(f"{encoding} {text}", median(row))
        yield floor
    floor = Floor("a feed of 64 bytes beyond the core", 0.6, None, "streaming", "µs", is_most=True)
    for encoding in BOTH:
        for text in TEXTS:
            row = streaming.row(f"{text}, 64, beyond", encoding)
            floor.add(f"{encoding} {text}", median(row, 1e3))
    yield floor


def of_first_ids() -> Iterator[Floor]:
    """Yield times to first and last ids."""
    first = index("ttft")
    floor = Floor("first batch of encode_iter, all sizes", 60, None, "ttft", "µs", is_most=True)
    last = Floor("from the last byte to the last id", 1000, None, "ttft", "µs", is_most=True)
    for row in first.rows:
        if row.engine == "tokstream" and "again" in row.workload:
            floor.add(f"{row.encoding} {row.workload}", row.median / 1e3)
        if row.engine == "tokstream" and "last" in row.workload:
            last.add(f"{row.encoding} {row.workload}", row.median / 1e3)
    yield floor
    yield last
    floor = Floor(
        "from process start to first id, over bare Python", 30, None, "ttft", "ms", is_most=True
    )
    for encoding in BOTH:
        ours = first.row("process start", encoding)
        bare = first.row("process start", encoding, "python")
        if ours is not None and bare is not None:
            floor.add(encoding, (ours.median - bare.median) / 1e6)
    yield floor


def of_memory() -> Iterator[Floor]:
    """Yield bounds of memory."""
    found = index("memory")
    command = [row for row in found.rows if row.engine == "tokstream encode" and row.is_valid]
    bare = [row.high for row in found.rows if row.engine == "python"]
    mib = 1 << 20
    floor = Floor(
        "peak memory of the largest text over the smallest", 3, None, "memory", "MiB", is_most=True
    )
    over = Floor(
        "peak memory over bare Python, o200k_base", 60, None, "memory", "MiB", is_most=True
    )
    for text in dict.fromkeys(row.workload.partition(", ")[0] for row in command):
        peaks = [row.high for row in command if row.workload.startswith(text)]
        if len(peaks) > 1:
            floor.add(text, (max(peaks) - min(peaks)) / mib)
        if bare:
            over.add(text, (max(peaks) - min(bare)) / mib)
    yield floor
    yield over
    floor = Floor("an idle stream", 8, None, "memory", "KiB", is_most=True)
    for row in found.rows:
        if row.workload.endswith("idle stream") and row.is_valid:
            floor.add(row.encoding, row.median / 1024)
    yield floor


def of_threads() -> dict[tuple[str, str], float]:
    """Return the gain of a second thread by what is encoded, or hashed, and the encoding."""
    cores = index("cores")
    gains = {}
    for row in cores.rows:
        text, _, n = row.workload.rpartition(", ")
        twice = cores.row(f"{text}, 2 threads", row.encoding)
        if row.engine == "tokstream" and n == "1 threads" and twice is not None:
            gains[text, row.encoding] = row.median / twice.median
    return gains


def of_time() -> Iterator[Floor]:
    """Yield bounds of building, threads, ways to read, and worst cases."""
    built = index("ttft")
    floor = Floor("building an embedded encoding", 0.5, None, "ttft", "s", is_most=True)
    for encoding in BOTH:
        floor.add(encoding, median(built.row("build", encoding), 1e9))
    yield floor
    floor = Floor("two threads to one", 1.8, None, "cores")
    gains = of_threads()
    for (text, encoding), gain in gains.items():
        kind, _, shape = text.partition(", ")
        if shape != MACHINE:
            machine = gains.get((f"{kind}, {MACHINE}", encoding), math.nan)
            floor.add(f"{text}, {encoding}; hashing gains {machine:.2f}", gain)
    yield floor
    paths = index("paths")
    for name, bound in (("avx2", 0.75), ("scalar", 0.5)):
        floor = Floor(f"{name} to AVX-512, first pass", bound, None, "paths")
        for text in TEXTS:
            ratio = paths.ratio(
                f"{text}, first", "o200k_base", "tokstream avx512", f"tokstream {name}"
            )
            floor.add(text, ratio)
        yield floor
    floor = Floor("worst cases: time(2n) / time(n)", 2.2, None, "linear, lookback", is_most=True)
    for benchmark in ("linear", "lookback"):
        rows = Index(records.latest(benchmark))
        for row in rows.rows:
            base, _, n = row.workload.rpartition(" x")
            once = rows.row(f"{base} x1", row.encoding)
            if n == "2" and once is not None and row.is_valid:
                floor.add(base, row.median / once.median)
    yield floor


def median(row: Row | None, scale: float = 1) -> float | None:
    """Return a median in other units, if there is a row."""
    return None if row is None else row.median / scale


def as_table() -> str:
    """Tabulate all floors."""
    lines = []
    for floor in floors():
        sign = "≤" if floor.is_most else "≥"
        unit = f" {floor.unit}" if floor.unit else ""
        aim = "" if floor.aim is None else f"{sign} {floor.aim:g}"
        rows = records.latest(floor.benchmark.split(",")[0])
        date = rows[0].date[:10] if rows else ""
        cells = [floor.name, f"{sign} {floor.floor:g}{unit}", aim, words(floor), floor.verdict]
        lines.append([*cells, date])
    heads = "what | floor | aim | measured | | date"
    return table(heads, lines, "Where there are several measurements, the worst one, and of what.")


def words(floor: Floor) -> str:
    """Give what was measured: few values all, of many the worst."""
    if floor.worst is None:
        return f"`run.py {floor.benchmark.split(',')[0]}`"
    if len(floor.measured) <= 2:
        return ", ".join(f"{value:.3g} ({what})" for what, value in floor.measured.items())
    what = next(name for name, value in floor.measured.items() if value == floor.worst)
    return f"{floor.worst:.3g} ({what})"


def main() -> int:
    """Print all floors; return the exit code."""
    n_missed = 0
    for floor in floors():
        sign = "<=" if floor.is_most else ">="
        verdict = floor.verdict.strip("*")
        print(f"{verdict:12} {floor.name}: {words(floor)}; {sign} {floor.floor:g} {floor.unit}")
        n_missed += verdict == "missed"
    print(f"{n_missed} missed")
    return 1 if n_missed else 0


if __name__ == "__main__":
    sys.exit(main())
