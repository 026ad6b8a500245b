"""Tables of speed: rows of a record come in, Markdown goes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import models
import records
from layout import NO_ENGINES, rate, spread, table, when

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from records import Row

__all__ = ["SPEED_TABLES", "Index", "index"]

TEXTS = ("code", "english", "chinese", "multi")
THREE = TEXTS[:3]
MIB = 1 << 20


class Index:
    """Rows by workload, encoding and engine."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = list(rows)
        self._found = {(row.workload, row.encoding, row.engine): row for row in self.rows}

    def row(self, workload: str, encoding: str, engine: str = "tokstream") -> Row | None:
        """Return a row that is valid, or nothing."""
        found = self._found.get((workload, encoding, engine))
        return found if found is not None and found.is_valid else None

    def is_void(self, workload: str, encoding: str, engine: str) -> bool:
        """Whether there is a row, but its ids are wrong."""
        found = self._found.get((workload, encoding, engine))
        return found is not None and not found.is_valid

    def ratio(
        self, workload: str, encoding: str, theirs: str, ours: str = "tokstream"
    ) -> float | None:
        """Return their median time over ours."""
        a, b = self.row(workload, encoding, theirs), self.row(workload, encoding, ours)
        return None if a is None or b is None else a.median / b.median

    def encodings(self) -> list[str]:
        """List encodings in the order of the record."""
        return list(dict.fromkeys(row.encoding for row in self.rows))

    def engines(self) -> list[str]:
        """List engines, ours first."""
        return list(dict.fromkeys(["tokstream", *(row.engine for row in self.rows)]))


def index(benchmark: str) -> Index:
    """Read the newest record of a benchmark."""
    return Index(records.latest(benchmark))


def times(ratio: float | None) -> str:
    """Word a ratio."""
    if ratio is None:
        return "-"
    return f"{ratio:.0f}" if ratio >= 20 else f"{ratio:.1f}" if ratio >= 3 else f"{ratio:.2f}"


def ratios(rows: list[Row]) -> str:
    """Tabulate the first pass against the reference and gigatoken, for every tokenizer."""
    lines = []
    of_models = records.latest("models")
    for found, suffixes in ((Index(rows), ("",)), (Index(of_models), ("", ", of ranks"))):
        for encoding in found.encodings():
            reference = models.reference(encoding)
            names = [reference]
            if encoding in ("llama4", "tekken"):
                names = ["tiktoken", "tokenizers"]
            for name in names:
                cells = []
                for theirs in (name, "gigatoken"):
                    cells += [
                        times(first_ratio(found, text, suffixes, encoding, theirs))
                        for text in THREE
                    ]
                lines.append([encoding, name, *cells])
    heads = (
        "encoding | reference | code | English | Chinese | to gigatoken: code | English | Chinese"
    )
    return table(
        heads,
        lines,
        f"Medians of processes that see the text for the first time, {when([*rows, *of_models])}",
    )


def first_ratio(
    found: Index, text: str, suffixes: Sequence[str], encoding: str, theirs: str
) -> float | None:
    """Return the ratio of first passes, of whichever workload has it."""
    for suffix in suffixes:
        ratio = found.ratio(f"{text}{suffix}, first", encoding, theirs)
        if ratio is not None:
            return ratio
    return None


def passes(rows: list[Row]) -> str:
    """Tabulate rates of all passes, and the ratios."""
    found = Index(rows)
    engines = found.engines()
    lines = []
    for workload, encoding in dict.fromkeys(
        (row.workload, row.encoding) for row in rows if row.n_bytes
    ):
        cells = []
        for engine in engines:
            row = found.row(workload, encoding, engine)
            void = "void" if found.is_void(workload, encoding, engine) else "-"
            cells.append(void if row is None else rate(row))
        lines.append([workload, encoding, *cells])
    heads = " | ".join(["text, pass", "encoding", *(f"{name}, MB/s" for name in engines)])
    return table(heads, lines, f"Median (slowest to fastest), one core, {when(rows)}")


def first_ids(rows: list[Row]) -> str:
    """Tabulate the time to the first ids by size."""
    found = Index(rows)
    lines = []
    sizes = sorted({row.n_bytes for row in rows if row.workload.startswith("english, ")})
    for size in sizes:
        cells = [f"{size:,}"]
        cells += [
            micro(found.row(f"english, {size}, {measure}", "o200k_base"))
            for measure in OUR_MEASURES
        ]
        cells += [
            micro(found.row(f"english, {size}, at once, str", "o200k_base", engine))
            for engine in ("gigatoken", "tiktoken", "tokenizers")
        ]
        lines.append(cells)
    heads = (
        "bytes | new text | again: `str` | ASCII | bytes | arriving: first | last "
        "| gigatoken | tiktoken | tokenizers"
    )
    return table(heads, lines, f"Microseconds, medians; o200k_base, English. {when(rows)}")


OUR_MEASURES = (
    "at once, str",
    "again, str",
    "again, ASCII",
    "again, bytes",
    "arriving, first",
    "arriving, last",
)


def micro(row: Row | None) -> str:
    """Word a time in microseconds."""
    if row is None:
        return "-"
    value = row.median / 1e3
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def first_ratios(rows: list[Row]) -> str:
    """Tabulate how much sooner the first id comes than from the better of two others."""
    found = Index(rows)
    lines = []
    for encoding in models.EMBEDDED:
        cells = [encoding]
        for text in THREE:
            workload = f"{text}, 1000000, at once, str, texts"
            both = [found.ratio(workload, encoding, name) for name in ("gigatoken", "tiktoken")]
            known = [ratio for ratio in both if ratio is not None]
            cells.append(times(min(known)) if known else "-")
        lines.append(cells)
    return table(
        "encoding | code | English | Chinese",
        lines,
        "A megabyte; time to the first id of the better of tiktoken and gigatoken over ours. "
        f"{when(rows)}",
    )


