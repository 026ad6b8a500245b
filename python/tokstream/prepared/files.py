"""The directory of prepared files: a file enters, as a whole or not at all; the oldest leave.

Enters: tables and a path. Leaves: whether they were written. Held back: nothing.

Files are written under a name of their own and renamed: a reader sees the old one, the new one or
none, and several writers do not disturb each other. They are not flushed to the disk; what a
power cut leaves behind is found damaged and replaced.
"""

from __future__ import annotations

import os
from contextlib import suppress
from time import monotonic_ns, time

from tokstream._light import TYPE_CHECKING
from tokstream.prepared import SUFFIX

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokstream._core import Core

__all__ = ["MAX_BYTES", "evict", "write"]

MAX_BYTES = 1 << 30
"""What all files together may take; a large vocabulary's takes some 30 MB."""

_TEMPORARY = ".new"
_ABANDONED_SECONDS = 3600


def write(path: str, core: Core, extras: Sequence[bytes]) -> bool:
    """Write tables to a file.

    Returns:
        Whether the file is there now. If not, nothing is left behind.
    """
    folder = os.path.dirname(path)  # noqa: PTH120 - paths are strings here
    temporary = f"{path}.{os.getpid()}-{monotonic_ns()}{_TEMPORARY}"
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103
        core.write(temporary, list(extras))
        os.replace(temporary, path)  # noqa: PTH105
    except OSError:
        _remove(temporary)
        return False
    except BaseException:  # of a signal handler
        _remove(temporary)
        raise
    evict(folder, keep=path)
    return True


def evict(folder: str, *, keep: str = "", max_bytes: int | None = None) -> None:
    """Remove the files not used for longest until the rest fits, and what writers left behind.

    Args:
        folder: the directory.
        keep: a file that stays.
        max_bytes: what the rest may take, `MAX_BYTES` by default.
    """
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.name.endswith((SUFFIX, _TEMPORARY)):
                    continue
                state = entry.stat(follow_symlinks=False)
                if entry.name.endswith(SUFFIX):
                    found.append((state.st_mtime, state.st_size, entry.path))
                elif time() - state.st_mtime > _ABANDONED_SECONDS:
                    _remove(entry.path)
    except OSError:  # others may clean up at the same time
        return
    excess = sum(size for _, size, _ in found) - (MAX_BYTES if max_bytes is None else max_bytes)
    for _, size, path in sorted(found):
        if excess <= 0:
            return
        if path != keep:
            _remove(path)
            excess -= size


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)  # noqa: PTH108
