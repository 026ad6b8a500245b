r"""The syntax tree of a pattern.

In: nothing. Out: the node types the parser builds and the compiler reads. Dialect, flags and
names are gone at this level: a node says exactly which code points it stands for. Capturing groups
are plain groups. Every node knows its `offset`, in characters from the start of the pattern.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokstream.patterns.classes import CodePoints

__all__ = ["Alternation", "Atomic", "Chars", "Condition", "Node", "Repeat", "Sequence"]


@dataclass(frozen=True, slots=True)
class Chars:
    """Exactly one code point, out of `members` (never matches if that set is empty)."""

    members: CodePoints
    offset: int


@dataclass(frozen=True, slots=True)
class Condition:
    """Nothing, provided the next symbol is in `members`, or is the end if `at_end`.

    Lookahead on one code point, its negation and the end-of-text anchors all come to this.
    """

    members: CodePoints
    at_end: bool
    offset: int


@dataclass(frozen=True, slots=True)
class Sequence:
    """All `parts`, one after the other; no parts: the empty string."""

    parts: tuple[Node, ...]
    offset: int


@dataclass(frozen=True, slots=True)
class Alternation:
    """The first of `choices` with which the whole pattern matches."""

    choices: tuple[Node, ...]
    offset: int


@dataclass(frozen=True, slots=True)
class Repeat:
    """`low` to `high` times `body` (`high` None: no limit), as many as possible if `greedy`."""

    body: Node
    low: int
    high: int | None
    greedy: bool
    offset: int


@dataclass(frozen=True, slots=True)
class Atomic:
    """The first way `body` matches, and no other (possessive repeats, atomic groups)."""

    body: Node
    offset: int
    construct: str


Node = Chars | Condition | Sequence | Alternation | Repeat | Atomic
