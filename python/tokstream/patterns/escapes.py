r"""Escapes that stand for one code point: ``\p{L} \s \d \w \h \n \x41 \u{1F600} \.`` and so on.

In: a cursor behind a backslash. Out: the set of code points, and whether it was written as one
character (which can begin or end a range). Used inside and outside classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokstream.patterns.classes import MAX_CODE_POINT, CodePoints
from tokstream.patterns.dialects import NEWLINE, property_set, shorthand_set

if TYPE_CHECKING:
    from tokstream.patterns.cursor import Cursor

__all__ = ["parse_escape"]

_CONTROLS = {"n": 0x0A, "r": 0x0D, "t": 0x09, "f": 0x0C, "v": 0x0B, "a": 0x07, "e": 0x1B}
_HEX = frozenset("0123456789abcdefABCDEF")
_ANYTHING = ~CodePoints(())
_REFUSED = {
    "A": "start anchor \\A",
    "G": "start anchor \\G",
    "Z": "end anchor \\Z",
    "z": "end anchor \\z",
    "b": "word boundary \\b",
    "B": "word boundary \\B",
    "y": "text segment boundary \\y",
    "Y": "text segment boundary \\Y",
    "K": "match reset \\K",
    "R": "line break sequence \\R",
    "X": "grapheme cluster \\X",
    "k": "backreference \\k",
    "g": "recursion \\g",
    "<": "word boundary \\<",
    ">": "word boundary \\>",
}


def parse_escape(cursor: Cursor, offset: int, *, in_class: bool) -> tuple[CodePoints, bool]:
    """Read one escape; the backslash at `offset` was consumed.

    Returns:
        The set, closed under case folding unless it is one character, and whether it is one.

    Raises:
        PatternError: an escape that is unknown or stands for no set of code points.
    """
    letter = cursor.next()
    members = _set(cursor, offset, letter, in_class=in_class)
    if members is not None:
        return members, False
    return CodePoints.single(_character(cursor, offset, letter, in_class=in_class)), True


def _set(cursor: Cursor, offset: int, letter: str, *, in_class: bool) -> CodePoints | None:
    """Set that an escape stands for; None if it is no set."""
    if letter in ("p", "P"):
        return _property(cursor, offset, in_class=in_class, negated=letter == "P")
    if not in_class and letter in ("N", "O"):
        return _ANYTHING - NEWLINE if letter == "N" else _ANYTHING
    members = shorthand_set(cursor.dialect, letter.lower(), in_class=in_class)
    if members is None or letter.islower():
        return members
    if in_class:
        _refuse_folding(cursor, offset, f"\\{letter}")
    return ~members


def _character(cursor: Cursor, offset: int, letter: str, *, in_class: bool) -> int:
    """Code point that an escape stands for."""
    if letter in _CONTROLS:
        return _CONTROLS[letter]
    if in_class and letter == "b":
        return 0x08
    if letter in ("x", "u", "U"):
        return _number(cursor, offset, letter)
    if not in_class and letter in _REFUSED:
        if letter not in "<>" or cursor.dialect.word_boundaries:
            cursor.fail(_REFUSED[letter], "write it in another way", offset)
    elif letter.isascii() and letter.isalnum():
        what = "backreference" if "1" <= letter <= "9" and not in_class else "escape"
        cursor.fail(f"{what} \\{letter}", "rewrite the pattern without it", offset)
    return ord(letter)


def _refuse_folding(cursor: Cursor, offset: int, what: str) -> None:
    """Refuse what Oniguruma folds in a way of its own."""
    if cursor.flags.ignore_case and cursor.dialect.full_case_folding:
        cursor.fail(f"{what} in a class that ignores case", "move it out of the (?i) group", offset)


def _property(cursor: Cursor, offset: int, *, in_class: bool, negated: bool) -> CodePoints:
    dialect = cursor.dialect
    if cursor.take("{"):
        end = cursor.text.find("}", cursor.at)
        if end < 0:
            cursor.fail("property that is not closed", "add }", offset)
        name = cursor.text[cursor.at : end]
        cursor.at = end + 1
    elif dialect.short_properties:
        name = cursor.next()
    else:
        cursor.fail("property without braces", "write \\p{...}", offset)
    if name.startswith("^"):
        name, negated = name[1:], not negated
    members = property_set(dialect, name)
    if members is None:
        cursor.fail(f"property {name!r}", "its meaning is unknown; check the name", offset)
    if dialect.full_case_folding:
        # Outside a class, Oniguruma does not fold properties.
        if in_class:
            _refuse_folding(cursor, offset, f"property {name!r}")
    else:
        members = cursor.cased(members)
    return ~members if negated else members


def _number(cursor: Cursor, offset: int, letter: str) -> int:
    dialect = cursor.dialect
    braces = cursor.take("{")
    if not dialect.scalar_escapes and (letter == "U" or (letter == "u" and braces)):
        cursor.fail(f"escape \\{letter}", "write \\x{...}", offset)
    if braces:
        end = cursor.text.find("}", cursor.at)
        digits = cursor.text[cursor.at : end] if end > 0 else ""
        after = end + 1
        complete = 1 <= len(digits) <= 8
    else:
        length = {"x": 2, "u": 4, "U": 8}[letter]
        after = cursor.at + length
        digits = cursor.text[cursor.at : after]
        complete = len(digits) == length
    if not complete or not _HEX.issuperset(digits):
        cursor.fail(f"escape \\{letter}", "write hexadecimal digits after it", offset)
    value = int(digits, 16)
    if value > MAX_CODE_POINT or 0xD800 <= value <= 0xDFFF:
        cursor.fail(f"code point U+{value:04X}", "it is no Unicode scalar value", offset)
    if dialect.byte_escapes and letter == "x" and not braces and value > 0x7F:
        cursor.fail(f"byte escape \\x{digits}", "write the code point as \\x{...}", offset)
    cursor.at = after
    return value