def loading(rows: list[Row]) -> str:
    """Tabulate how long tokenizers take to load."""
    found = Index([*rows, *records.latest("models")])
    engines = found.engines()
    lines = []
    for encoding in found.encodings():
        loads = [found.row("load", encoding, engine) for engine in engines]
        cells = ["-" if row is None else f"{row.median / 1e6:,.0f}" for row in loads]
        lines.append([encoding, *cells])
    heads = " | ".join(["encoding", *(f"{name}, ms" for name in engines)])
    return table(
        heads,
        lines,
        f"Median of all processes, with imports; tokstream from prepared files. {when(found.rows)}",
    )


def starts(rows: list[Row]) -> str:
    """Tabulate the time from the start of a process to its first id."""
    lines = []
    bare = {row.encoding: row for row in rows if row.engine == "python"}
    for row in rows:
        if row.workload == "process start":
            over = (row.median - bare[row.encoding].median) / 1e6
            lines.append([row.encoding, row.engine, f"{row.median / 1e6:.0f}", f"{over:.0f}"])
        elif row.workload == "build":
            lines.append([row.encoding, "making the tables", f"{row.median / 1e6:.0f}", ""])
    return table("encoding | engine | ms | over bare Python, ms", lines, when(rows))


def memory(rows: list[Row]) -> str:
    """Tabulate peak memory by size of the text."""
    found = Index(rows)
    engines = [name for name in found.engines() if name not in (*NO_ENGINES, "tokstream")]
    lines = []
    for workload in dict.fromkeys(row.workload for row in rows if row.n_bytes):
        cells = []
        for engine in engines:
            row = found.row(workload, "o200k_base", engine)
            void = "void" if found.is_void(workload, "o200k_base", engine) else "-"
            cells.append(void if row is None else f"{row.high / MIB:,.1f}")
        text, _, size = workload.partition(", ")
        if size.isdigit():
            lines.append([text, f"{int(size) / MIB:,.0f}", *cells])
    bare, loaded = (
        max((row.high for row in rows if row.engine == name), default=0) / MIB
        for name in ("python", "loaded")
    )
    idle = [row.median for row in rows if row.workload.endswith("idle stream")]
    note = (
        f"MiB. Bare Python: {bare:.1f}; a process like the other engines', with tokstream and "
        f"o200k_base loaded: {loaded:.1f}. "
        f"One of a thousand idle streams: {max(idle, default=0) / 1024:.1f} KiB. {when(rows)}"
    )
    return table(" | ".join(["text", "MiB", *engines]), lines, note)


def chunks(rows: list[Row]) -> str:
    """Tabulate what chunks cost."""
    found = Index(rows)
    lines = []
    keys = dict.fromkeys(
        (*row.workload.split(", ")[:2], row.encoding)
        for row in rows
        if row.encoding == "o200k_base"
    )
    for text, size, encoding in keys:
        relative, in_list, p50, p99, delay = (
            found.row(f"{text}, {size}, {measure}", encoding)
            for measure in ("relative", "relative, list", "p50", "p99", "delay")
        )
        if relative is None or in_list is None or delay is None:
            continue
        most = f"{delay.max_delay_bytes or 0:,}"
        lines.append(
            [
                text,
                f"{int(size):,}",
                spread(relative),
                f"{in_list.median:.2f}",
                micro(p50),
                micro(p99),
                f"{delay.median:.1f}",
                most,
            ]
        )
    heads = (
        "text | bytes per chunk | arrays: rate / one call | lists | p50, µs | p99, µs "
        "| mean delay, bytes | largest"
    )
    return table(heads, lines, f"o200k_base. {when(rows)}")


def cores(rows: list[Row]) -> str:
    """Tabulate batches on one thread and on two."""
    found = Index(rows)
    lines = []
    for row in rows:
        text, _, n = row.workload.rpartition(", ")
        twice = found.row(f"{text}, 2 threads", row.encoding, row.engine)
        if n == "1 threads" and twice is not None:
            gain = f"{row.median / twice.median:.2f}"
            lines.append([text, row.encoding, row.engine, rate(row), rate(twice), gain])
    heads = "text | encoding | engine | one thread, MB/s | two, MB/s | gain"
    return table(heads, lines, when(rows))


def paths(rows: list[Row]) -> str:
    """Tabulate ways to read text, and their ratio to AVX-512."""
    found = Index(rows)
    lines = []
    for row in rows:
        best = found.row(row.workload, row.encoding, "tokstream avx512")
        if best is not None:
            ratio = f"{best.median / row.median:.2f}"
            lines.append([row.workload, row.engine.split()[1], rate(row), ratio])
    return table("text, pass | read by | MB/s | / AVX-512", lines, when(rows))


SPEED_TABLES: dict[str, tuple[str, Callable[[list[Row]], str]]] = {
    "ratios": ("throughput", ratios),
    "throughput": ("throughput", passes),
    "models": ("models", passes),
    "fresh": ("fresh", passes),
    "peers": ("peers", passes),
    "first_ids": ("ttft", first_ids),
    "first_ratios": ("ttft", first_ratios),
    "loading": ("throughput", loading),
    "starts": ("ttft", starts),
    "memory": ("memory", memory),
    "streaming": ("streaming", chunks),
    "cores": ("cores", cores),
    "paths": ("paths", paths),
}
"""By table: the benchmark whose record it is made of, and what makes it."""
