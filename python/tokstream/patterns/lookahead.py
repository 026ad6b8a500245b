r"""Lookahead on one code point, as a condition on the next symbol.

In: the syntax tree inside ``(?=...)`` or ``(?!...)``. Out: one `Condition`. Refused: bodies that
ask for more than one code point.

A body is reduced to the set of next symbols (code points, or the end) on which it matches: the
alternatives of an alternation add up, the conditions of a sequence have all to hold, and behind the
one code point that is read only parts that may be empty are allowed, which then do not matter.
"""

from __future__ import annotations

from tokstream.errors import PatternError
from tokstream.patterns.classes import CodePoints
from tokstream.patterns.syntax import (
    Alternation,
    Atomic,
    Chars,
    Condition,
    Node,
    Repeat,
    Sequence,
)

__all__ = ["condition_of"]

_NOTHING = CodePoints(())
_ANYTHING = ~_NOTHING


def condition_of(body: Node, offset: int, *, negated: bool) -> Condition:
    """Reduce the body of a lookahead.

    Raises:
        PatternError: the body may ask for more than one code point.
    """
    empty, reading = _reduce(body, offset)
    members, at_end = empty[0] | reading, empty[1]
    if negated:
        return Condition(~members, not at_end, offset)
    return Condition(members, at_end, offset)


# Symbols on which a part matches without reading (code points, end), and those it may read.
_Reduced = tuple[tuple[CodePoints, bool], CodePoints]


def _reduce(node: Node, offset: int) -> _Reduced:
    match node:
        case Chars():
            return (_NOTHING, False), node.members
        case Condition():
            return (node.members, node.at_end), _NOTHING
        case Alternation():
            return _reduce_alternation(node, offset)
        case Sequence():
            return _reduce_sequence(node, offset)
        case Repeat():
            return _reduce_repeat(node, offset)
        case Atomic():
            # Asking whether it matches at all: the first way exists if any way does.
            return _reduce(node.body, offset)


def _reduce_alternation(node: Alternation, offset: int) -> _Reduced:
    empty, at_end, reading = _NOTHING, False, _NOTHING
    for choice in node.choices:
        (more_empty, more_end), more_reading = _reduce(choice, offset)
        empty, at_end = empty | more_empty, at_end or more_end
        reading = reading | more_reading
    return (empty, at_end), reading


def _reduce_repeat(node: Repeat, offset: int) -> _Reduced:
    empty, reading = _reduce(node.body, offset)
    if node.high == 0:
        return (_ANYTHING, True), _NOTHING
    if node.low == 0:
        return (_ANYTHING, True), reading
    if node.low > 1 and reading:
        _refuse(offset)
    return empty, reading


def _reduce_sequence(node: Sequence, offset: int) -> _Reduced:
    empty, at_end, reading = _ANYTHING, True, _NOTHING
    for part in node.parts:
        (part_empty, part_end), part_reading = _reduce(part, offset)
        # What was read already must be allowed to be the last: the part may be empty always.
        if reading and not (part_end and part_empty == _ANYTHING):
            _refuse(offset)
        reading = reading | (empty & part_reading)
        empty, at_end = empty & part_empty, at_end and part_end
    return (empty, at_end), reading


def _refuse(offset: int) -> None:
    raise PatternError(
        f"lookahead at offset {offset} on more than one character is not supported; ask for one "
        "character or for the end of the text",
        offset,
    )
