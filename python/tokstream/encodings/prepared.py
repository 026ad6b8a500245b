"""The tables of an embedded encoding: from its prepared file, or made and kept.

Enters: what an encoding is. Leaves: a digest of its vocabulary, and its tables when asked for.
"""

from __future__ import annotations

from tokstream import _core
from tokstream._light import TYPE_CHECKING
from tokstream._tables import Tables
from tokstream.encodings import registry
from tokstream.encodings.registry import spec
from tokstream.prepared import Place

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokstream.encodings.registry import EncodingSpec

__all__ = ["spec", "tables"]

# numbers of the sections; the first is the key
_DIGEST, _AUTOMATON = 1, 2


def tables(encoding: EncodingSpec) -> tuple[str, Callable[[], Tables]]:
    """Return the digest of an encoding's vocabulary, and what gives its tables.

    Cost: reading a file; without one, building the tables, some tenths of a second.
    """
    place = Place(encoding.name, f"encoding {encoding.name}", registry.stamp(encoding))
    file = place.open()
    if file is not None:
        try:
            known = Tables(file.core(file.section(_AUTOMATON)), place.path)
            return file.section(_DIGEST).decode(), lambda: known
        except ValueError:  # damaged: made again
            pass
    vocabulary = registry.vocabulary(encoding.name)
    digest = vocabulary.content_digest()

    def build() -> Tables:
        automaton = registry.load_automaton_bytes(encoding.name)
        if automaton is None:
            from tokstream.patterns import compile_pattern  # noqa: PLC0415 - seldom needed

            automaton = compile_pattern(encoding.pattern).to_bytes()
        flat = (vocabulary.blob, vocabulary.lengths, vocabulary.ids)
        core = _core.Core(*flat, list(encoding.special_tokens.items()), automaton)
        if (file := place.keep(core, [digest.encode(), automaton])) is not None:
            return Tables(file.core(automaton), place.path)
        return Tables(core)

    return digest, build
