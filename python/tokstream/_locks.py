"""Locks and kept values that a fork does not leave locked.

A forked child has the memory of its parent but only one of its threads: a lock that another thread
held at that moment would stay locked in the child for ever.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload
from weakref import WeakSet

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Lock", "kept"]

_Value = TypeVar("_Value")


class Lock:
    """A lock for `with`, which is free in a forked child.

    Args:
        is_reentrant: the thread that holds it may take it again.
    """

    __slots__ = ("__weakref__", "_held", "_is_reentrant", "_lock")

    def __init__(self, *, is_reentrant: bool = False) -> None:
        self._is_reentrant = is_reentrant
        self._renew()
        self._held = self._lock
        _locks.add(self)

    def __enter__(self) -> None:
        lock = self._lock
        lock.acquire()
        self._held = lock

    def __exit__(self, *_: object) -> None:
        self._held.release()

    def _renew(self) -> None:
        self._lock: Any = threading.RLock() if self._is_reentrant else threading.Lock()


_locks: WeakSet[Lock] = WeakSet()


def _renew_all() -> None:
    for lock in _locks:
        lock._renew()  # noqa: SLF001 - of this module


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)


class kept(Generic[_Value]):  # noqa: N801 - a decorator
    """A property that is worked out once and kept in the object.

    Unlike `functools.cached_property` of Python 3.11 it has no lock: two threads that ask at the
    same time may both work it out, and both get what the first one kept.
    """

    def __init__(self, work_out: Callable[[Any], _Value]) -> None:
        self._work_out = work_out
        self.__doc__ = work_out.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> kept[_Value]: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> _Value: ...

    def __get__(self, instance: object, owner: type | None = None) -> kept[_Value] | _Value:
        if instance is None:
            return self
        found: _Value = instance.__dict__.setdefault(self._name, self._work_out(instance))
        return found
