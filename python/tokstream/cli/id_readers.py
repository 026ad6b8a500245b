"""Token ids out of a file format: blocks of bytes come in, batches of ids go out.

Held back between blocks: an unfinished number (ids, u16, u32, npy), an npy header, or one line
(jsonl: a record is decoded as a whole). Every fault is a `MisreadError` that says where it is.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tokstream.cli.id_formats import NPY_MAGIC

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["Batch", "MisreadError", "read_ids"]

MAX_ID: Final = 0xFFFFFFFF
SEPARATORS: Final = b" \t\r\v\f,[]"
TO_SPACES: Final = bytes.maketrans(SEPARATORS, b" " * len(SEPARATORS))
MAX_NPY_HEADER_BYTES: Final = 64 * 1024
BATCH_IDS: Final = 64 * 1024


class MisreadError(Exception):
    """Input that is not what the format says; the caller knows the file's name."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some ids in a row.

    Attributes:
        ids: native u32, length >= 0.
        ends_text: whether a text (a line, a record) ends after them.
        place: tells where in the input the id at an index of `ids` stands.
    """

    ids: array[int]
    ends_text: bool
    place: Callable[[int], str]


def read_ids(blocks: Iterable[bytes], format_name: str) -> Iterator[Batch]:
    """Read one of `id_formats.FORMATS`.

    Raises:
        MisreadError: at the first fault, after the batches before it.
    """
    if format_name == "ids":
        return read_numbers(blocks)
    if format_name == "jsonl":
        return read_records(blocks)
    if format_name == "npy":
        return read_npy(blocks)
    return read_raw(blocks, itemsize=2 if format_name == "u16" else 4)


def read_numbers(blocks: Iterable[bytes]) -> Iterator[Batch]:
    """Read decimal numbers; a line is a text. Blanks, commas and brackets separate."""
    line, column = 1, 1
    rest = b""
    for block in blocks:
        data = rest + block
        # a number may go on in the next block: keep it back
        cut = 1 + max(data.rfind(b"\n"), *(data.rfind(bytes([b])) for b in SEPARATORS))
        data, rest = data[:cut], data[cut:]
        for text, ends in split_lines(data):
            yield from number_batches(text, line, column, ends_text=ends)
            line, column = (line + 1, 1) if ends else (line, column + len(text))
        if len(rest) > len(str(MAX_ID)):
            list(number_batches(rest, line, column, ends_text=False))  # leading zeros do not raise
            short = rest.lstrip(b"0") or b"0"
            column += len(rest) - len(short)
            rest = short
    if rest or column > 1:
        yield from number_batches(rest, line, column, ends_text=True)


def split_lines(data: bytes) -> Iterator[tuple[bytes, bool]]:
    """Cut at line feeds; a last part without one does not end a line."""
    *complete, rest = data.split(b"\n")
    for text in complete:
        yield text, True
    if rest:
        yield rest, False


def number_batches(text: bytes, line: int, column: int, *, ends_text: bool) -> Iterator[Batch]:
    """Parse the numbers of (a part of) one line, which begins at `line`:`column`.

    Gives one batch; if there is a fault, the numbers before it, then the error.
    """

    def place(index: int) -> str:
        for i, found in enumerate(re.finditer(rb"[^ \t\r\v\f,\[\]]+", text)):
            if i == index:
                return f"line {line}, column {column + found.start()}"
        return f"line {line}"

    words = text.translate(TO_SPACES).split()
    n_good = len(words)
    if text.translate(None, b"0123456789" + SEPARATORS):  # `int` also takes 1_0, +1, -1
        n_good = next(i for i, word in enumerate(words) if not word.isdigit())
    try:
        ids = array("I", map(int, words[:n_good]))
    except (OverflowError, ValueError):
        n_good = next(i for i, word in enumerate(words) if not fits(word))
        ids = array("I", map(int, words[:n_good]))
    if n_good == len(words):
        yield Batch(ids, ends_text, place)
        return
    yield Batch(ids, ends_text=False, place=place)
    raise not_an_id(words[n_good], place(n_good))


def fits(digits: bytes) -> bool:
    """Tell whether a decimal number is a u32, written in a length that `int` takes."""
    return len(digits) < 4000 and int(digits) <= MAX_ID


def not_an_id(word: object, place: str) -> MisreadError:
    """Word the refusal of something that is not a number from 0 to 2^32 - 1."""
    shown = word.decode("ascii", "backslashreplace") if isinstance(word, bytes) else str(word)
    if len(shown) > 40:
        shown = shown[:40] + "..."
    return MisreadError(
        f"not a token id at {place}: {shown}; ids are decimal numbers, other formats need --format"
    )


def read_raw(blocks: Iterable[bytes], itemsize: int, start: int = 0) -> Iterator[Batch]:
    """Read little-endian unsigned integers of `itemsize` 1, 2, 4 or 8 bytes.

    Args:
        blocks: cut anywhere.
        itemsize: bytes per id.
        start: byte offset of the first block in the file.
    """
    typecode = {1: "B", 2: "H", 4: "I", 8: "Q"}[itemsize]
    offset = start
    rest = b""
    for block in blocks:
        data = rest + block
        whole = len(data) - len(data) % itemsize
        rest = data[whole:]
        values = array(typecode, data[:whole])
        if sys.byteorder == "big":
            values.byteswap()
        base = offset
        offset += whole

        def place(index: int, base: int = base) -> str:
            return f"byte offset {base + index * itemsize}"

        yield Batch(narrowed(values, place), ends_text=False, place=place)
    if rest:
        raise MisreadError(
            f"the file ends inside an id: {len(rest)} bytes are left at byte offset {offset}, "
            f"where an id has {itemsize}; it is damaged, or needs another --format"
        )


def narrowed(values: array[int], place: Callable[[int], str]) -> array[int]:
    """Give `values` as u32."""
    try:
        return values if values.typecode == "I" else array("I", values)
    except OverflowError:
        index = next(i for i, value in enumerate(values) if value > MAX_ID)
        raise not_an_id(values[index], place(index)) from None


def read_npy(blocks: Iterable[bytes]) -> Iterator[Batch]:
    """Read a one-dimensional integer array in NumPy's file format, versions 1 to 3.

    Source: numpy.lib.format. Signed integers of 4 or 8 bytes are read as unsigned: a negative
    number is then beyond every vocabulary, and refused like any other id that does not exist.
    """
    iterator = iter(blocks)
    data = b""

    def need(n_bytes: int) -> None:
        nonlocal data
        while len(data) < n_bytes:
            block = next(iterator, b"")
            if not block:
                raise MisreadError("the npy header is cut short; the file is not complete")
            data += block

    need(10)
    if data[:6] != NPY_MAGIC:
        raise MisreadError("not an npy file: it does not begin with \\x93NUMPY; check --format")
    start, length_bytes = (10, 2) if data[6] == 1 else (12, 4)
    need(start)
    header_bytes = int.from_bytes(data[8 : 8 + length_bytes], "little")
    if header_bytes > MAX_NPY_HEADER_BYTES:
        raise MisreadError(f"damaged npy header: its length field says {header_bytes} bytes")
    need(start + header_bytes)
    itemsize, n_tokens = parse_npy_header(data[start : start + header_bytes])

    n_read = 0
    body = read_raw(chained(data[start + header_bytes :], iterator), itemsize, start + header_bytes)
    for batch in body:
        n_read += len(batch.ids)
        yield batch
    if n_read != n_tokens:
        raise MisreadError(f"the npy header promises {n_tokens} ids, the file has {n_read}")


def parse_npy_header(header: bytes) -> tuple[int, int]:
    """Give (bytes per id, number of ids) from the dictionary in an npy header."""
    try:
        fields = ast.literal_eval(header.decode("latin-1").strip())
        descr, shape = str(fields["descr"]), tuple(fields["shape"])
    except (ValueError, SyntaxError, TypeError, KeyError, MemoryError, RecursionError):
        raise MisreadError("damaged npy header: it is not the dictionary it should be") from None
    found = re.fullmatch(r"[<|](?:u[1248]|i[48])", descr)
    if found is None:
        raise MisreadError(f"an npy array of {descr}: ids are little-endian integers such as <u4")
    if len(shape) != 1:
        raise MisreadError(f"an npy array of shape {shape}: ids need one dimension")
    return int(descr[-1]), int(shape[0])


def chained(first: bytes, rest: Iterable[bytes]) -> Iterator[bytes]:
    """Give `first`, then `rest`."""
    yield first
    yield from rest


def read_records(blocks: Iterable[bytes]) -> Iterator[Batch]:
    """Read JSON lines: each an object with `ids`, or a bare list; a record is a text."""
    for line, text in enumerate(whole_lines(blocks), start=1):
        if not text.strip():
            continue
        try:
            record = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise not_json(error, line) from None
        ids = record.get("ids") if isinstance(record, dict) else record
        if not isinstance(ids, list):
            raise MisreadError(f'no list of ids on line {line}; a record is {{"ids": [...]}}')
        for start in range(0, max(len(ids), 1), BATCH_IDS):
            part = ids[start : start + BATCH_IDS]
            for index, value in enumerate(part):
                if type(value) is not int or not 0 <= value <= MAX_ID:
                    raise not_an_id(value, f"line {line}, id number {start + index}")

            def place(index: int, line: int = line, start: int = start) -> str:
                return f"line {line}, id number {start + index}"

            yield Batch(array("I", part), start + BATCH_IDS >= len(ids), place)


def not_json(error: ValueError | RecursionError, line: int) -> MisreadError:
    """Word why a line is no record."""
    place, reason = f"line {line}", str(error)
    if isinstance(error, json.JSONDecodeError):
        place, reason = f"{place}, column {error.colno}", error.msg[:1].lower() + error.msg[1:]
    return MisreadError(
        f'not JSON at {place}: {reason}; a record is {{"ids": [...]}}, other formats need --format'
    )


def whole_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Join blocks into lines."""
    parts: list[bytes] = []
    for block in blocks:
        *complete, rest = block.split(b"\n")
        for text in complete:
            yield b"".join([*parts, text])
            parts = []
        if rest:
            parts.append(rest)
    if parts:
        yield b"".join(parts)
