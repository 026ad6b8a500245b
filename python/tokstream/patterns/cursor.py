"""Reading position in a pattern, with the flags in force there.

In: the pattern and its dialect. Out: characters one by one, and errors that name a construct, its
offset and a remedy.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from tokstream.errors import PatternError

if TYPE_CHECKING:
    from tokstream.patterns.classes import CodePoints
    from tokstream.patterns.dialects import Dialect

__all__ = ["Cursor", "Flags"]


@dataclass(frozen=True, slots=True)
class Flags:
    """Flags in force: case ignored, dot matches a newline too, `$` also before a newline."""

    ignore_case: bool = False
    dot_all: bool = False
    multi_line: bool = False


@dataclass(slots=True)
class Cursor:
    """Position `at` in `text`."""

    text: str
    dialect: Dialect
    at: int = 0
    flags: Flags = field(default_factory=Flags)

    @property
    def done(self) -> bool:
        """Whether the whole pattern was read."""
        return self.at >= len(self.text)

    def peek(self) -> str:
        """Next character, not consumed; empty at the end."""
        return self.text[self.at : self.at + 1]

    def next(self) -> str:
        """Consume one character.

        Raises:
            PatternError: at the end of the pattern.
        """
        if self.done:
            self.fail("unexpected end of the pattern", "complete it")
        character = self.text[self.at]
        self.at += 1
        return character

    def take(self, expected: str) -> bool:
        """Consume `expected` if it comes next."""
        if self.text.startswith(expected, self.at):
            self.at += len(expected)
            return True
        return False

    def fail(self, construct: str, remedy: str, offset: int | None = None) -> NoReturn:
        """Raise a `PatternError` about `construct` at `offset` (default: here)."""
        where = self.at if offset is None else offset
        raise PatternError(f"{construct} at offset {where} is not supported; {remedy}", where)

    def cased(self, members: CodePoints) -> CodePoints:
        """`members`, closed under case folding if the flag says so."""
        return members.folded() if self.flags.ignore_case else members
