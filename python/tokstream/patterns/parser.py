r"""Pattern text to syntax tree, in the dialect of the pattern's reference engine.

In: the pattern and the name of its dialect. Out: a tree of `syntax` nodes in which flags, names
and escapes are resolved to sets of code points. Refused, with name and offset: everything that
cannot be honoured exactly with one symbol of lookahead, and everything the reference refuses.
"""

from __future__ import annotations

from dataclasses import replace

from tokstream.errors import PatternError
from tokstream.patterns.brackets import parse_class
from tokstream.patterns.classes import CodePoints
from tokstream.patterns.cursor import Cursor, Flags
from tokstream.patterns.dialects import DIALECTS, NEWLINE
from tokstream.patterns.escapes import parse_escape
from tokstream.patterns.lookahead import condition_of
from tokstream.patterns.syntax import (
    Alternation,
    Atomic,
    Chars,
    Condition,
    Node,
    Repeat,
    Sequence,
)

__all__ = ["MAX_NESTING", "MAX_REPEAT", "parse"]

MAX_NESTING = 60
MAX_REPEAT = 1_000

_NO_POINTS = CodePoints(())


def parse(pattern: str, dialect: str) -> Node:
    """Parse `pattern`.

    Args:
        pattern: the regular expression.
        dialect: "tiktoken" or "tokenizers".
    Raises:
        PatternError: with the construct and its offset in characters.
    """
    known = DIALECTS.get(dialect)
    if known is None:
        raise PatternError(
            f"unknown pattern dialect {dialect!r}; use one of {', '.join(sorted(DIALECTS))}"
        )
    for offset, character in enumerate(pattern):
        if "\ud800" <= character <= "\udfff":
            raise PatternError(f"lone surrogate at offset {offset}: not valid text", offset)
    return _Parser(Cursor(pattern, known)).parse()


