"""Progress of long work: counts come in, one line on a terminal goes out, rewritten in place.

Only if stderr is a terminal, only after the first second, at most ten times a second. Plain text:
a library for terminals would cost more start-up time than most runs of this command take.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Progress", "human_bytes"]

FIRST_AFTER_SECONDS: Final = 1.0
EVERY_SECONDS: Final = 0.1


class Progress:
    """A context manager around long work; the line is wiped when it ends.

    Args:
        total_bytes: input size, None if unknown (then no percentage and no ETA).
        enabled: False to stay silent whatever stderr is.
    """

    def __init__(self, total_bytes: int | None, *, enabled: bool = True) -> None:
        self.total_bytes = total_bytes
        self.enabled = enabled and sys.stderr is not None and sys.stderr.isatty()
        self.n_bytes = 0
        self.started = time.monotonic()
        self.next_at = self.started + FIRST_AFTER_SECONDS
        self.is_shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.wipe()

    def wipe(self) -> None:
        """Free the terminal's line, for the end or for other output."""
        if self.is_shown:
            self.show("")

    def advance(self, n_bytes: int, n_tokens: int) -> None:
        """Note `n_bytes` more bytes of input, and the `n_tokens` tokens there are in all."""
        self.n_bytes += n_bytes
        if not self.enabled:
            return
        now = time.monotonic()
        if now >= self.next_at:
            self.next_at = now + EVERY_SECONDS
            self.show(self.line(n_tokens, now - self.started))

    def line(self, n_tokens: int, seconds: float) -> str:
        """Word the state after `seconds` (> 0)."""
        rate = self.n_bytes / seconds
        parts = [human_bytes(self.n_bytes), f"{human_bytes(rate)}/s", f"{n_tokens:,} tokens"]
        if self.total_bytes:
            share = min(self.n_bytes / self.total_bytes, 1.0)
            parts[0] = f"{share:4.0%}  {parts[0]} of {human_bytes(self.total_bytes)}"
            left = max(self.total_bytes - self.n_bytes, 0) / rate if rate else None
            parts.append("ETA " + ("-" if left is None else clock(left)))
        return "  ".join(parts)

    def show(self, line: str) -> None:
        """Rewrite the terminal's line; a terminal that has gone is no error."""
        try:
            width = os.get_terminal_size(sys.stderr.fileno()).columns or 80
            sys.stderr.write("\r" + line[: width - 1] + "\x1b[K")
            sys.stderr.flush()
        except (OSError, ValueError):
            self.enabled = False
        self.is_shown = bool(line)


def human_bytes(n_bytes: float) -> str:
    """Give a size in decimal units, as `1.5 MB`."""
    for unit in ("B", "kB", "MB", "GB"):
        if n_bytes < 999.5:
            return f"{n_bytes:.0f} {unit}" if unit == "B" else f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.3g} TB"


def clock(seconds: float) -> str:
    """Give a duration as `m:ss` or `h:mm:ss`."""
    minutes, s = divmod(round(seconds), 60)
    hours, m = divmod(minutes, 60)
    return f"{hours}:{m:02}:{s:02}" if hours else f"{m}:{s:02}"
