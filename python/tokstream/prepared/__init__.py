"""Prepared tokenizers: tables that were made once, kept in files and mapped ever after.

Enters: what tells a tokenizer from others, and once its tables. Leaves: the mapped file, if there
is a sound one. Held back: nothing; what cannot be kept is made in memory, without an error.

A file's name is made from its *identity* (the name of an encoding, or path and arguments, and the
build of the package); its first section is the *key*, the identity and the state of the files that
were read. A file with another key is out of date and replaced. Which files are trusted, and why
they do not change while they are mapped, is said in the core (`prepared.rs`).

This module is part of every start, so it imports next to nothing.
"""

from __future__ import annotations

import os
import sys

from tokstream import _core
from tokstream._light import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MIN_BYTES", "SUFFIX", "VARIABLE", "Place", "directory"]

VARIABLE = "TOKSTREAM_CACHE_DIR"
"""Names the directory; empty or "off": there is none."""

SUFFIX = ".prepared"

MIN_BYTES = 1 << 17
"""Smaller files are read in no time: nothing is kept for them."""


def directory() -> str | None:
    """Return where prepared files are kept, None if nowhere; it need not exist.

    In this order: `$TOKSTREAM_CACHE_DIR`; `tokstream` in `$XDG_CACHE_HOME`; `tokstream` in the
    system's usual place: `~/Library/Caches`, `%LOCALAPPDATA%`, `~/.cache`.
    """
    chosen = os.environ.get(VARIABLE)
    if chosen is not None:
        return None if chosen in ("", "off") else os.path.abspath(chosen)  # noqa: PTH100 - see `_light`
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # noqa: PTH117
        if sys.platform == "win32":
            base = os.environ.get("LOCALAPPDATA", "")
        else:
            caches = "Library/Caches" if sys.platform == "darwin" else ".cache"
            base = os.path.join(_own_home(), caches)  # noqa: PTH118
    return os.path.join(base, "tokstream") if os.path.isabs(base) else None  # noqa: PTH117, PTH118


def _own_home() -> str:
    """Return the user's home; empty if there is none, or it is another's (after `sudo`)."""
    home = os.path.expanduser("~")  # noqa: PTH111
    try:
        owner = os.stat(home).st_uid  # noqa: PTH116
    except OSError:
        return ""
    return home if not hasattr(os, "geteuid") or owner == os.geteuid() else ""


class Place:
    """Where one tokenizer's file is, or would be.

    Attributes:
        path: the file's path, None if none is kept.
        key: what its first section must be.
    """

    __slots__ = ("key", "path")

    def __init__(self, label: str, identity: str, state: str = "") -> None:
        """Find the place.

        Args:
            label: for people who look into the directory.
            identity: what does not change when the tokenizer's files do.
            state: what does.
        """
        identity = f"{_core.BUILD}\n{identity}"
        self.key = f"{identity}\n{state}".encode("utf-8", "surrogatepass")
        folder = directory()
        self.path = None
        if folder is not None:
            words = "".join(c if c.isalnum() or c in "-_." else "-" for c in label)
            number = _core.checksum(identity.encode("utf-8", "surrogatepass"))
            self.path = os.path.join(folder, f"{words[:60]}-{number:016x}{SUFFIX}")  # noqa: PTH118

    def open(self) -> _core.Prepared | None:
        """Map the file; None if there is none, or it is not to be used."""
        if self.path is None:
            return None
        owner = os.geteuid() if hasattr(os, "geteuid") else None
        try:
            file = _core.Prepared(self.path, owner)
            if file.section(0) != self.key:
                return None
        except ValueError:  # whatever is wrong with it, another one will be made
            return None
        _note_use(self.path)
        return file

    def keep(self, core: _core.Core, extras: Sequence[bytes]) -> _core.Prepared | None:
        """Write a file and map it; None if that is not possible.

        Args:
            core: the tables.
            extras: sections beside them; `Prepared.section` numbers them from 1.
        """
        if self.path is None:
            return None
        from tokstream.prepared.files import write  # noqa: PLC0415 - seldom needed

        if not write(self.path, core, [self.key, *extras]):
            return None
        return self.open()


def _note_use(path: str) -> None:
    """Note, once a day, that a file is in use: the ones not used for longest go first."""
    from time import time  # noqa: PLC0415 - built in

    try:
        if time() - os.stat(path).st_mtime > 86400:  # noqa: PTH116
            os.utime(path)
    except OSError:
        pass
