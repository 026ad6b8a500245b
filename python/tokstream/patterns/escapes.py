r"""Escapes that stand for one code point: ``\p{L} \s \d \w \h \n \x41 \u{1F600} \.`` and so on.

In: a cursor behind a backslash. Out: the set of code points. Used inside and outside classes.
"""

from __future__ import annotations

from tokstream.patterns.classes import MAX_CODE_POINT, CodePoints, named_property
from tokstream.patterns.cursor import Cursor
from tokstream.patterns.dialects import property_points

__all__ = ["parse_escape"]

_CONTROLS = {"n": 0x0A, "r": 0x0D, "t": 0x09, "f": 0x0C, "v": 0x0B, "a": 0x07, "e": 0x1B}
_HEX = frozenset("0123456789abcdefABCDEF")
_PUNCTUATION = frozenset("\\.+*?()|[]{}^$#&-~/!\"%',:;<=>@_` ")


def parse_escape(cursor: Cursor, offset: int) -> CodePoints:
    """Read one escape; the backslash at `offset` was consumed.

    Raises:
        PatternError: an escape that is unknown or stands for no set of code points.
    """
    letter = cursor.next()
    if letter in "pP":
        return _property(cursor, offset, negated=letter == "P")
    shorthand = _shorthand(letter.lower())
    if shorthand is not None:
        members = cursor.cased(shorthand)
        return ~members if letter.isupper() else members
    if letter in _CONTROLS:
        return CodePoints.single(_CONTROLS[letter])
    if letter in "xuU":
        return cursor.cased(CodePoints.single(_number(cursor, offset, letter)))
    if letter in _PUNCTUATION:
        return cursor.cased(CodePoints.single(ord(letter)))
    return cursor.fail(f"escape \\{letter}", "it stands for no single character", offset)


def _shorthand(letter: str) -> CodePoints | None:
    if letter == "s":
        return property_points("White_Space")
    if letter == "d":
        return property_points("Nd")
    if letter == "w":
        names = ("Alphabetic", "M", "Nd", "Pc", "Join_Control")
        points = CodePoints(())
        for name in names:
            points = points | property_points(name)
        return points
    if letter == "h":
        return CodePoints.from_text("0123456789abcdefABCDEF")
    return None


def _property(cursor: Cursor, offset: int, *, negated: bool) -> CodePoints:
    if cursor.take("{"):
        end = cursor.text.find("}", cursor.at)
        if end < 0:
            cursor.fail("property that is not closed", "add }", offset)
        name = cursor.text[cursor.at : end]
        cursor.at = end + 1
    else:
        name = cursor.next()
    if name.startswith("^"):
        name, negated = name[1:], not negated
    members = named_property(name)
    if members is None:
        cursor.fail(f"property {name!r}", "it is unknown; check its name", offset)
    members = cursor.cased(members)
    return ~members if negated else members


def _number(cursor: Cursor, offset: int, letter: str) -> int:
    if cursor.take("{"):
        end = cursor.text.find("}", cursor.at)
        digits = cursor.text[cursor.at : end] if end > 0 else ""
        after = end + 1
    else:
        after = cursor.at + {"x": 2, "u": 4, "U": 8}[letter]
        digits = cursor.text[cursor.at : after]
        if len(digits) < after - cursor.at:
            digits = ""
    if not digits or len(digits) > 8 or not _HEX.issuperset(digits):
        cursor.fail(f"escape \\{letter}", "write hexadecimal digits after it", offset)
    value = int(digits, 16)
    if value > MAX_CODE_POINT or 0xD800 <= value <= 0xDFFF:
        cursor.fail(f"code point U+{value:04X}", "it is no Unicode scalar value", offset)
    cursor.at = after
    return value