class _Parser:
    """Recursive descent over one pattern; the depth is bounded by `MAX_NESTING`."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.depth = 0

    def parse(self) -> Node:
        tree = self._alternation()
        if not self.cursor.done:
            self.cursor.fail("unmatched )", "escape it as \\)")
        return tree

    def _alternation(self) -> Node:
        cursor = self.cursor
        offset = cursor.at
        flags = cursor.flags
        choices = [self._sequence()]
        while cursor.take("|"):
            choices.append(self._sequence())
        cursor.flags = flags  # inline flags last until the end of their group
        return choices[0] if len(choices) == 1 else Alternation(tuple(choices), offset)

    def _sequence(self) -> Node:
        cursor = self.cursor
        offset = cursor.at
        parts: list[Node] = []
        while not cursor.done and cursor.peek() not in "|)":
            part = self._quantified()
            if part is not None:
                parts.append(part)
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts), offset)

    def _quantified(self) -> Node | None:
        cursor = self.cursor
        offset = cursor.at
        node = self._atom()
        depth = 0
        while not cursor.done:
            at = cursor.at
            counts = self._counts()
            if counts is None:
                break
            if node is None or isinstance(node, Condition):
                cursor.fail("repeat of nothing", "remove it, or escape the character", at)
            depth += 1
            if depth > MAX_NESTING:
                cursor.fail("too many repeats in a row", "combine them", at)
            node = self._repeat(node, counts, offset, cursor.text[at] == "{")
        return node

    def _repeat(
        self, node: Node, counts: tuple[int, int | None], offset: int, braces: bool
    ) -> Node:
        cursor = self.cursor
        low, high = counts
        if high is not None and high < low:
            cursor.fail(f"repeat {{{low},{high}}} with the larger count first", "swap them")
        if max(low, high or 0) > MAX_REPEAT:
            cursor.fail(f"repeat of more than {MAX_REPEAT}", "use a smaller count")
        greedy = not cursor.take("?")
        possessive = greedy and self._possessive_mark(braces=braces)
        if (high is None or high > 1) and _may_be_empty(node):
            raise PatternError(
                f"repeat at offset {offset} of something that may be empty is not supported: "
                "engines differ in what it matches; make the repeated part match at least one "
                "character",
                offset,
            )
        repeated = Repeat(node, low, high, greedy, offset)
        if not possessive:
            return repeated
        return Atomic(repeated, offset, f"possessive repeat {cursor.text[offset : cursor.at]!r}")

    def _possessive_mark(self, *, braces: bool) -> bool:
        if braces and not self.cursor.dialect.possessive_braces:
            return False  # {m,n}+ is a repeat of the repeat
        return self.cursor.take("+")

    def _counts(self) -> tuple[int, int | None] | None:
        """Read a quantifier, without its `?` or `+`."""
        cursor = self.cursor
        if cursor.take("*"):
            return 0, None
        if cursor.take("+"):
            return 1, None
        if cursor.take("?"):
            return 0, 1
        if cursor.peek() == "{":
            return self._braces()
        return None

    def _braces(self) -> tuple[int, int | None] | None:
        cursor = self.cursor
        offset = cursor.at
        end = cursor.text.find("}", offset)
        inside = cursor.text[offset + 1 : end] if end > 0 else ""
        low, comma, high = inside.partition(",")
        plain = (
            low.isascii() and low.isdigit() and (not high or (high.isascii() and high.isdigit()))
        )
        if not plain or len(inside) > 16:
            cursor.fail("brace that does not begin a count", "escape it as \\{")
        cursor.at = end + 1
        if not comma:
            return int(low), int(low)
        return int(low), int(high) if high else None

    def _atom(self) -> Node | None:
        cursor = self.cursor
        offset = cursor.at
        character = cursor.next()
        if character == "(":
            return self._group(offset)
        if character == "[":
            return Chars(parse_class(cursor, offset), offset)
        if character == ".":
            members = _NO_POINTS if cursor.flags.dot_all else NEWLINE
            return Chars(~members, offset)
        if character == "$":
            return self._dollar(offset)
        if character == "^":
            cursor.fail("^", "what precedes a pretoken cannot be asked; remove it", offset)
        if character == "\\":
            return self._escape(offset)
        if character in "*+?{":
            cursor.fail(
                f"{character} with nothing to repeat", f"escape it as \\{character}", offset
            )
        return Chars(cursor.cased(CodePoints.single(ord(character))), offset)

    def _escape(self, offset: int) -> Node:
        cursor = self.cursor
        if cursor.take("z"):
            return Condition(_NO_POINTS, True, offset)
        return Chars(parse_escape(cursor, offset), offset)

    def _dollar(self, offset: int) -> Node:
        cursor = self.cursor
        at_newline = cursor.flags.multi_line or cursor.dialect.dollar_before_newline
        return Condition(NEWLINE if at_newline else _NO_POINTS, True, offset)

    def _group(self, offset: int) -> Node | None:
        cursor = self.cursor
        if not cursor.take("?"):
            return self._inside(offset)
        if cursor.take(":"):
            return self._inside(offset)
        if cursor.take(">"):
            body = self._inside(offset)
            return Atomic(body, offset, f"atomic group {cursor.text[offset : cursor.at]!r}")
        if cursor.take("="):
            return condition_of(self._inside(offset), offset, negated=False)
        if cursor.take("!"):
            return condition_of(self._inside(offset), offset, negated=True)
        for prefix, construct in _REFUSED_GROUPS.items():
            if cursor.text.startswith(prefix, cursor.at):
                cursor.fail(construct, "rewrite the pattern without it", offset)
        if cursor.take("P<") or cursor.take("<"):
            self._group_name(offset)
            return self._inside(offset)
        return self._flag_group(offset)

    def _group_name(self, offset: int) -> None:
        cursor = self.cursor
        end = cursor.text.find(">", cursor.at)
        name = cursor.text[cursor.at : end] if end > 0 else ""
        if not (name.isascii() and name.isidentifier()):
            cursor.fail("group name", "use a plain group (?:...)", offset)
        cursor.at = end + 1

    def _flag_group(self, offset: int) -> Node | None:
        cursor = self.cursor
        flags = cursor.flags
        on = True
        seen = 0
        while True:
            at = cursor.at
            letter = cursor.next() if not cursor.done else ""
            if letter == "-" and on:
                on = False
                continue
            if letter in (":", ")") and (seen or (letter == ":" and on)):
                break
            name = cursor.dialect.flags.get(letter)
            if name is None:
                cursor.fail(f"group (?{letter}", "use (?:...) or a supported flag", offset)
            seen += 1
            if name:
                flags = replace(flags, **{name: on})
            elif not on:
                cursor.fail(f"flag -{letter}", "remove it", at)
        if letter == ")":
            if not cursor.dialect.inline_flags_allowed(cursor, offset):
                cursor.fail("inline flags in the middle", "use a group (?i:...)", offset)
            cursor.flags = flags
            return None
        return self._inside(offset, flags)

    def _inside(self, offset: int, flags: Flags | None = None) -> Node:
        """Parse up to the closing parenthesis."""
        cursor = self.cursor
        self.depth += 1
        if self.depth > MAX_NESTING:
            cursor.fail(f"groups nested deeper than {MAX_NESTING}", "flatten them", offset)
        outer = cursor.flags
        if flags is not None:
            cursor.flags = flags
        body = self._alternation()
        cursor.flags = outer
        if not cursor.take(")"):
            cursor.fail("group that is not closed", "add )", offset)
        self.depth -= 1
        return body


_REFUSED_GROUPS: dict[str, str] = {
    "<=": "lookbehind (?<=",
    "<!": "lookbehind (?<!",
    "#": "comment group (?#",
    "(": "conditional group (?(",
    "P=": "backreference (?P=",
    "P>": "recursion (?P>",
    "R": "recursion (?R",
    "&": "recursion (?&",
    "~": "absence operator (?~",
    "|": "branch reset (?|",
    "@": "capture history (?@",
    "{": "callout (?{",
}


def _may_be_empty(node: Node) -> bool:
    match node:
        case Chars():
            return False
        case Condition():
            return True
        case Sequence():
            return all(_may_be_empty(part) for part in node.parts)
        case Alternation():
            return any(_may_be_empty(choice) for choice in node.choices)
        case Repeat():
            return node.low == 0 or _may_be_empty(node.body)
        case Atomic():
            return _may_be_empty(node.body)
