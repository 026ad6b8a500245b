"""Pictures of what was measured: the newest records come in, SVG and PNG go to docs/pictures.

`report.py` calls it where matplotlib is installed. Each picture is drawn from one record and names
its date; a benchmark without a record has no picture.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import records
from speed_tables import Index

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from records import Row

__all__ = ["PICTURES", "draw"]

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures"
COLORS = {
    "tokstream": "#0b7285",
    "tokstream encode": "#0b7285",
    "gigatoken": "#e8590c",
    "tiktoken": "#868e96",
    "tokenizers": "#c2a500",
}
TEXTS = ("code", "english", "chinese")
MIB = 1 << 20


def draw() -> list[Path]:
    """Draw every picture that has a record; return the files."""
    import matplotlib as mpl  # noqa: PLC0415 - tables need no pictures

    mpl.use("svg")
    mpl.rcParams.update(
        {
            "svg.hashsalt": "tokstream",
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "legend.frameon": False,
        }
    )
    from matplotlib import pyplot as plt  # noqa: PLC0415

    paths = []
    for name, (benchmark, n_columns, fill) in PICTURES.items():
        rows = [row for row in records.latest(benchmark) if row.is_valid]
        if not rows:
            continue
        figure, axes = plt.subplots(
            1, n_columns, figsize=(3.4 * n_columns + 0.6, 3.4), layout="constrained", squeeze=False
        )
        fill(list(axes[0]), rows)
        paths += save(figure, name, rows[0])
        plt.close(figure)
    return paths


def save(figure: Figure, name: str, row: Row) -> list[Path]:
    """Write a picture in both formats, with the date and the machine below it."""
    figure.text(1, -0.02, f"{row.date[:10]}, {row.machine}", ha="right", va="top", fontsize=6)
    paths = [FOLDER / f"{name}.svg", FOLDER / f"{name}.png"]
    figure.savefig(paths[0], metadata={"Date": None}, bbox_inches="tight")
    figure.savefig(paths[1], dpi=120, metadata={"Software": None}, bbox_inches="tight")
    return paths


def throughput(axes: list[Axes], rows: list[Row]) -> None:
    """Draw bars of the first pass, one group for each encoding."""
    found = Index(rows)
    encodings = [name for name in found.encodings() if found.row("english, first", name)]
    engines = ("tokstream", "gigatoken", "tiktoken")
    for axis, text in zip(axes, TEXTS, strict=True):
        for k, engine in enumerate(engines):
            of_all = [found.row(f"{text}, first", name, engine) for name in encodings]
            rates = [1e3 * row.n_bytes / row.median if row else 0 for row in of_all]
            places = [n + (k - 1) * 0.27 for n in range(len(encodings))]
            axis.bar(places, rates, 0.25, label=engine, color=COLORS[engine])
        axis.set_xticks(range(len(encodings)), [name.removesuffix("_base") for name in encodings])
        axis.set_title(text)
    axes[0].set_ylabel("first pass, MB/s, one core")
    axes[-1].legend()


def first_ids(axes: list[Axes], rows: list[Row]) -> None:
    """Draw time to the first id against the size of the text."""
    (axis,) = axes
    for engine in ("tokstream", "gigatoken", "tiktoken", "tokenizers"):
        points = sorted(
            (row.n_bytes, row.median / 1e6)
            for row in rows
            if row.engine == engine
            and row.encoding == "o200k_base"
            and row.workload == f"english, {row.n_bytes}, at once, str"
        )
        lines(axis, points, engine)
    axis.set_xlabel("bytes of text at hand")
    axis.set_ylabel("first id after, ms")


def memory(axes: list[Axes], rows: list[Row]) -> None:
    """Draw peak memory against the size of the text."""
    for axis, text in zip(axes, TEXTS, strict=True):
        for engine in ("tokstream encode", "gigatoken", "tiktoken", "tokenizers"):
            points = sorted(
                (row.n_bytes / MIB, row.high / MIB)
                for row in rows
                if row.engine == engine and row.workload.startswith(f"{text}, ") and row.n_bytes
            )
            lines(axis, points, engine)
        axis.set_title(text)
        axis.set_xlabel("MiB of text")
        axis.set_ylim(10, 10_000)
    axes[0].set_ylabel("peak resident memory, MiB")


def streaming(axes: list[Axes], rows: list[Row]) -> None:
    """Draw throughput of chunks beside one call, and the delay."""
    rate, delay = axes
    for text in TEXTS:
        for axis, measure in ((rate, "relative"), (delay, "delay")):
            points = sorted(
                (int(size), row.median)
                for row in rows
                if row.encoding == "o200k_base"
                and (size := row.workload.removeprefix(f"{text}, ").removesuffix(f", {measure}"))
                and size.isdigit()
            )
            axis.plot(*zip(*points, strict=True), marker="o", markersize=3, label=text)
    for axis in axes:
        axis.set_xscale("log")
        axis.set_xlabel("bytes per chunk")
    rate.set_ylabel("arrays, rate beside one call")
    rate.axhline(1, color="#ced4da", linewidth=0.8)
    delay.set_ylabel("mean delay, bytes")
    delay.legend()


def lines(axis: Axes, points: Sequence[tuple[float, float]], engine: str) -> None:
    """Draw one engine on logarithmic scales, if it was measured."""
    if points:
        axis.plot(
            *zip(*points, strict=True),
            marker="o",
            markersize=3,
            label=engine.split(maxsplit=1)[0],
            color=COLORS[engine],
        )
    axis.set_xscale("log")
    axis.set_yscale("log")
    if points:
        axis.legend(fontsize=7)


PICTURES: dict[str, tuple[str, int, Callable[[list[Axes], list[Row]], None]]] = {
    "bench-throughput": ("throughput", 3, throughput),
    "bench-first-ids": ("ttft", 1, first_ids),
    "bench-memory": ("memory", 3, memory),
    "bench-streaming": ("streaming", 2, streaming),
}
"""By file: the benchmark whose record it shows, columns, and what draws them."""
