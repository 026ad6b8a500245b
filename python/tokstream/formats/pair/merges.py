"""merges.txt: lines of two tokens with a space between them, stronger ones first.

Enters: the content. Leaves: the pairs. Read as the `tokenizers` package reads it: lines that begin
with `#version` say nothing, CRLF is a line end. Blank lines and a byte-order mark are accepted.
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from tokstream.errors import VocabularyError
from tokstream.formats.document import shown

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["find_fault", "read_merges"]

_REMEDY = "get the file again, or correct the line"


def read_merges(data: bytes, label: str, path: str | None) -> list[list[str]]:
    """Return the merges.

    Args:
        data: the content of the file.
        label: how to call it in messages.
        path: where it is, None for bytes.

    Raises:
        VocabularyError: a line that is no merge; the message says which.

    Cost: O(bytes).
    """
    pairs = [line.split(" ") for line in _lines(data, label, path) if not _says_nothing(line)]
    if set(map(len, pairs)) - {2}:
        fault = find_fault(data, None, label, path)
        if fault is not None:
            raise fault
    return pairs


def find_fault(
    data: bytes, table: Collection[str] | None, label: str, path: str | None
) -> VocabularyError | None:
    """Return what is wrong with the first line that is at fault; None if all are sound.

    Args:
        data: the content of the file.
        table: the vocabulary; None: only the form of the lines is looked at.
        label: how to call the file.
        path: where it is.
    """
    for number, line in enumerate(_lines(data, label, path), 1):
        if not _says_nothing(line) and (what := _fault(line, table)) is not None:
            return VocabularyError(f"{label}:{number}: {what}; {_REMEDY}", path, number)
    return None


def _fault(line: str, table: Collection[str] | None) -> str | None:
    parts = line.split(" ")
    if len(parts) != 2 or "" in parts:
        return f"{shown(line)} is not two tokens with one space between them"
    if table is None:
        return None
    for part in parts:
        if part not in table:
            return f"the merge of {shown(part)}, which is not in the vocabulary"
    if "".join(parts) not in table:
        return f"the merge makes {shown(''.join(parts))}, which is not in the vocabulary"
    return None


def _says_nothing(line: str) -> bool:
    return not line or line.startswith("#version")


def _lines(data: bytes, label: str, path: str | None) -> list[str]:
    content = data.removeprefix(codecs.BOM_UTF8)
    try:
        lines = content.decode().split("\n")
    except UnicodeDecodeError as error:
        number = 1 + content.count(b"\n", 0, error.start)
        raise VocabularyError(
            f"{label}:{number}: byte {error.start + len(data) - len(content)} of the file is not "
            "UTF-8; get the file again",
            path,
            number,
        ) from None
    return [line.removesuffix("\r") for line in lines] if b"\r" in content else lines
