"""Engine: tiktoken, whole text to array; special tokens are plain text. Also the reference."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from harness import main

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from data import tiktoken_encoding

if TYPE_CHECKING:
    from harness import Encode


def load(encoding: str) -> Encode:
    """Return the function that is measured."""
    reference = tiktoken_encoding(encoding)
    return lambda text: reference.encode_to_numpy(text, disallowed_special=())


if __name__ == "__main__":
    main("tiktoken", load)
