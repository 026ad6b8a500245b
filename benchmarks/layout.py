"""Words of tables: values of a record come in, cells and notes of Markdown go out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from records import Row

__all__ = ["circumstances", "rate", "spread", "table", "when"]


def table(heads: str, lines: Iterable[Sequence[str]], note: str) -> str:
    """Return a table with a note below it; `heads` are separated by bars."""
    columns = heads.split(" | ")
    text = [f"| {' | '.join(row)} |" for row in (columns, *lines)]
    text.insert(1, "|---" * len(columns) + "|")
    return "\n".join(text) + f"\n\n{note}\n"


def rate(row: Row) -> str:
    """Give MB/s with its spread."""
    median, low, high = (1e3 * row.n_bytes / ns for ns in (row.median, row.high, row.low))
    return f"{median:.1f} ({low:.1f}-{high:.1f})"


def spread(row: Row) -> str:
    """Give a ratio with its spread."""
    return f"{row.median:.2f} ({row.low:.2f}-{row.high:.2f})"


def circumstances(rows: list[Row]) -> str:
    """Say how often, when, where and with which versions."""
    n_rounds = rows[0].n_rounds
    return f"{n_rounds} {'process' if n_rounds == 1 else 'processes'} each, {when(rows)}"


def when(rows: list[Row]) -> str:
    """Say how often, when, where and with which versions."""
    first = rows[0]
    versions = sorted(
        {f"{row.engine.split()[0].rstrip(',')} {row.version}" for row in rows}
        - {f"python {first.python}", f"loaded {first.version}"}
    )
    return (
        f"{first.date[:10]}, commit {first.commit}, "
        f"{first.machine}, Python {first.python}, {', '.join(versions)}."
    )
