r"""The levels that the pre-tokenizers of `tokenizers` come to.

In: the parameters of a pre-tokenizer. Out: levels of a cascade, as tuples for the native core, with
patterns that match here and there. Refused, by name: what cannot be found exactly with one
character of lookahead, and matches of the empty string.

Where `tokenizers` asks for a kind of character it uses tables of several versions of Unicode. The
sets here were found by asking it about every code point (0.23.3); the tests ask again.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from tokstream.errors import ConfigurationError, PatternError
from tokstream.patterns import Dialect, compile_pattern

__all__ = [
    "BYTE_LEVEL",
    "DIGIT",
    "FROM_BYTE_LEVEL",
    "GPT2",
    "PREFIX_SPACE",
    "PUNCTUATION",
    "SPACE",
    "WORD",
    "Behaviour",
    "Level",
    "bert",
    "char_delimiter_split",
    "digits",
    "escaped",
    "fixed_length",
    "metaspace",
    "punctuation",
    "split",
    "split_at_text",
    "unicode_scripts",
    "whitespace",
    "whitespace_split",
]

Level = tuple[str | bytes | bool | int, ...]
Behaviour = Literal["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]
_BEHAVIOURS = ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous")
_SCHEMES = ("always", "first", "never")

# One character each, in the notation of the dialect "tiktoken" (the regex crate), which has set
# operations and versions of Unicode. Numbers: Unicode 16, and the new ones of 17.
DIGIT = r"[\p{N}\x{11DE0}-\x{11DE9}\x{16FF4}-\x{16FF6}]"
SPACE = r"\s"
# Punctuation: Unicode 8, two characters that have changed their category since, ASCII's symbols.
PUNCTUATION = r"[[\p{P}&&\p{age=8.0}]\x{166D}\x{111C9}$+<=>^`|~]"
# The pattern of `Whitespace`.
WORD = r"\w+|[^\w\s]+"
# The pattern of `ByteLevel`, in the dialect "tokenizers".
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

PREFIX_SPACE: Level = ("prefix_space",)
BYTE_LEVEL: Level = ("byte_level",)
FROM_BYTE_LEVEL: Level = ("from_byte_level",)


def split(
    pattern: str, behaviour: Behaviour, *, invert: bool = False, dialect: Dialect = "tokenizers"
) -> Level:
    """Split at the matches of a regular expression.

    Args:
        pattern: the regular expression.
        behaviour: what becomes of its matches.
        invert: matches and the gaps between them change places.
        dialect: whose notation the pattern is in.

    Raises:
        PatternError: what cannot be honoured exactly, with its offset in `pattern`.
        ConfigurationError: an unknown behaviour.
    """
    _check(behaviour, _BEHAVIOURS, "split behaviour")
    automaton = compile_pattern(pattern, dialect, partial=True)
    return ("split", automaton.to_bytes(), behaviour, invert)


def split_at_text(text: str, behaviour: Behaviour, *, invert: bool = False) -> Level:
    """Split at each occurrence of `text`, from left to right and without overlaps.

    Raises:
        PatternError: the text is empty.
    """
    return split(escaped(text), behaviour, invert=invert)


def escaped(text: str) -> str:
    """Pattern in any dialect that matches exactly `text`.

    Raises:
        PatternError: the text is empty.
    """
    if not text:
        raise PatternError("the text to split at is empty; give at least one character")
    return "".join(c if c.isalnum() or ord(c) > 0x7F else f"\\x{{{ord(c):X}}}" for c in text)


def digits(*, individual: bool) -> Level:
    """Separate runs of digits, or single digits, from other text."""
    return split(DIGIT, "isolated" if individual else "contiguous", dialect="tiktoken")


def punctuation(behaviour: Behaviour = "isolated") -> Level:
    """Split at each punctuation character."""
    return split(PUNCTUATION, behaviour, dialect="tiktoken")


def whitespace() -> Level:
    """Keep words and runs of other visible characters."""
    return split(WORD, "removed", invert=True, dialect="tiktoken")


def whitespace_split() -> Level:
    """Keep what is between whitespace."""
    return split(SPACE, "removed", dialect="tiktoken")


def char_delimiter_split(delimiter: str) -> Level:
    """Keep what is between occurrences of one character.

    Raises:
        ConfigurationError: not one character.
    """
    _check_character(delimiter, "delimiter")
    return split_at_text(delimiter, "removed")


def bert() -> list[Level]:
    """Keep words and single punctuation characters."""
    return [whitespace_split(), punctuation("isolated")]


def fixed_length(length: int) -> Level:
    """Cut behind every `length` characters.

    Raises:
        ConfigurationError: a length below 1.
    """
    if length < 1:
        raise ConfigurationError(f"fixed length is {length}; use 1 or more")
    return ("fixed_length", length)


def metaspace(replacement: str, scheme: str, *, split: bool) -> Level:
    """Put `replacement` for each space, and before pieces as `scheme` says.

    Args:
        replacement: one character.
        scheme: "always", "first" (a piece that begins where the source begins) or "never".
        split: begin a piece at each replacement.

    Raises:
        ConfigurationError: not one character, or an unknown scheme.
    """
    _check_character(replacement, "metaspace replacement")
    _check(scheme, _SCHEMES, "prepend scheme")
    return ("metaspace", replacement, scheme, split)


@lru_cache(maxsize=1)
def unicode_scripts() -> Level:
    """Cut where the script of the text changes.

    Spaces and characters without a script go with what precedes them; at the begin of a piece they
    are dropped, as `tokenizers` does it.

    Cost: some 0.2 s at the first call.
    """
    from tokstream.patterns.scripts import script_automaton  # noqa: PLC0415 (rarely needed)

    return ("split", script_automaton().to_bytes(), "removed", True)


def _check(value: str, known: tuple[str, ...], what: str) -> None:
    if value not in known:
        raise ConfigurationError(f"unknown {what} {value!r}; use one of {', '.join(known)}")


def _check_character(text: str, what: str) -> None:
    if len(text) != 1 or "\ud800" <= text <= "\udfff":
        raise ConfigurationError(f"{what} is {text!r}; give exactly one character")
