"""The wire format of protocol buffers, as far as a SentencePiece model needs it.

Enters: the bytes of a message. Leaves: its fields, (number, value, offset), in order. Held back:
nothing. Groups, which the schema does not have, are refused.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Message", "WireError", "fields"]

_FLOAT = struct.Struct("<f")
_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5


class WireError(Exception):
    """Bytes that are no message.

    Attributes:
        offset: where, counted from the beginning of the outermost message.
    """

    def __init__(self, what: str, offset: int) -> None:
        super().__init__(what, offset)
        self.what = what
        self.offset = offset


def fields(
    data: bytes, begin: int = 0, end: int | None = None
) -> Iterator[tuple[int, int | float | bytes, int]]:
    """Yield the fields of a message that lies at `data[begin:end]`.

    Yields:
        Number; value (an int for varints, a float for 32 bits, bytes for all others); where the
        value's bytes begin in `data`.

    Raises:
        WireError: bytes that are no message.
    """
    at = begin
    end = len(data) if end is None else end
    while at < end:
        start = at
        tag, at = _varint(data, at, end)
        number, kind = tag >> 3, tag & 7
        if number == 0:
            raise WireError("field number 0", start)
        if kind == _VARINT:
            value, at = _varint(data, at, end)
            yield number, value, start
            continue
        if kind == _BYTES:
            length, at = _varint(data, at, end)
        elif kind in (_FIXED_32, _FIXED_64):
            length = 4 if kind == _FIXED_32 else 8
        else:
            raise WireError(f"wire type {kind}", start)
        if length > end - at:
            raise WireError(f"a field of {length} bytes where {end - at} are left", start)
        begin_of_value, at = at, at + length
        if kind == _FIXED_32:
            yield number, _FLOAT.unpack_from(data, begin_of_value)[0], begin_of_value
        else:
            yield number, data[begin_of_value:at], begin_of_value


class Message:
    """The last value of each field of a message, with the schema's default where it is missing."""

    def __init__(self, data: bytes, offset: int = 0) -> None:
        """Read all fields.

        Raises:
            WireError: bytes that are no message.
        """
        try:
            self._values = {number: value for number, value, _ in fields(data)}
        except WireError as error:
            raise WireError(error.what, error.offset + offset) from None

    def number(self, field: int, default: int) -> int:
        """Return a field that is a number or true or false; negative ones as they are meant."""
        value = self._values.get(field, default)
        if not isinstance(value, int):
            return default
        return value - (1 << 64) if value >= 1 << 63 else value

    def flag(self, field: int, *, default: bool) -> bool:
        """Return a field that is true or false."""
        return bool(self.number(field, default))

    def data(self, field: int) -> bytes:
        """Return a field of bytes, empty if it is missing."""
        value = self._values.get(field, b"")
        return value if isinstance(value, bytes) else b""

    def text(self, field: int, default: str) -> str:
        """Return a field of text."""
        return self.data(field).decode("utf-8", "replace") or default


def _varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """Read a number of 7 bits per byte, lowest first; return it and where it ends."""
    start = at
    value = shift = 0
    while at < end:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            break
    raise WireError("a number without an end", start)
