"""Tokenizers in pickles: what one is made of goes in, the tables come from a prepared file.

Enters: what `Tokenizer.__reduce__` gives. Leaves: the tokenizer.

A pickle holds all that the tables are made of, so that it can be read on any machine. Where this
process has tables of the same content they are shared. Where the file that they were mapped from
is there it is mapped, so a process that was spawned begins as fast as its parent. Else they are
made, and kept in a file that is named by the content.
"""

from __future__ import annotations

import os

from tokstream import _core
from tokstream._light import TYPE_CHECKING
from tokstream._tables import Tables, known_tables
from tokstream.prepared import MIN_BYTES, Place
from tokstream.prepared.parts import Carried, StoredParts
from tokstream.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokstream.formats.parts import TokenizerParts

__all__ = ["from_parts", "from_sections"]


def from_parts(parts: TokenizerParts) -> Tokenizer:
    """Return a tokenizer from its parts.

    Raises:
        VocabularyError: damaged parts.
    """
    place = _place(parts)
    if place is not None and (file := place.open()) is not None:
        try:
            return Tokenizer._from_file(StoredParts(file), place.path)  # noqa: SLF001 - made for it
        except ValueError:  # damaged: made again
            pass
    return Tokenizer._from_parts(parts, place)  # noqa: SLF001


def from_sections(path: str | None, sections: Sequence[bytes]) -> Tokenizer:
    """Return a tokenizer that came from a prepared file.

    Args:
        path: of the file it was mapped from.
        sections: those of the file.

    Raises:
        VocabularyError: damaged sections.
    """
    carried = StoredParts(Carried(sections))
    if (known := known_tables(carried.key)) is not None:
        return Tokenizer._from_file(carried, known.path, lambda: known)  # noqa: SLF001
    file = None if path is None else _opened(path, carried.key)
    if file is None or path is None:
        return from_parts(carried.parts())
    tables = Tables(carried.core(file), path)
    return Tokenizer._from_file(carried, path, lambda: tables)  # noqa: SLF001


def _place(parts: TokenizerParts) -> Place | None:
    vocabulary = parts.vocabulary
    if len(vocabulary.blob) + 4 * len(vocabulary) < MIN_BYTES:
        return None
    origin = parts.origin
    read_from = (
        None if origin is None else (None if type(origin[0]) is bytes else origin[0], origin[1])
    )
    return Place(parts.name, f"content {parts.name!r} {parts.key()!r} {read_from!r}")


def _opened(path: str, key: tuple[object, ...]) -> _core.Prepared | None:
    """Map a file if it is there, sound, and of this content."""
    owner = os.geteuid() if hasattr(os, "geteuid") else None
    try:
        file = _core.Prepared(path, owner)
        return file if StoredParts(file).key == key else None
    except (ValueError, OSError, TypeError, KeyError):  # another kind of file, or damaged
        return None
