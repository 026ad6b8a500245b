"""Random patterns, to compare the compiler with the engines beyond what anybody publishes.

In: a random generator and a dialect. Out: pattern text. Most patterns are meaningful; what the
compiler refuses is skipped by the caller.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

__all__ = ["TEXT_ALPHABET", "draw_pattern"]

TEXT_ALPHABET = "aabbcc11  \n\nA\r\u017f\u0301.K'"

_ATOMS = (
    *("a", "b", "c", "1", " ", "A", ".", "'", r"\n", r"\r", r"\s", r"\S", r"\w", r"\d", r"\W"),
    *(r"\p{L}", r"\P{L}", r"\p{Lu}", r"\p{N}", r"[ab]", r"[^a]", r"[a-c]", r"[^\s\p{L}\p{N}]"),
    *(r"[\p{L}\p{M}]", r"[a-z&&[^b]]", r"[\r\n]", r"\h", r"[[:alpha:]]", r"[^\r\n]", r"\x61"),
    *(r"[\w.]", r"[^\W1]", r"\u0061", r"[b\s]", r"\x{17F}", r"\D"),
)
_REPEATS = ["", "", "", "", "?", "*", "+", "??", "*?", "+?", "?+", "*+", "++", "{2}", "{1,2}"]
_BRACES = ["{0,2}", "{2,}", "{1,2}?", "{1,3}+", "{,2}", "{2}+", "{2}?"]
_LOOKAHEADS = [r"(?!\S)", r"(?=a)", r"(?![ab])", "$", r"\z", r"(?!a|$)", r"(?=\s|\z)", r"(?!(?!b))"]


def draw_pattern(rng: random.Random, depth: int = 3) -> str:
    """Draw an alternation of one to four sequences."""
    return "|".join(_sequence(rng, depth) for _ in range(rng.choice((1, 1, 2, 2, 3, 4))))


def _sequence(rng: random.Random, depth: int) -> str:
    parts = [_part(rng, depth) for _ in range(rng.choice((1, 1, 2, 2, 3)))]
    if rng.random() < 0.15:
        parts.insert(rng.randint(0, len(parts)), rng.choice(_LOOKAHEADS))
    return "".join(parts)


def _part(rng: random.Random, depth: int) -> str:
    if depth and rng.random() < 0.25:
        opening = rng.choice(("(?:", "(?:", "(?i:", "(", "(?>"))
        atom = f"{opening}{draw_pattern(rng, depth - 1)})"
        if rng.random() < 0.08:
            atom = f"(?i){atom}"
    else:
        atom = rng.choice(_ATOMS)
    return atom + rng.choice(_REPEATS if rng.random() < 0.8 else _BRACES)
