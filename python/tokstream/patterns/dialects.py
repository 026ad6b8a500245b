r"""What the same notation means in the two reference engines.

In: the name of an engine, and names of character sets in its notation. Out: one `Dialect` per
engine, "tiktoken" (the fancy-regex and regex crates) and "tokenizers" (Oniguruma), and the sets.
Every entry was found by asking the engines, not their manuals; the tests ask them again, over all
code points.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from tokstream.patterns.classes import CodePoints, named_property

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "DIALECTS",
    "NEWLINE",
    "Dialect",
    "full_folding_texts",
    "has_full_folding",
    "posix_set",
    "property_set",
    "shorthand_set",
]

NEWLINE = CodePoints.single(0x0A)
_NONE = CodePoints(())
_ALL = ~_NONE
_HEX_DIGITS = CodePoints.from_text("0123456789abcdefABCDEF")
# Oniguruma's \w outside brackets: the superscripts and fractions of Latin-1 are word characters.
_LATIN_1_NUMBERS = CodePoints.from_text("\u00b2\u00b3\u00b9\u00bc\u00bd\u00be")


@dataclass(frozen=True, slots=True)
class Dialect:
    r"""Notation of one engine.

    Attributes:
        name: as given to `compile_pattern`.
        flags: flag letter to the field of `Flags` it sets; empty: it has no effect.
        flags_open_group: ``(?i)`` applies to the rest of its group as one part, so that a
            following ``|`` binds inside; otherwise it is a switch until the group ends.
        possessive_braces: ``{m,n}+`` is possessive, rather than a repeat of the repeat.
        lazy_exact_braces: ``{m}?`` is a lazy repeat, rather than an optional one.
        dollar_before_newline: ``$`` also holds before every newline, without any flag.
        set_operations: operators between the parts of a bracketed class.
        full_case_folding: ignoring case also relates one character to several (sharp s).
        byte_escapes: ``\xHH`` above 7F is a byte of UTF-8, not a code point.
        scalar_escapes: ``\u{...}``, ``\UHHHHHHHH`` and ``\U{...}`` are code points.
        short_properties: ``\pL`` is a property.
        word_boundaries: ``\<`` and ``\>`` are word boundaries, not characters.
        named_p_groups: ``(?P<name>...)`` is a group.
    """

    name: str
    flags: Mapping[str, str]
    flags_open_group: bool
    possessive_braces: bool
    lazy_exact_braces: bool
    dollar_before_newline: bool
    set_operations: tuple[str, ...]
    full_case_folding: bool
    byte_escapes: bool
    scalar_escapes: bool
    short_properties: bool
    word_boundaries: bool
    named_p_groups: bool


DIALECTS: Mapping[str, Dialect] = {
    "tiktoken": Dialect(
        name="tiktoken",
        flags={"i": "ignore_case", "s": "dot_all", "m": "multi_line", "u": ""},
        flags_open_group=False,
        possessive_braces=True,
        lazy_exact_braces=True,
        dollar_before_newline=False,
        set_operations=("&&", "--", "~~"),
        full_case_folding=False,
        byte_escapes=False,
        scalar_escapes=True,
        short_properties=True,
        word_boundaries=True,
        named_p_groups=True,
    ),
    "tokenizers": Dialect(
        name="tokenizers",
        flags={"i": "ignore_case", "m": "dot_all"},
        flags_open_group=True,
        possessive_braces=False,
        lazy_exact_braces=False,
        dollar_before_newline=True,
        set_operations=("&&",),
        full_case_folding=True,
        byte_escapes=True,
        scalar_escapes=False,
        short_properties=False,
        word_boundaries=False,
        named_p_groups=False,
    ),
}


def _known(name: str) -> CodePoints:
    points = named_property(name)
    if points is None:
        raise LookupError(f"the native core does not know the Unicode property {name!r}")
    return points


# Sets by their POSIX names, as sums of properties; what the core knows by itself is not listed.
_SUMS: Mapping[str, tuple[str, ...]] = {
    "word": ("Alphabetic", "M", "Nd", "Pc"),
    "alnum": ("Alphabetic", "Nd"),
    "punct": ("P", "S"),
    "cntrl": ("Cc",),
    "alpha": ("Alphabetic",),
    "digit": ("Nd",),
    "upper": ("Uppercase",),
    "lower": ("Lowercase",),
    "space": ("White_Space",),
    "ascii": ("ASCII",),
}


@lru_cache(maxsize=64)
def _unicode_set(name: str) -> CodePoints | None:
    """Unicode set of a POSIX name; None if there is no such name."""
    if name in _SUMS:
        points = _NONE
        for part in _SUMS[name]:
            points = points | _known(part)
        return points
    if name == "blank":
        return _known("Zs") | CodePoints.single(0x09)
    if name == "xdigit":
        return _HEX_DIGITS
    if name not in ("graph", "print"):
        return None
    graph = _ALL - _known("White_Space") - _known("Cc") - _known("Cn")
    return graph if name == "graph" else graph | _known("Zs")


_ASCII_SETS: Mapping[str, str] = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": "\0-\x7f",
    "blank": "\t-\t - ",
    "cntrl": "\0-\x1f\x7f-\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@[-`{-~",
    "space": "\t-\r - ",
    "upper": "A-Z",
    "word": "0-9A-Z_-_a-z",
    "xdigit": "0-9A-Fa-f",
}


def shorthand_set(dialect: Dialect, letter: str, *, in_class: bool) -> CodePoints | None:
    r"""Set of ``\s \d \w \h`` by its lower-case letter; None for any other letter."""
    match letter:
        case "s":
            return _known("White_Space")
        case "d":
            return _known("Nd")
        case "h":
            return _HEX_DIGITS
        case "w":
            word = _unicode_set("word") or _NONE
            if dialect.name == "tiktoken":
                return word | _known("Join_Control")
            return word if in_class else word | _LATIN_1_NUMBERS
    return None


def posix_set(dialect: Dialect, name: str) -> CodePoints | None:
    """Set of ``[:name:]``: ASCII only in tiktoken, Unicode in tokenizers; None if unknown."""
    if dialect.name == "tokenizers":
        return _unicode_set(name)
    spans = _ASCII_SETS.get(name)
    if spans is None:
        return None
    return CodePoints.of((ord(spans[at]), ord(spans[at + 2])) for at in range(0, len(spans), 3))


def property_set(dialect: Dialect, name: str) -> CodePoints | None:
    r"""Set of ``\p{name}``; None if the engine does not know it, or we do not know its meaning."""
    key = "".join(c for c in name.lower() if c not in " _-")
    if key == "word":
        return shorthand_set(dialect, "w", in_class=False)
    if key in ("alnum", "blank"):
        return _unicode_set(key)
    if dialect.name == "tokenizers":
        if key in ("graph", "print", "xdigit"):
            return _unicode_set(key)
        if "=" in name or ":" in name or key.startswith("is"):
            return None
    return named_property(name)


def has_full_folding(points: CodePoints) -> bool:
    """Whether a member folds to several characters, so that case is not a matter of sets.

    Unicode guarantees that case foldings never change, so Python's own table will do.
    """
    return bool(points & _full_foldings())


@lru_cache(maxsize=1)
def _full_foldings() -> CodePoints:
    candidates = (_known("CWCF") | _known("CWCM")).ranges
    return CodePoints.of(
        (cp, cp)
        for start, end in candidates
        for cp in range(start, end + 1)
        if len(chr(cp).casefold()) > 1
    )


@lru_cache(maxsize=1)
def full_folding_texts() -> frozenset[str]:
    """What the characters of `has_full_folding` fold to, each of two or three characters."""
    return frozenset(
        chr(cp).casefold() for start, end in _full_foldings().ranges for cp in range(start, end + 1)
    )
