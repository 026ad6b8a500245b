"""How many threads a call uses.

Enters: what the caller said, or nothing. Leaves: a number, 1 or more, or None for the default.
"""

from __future__ import annotations

import os

from tokstream import _core
from tokstream.errors import ConfigurationError

__all__ = ["checked_number", "default_number", "environment_number"]

_VARIABLE = "TOKSTREAM_NUM_THREADS"


def checked_number(num_threads: int | None) -> int | None:
    """Return a caller's number of threads; None stands for the default.

    Raises:
        ConfigurationError: not a whole number, 1 or more.
    """
    return None if num_threads is None else _number(num_threads, "num_threads")


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
    return _number(setting, _VARIABLE) if setting else None


def _number(value: int | str, where: str) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = 0
    if number < 1:
        raise ConfigurationError(f"{where} is {value!r}; it must be a number of threads, 1 or more")
    return min(number, _core.MAX_THREADS)
