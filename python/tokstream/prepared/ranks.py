"""The tables of ranks that a program gives: from others of the same ranks, from a file, or made.

Enters: a vocabulary whose ids are merge ranks, a pattern, special tokens. Leaves: the tables.

The file holds no special tokens, so all encodings of the same ranks and pattern have one.
"""

from __future__ import annotations

from tokstream import _core
from tokstream._light import TYPE_CHECKING
from tokstream._tables import Tables, related_tables
from tokstream.prepared import MIN_BYTES, Place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokstream.vocabulary import Vocabulary

__all__ = ["compiled", "tables"]

# number of the section; the first is the key
_AUTOMATON = 1


def tables(
    key: tuple[object, ...],
    vocabulary: Vocabulary,
    special_tokens: Mapping[str, int],
    automaton: bytes | None = None,
) -> Tables:
    """Return the tables of a tokenizer.

    Args:
        key: digest of the vocabulary, pattern, special tokens.
        vocabulary: tokens in order of rank.
        special_tokens: text to id.
        automaton: the compiled pattern, if it is known. Then nothing is kept.

    Raises:
        PatternError: the pattern cannot be honoured exactly.
        VocabularyError: the vocabulary cannot.

    Cost: a list of the tokens where the process has tables of the same ranks and pattern; else
        reading a file; without one about a second for 100,000 tokens.
    """
    specials = list(special_tokens.items())
    if automaton is not None:
        return Tables(_built(vocabulary, automaton, specials))
    if (related := related_tables(key, specials)) is not None:
        return related
    digest, pattern = map(str, key[:2])
    if len(vocabulary.blob) + 4 * len(vocabulary) < MIN_BYTES:
        return Tables(_built(vocabulary, compiled(pattern), specials))
    place = Place("ranks", f"ranks {digest} {pattern}")
    if (file := place.open()) is None:
        automaton = compiled(pattern)
        core = _built(vocabulary, automaton, [])
        if (file := place.keep(core, [automaton])) is None:
            return Tables(core.with_specials(set(), specials))
    try:
        core = file.core(file.section(_AUTOMATON))
    except ValueError:  # damaged all the same
        return Tables(_built(vocabulary, compiled(pattern), specials))
    return Tables(core.with_specials(set(), specials), place.path)


def _built(vocabulary: Vocabulary, automaton: bytes, specials: list[tuple[str, int]]) -> _core.Core:
    flat = (vocabulary.blob, vocabulary.lengths, vocabulary.ids)
    return _core.Core(*flat, specials, automaton)


def compiled(pattern: str) -> bytes:
    """Compile a pattern, or take what was compiled before for an embedded encoding."""
    from tokstream.encodings.registry import compiled_pattern  # noqa: PLC0415 - see `_light`

    if (known := compiled_pattern(pattern)) is not None:
        return known
    from tokstream.patterns import compile_pattern  # noqa: PLC0415 - it brings the compiler

    return compile_pattern(pattern).to_bytes()
