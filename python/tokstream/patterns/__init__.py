"""Pretokenization patterns, compiled to small deterministic automata.

In: a regular expression as tokenizers publish it, and the engine ("dialect") whose meaning it has.
Out: an `Automaton` that cuts every text as that engine does. Refused, by name and offset: whatever
cannot be honoured exactly. Unicode tables are those of the native core (`regex-syntax`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tokstream.patterns.automaton import Automaton

__all__ = ["Dialect", "compile_pattern"]

Dialect = Literal["tiktoken", "tokenizers"]


@lru_cache(maxsize=64)
def compile_pattern(
    pattern: str, dialect: Dialect = "tiktoken", *, gaps: bool = False, partial: bool = False
) -> Automaton:
    r"""Compile `pattern`; results are cached.

    Args:
        pattern: the regular expression, at least one character.
        dialect: whose notation it is: "tiktoken" or "tokenizers".
        gaps: make the text between matches pretokens of its own, one per gap, as a split with
            the behaviour "isolated" does in tokenizers (tiktoken drops such text); otherwise the
            pattern has to match everywhere.
        partial: let the pattern match only here and there; whoever reads the automaton has to
            search for its matches, as the levels of a cascade do. Not together with `gaps`.

    Returns:
        The minimal automaton; equal patterns give equal tables.

    Raises:
        PatternError: what cannot be honoured exactly, with its offset in `pattern`.
    Cost: some 10 ms for published patterns; the compiler is imported on first use.
    """
    # Imported here so that `import tokstream` does not pay for the compiler.
    from tokstream.patterns.determinize import determinize  # noqa: PLC0415
    from tokstream.patterns.nfa import build_nfa  # noqa: PLC0415
    from tokstream.patterns.parser import parse  # noqa: PLC0415
    from tokstream.patterns.possessive import check_atomic_parts  # noqa: PLC0415

    nfa = build_nfa(parse(pattern, dialect))
    check_atomic_parts(nfa)
    return determinize(nfa, gaps=gaps, partial=partial)
