"""Token ids into a file format: buffers of native u32 come in, bytes go to an `Output`.

Each writer gathers what one block of input gives and writes it at `flush`, which the caller calls
after every block: large writes for files, no waiting for a slow pipe. Nothing else is held back;
the count in an npy header and the totals of a jsonl record follow when they are known.
"""

from __future__ import annotations

import json
import sys
from abc import ABC, abstractmethod
from array import array
from typing import TYPE_CHECKING, Final

from tokstream.cli.id_formats import NPY_MAGIC

if TYPE_CHECKING:
    from tokstream.cli.outputs import Output

__all__ = ["IdWriter", "make_writer"]


class IdWriter(ABC):
    """Writes texts, each a run of ids: `begin`, `write` (any number), `end`; at last `close`."""

    def __init__(self, output: Output) -> None:
        self.output = output
        self.pending = bytearray()
        self.n_tokens = 0

    def begin(self, path: str, line: int | None = None) -> None:  # noqa: B027 - most formats mark none
        """Start a text, read from `path` (and its 1-based `line`, if lines are texts)."""

    def write(self, ids: memoryview) -> None:
        """Append ids (native u32, one dimension, length >= 0) to the current text."""
        if len(ids):
            self.pending += self.encoded(ids)
            self.n_tokens += len(ids)

    def end(self, n_bytes: int) -> None:  # noqa: B027 - most formats mark no end
        """Finish the text, which had `n_bytes` bytes."""

    def fail(self, message: str) -> None:
        """Hand over what there is; `message` says why the text, if one is open, goes no further."""
        del message  # most formats have no place for it: the exit code tells
        self.flush()

    def flush(self) -> None:
        """Hand everything gathered so far to the output."""
        if self.pending:
            self.output.write(self.pending)
            self.pending.clear()

    def close(self) -> None:
        """Complete the file."""
        self.flush()

    @abstractmethod
    def encoded(self, ids: memoryview) -> bytes | bytearray | memoryview:
        """Give `ids` (length >= 1) in this format."""


class U32Writer(IdWriter):
    """Raw little-endian u32: the bytes that the core gives, as they are."""

    def encoded(self, ids: memoryview) -> bytes | memoryview:
        """See `IdWriter`."""
        if sys.byteorder == "little":
            return ids.cast("B")
        swapped = array("I", ids)
        swapped.byteswap()
        return swapped.tobytes()


class U16Writer(IdWriter):
    """Raw little-endian u16; the caller has checked that the vocabulary fits."""

    def encoded(self, ids: memoryview) -> bytearray:
        """See `IdWriter`."""
        # strided slices copy in C: forty times faster than array("H", ids), and no numpy needed
        wide = ids.tobytes()
        low, high = (0, 1) if sys.byteorder == "little" else (3, 2)
        narrow = bytearray(2 * len(ids))
        narrow[0::2] = wide[low::4]
        narrow[1::2] = wide[high::4]
        return narrow


class NpyWriter(U32Writer):
    """NumPy's format 1.0, whose header is written again with the length once it is known.

    Source: numpy.lib.format, "Format Version 1.0": magic, version, u16 header length, a Python
    dictionary literal padded with spaces to a multiple of 64 bytes and ended by a line feed.
    """

    HEADER_BYTES: Final = 128  # room for a length of 20 digits

    def __init__(self, output: Output) -> None:
        super().__init__(output)
        self.pending += self.header()

    def header(self) -> bytes:
        """Give the header for the current length."""
        prefix = NPY_MAGIC + b"\x01\x00" + (self.HEADER_BYTES - 10).to_bytes(2, "little")
        text = f"{{'descr': '<u4', 'fortran_order': False, 'shape': ({self.n_tokens},), }}"
        return prefix + text.encode("ascii").ljust(self.HEADER_BYTES - 11) + b"\n"

    def close(self) -> None:
        """See `IdWriter`."""
        super().close()
        self.output.patch(self.header())


class Numerals(dict[int, str]):
    """The decimal numeral of each id seen: six times faster than `str`, at most one per token."""

    def __missing__(self, token_id: int) -> str:
        """Make the numeral."""
        numeral = self[token_id] = str(token_id)
        return numeral


class IdsWriter(IdWriter):
    """Decimal numbers separated by spaces, one line per text."""

    separator = b""

    def __init__(self, output: Output) -> None:
        super().__init__(output)
        self.numerals = Numerals()

    def encoded(self, ids: memoryview) -> bytes:
        """See `IdWriter`."""
        numbers = self.separator + " ".join(map(self.numerals.__getitem__, ids)).encode("ascii")
        self.separator = b" "
        return numbers

    def end(self, n_bytes: int) -> None:
        """See `IdWriter`."""
        del n_bytes
        self.pending += b"\n"
        self.separator = b""


class JsonlWriter(IdsWriter):
    """One JSON object per text; `ids` comes before the totals, so that it can be streamed."""

    is_open = False

    def begin(self, path: str, line: int | None = None) -> None:
        """See `IdWriter`."""
        self.is_open = True
        place = f', "line": {line}' if line is not None else ""
        self.pending += f'{{"path": {json.dumps(path)}{place}, "ids": ['.encode("ascii")
        self.separator = b""
        self.n_tokens_before = self.n_tokens

    def encoded(self, ids: memoryview) -> bytes:
        """See `IdWriter`."""
        numbers = self.separator + ", ".join(map(self.numerals.__getitem__, ids)).encode("ascii")
        self.separator = b", "
        return numbers

    def end(self, n_bytes: int) -> None:
        """See `IdWriter`."""
        self.complete("n_bytes", n_bytes)

    def fail(self, message: str) -> None:
        """See `IdWriter`: the record is completed, so that every line is one."""
        if self.is_open:
            self.complete("error", message)
        self.flush()

    def complete(self, key: str, value: int | str) -> None:
        """Write the totals, and one key more."""
        n_tokens = self.n_tokens - self.n_tokens_before
        last = f"{json.dumps(key)}: {json.dumps(value)}"
        self.pending += f'], "n_tokens": {n_tokens}, {last}}}\n'.encode("ascii")
        self.is_open = False


WRITERS: Final[dict[str, type[IdWriter]]] = {
    "ids": IdsWriter,
    "u16": U16Writer,
    "u32": U32Writer,
    "npy": NpyWriter,
    "jsonl": JsonlWriter,
}


def make_writer(format_name: str, output: Output) -> IdWriter:
    """Make the writer for one of `id_formats.FORMATS`."""
    return WRITERS[format_name](output)
