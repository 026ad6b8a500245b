"""How many threads a call uses.

Enters: what the caller said, or nothing. Leaves: a number, 1 or more, or None for the default.
"""

from __future__ import annotations

import os
from operator import index

from tokstream import _core
from tokstream.errors import ConfigurationError

__all__ = ["checked_number", "default_number", "environment_number"]

_VARIABLE = "TOKSTREAM_NUM_THREADS"


def checked_number(num_threads: int | None) -> int | None:
    """Return a caller's number of threads; None stands for the default.

    Raises:
        ConfigurationError: not a whole number, 1 or more.
    """
    if num_threads is None:
        return None
    try:
        return _number(index(num_threads), "num_threads")
    except TypeError:
        raise _refusal(num_threads, "num_threads") from None


def default_number() -> int:
    """Return what TOKSTREAM_NUM_THREADS says, else the processors that this process may use.

    Affinity and quotas (cgroups) of the process count. The native core asks here once a text is
    long enough for several threads.

    Raises:
        ConfigurationError: the variable holds no number of threads.
    """
    return environment_number() or _core.usable_cores()


def environment_number() -> int | None:
    """Return what TOKSTREAM_NUM_THREADS says; None if it says nothing.

    Raises:
        ConfigurationError: the variable holds no number of threads.
    """
    setting = os.environ.get(_VARIABLE)
    if not setting:
        return None
    try:
        return _number(int(setting), _VARIABLE)
    except ValueError:
        raise _refusal(setting, _VARIABLE) from None


def _number(number: int, where: str) -> int:
    if number < 1:
        raise _refusal(number, where)
    return min(number, _core.MAX_THREADS)


def _refusal(value: object, where: str) -> ConfigurationError:
    return ConfigurationError(f"{where} is {value!r}; it must be a number of threads, 1 or more")
