r"""Unicode normalization forms, one character at a time.

Enters: text, cut anywhere between characters.
Leaves: normalized text, unit by unit, each with the bytes of input that it accounts for.
Held back: the last unit, while a character to come may still change it.

The tables are those of `unicodedata`, whose Unicode version (`unicodedata.unidata_version`) is
another one than that of the engine and of `tokenizers`: characters that one of them does not know
come out as they are there.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Literal, TypeAlias
from unicodedata import combining, decomposition, normalize

__all__ = ["Form", "FormName", "Mapped"]

Mapped: TypeAlias = tuple[str, int]
"""Output text, and how many UTF-8 bytes of the input it accounts for; either may be empty."""

FormName: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]

L_JAMO = range(0x1100, 0x1113)
V_JAMO = range(0x1161, 0x1176)
T_JAMO = range(0x11A8, 0x11C3)
LV_SYLLABLES = range(0xAC00, 0xD7A4, len(T_JAMO) + 1)


class Form:
    r"""NFC, NFD, NFKC or NFKD of a text that is still arriving.

    The text is cut into *units*, such that the form of the text is that of its units, one after
    another. A unit begins at each character whose decomposition begins with a starter (combining
    class 0) that no character before it composes with. So a starter and the marks behind it stay
    together, and so do the jamo of a Hangul syllable.

    The last unit is complete when another one begins; or before that, when it ends with a starter,
    decomposed, and in its form with one that composes with nothing: ǖ is no such unit, since a dot
    below would come before its other marks.

    >>> form = Form("NFC")
    >>> form.push("e"), form.push("\u0301"), form.push("漢x")      # x may become ẋ
    ([], [], [('é', 3), ('漢', 3)])
    >>> form.finish()
    [('x', 1)]
    >>> Form("NFD").push("ﬁé")               # a mark may still come before the acute
    [('ﬁ', 3)]

    Args:
        name: which form.

    Cost: O(n log n) for n characters; a unit has no greatest length, since marks have not.
    Source: Unicode Standard Annex 15.
    """

    def __init__(self, name: FormName) -> None:
        self._name = name
        self._composes = name in {"NFC", "NFKC"}
        self._decomposed: FormName = "NFKD" if name in {"NFKC", "NFKD"} else "NFD"
        self._unit = ""

    def push(self, text: str) -> list[Mapped]:
        """Take text, return the units that are complete."""
        out: list[Mapped] = []
        for character in text:
            if self._unit and self._begins_unit(character):
                out += self.finish()
            self._unit += character
            if self._is_complete():
                out += self.finish()
        return out

    def finish(self) -> list[Mapped]:
        """End the segment, return the last unit. Ready for another segment."""
        unit, self._unit = self._unit, ""
        return [(normalize(self._name, unit), len(unit.encode()))] if unit else []

    def _begins_unit(self, character: str) -> bool:
        first = normalize(self._decomposed, character)[0]
        if combining(first):
            return False
        return not (self._composes and first in composing_pairs()[1])

    def _is_complete(self) -> bool:
        # A long run of marks is not looked at again and again.
        if combining(self._unit[-1]) or combining(normalize(self._decomposed, self._unit)[-1]):
            return False  # another mark may come before this one
        return not (
            self._composes and normalize(self._name, self._unit)[-1] in composing_pairs()[0]
        )


@cache
def composing_pairs() -> tuple[frozenset[str], frozenset[str]]:
    """Return the characters that compose with one behind them, and those with one before them.

    Cost: a look at every code point, once.
    """
    first = {chr(k) for k in (*L_JAMO, *LV_SYLLABLES)}
    second = {chr(k) for k in (*V_JAMO, *T_JAMO)}
    for composite in map(chr, range(sys.maxunicode + 1)):
        parts = decomposition(composite).split()
        # compatibility decompositions begin with a <tag>; some composites are never composed
        if len(parts) == 2 and parts[0][0] != "<" and normalize("NFC", composite) == composite:
            first.add(chr(int(parts[0], 16)))
            second.add(chr(int(parts[1], 16)))
    return frozenset(first), frozenset(second)
