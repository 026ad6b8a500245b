r"""Bracketed character classes, nested and with set operations.

In: a cursor behind an opening bracket. Out: the set of code points.
"""

from __future__ import annotations

from tokstream.patterns.classes import CodePoints
from tokstream.patterns.cursor import Cursor
from tokstream.patterns.escapes import parse_escape

__all__ = ["MAX_CLASS_NESTING", "parse_class"]

MAX_CLASS_NESTING = 60
_OPERATIONS = ("&&", "--", "~~")


def parse_class(cursor: Cursor, offset: int, depth: int = 1) -> CodePoints:
    """Read a class; the bracket at `offset` was consumed.

    Raises:
        PatternError: a class that is not closed, empty, or has a range that is upside down.
    """
    if depth > MAX_CLASS_NESTING:
        cursor.fail(f"classes nested deeper than {MAX_CLASS_NESTING}", "flatten them", offset)
    negated = cursor.take("^")
    left: CodePoints | None = None
    operation = ""
    while True:
        right = _union(cursor, offset, depth)
        left = right if left is None else _combine(left, operation, right)
        if cursor.take("]"):
            return ~left if negated else left
        operation = cursor.next() + cursor.next()


def _combine(left: CodePoints, operation: str, right: CodePoints) -> CodePoints:
    if operation == "&&":
        return left & right
    return left - right if operation == "--" else left ^ right


def _union(cursor: Cursor, offset: int, depth: int) -> CodePoints:
    """Read items up to an operation or the closing bracket."""
    ranges: list[tuple[int, int]] = []
    first = True
    while True:
        if cursor.done:
            cursor.fail("class that is not closed", "add ]", offset)
        if cursor.peek() == "]" and not first:
            break
        if not first and cursor.text[cursor.at : cursor.at + 2] in _OPERATIONS:
            break
        first = False
        at = cursor.at
        item, is_single = _item(cursor, depth)
        follows = cursor.text[cursor.at : cursor.at + 2]
        if is_single and follows[:1] == "-" and follows[1:] not in ("]", "-", ""):
            cursor.at += 1
            last, is_single = _item(cursor, depth)
            if not is_single:
                cursor.fail("range that ends in a set", "escape the -", at)
            start, end = item.ranges[0][0], last.ranges[0][0]
            if start > end:
                cursor.fail("range with the larger end first", "swap its ends", at)
            item = CodePoints.of(((start, end),))
        ranges.extend(cursor.cased(item).ranges if is_single else item.ranges)
    return CodePoints.of(ranges)


def _item(cursor: Cursor, depth: int) -> tuple[CodePoints, bool]:
    offset = cursor.at
    character = cursor.next()
    if character == "[":
        return parse_class(cursor, offset, depth + 1), False
    if character == "\\":
        flags = cursor.flags
        is_set = cursor.peek() in tuple("pPsSdDwWhH")
        if not is_set:
            cursor.flags = type(flags)()
        item = parse_escape(cursor, offset)
        cursor.flags = flags
        return item, not is_set
    return CodePoints.single(ord(character)), True
