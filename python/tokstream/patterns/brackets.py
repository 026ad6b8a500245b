r"""Bracketed character classes, nested and with set operations.

In: a cursor behind an opening bracket. Out: the set of code points. Refused: notation on which the
engines differ in ways that are not worth knowing, such as ``--`` at the beginning of a class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokstream.patterns.classes import CodePoints
from tokstream.patterns.dialects import has_full_folding, posix_set
from tokstream.patterns.escapes import parse_escape

if TYPE_CHECKING:
    from tokstream.patterns.cursor import Cursor

__all__ = ["MAX_CLASS_NESTING", "parse_class"]

MAX_CLASS_NESTING = 60


def parse_class(cursor: Cursor, offset: int, depth: int = 1) -> CodePoints:
    """Read a class; the bracket at `offset` was consumed.

    Raises:
        PatternError: a class that is not closed, or notation that is refused, with its offset.
    """
    if depth > MAX_CLASS_NESTING:
        cursor.fail(f"classes nested deeper than {MAX_CLASS_NESTING}", "flatten them", offset)
    onig_folding = cursor.flags.ignore_case and cursor.dialect.full_case_folding
    if onig_folding and depth > 1:
        cursor.fail("nested class that ignores case", "move it out of the (?i) group", offset)
    negated = cursor.take("^")
    if cursor.text.startswith("--", cursor.at):
        cursor.fail("-- at the beginning of a class", "escape the first -")
    members, closed = _union(cursor, offset, depth, may_begin_with_bracket=True)
    while not closed:
        operation = cursor.next() + cursor.next()
        if onig_folding:
            cursor.fail(f"{operation} in a class that ignores case", "write the set out", offset)
        right, closed = _union(cursor, offset, depth, may_begin_with_bracket=False)
        if operation == "&&":
            members = members & right
        elif operation == "--":
            members = members - right
        else:
            members = members ^ right
    if onig_folding and has_full_folding(members):
        cursor.fail(
            "class that ignores case and has characters that fold to several",
            "move it out of the (?i) group",
            offset,
        )
    return ~members if negated else members


def _union(
    cursor: Cursor, offset: int, depth: int, *, may_begin_with_bracket: bool
) -> tuple[CodePoints, bool]:
    """Read items up to an operator (left unread) or the closing bracket (consumed, then True)."""
    operations = cursor.dialect.set_operations
    ranges: list[tuple[int, int]] = []
    first = may_begin_with_bracket
    while True:
        if cursor.done:
            cursor.fail("class that is not closed", "add ]", offset)
        if not first and cursor.take("]"):
            return CodePoints.of(ranges), True
        two = cursor.text[cursor.at : cursor.at + 2]
        if two in operations:
            return CodePoints.of(ranges), False
        if two == "--":
            cursor.fail("-- in a class", "escape the -")
        first = False
        ranges.extend(_item_or_range(cursor, depth).ranges)


def _item_or_range(cursor: Cursor, depth: int) -> CodePoints:
    at = cursor.at
    item, is_character = _item(cursor, depth)
    dash, after = cursor.peek(), cursor.text[cursor.at + 1 : cursor.at + 2]
    if dash != "-" or after in ("]", "", "-"):
        return cursor.cased(item) if is_character else item
    if not is_character:
        cursor.fail("range that begins with a set", "escape the -", at)
    cursor.at += 1
    last, is_character = _item(cursor, depth)
    if not is_character:
        cursor.fail("range that ends with a set", "escape the -", at)
    start, end = item.ranges[0][0], last.ranges[0][0]
    if start > end:
        cursor.fail("range with the larger end first", "swap its ends", at)
    return cursor.cased(CodePoints.of(((start, end),)))


def _item(cursor: Cursor, depth: int) -> tuple[CodePoints, bool]:
    """Read one character (not yet case-folded, True) or one set (False)."""
    offset = cursor.at
    character = cursor.next()
    if character == "\\":
        return parse_escape(cursor, offset, in_class=True)
    if character != "[":
        return CodePoints.single(ord(character)), True
    if cursor.peek() == ":":
        return _posix(cursor, offset), False
    return parse_class(cursor, offset, depth + 1), False


def _posix(cursor: Cursor, offset: int) -> CodePoints:
    end = cursor.text.find(":]", cursor.at + 1)
    name = cursor.text[cursor.at + 1 : end] if end > 0 else ""
    negated = name.startswith("^")
    members = posix_set(cursor.dialect, name.removeprefix("^"))
    if members is None:
        cursor.fail(f"class [:{name[:20]}", "check its name, or escape the [", offset)
    if cursor.flags.ignore_case and cursor.dialect.full_case_folding:
        cursor.fail("POSIX class that ignores case", "move it out of the (?i) group", offset)
    cursor.at = end + 2
    members = cursor.cased(members)
    return ~members if negated else members
