r"""Pattern text to syntax tree, in the dialect of the pattern's reference engine.

In: the pattern and the name of its dialect. Out: a tree of `syntax` nodes in which flags, names
and escapes are resolved to sets of code points. Refused, with name and offset: everything that
cannot be honoured exactly with one symbol of lookahead, and everything the reference refuses.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tokstream.errors import PatternError
from tokstream.patterns.brackets import parse_class
from tokstream.patterns.classes import CodePoints
from tokstream.patterns.cursor import Cursor, Flags
from tokstream.patterns.dialects import (
    DIALECTS,
    NEWLINE,
    full_folding_texts,
    has_full_folding,
)
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

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["MAX_NESTING", "MAX_REPEAT", "parse"]

MAX_NESTING = 60
MAX_REPEAT = 1_000

_NOTHING = CodePoints(())
_ANYTHING = ~_NOTHING
_BRACES = re.compile(r"\{(?=[0-9,])([0-9]{0,6})(?:(,)([0-9]{0,6}))?\}")
_LONGEST_FOLDING = 3


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
        # Directly in a capturing, atomic or lookahead group: fancy-regex does not end inline flags
        # with such a group.
        self.leaky = False
        # Characters for which Oniguruma would consider foldings to several, by their offset.
        self.folded: dict[int, str] = {}

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
        if self.folded:
            self._refuse_full_folding(parts)
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts), offset)

    def _quantified(self) -> Node | None:
        """Read one part with its repeat, if any; None for an inline flag."""
        cursor = self.cursor
        offset = cursor.at
        node = self._atom()
        at = cursor.at
        counts = self._counts()
        if counts is None:
            return node
        if node is None or isinstance(node, Condition):
            cursor.fail("repeat of nothing", "remove it, or escape the character", at)
        node = self._repeat(node, counts, offset, at)
        at = cursor.at
        if self._counts() is not None:
            cursor.fail("repeat of a repeat", "combine the two, or put a group around one", at)
        return node

    def _repeat(self, node: Node, counts: tuple[int, int | None], offset: int, at: int) -> Node:
        """Apply a quantifier that was read at `at` to the part that begins at `offset`."""
        cursor = self.cursor
        low, high = counts
        in_braces = cursor.text[at] == "{"
        if high is not None and high < low:
            cursor.fail("repeat with the larger count first", "swap its counts", at)
        if max(low, high or 0) > MAX_REPEAT:
            cursor.fail(f"repeat of more than {MAX_REPEAT}", "use a smaller count", at)
        lazy = cursor.take("?")
        if lazy and in_braces and low == high and not cursor.dialect.lazy_exact_braces:
            cursor.fail("{m}? (it means optional, not lazy)", "write a group (?:...)?", at)
        possessive = not lazy and cursor.take("+")
        again = possessive and in_braces and not cursor.dialect.possessive_braces
        if again and (low == 0 or high is None):
            cursor.fail("{m,n}+ that repeats something empty or unlimited", "write it out", at)
        if (again or high is None or high > 1) and _may_be_empty(node):
            cursor.fail(
                "repeat of something that may be empty (engines differ in what it matches)",
                "make the repeated part match at least one character",
                offset,
            )
        repeated = Repeat(node, low, high, not lazy, offset)
        if again:  # not possessive in this dialect, but a repeat of the repeat
            return Repeat(repeated, 1, None, greedy=True, offset=offset)
        if not possessive:
            return repeated
        return Atomic(repeated, offset, f"possessive repeat {cursor.text[offset : cursor.at]!r}")

    def _counts(self) -> tuple[int, int | None] | None:
        """Read a quantifier without its `?` or `+`; None if there is none here."""
        cursor = self.cursor
        if cursor.take("*"):
            return 0, None
        if cursor.take("+"):
            return 1, None
        if cursor.take("?"):
            return 0, 1
        braces = _BRACES.match(cursor.text, cursor.at)
        if braces is None:
            return None  # a brace that begins no count is a character
        cursor.at = braces.end()
        low, comma, high = braces.groups()
        if not comma:
            return int(low), int(low)
        return int(low or 0), int(high) if high else None

    def _atom(self) -> Node | None:
        cursor = self.cursor
        offset = cursor.at
        character = cursor.next()
        match character:
            case "(":
                return self._group(offset)
            case "[":
                return Chars(parse_class(cursor, offset), offset)
            case ".":
                return Chars(_ANYTHING if cursor.flags.dot_all else _ANYTHING - NEWLINE, offset)
            case "$":
                at_newline = cursor.flags.multi_line or cursor.dialect.dollar_before_newline
                points = NEWLINE if at_newline else _NOTHING
                return Condition(points, at_end=True, offset=offset)
            case "^":
                cursor.fail("^", "what precedes a pretoken cannot be asked; remove it", offset)
            case "\\":
                return self._escape(offset)
            case "*" | "+" | "?":
                cursor.fail(f"{character} with nothing to repeat", "escape it", offset)
            case "{" if _BRACES.match(cursor.text, offset):
                cursor.fail("count with nothing to repeat", "escape the {", offset)
        return self._literal(ord(character), offset)

    def _escape(self, offset: int) -> Node:
        cursor = self.cursor
        if cursor.take("z"):
            return Condition(_NOTHING, at_end=True, offset=offset)
        members, is_character = parse_escape(cursor, offset, in_class=False)
        if is_character:
            return self._literal(members.ranges[0][0], offset)
        return Chars(members, offset)

    def _literal(self, code_point: int, offset: int) -> Node:
        """Build one character, with its other cases if case is ignored."""
        cursor = self.cursor
        members = cursor.cased(CodePoints.single(code_point))
        if cursor.flags.ignore_case and cursor.dialect.full_case_folding:
            if has_full_folding(members):
                cursor.fail(
                    f"{chr(code_point)!r} with case ignored (it also stands for several "
                    "characters)",
                    "move it out of the (?i) group",
                    offset,
                )
            self.folded[offset] = chr(code_point).casefold()
        return Chars(members, offset)

    def _refuse_full_folding(self, parts: Iterable[Node]) -> None:
        """Refuse neighbours which, with case ignored, also stand for one character (ss, fi)."""
        run = ""
        offset = 0
        for part in _flat(parts):
            letter = self.folded.get(part.offset, "") if isinstance(part, Chars) else ""
            run = (run + letter)[-_LONGEST_FOLDING:] if letter else ""
            offset = part.offset
            if any(text in run for text in full_folding_texts()):
                self.cursor.fail(
                    f"{run!r} with case ignored (it also stands for one character)",
                    "move it out of the (?i) group",
                    offset,
                )

    def _group(self, offset: int) -> Node | None:
        cursor = self.cursor
        if not cursor.take("?"):
            return self._inside(offset, leaky=True)
        if cursor.take(":"):
            return self._inside(offset)
        if cursor.take(">"):
            body = self._inside(offset, leaky=True)
            return Atomic(body, offset, f"atomic group {cursor.text[offset : cursor.at]!r}")
        if cursor.peek() in ("=", "!"):
            negated = cursor.next() == "!"
            return condition_of(self._inside(offset, leaky=True), offset, negated=negated)
        for prefix, construct in _REFUSED_GROUPS.items():
            if cursor.text.startswith(prefix, cursor.at):
                cursor.fail(construct, "rewrite the pattern without it", offset)
        if cursor.take("<") or (cursor.dialect.named_p_groups and cursor.take("P<")):
            return self._named_group(offset)
        return self._flag_group(offset)

    def _named_group(self, offset: int) -> Node:
        cursor = self.cursor
        end = cursor.text.find(">", cursor.at)
        name = cursor.text[cursor.at : end] if end > 0 else ""
        if not (name.isascii() and name.isidentifier()):
            cursor.fail("group name", "use a plain group (?:...)", offset)
        cursor.at = end + 1
        return self._inside(offset, leaky=True)

    def _flag_group(self, offset: int) -> Node | None:
        cursor = self.cursor
        flags = cursor.flags
        on = True
        seen = ""
        while True:
            at = cursor.at
            letter = cursor.next()
            if letter in (":", ")") and seen:
                break
            if letter == "-" and on:
                on = False
                continue
            name = cursor.dialect.flags.get(letter)
            if name is None or (not name and not on):
                cursor.fail(f"group flag {letter!r}", "use (?:...) or a supported flag", at)
            seen += letter
            if name:
                flags = replace(flags, **{name: on})
        if letter == ":":
            return self._inside(offset, flags)
        if not cursor.dialect.flags_open_group:
            if self.leaky:
                cursor.fail(
                    "inline flag in a group from which the engine lets it out",
                    "write (?i:...), or make the group (?:...)",
                    offset,
                )
            cursor.flags = flags
            return None
        outer = cursor.flags
        cursor.flags = flags
        rest = self._nested(offset)
        cursor.flags = outer
        return rest

    def _inside(self, offset: int, flags: Flags | None = None, *, leaky: bool = False) -> Node:
        """Read the rest of a group, with its closing parenthesis."""
        cursor = self.cursor
        outer, outer_leaky = cursor.flags, self.leaky
        self.leaky = leaky
        if flags is not None:
            cursor.flags = flags
        body = self._nested(offset)
        cursor.flags, self.leaky = outer, outer_leaky
        if not cursor.take(")"):
            cursor.fail("group that is not closed", "add )", offset)
        return body

    def _nested(self, offset: int) -> Node:
        self.depth += 1
        if self.depth > MAX_NESTING:
            self.cursor.fail(f"groups nested deeper than {MAX_NESTING}", "flatten them", offset)
        body = self._alternation()
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


def _flat(parts: Iterable[Node]) -> Iterator[Node]:
    """Parts of a sequence with the sequences among them dissolved."""
    for part in parts:
        if isinstance(part, Sequence):
            yield from _flat(part.parts)
        else:
            yield part


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
