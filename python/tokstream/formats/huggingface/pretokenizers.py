"""The member `pre_tokenizer` of a tokenizer.json → levels for the engine.

Enters: the node, or None. Leaves: levels in order, and whether the tokens are spelled in the
byte-level alphabet. Refused: unknown types, patterns that the compiler refuses.

Most pre-tokenizers are a split by a pattern. What a digit, a punctuation mark or a blank is, their
reference takes from tables of different Unicode versions; the patterns here say the same, which
the tests check over all code points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tokstream.errors import PatternError
from tokstream.formats.document import shown
from tokstream.formats.huggingface.metaspace import read_metaspace
from tokstream.formats.literals import escaped

if TYPE_CHECKING:
    from tokstream.formats.document import Node
    from tokstream.formats.parts import Step
    from tokstream.patterns import Dialect

__all__ = ["BYTE_LEVEL_PATTERN", "Split", "read_pretokenizer"]

Behaviour = Literal[
    "removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"
]

_BEHAVIOURS: dict[str, Behaviour] = {
    "Removed": "removed",
    "Isolated": "isolated",
    "MergedWithPrevious": "merged_with_previous",
    "MergedWithNext": "merged_with_next",
    "Contiguous": "contiguous",
}

BYTE_LEVEL_PATTERN = (
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
)
"""The pattern of GPT-2, which ByteLevel splits by if `use_regex` is true."""

# numbers of Unicode 17, in which the reference's own tables are
_DIGIT = "[\\p{N}\U00011de0-\U00011de9\U00016ff4-\U00016ff6]"

# Punctuation of Unicode 8, and ASCII symbols: the reference's table is that old.
_PUNCTUATION_SINCE = (
    "\u061d\u09fd\u0a76\u0c77\u0c84\u1b4e-\u1b4f\u1b7d-\u1b7f\u2e43-\u2e4f\u2e52-\u2e5d"
    "\U00010d6e\U00010ead\U00010f55-\U00010f59\U00010f86-\U00010f89\U000113d4-\U000113d5"
    "\U000113d7-\U000113d8\U0001144b-\U0001144f\U0001145a-\U0001145b\U0001145d"
    "\U00011660-\U0001166c\U000116b9\U0001183b\U00011944-\U00011946\U000119e2"
    "\U00011a3f-\U00011a46\U00011a9a-\U00011a9c\U00011a9e-\U00011aa2\U00011b00-\U00011b09"
    "\U00011be1\U00011c41-\U00011c45\U00011c70-\U00011c71\U00011ef7-\U00011ef8"
    "\U00011f43-\U00011f4f\U00011fff\U00012ff1-\U00012ff2\U00016d6d-\U00016d6f"
    "\U00016e97-\U00016e9a\U00016fe2\U0001e5ff\U0001e95e-\U0001e95f"
)
_PUNCTUATION = f"[\\p{{P}}$+<=>\\^`|~\u166d\U000111c9&&[^{_PUNCTUATION_SINCE}]]"


@dataclass(frozen=True, slots=True)
class Split:
    """A split by a pattern.

    Attributes:
        pattern: the pattern.
        behaviour: what becomes of its matches.
        invert: whether matches and the text between them change places.
        dialect: whose notation the pattern is in.
        literal: the string that the pattern stands for, if it is one.
        node: where it stands.
    """

    pattern: str
    behaviour: Behaviour
    invert: bool
    dialect: Dialect
    literal: str | None
    node: Node

    def isolating_automaton(self) -> bytes | None:
        """Return the pattern as an automaton that cuts text into matches and what lies between.

        Returns:
            None if where the text between matches ends is not known one character later.
        """
        from tokstream.patterns import compile_pattern  # noqa: PLC0415 - not every file has one

        try:
            return compile_pattern(self.pattern, self.dialect, gaps=True).to_bytes()
        except PatternError:
            return None

    def step(self) -> Step:
        """Return the level for the engine.

        Raises:
            UnsupportedTokenizerError: a pattern that cannot be honoured exactly.
        """
        from tokstream.patterns import compile_pattern  # noqa: PLC0415 - not every file has one

        try:
            automaton = compile_pattern(self.pattern, self.dialect, partial=True).to_bytes()
        except PatternError as error:
            raise self.node.unsupported(f"the pattern {shown(self.pattern)}", str(error)) from error
        return ("split", automaton, self.behaviour, self.invert)


def read_pretokenizer(node: Node | None) -> tuple[list[Split | Step], bool]:
    """Read the pre-tokenizer.

    Returns:
        Levels in order; whether the pretokens are spelled in the byte-level alphabet behind all
        of them, so that the tokens are bytes.

    Raises:
        UnsupportedTokenizerError: a level that cannot be honoured exactly.
        VocabularyError: a damaged one.
    """
    parts = [] if node is None else _flat(node)
    levels: list[Split | Step] = []
    is_byte_level = False
    for part in parts:
        if is_byte_level:  # another level follows, which sees the alphabet
            levels.append(("byte_level",))
        is_byte_level = part["type"].text() == "ByteLevel"
        levels.extend(_levels(part))
    return levels, is_byte_level


def _flat(node: Node) -> list[Node]:
    if node["type"].text() != "Sequence":
        return [node]
    return [inner for part in node["pretokenizers"] for inner in _flat(part)]


def _levels(node: Node) -> list[Split | Step]:
    def split(
        pattern: str,
        behaviour: Behaviour = "isolated",
        *,
        invert: bool = False,
        dialect: Dialect = "tokenizers",
        literal: str | None = None,
    ) -> Split:
        return Split(pattern, behaviour, invert, dialect, literal, node)

    kind = node["type"].text()
    match kind:
        case "ByteLevel":
            prefix: list[Split | Step] = (
                [("prefix_space",)] if node.flag("add_prefix_space") else []
            )
            if node.flag("use_regex", default=True):
                return [*prefix, split(BYTE_LEVEL_PATTERN)]
            return prefix
        case "Split":
            return [_split(node)]
        case "Digits":
            each = node.flag("individual_digits")
            return [split(_DIGIT, "isolated" if each else "contiguous")]
        case "Punctuation":
            given = node.get("behavior")
            name = "Isolated" if given is None else given.choice(_BEHAVIOURS)
            return [split(_PUNCTUATION, _BEHAVIOURS[name])]
        case "Whitespace":
            # its engine's word characters are those of tiktoken's
            return [split(r"\w+|[^\w\s]+", "removed", invert=True, dialect="tiktoken")]
        case "WhitespaceSplit":
            return [split(r"\s", "removed")]
        case "BertPreTokenizer":
            return [split(r"\s", "removed"), split(_PUNCTUATION)]
        case "CharDelimiterSplit":
            delimiter = node["delimiter"]
            if len(delimiter.text()) != 1:
                raise delimiter.wrong(f"is {shown(delimiter.value)}, expected one character")
            literal = delimiter.text()
            return [split(escaped(literal), "removed", literal=literal)]
        case "Metaspace":
            replacement, scheme, splits = read_metaspace(node)
            return [("metaspace", replacement, scheme, splits)]
        case "FixedLength":
            length = node.get("length")
            return [("fixed_length", 5 if length is None else length.number(1))]
        case "UnicodeScripts":
            return [("scripts",)]
    raise node.unsupported(
        f"a pre-tokenizer of the unknown type {shown(kind)}",
        "tokstream does not know what it does",
    )


def _split(node: Node) -> Split:
    pattern = node["pattern"]
    behaviour = _BEHAVIOURS[node["behavior"].choice(_BEHAVIOURS)]
    invert = node.flag("invert", default=False)
    string = pattern.get("String")
    if string is not None:
        if not string.text():
            raise string.wrong("is empty, which matches everywhere")
        literal = string.text()
        return Split(escaped(literal), behaviour, invert, "tokenizers", literal, string)
    regex = pattern["Regex"]
    return Split(regex.text(), behaviour, invert, "tokenizers", None, regex)
