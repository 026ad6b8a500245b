"""Special tokens by their definition, slowly: what a text gives under a choice of special tokens.

Enters: a text, the special tokens that are honoured and the strings that are refused.
Leaves: segments (text or id), or the place and name of the refused string.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

__all__ = ["Refused", "find_refused", "is_ambiguous", "join_texts", "resolve", "split"]

Segment = str | int


@dataclass(frozen=True)
class Refused:
    """A refused string: where it begins, in bytes, and the longest one there."""

    offset: int
    token: str


def resolve(
    names: Collection[str],
    allowed: str | Collection[str] | None,
    disallowed: str | Collection[str] | None,
) -> tuple[frozenset[str], frozenset[str]]:
    """Return what is honoured and what is refused; None is the reference's default."""
    honoured = frozenset(names) if allowed == "all" else frozenset(allowed or ())
    if disallowed is None or disallowed == "all":
        return honoured, frozenset(names) - honoured
    return honoured, frozenset(disallowed)


def _at(text: str, i: int, names: Iterable[str]) -> list[str]:
    return [name for name in names if text.startswith(name, i)]


def find_refused(text: str, refused: Collection[str]) -> Refused | None:
    """Find the leftmost, then longest, refused string; it counts wherever it occurs."""
    for i in range(len(text)):
        if found := _at(text, i, refused):
            return Refused(len(text[:i].encode()), max(found, key=len))
    return None


def split(text: str, honoured: Mapping[str, int]) -> list[Segment]:
    """Split at honoured special tokens, leftmost then longest; no segment is empty."""
    segments: list[Segment] = []
    begin = i = 0
    while i < len(text):
        if found := _at(text, i, honoured):
            name = max(found, key=len)
            segments += [text[begin:i], honoured[name]]
            begin = i = i + len(name)
        else:
            i += 1
    segments.append(text[begin:])
    return [segment for segment in segments if segment != ""]


def join_texts(segments: Iterable[Segment]) -> list[Segment]:
    """Join neighbouring texts: they are one text to the pattern."""
    joined: list[Segment] = []
    for segment in segments:
        if joined and isinstance(segment, str) and isinstance(joined[-1], str):
            joined[-1] += segment
        else:
            joined.append(segment)
    return joined


def is_ambiguous(text: str, names: Collection[str]) -> bool:
    """Do two names begin at one place? Then the reference's choice depends on a hash order."""
    return any(len(_at(text, i, names)) > 1 for i in range(len(text)))
