"""Native tables: one set for equal content in a process, dropped with its last tokenizer.

Enters: a key that tells the content, and how to build the tables. Leaves: the tables.

Tokenizers of ranks that differ in their special tokens only share all tables but the list that
decoding reads: their keys begin with the same digest and pattern.
"""

from __future__ import annotations

import os
from _thread import allocate_lock  # `threading` costs a start some milliseconds
from weakref import WeakValueDictionary

from tokstream._core import release_free_memory
from tokstream._light import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tokstream._core import Core

__all__ = ["Tables", "known_tables", "note_related", "related_tables", "shared_tables"]

_shared: WeakValueDictionary[tuple[object, ...], Tables] = WeakValueDictionary()
# of ranks, by digest and pattern
_related: WeakValueDictionary[tuple[object, ...], Tables] = WeakValueDictionary()
_shared_lock = allocate_lock()


def _new_lock() -> None:
    global _shared_lock  # noqa: PLW0603 - a thread that the fork left behind may hold the old one
    _shared_lock = allocate_lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_lock)


class Tables:
    """Native tables, one set for equal content in a process.

    Attributes:
        core: the tables.
        path: the prepared file they are mapped from; None if they were made in memory.
        special_ids: in tables of ranks, the ids of special tokens.
    """

    def __init__(self, core: Core, path: str | None = None) -> None:
        self.core = core
        self.path = path
        self.special_ids: set[int] = set()


def known_tables(key: tuple[object, ...]) -> Tables | None:
    """Return the tables of a key if the process has them."""
    with _shared_lock:
        return _shared.get(key)


def related_tables(
    key: tuple[object, ...], special_tokens: Iterable[tuple[str, int]]
) -> Tables | None:
    """Return tables of ranks with these special tokens, from others of the same ranks and pattern.

    Args:
        key: digest, pattern, special tokens.
        special_tokens: text and id, in the order of the tokenizer.
    """
    with _shared_lock:
        related = _related.get(key[:2])
    if related is None:
        return None
    return Tables(
        related.core.with_specials(related.special_ids, list(special_tokens)), related.path
    )


def shared_tables(key: tuple[object, ...], build: Callable[[], Tables]) -> Tables:
    """Return the tables of a key, built where the process has none yet."""
    if (known := known_tables(key)) is not None:
        return known
    tables = build()
    release_free_memory()
    with _shared_lock:
        return _shared.setdefault(key, tables)


def note_related(key: tuple[object, ...], tables: Tables, special_ids: Iterable[int]) -> None:
    """Let `related_tables` find tables of ranks, whose special tokens have these ids."""
    with _shared_lock:
        if key[:2] not in _related:
            tables.special_ids = set(special_ids)
            _related[key[:2]] = tables
