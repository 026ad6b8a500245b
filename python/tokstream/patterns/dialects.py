r"""What the same notation means in the two reference engines.

In: nothing. Out: one `Dialect` per engine: "tiktoken" (the fancy-regex and regex crates) and
"tokenizers" (Oniguruma). Every entry was found by asking the engines, not their manuals; the
tests ask them again, over all code points.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tokstream.patterns.classes import CodePoints, named_property
from tokstream.patterns.cursor import Cursor

__all__ = ["DIALECTS", "NEWLINE", "Dialect", "property_points"]

NEWLINE = CodePoints.single(0x0A)


@dataclass(frozen=True, slots=True)
class Dialect:
    """Notation of one engine.

    Attributes:
        name: as given to `compile_pattern`.
        possessive_braces: whether ``{m,n}+`` is possessive, rather than a repeat of the repeat.
        dollar_before_newline: whether ``$`` holds before every newline without any flag.
        flags: flag letter to the field of `Flags` it sets; empty: has no effect here.
    """

    name: str
    possessive_braces: bool
    dollar_before_newline: bool
    flags: Mapping[str, str]

    def inline_flags_allowed(self, cursor: Cursor, offset: int) -> bool:
        """Whether ``(?i)`` may stand at `offset`."""
        del cursor, offset
        return True


DIALECTS: Mapping[str, Dialect] = {
    "tiktoken": Dialect(
        name="tiktoken",
        possessive_braces=True,
        dollar_before_newline=False,
        flags={"i": "ignore_case", "s": "dot_all", "m": "multi_line", "u": ""},
    ),
    "tokenizers": Dialect(
        name="tokenizers",
        possessive_braces=False,
        dollar_before_newline=True,
        flags={"i": "ignore_case", "m": "dot_all"},
    ),
}


def property_points(name: str) -> CodePoints:
    """Code points of a property that is known to exist."""
    points = named_property(name)
    if points is None:
        raise LookupError(f"the native core does not know the Unicode property {name!r}")
    return points
