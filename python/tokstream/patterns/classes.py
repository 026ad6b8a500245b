"""Sets of code points, and the classes a pattern can tell apart.

In: inclusive ranges (Unicode properties come from the native core). Out: `CodePoints`, a set with
the usual algebra, and `Partition`, the coarsest division of all code points such that every set of
a pattern is a union of its classes. Nothing is held back: all values are immutable.

Surrogates (U+D800..U+DFFF) are in no set: they cannot occur in UTF-8 text.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from tokstream._core import fold_case, unicode_property

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["MAX_CODE_POINT", "CodePoints", "Partition", "named_property", "partition"]

MAX_CODE_POINT = 0x10FFFF
_FIRST_SURROGATE, _LAST_SURROGATE = 0xD800, 0xDFFF
_SCALARS = ((0, _FIRST_SURROGATE - 1), (_LAST_SURROGATE + 1, MAX_CODE_POINT))
_BLOCK = 64  # code points per block of the two-level class table

Ranges = tuple[tuple[int, int], ...]


def _normal(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Sort, join what touches; O(n log n) for n ranges."""
    merged: list[tuple[int, int]] = []
    last_start, last_end = 0, -2
    for start, end in sorted(ranges):
        if start <= last_end + 1:
            if end > last_end:
                last_end = end
                merged[-1] = (last_start, end)
        else:
            last_start, last_end = start, end
            merged.append((start, end))
    return tuple(merged)


def _negated(ranges: Ranges) -> Ranges:
    """All code points (surrogates included) outside sorted disjoint `ranges`."""
    gaps: list[tuple[int, int]] = []
    after = 0
    for start, end in ranges:
        if after < start:
            gaps.append((after, start - 1))
        after = end + 1
    if after <= MAX_CODE_POINT:
        gaps.append((after, MAX_CODE_POINT))
    return tuple(gaps)


def _common(left: Ranges, right: Ranges) -> Ranges:
    """Intersection of two sorted disjoint sequences of ranges; linear."""
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < len(left) and j < len(right):
        start = max(left[i][0], right[j][0])
        end = min(left[i][1], right[j][1])
        if start <= end:
            found.append((start, end))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return tuple(found)


@dataclass(frozen=True, slots=True)
class CodePoints:
    """An immutable set of code points.

    Attributes:
        ranges: inclusive ranges, sorted, disjoint, not touching, without surrogates.
    """

    ranges: Ranges

    @classmethod
    def of(cls, ranges: Iterable[tuple[int, int]]) -> CodePoints:
        """Build the set from inclusive ranges in any order; surrogates are dropped."""
        merged = _normal(ranges)
        for start, end in merged:
            if start <= _LAST_SURROGATE and end >= _FIRST_SURROGATE:
                return cls(_common(merged, _SCALARS))
        return cls(merged)

    @classmethod
    def single(cls, code_point: int) -> CodePoints:
        """Build the set of one code point."""
        return cls.of(((code_point, code_point),))

    @classmethod
    def from_text(cls, text: str) -> CodePoints:
        """Build the set of the characters of `text`."""
        return cls.of((ord(c), ord(c)) for c in text)

    def __or__(self, other: CodePoints) -> CodePoints:
        return CodePoints.of(self.ranges + other.ranges)

    def __and__(self, other: CodePoints) -> CodePoints:
        return CodePoints(_common(self.ranges, other.ranges))

    def __sub__(self, other: CodePoints) -> CodePoints:
        return CodePoints(_common(self.ranges, _negated(other.ranges)))

    def __xor__(self, other: CodePoints) -> CodePoints:
        return (self | other) - (self & other)

    def __invert__(self) -> CodePoints:
        return CodePoints.of(_negated(self.ranges))

    def __contains__(self, code_point: int) -> bool:
        return any(start <= code_point <= end for start, end in self.ranges)

    def __bool__(self) -> bool:
        return bool(self.ranges)

    def __len__(self) -> int:
        return sum(end - start + 1 for start, end in self.ranges)

    def folded(self) -> CodePoints:
        """Close the set under simple case folding (the core's Unicode version)."""
        return CodePoints.of(fold_case(list(self.ranges)))


@lru_cache(maxsize=256)
def named_property(name: str) -> CodePoints | None:
    r"""Set of the code points with property `name` as in ``\p{name}``; None if unknown."""
    ranges = unicode_property(name)
    return None if ranges is None else CodePoints.of(ranges)


@dataclass(frozen=True, slots=True)
class Partition:
    """Division of all code points into classes, numbered by their lowest code point.

    Attributes:
        runs: (first code point, class) of each run of equal class, ascending, from 0 on.
        members: for each set given to `partition`, a bit mask of the classes it consists of.
        n_classes: number of classes, at least 1.
    """

    runs: tuple[tuple[int, int], ...]
    members: tuple[int, ...]
    n_classes: int

    def tables(self, renumber: Sequence[int]) -> tuple[array[int], array[int]]:
        """Two-level look-up table of the classes after `renumber`.

        Args:
            renumber: new number of each class, below 256.

        Returns:
            `class_index` (17,408 x u16) and `class_blocks` (64 x blocks, u8); equal blocks are
            stored once, in order of first use.
        """
        flat = bytearray(MAX_CODE_POINT + 1)
        ends = [start for start, _ in self.runs[1:]]
        ends.append(MAX_CODE_POINT + 1)
        for (start, number), end in zip(self.runs, ends, strict=True):
            value = renumber[number]
            if value:
                flat[start:end] = bytes((value,)) * (end - start)
        known: dict[bytes, int] = {}
        data = bytes(flat)
        index = array(
            "H",
            [
                known.setdefault(data[at : at + _BLOCK], len(known))
                for at in range(0, MAX_CODE_POINT + 1, _BLOCK)
            ],
        )
        return index, array("B", b"".join(known))


def partition(sets: Sequence[CodePoints]) -> Partition:
    """Coarsest partition that every one of `sets` respects.

    Cost: O(r log r + r s / w) for r ranges in s sets (masks are integers of s bits).
    """
    toggles: dict[int, int] = {0: 0}
    for number, members in enumerate(sets):
        bit = 1 << number
        for start, end in members.ranges:
            toggles[start] = toggles.get(start, 0) ^ bit
            toggles[end + 1] = toggles.get(end + 1, 0) ^ bit
    # Surrogates are in no set; they join the class of U+0000 instead of making one of their own.
    toggles.setdefault(_FIRST_SURROGATE, 0)
    toggles.setdefault(_LAST_SURROGATE + 1, 0)
    toggles.pop(MAX_CODE_POINT + 1, None)

    numbers: dict[int, int] = {}
    runs: list[tuple[int, int]] = []
    mask = 0
    for start in sorted(toggles):
        mask ^= toggles[start]
        number = 0 if start == _FIRST_SURROGATE else numbers.setdefault(mask, len(numbers))
        if not runs or runs[-1][1] != number:
            runs.append((start, number))
    masks = [0] * len(sets)
    for mask, number in numbers.items():
        rest = mask
        while rest:
            low = rest & -rest
            masks[low.bit_length() - 1] |= 1 << number
            rest ^= low
    return Partition(tuple(runs), tuple(masks), len(numbers))
