"""The file formats for token ids: a format name or a file name comes in, a format name goes out.

| name    | content                                                                      |
|---------|------------------------------------------------------------------------------|
| `ids`   | decimal numbers separated by spaces, one line per text                       |
| `u16`   | raw unsigned 16-bit little-endian integers, no header                        |
| `u32`   | raw unsigned 32-bit little-endian integers, no header                        |
| `npy`   | NumPy's file format, version 1.0: a one-dimensional array of `<u4`           |
| `jsonl` | one JSON object per text and line: path, ids, n_tokens, n_bytes              |
"""

from __future__ import annotations

import os.path
from typing import Final

__all__ = ["BINARY_FORMATS", "FORMATS", "NPY_MAGIC", "SUFFIX_HELP", "guess_format"]

FORMATS: Final = ("ids", "u16", "u32", "npy", "jsonl")
BINARY_FORMATS: Final = frozenset({"u16", "u32", "npy"})
SUFFIXES: Final = {
    ".u16": "u16",
    ".u32": "u32",
    ".bin": "u32",
    ".npy": "npy",
    ".jsonl": "jsonl",
}
SUFFIX_HELP: Final = ".u16, .u32, .bin (u32), .npy, .jsonl; anything else: ids"
NPY_MAGIC: Final = b"\x93NUMPY"


def guess_format(path: str | None) -> str:
    """Guess the format from the suffix of `path`; `ids` where it says nothing."""
    suffix = os.path.splitext(path or "")[1].lower()  # noqa: PTH122 - pathlib is slow to import
    return SUFFIXES.get(suffix, "ids")
