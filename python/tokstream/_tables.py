"""Native tables: one set for equal content in a process, dropped with its last tokenizer.

Enters: a key that tells the content, and how to build the tables. Leaves: the tables.
"""

from __future__ import annotations

import os
from _thread import allocate_lock  # `threading` costs a start some milliseconds
from weakref import WeakValueDictionary

from tokstream._core import release_free_memory
from tokstream._light import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokstream._core import Core

__all__ = ["Tables", "shared_tables"]

_shared: WeakValueDictionary[tuple[object, ...], Tables] = WeakValueDictionary()
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
    """

    def __init__(self, core: Core, path: str | None = None) -> None:
        self.core = core
        self.path = path


def shared_tables(key: tuple[object, ...], build: Callable[[], Tables]) -> Tables:
    """Return the tables of a key, built where the process has none yet."""
    with _shared_lock:
        known = _shared.get(key)
    if known is not None:
        return known
    tables = build()
    release_free_memory()
    with _shared_lock:
        return _shared.setdefault(key, tables)
