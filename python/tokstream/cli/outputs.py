"""Where output goes: bytes come in, a complete file or nothing comes out.

A file is written under a temporary name in the same directory and renamed when everything has been
written, so that whoever opens the final name never sees half a file. Standard output, pipes and
devices are written at once. Nothing is held back.
"""
# os, not pathlib: descriptors without a buffer, and paths as the user wrote them
# ruff: noqa: PTH101, PTH105, PTH108, PTH116, PTH118, PTH120

from __future__ import annotations

import os
import select
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from tokstream.cli.errors import USAGE, CommandError, naming

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Output", "open_output", "standard_output"]

STDOUT = 1
LINE_FEED = 10


class Output:
    """An open destination.

    Attributes:
        name: for messages.
        is_regular: whether it is a new regular file, which can be patched.
        n_bytes: bytes written so far.
        is_inside_line: whether the last byte was no line feed.
    """

    def __init__(self, descriptor: int, name: str, *, is_regular: bool) -> None:
        self.descriptor = descriptor
        self.name = name
        self.is_regular = is_regular
        self.n_bytes = 0
        self.is_inside_line = False

    def is_terminal(self) -> bool:
        """Tell whether a person looks at it."""
        return os.isatty(self.descriptor)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Write all of `data` now.

        Raises:
            CommandError: if the system refuses (full disk, closed descriptor).
            BrokenPipeError: if the reader has gone.
        """
        view = memoryview(data).cast("B")
        with naming(self.name):
            while view:
                try:
                    n = os.write(self.descriptor, view)
                except BlockingIOError:
                    # another process made the shared terminal or pipe non-blocking
                    select.select([], [self.descriptor], [])
                    continue
                self.n_bytes += n
                self.is_inside_line = view[n - 1] != LINE_FEED
                view = view[n:]

    def write_text(self, text: str) -> None:
        """Write `text` as UTF-8; bytes of file names that are not UTF-8 come out as they are."""
        self.write(text.encode("utf-8", "surrogateescape"))

    def patch(self, data: bytes) -> None:
        """Overwrite the beginning of a regular file with `data`."""
        with naming(self.name):
            os.lseek(self.descriptor, 0, os.SEEK_SET)
        n_bytes = self.n_bytes
        self.write(data)
        self.n_bytes = n_bytes
        with naming(self.name):
            os.lseek(self.descriptor, 0, os.SEEK_END)


def standard_output() -> Output:
    """Give standard output."""
    return Output(STDOUT, "standard output", is_regular=False)


@contextmanager
def open_output(path: str | None) -> Iterator[Output]:
    """Open `path` (None or `-`: standard output) for the time of the body.

    If the body ends well, a regular file gets its final name; if it raises, the file is removed and
    whatever had that name before is untouched. A link is followed; the permissions of a file that
    is replaced are kept.

    Raises:
        CommandError: if the file cannot be created, completed or renamed.
    """
    if path is None or path == "-":
        output = standard_output()
        try:
            yield output
        except Exception:
            # the message gets a line of its own, where a person looks at both
            if output.is_inside_line and output.is_terminal():
                output.write(b"\n")
            raise
        return
    if not path:
        raise CommandError("the output has an empty name; name a file to write", USAGE)
    mode = existing_mode(path)
    if mode is not None and stat.S_ISDIR(mode):
        raise CommandError(f"{path}: is a directory; name a file to write")
    if mode is not None and not stat.S_ISREG(mode):
        with naming(path):
            descriptor = os.open(path, os.O_WRONLY)
        try:
            yield Output(descriptor, path, is_regular=False)
        finally:
            os.close(descriptor)
        return
    if path.endswith(os.sep):
        raise CommandError(f"{path}: names a directory; name a file to write")
    yield from write_then_rename(path, os.path.realpath(path), mode)


def write_then_rename(path: str, target: str, mode: int | None) -> Iterator[Output]:
    """Do `open_output` for a regular file."""
    temporary = os.path.join(os.path.dirname(target), f".tokstream-{os.urandom(8).hex()}.part")
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    # the name is random, so whatever bears it is ours to remove, even if a signal arrives between
    # the creation and the next line
    try:
        with naming(path):
            descriptor = os.open(temporary, flags, 0o666)
        try:
            with naming(path):
                if mode is not None:
                    os.chmod(temporary, stat.S_IMODE(mode))
            yield Output(descriptor, path, is_regular=True)
        finally:
            with naming(path):
                os.close(descriptor)
        with naming(path):
            os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def existing_mode(path: str) -> int | None:
    """Give the mode of what `path` names now, or None."""
    try:
        return os.stat(path).st_mode
    except OSError:
        return None  # creating it will say why, if there is a reason
