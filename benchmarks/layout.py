"""Words of tables: values of a record come in, cells and notes of Markdown go out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from records import Row

__all__ = ["NO_ENGINES", "circumstances", "rate", "spread", "table", "when"]

NO_ENGINES = ("python", "loaded")
"""What records compare engines with: bare Python, and tokstream without a text."""


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
    """Say when, where and with which versions; rows may be of several records."""
    first = rows[0]
    named = ((row.engine.split()[0].rstrip(","), row.version) for row in rows)
    versions = sorted({f"{name} {version}" for name, version in named if name not in NO_ENGINES})
    commits = " and ".join(dict.fromkeys(row.commit for row in rows))
    return (
        f"{first.date[:10]}, commit {commits}, "
        f"{first.machine}, Python {first.python}, {', '.join(versions)}."
    )
