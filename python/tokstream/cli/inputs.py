"""Where input comes from: paths come in, blocks of bytes go out.

A block is what one `read` gives, at most `BLOCK_BYTES`: a file is read in large blocks, a slow pipe
is handed on as it arrives. Nothing is held back.
"""
# os, not pathlib: descriptors without a buffer, and paths as the user wrote them
# ruff: noqa: PTH112, PTH116

from __future__ import annotations

import errno
import os
import select
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from tokstream.cli.errors import USAGE, CommandError, naming

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["BLOCK_BYTES", "Source", "lines", "refuse_to_replace", "total_bytes", "walk"]

# large enough that the cost of a call vanishes, small enough for a core's second-level cache
BLOCK_BYTES = 256 * 1024

STDIN = 0


class Source:
    """One input: a file, or standard input for `-`.

    Attributes:
        path: as the user wrote it.
        name: for messages.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.is_stdin = path == "-"
        self.name = "standard input" if self.is_stdin else path or "''"

    def blocks(self) -> Iterator[bytes]:
        """Read to the end, block by block.

        Raises:
            CommandError: if the file cannot be opened or read; the message names it.
        """
        if self.is_stdin:
            yield from read_blocks(STDIN, self.name)
            return
        with naming(self.name):
            descriptor = os.open(self.path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        try:
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                raise CommandError(f"{self.name}: is a directory; name the files in it")
            yield from read_blocks(descriptor, self.name)
        finally:
            os.close(descriptor)

    def n_bytes(self) -> int | None:
        """Tell how many bytes are left to read, or None for a pipe or device."""
        try:
            status = os.fstat(STDIN) if self.is_stdin else os.stat(self.path)
            if not stat.S_ISREG(status.st_mode):
                return None
            position = os.lseek(STDIN, 0, os.SEEK_CUR) if self.is_stdin else 0
        except OSError:
            return None  # reading it will say why
        return max(status.st_size - position, 0)

    def is_file(self, path: str) -> bool:
        """Tell whether `path` is the very file this source reads."""
        try:
            own = os.fstat(STDIN) if self.is_stdin else os.stat(self.path)
            return stat.S_ISREG(own.st_mode) and os.path.samestat(own, os.stat(path))
        except OSError:
            return False


def read_blocks(descriptor: int, name: str) -> Iterator[bytes]:
    """Read `descriptor` to the end; each block as soon as the system has one."""
    while True:
        with naming(name):
            try:
                block = os.read(descriptor, BLOCK_BYTES)
            except BlockingIOError:
                # another process made the shared terminal or pipe non-blocking
                select.select([descriptor], [], [])
                continue
        if not block:
            return
        yield block


def lines(blocks: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    r"""Cut blocks at line feeds.

    Yields:
        (part, ends): bytes of the current line, without the line feed, and whether the line ends
        there. A line longer than a block comes in several parts, so that nothing is held back. A
        last line without a line feed ends with an empty part.
    """
    is_open = False
    for block in blocks:
        *complete, rest = block.split(b"\n")
        for part in complete:
            yield part, True
        if complete:
            is_open = False
        if rest:
            is_open = True
            yield rest, False
    if is_open:
        yield b"", True


def total_bytes(sources: Iterable[Source]) -> int | None:
    """Add up the sizes of all sources; None as soon as one is unknown."""
    total = 0
    for source in sources:
        size = source.n_bytes()
        if size is None:
            return None
        total += size
    return total


def refuse_to_replace(sources: Iterable[Source], path: str | None, what: str = "output") -> None:
    """Refuse to write over an input.

    Args:
        sources: the inputs.
        path: where the output goes; None is standard output.
        what: what the output is, for the message.

    Raises:
        CommandError: `path` is one of the inputs.
    """
    if path is not None and any(source.is_file(path) for source in sources):
        raise CommandError(f"{path} is an input and the {what}; name another {what}", USAGE)


def walk(path: str) -> Iterator[str | CommandError]:
    """List the files below `path` in sorted order; a path that is no directory is itself the list.

    Names that begin with a dot, links to directories, sockets, pipes and devices inside a directory
    are skipped. A directory that cannot be listed is yielded as an error, in its place.
    """
    if path == "-" or not os.path.isdir(path):
        yield path
        return
    # depth first with an explicit stack: no recursion on the depth of a tree
    stack = [path]
    while stack:
        current = stack.pop()
        if current != path and not os.path.isdir(current):
            yield current
            continue
        try:
            with os.scandir(current) as entries:
                children = sorted(
                    entry.path
                    for entry in entries
                    if not entry.name.startswith(".") and is_regular_or_directory(entry)
                )
        except OSError as error:
            text = (error.strerror or os.strerror(errno.EIO)).lower()
            yield CommandError(f"{current}: {text}")
            continue
        stack.extend(reversed(children))


def is_regular_or_directory(entry: os.DirEntry[str]) -> bool:
    """Tell whether `walk` reads or enters `entry`."""
    with suppress(OSError):
        return entry.is_dir(follow_symlinks=False) or entry.is_file()
    return False
