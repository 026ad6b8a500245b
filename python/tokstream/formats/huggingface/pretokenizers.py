"""The member `pre_tokenizer` of a tokenizer.json → levels for the engine.

Enters: the node, or None. Leaves: levels in order, and whether the tokens are spelled in the
byte-level alphabet. Refused: unknown types, patterns that the compiler refuses.

Most pre-tokenizers are a split by a pattern; those that are not published with one have theirs in
`tokstream.patterns.levels`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokstream.errors import PatternError
from tokstream.formats.document import shown
from tokstream.formats.huggingface.metaspace import read_metaspace
from tokstream.patterns.levels import (
    DIGIT,
    GPT2,
    PUNCTUATION,
    SPACE,
    WORD,
    Behaviour,
    escaped,
    unicode_scripts,
)

if TYPE_CHECKING:
    from tokstream.formats.document import Node
    from tokstream.formats.parts import Step
    from tokstream.patterns import Dialect

__all__ = ["Split", "read_pretokenizer"]

_MAX_PARTS = 64

_BEHAVIOURS: dict[str, Behaviour] = {
    "Removed": "removed",
    "Isolated": "isolated",
    "MergedWithPrevious": "merged_with_previous",
    "MergedWithNext": "merged_with_next",
    "Contiguous": "contiguous",
}


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


def read_pretokenizer(
    node: Node | None, *, has_normalizer: bool = False
) -> tuple[list[Split | Step], bool]:
    """Read the pre-tokenizer.

    Args:
        node: the node, None if there is none.
        has_normalizer: whether what it sees is normalized text.

    Returns:
        Levels in order; whether the pretokens are spelled in the byte-level alphabet behind all
        of them, so that the tokens are bytes.

    Raises:
        UnsupportedTokenizerError: a level that cannot be honoured exactly.
        VocabularyError: a damaged one.
    """
    parts = [] if node is None else _flat(node)
    if node is not None and len(parts) > _MAX_PARTS:
        raise node.unsupported(
            f"a sequence of {len(parts)} pre-tokenizers",
            f"each is a level of its own, and tokstream takes {_MAX_PARTS} of them at most",
        )
    levels: list[Split | Step] = []
    is_byte_level = False
    for part in parts:
        if is_byte_level:  # another level follows, which sees the alphabet
            levels.append(("byte_level",))
        is_byte_level = part["type"].text() == "ByteLevel"
        made = _levels(part)
        if has_normalizer and levels and _prepends_to_first(made):
            raise part.unsupported(
                "prepend_scheme 'first' behind another pre-tokenizer and a normalizer",
                "which pieces count as first depends on where the characters came from, "
                "before the normalizer; put Metaspace first, or remove the normalizer",
            )
        levels.extend(made)
    return levels, is_byte_level


def _prepends_to_first(levels: list[Split | Step]) -> bool:
    return any(
        not isinstance(level, Split) and level[0] == "metaspace" and level[2] == "first"
        for level in levels
    )


def _flat(node: Node) -> list[Node]:
    if node["type"].text() != "Sequence":
        return [node]
    return [inner for part in node["pretokenizers"] for inner in _flat(part)]


def _levels(node: Node) -> list[Split | Step]:  # noqa: C901, PLR0911, PLR0912 - one each
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
                return [*prefix, split(GPT2)]
            return prefix
        case "Split":
            return [_split(node)]
        case "Digits":
            each = node.flag("individual_digits")
            return [split(DIGIT, "isolated" if each else "contiguous", dialect="tiktoken")]
        case "Punctuation":
            given = node.get("behavior")
            name = "Isolated" if given is None else given.choice(_BEHAVIOURS)
            return [split(PUNCTUATION, _BEHAVIOURS[name], dialect="tiktoken")]
        case "Whitespace":
            return [split(WORD, "removed", invert=True, dialect="tiktoken")]
        case "WhitespaceSplit":
            return [split(SPACE, "removed", dialect="tiktoken")]
        case "BertPreTokenizer":
            return [
                split(SPACE, "removed", dialect="tiktoken"),
                split(PUNCTUATION, dialect="tiktoken"),
            ]
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
            return [unicode_scripts()]
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
