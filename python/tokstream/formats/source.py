"""Where a vocabulary is read from: a path or bytes enter, an open buffered file leaves.

Never the network: a name that is not a file is an error that says what else it may be.
"""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from tokstream._buffers import plain
from tokstream.encodings.registry import ENCODING_NAMES
from tokstream.errors import VocabularyError

if TYPE_CHECKING:
    from typing import Any

__all__ = ["Source", "open_source"]

Source: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview"
"""A path, or the content itself."""

_BUFFER_BYTES = 1 << 16
_VOCABULARY_FILES = ("*.tiktoken", "tokenizer.model", "tokenizer.json", "tekken*.json", "*.model")


def open_source(source: Source) -> tuple[io.BufferedReader, str | None, str]:
    """Open a source for reading.

    Returns:
        The file, its path (None for bytes), and how to call it in a message.

    Raises:
        VocabularyError: a directory where a file is meant.
        OSError: the file is missing or cannot be read.
        TypeError: neither a path nor bytes.
    """
    if isinstance(source, bytes | bytearray | memoryview):
        raw: Any = io.BytesIO(source)  # a BytesIO has all that a BufferedReader reads from
        return io.BufferedReader(raw, _BUFFER_BYTES), None, "<bytes>"
    if not isinstance(source, str | os.PathLike):
        raise TypeError(
            f"source is {type(source).__name__}; give a path (str or PathLike) or the content of "
            "the file as bytes"
        )
    path = os.fspath(source)
    if not isinstance(path, str):
        path = os.fsdecode(path)
    path = plain(path)
    if Path(path).is_dir():
        raise VocabularyError(_directory(path), path)
    try:
        return io.BufferedReader(io.FileIO(path), _BUFFER_BYTES), path, path
    except FileNotFoundError:
        raise FileNotFoundError(errno.ENOENT, _missing(path), path) from None


def _missing(path: str) -> str:
    if path in ENCODING_NAMES:
        return (
            "no such file; for the embedded encoding of this name write "
            f"tokstream.get_encoding({path!r})"
        )
    if "://" in path:
        return "loading never uses the network; download the file and give its path"
    return (
        "no such file or directory; give the path of a vocabulary file or of a model's directory. "
        "for a model on the hub write tokstream.from_hub(...)"
    )


def _directory(path: str) -> str:
    inside: dict[str, None] = {}
    for pattern in _VOCABULARY_FILES:
        inside |= dict.fromkeys(sorted(file.name for file in Path(path).glob(pattern)))
    if inside:
        example = str(Path(path) / next(iter(inside)))
        remedy = f"it holds {', '.join(inside)}; give the path of the file, such as {example!r}"
    else:
        remedy = "give the path of the vocabulary file itself"
    return f"{path} is a directory, not a file; {remedy}"
