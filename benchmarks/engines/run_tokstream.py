"""Engine: tokstream, whole text to array; special tokens are plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness import main

import made

if TYPE_CHECKING:
    from harness import Encode


def load(encoding: str) -> Encode:
    """Return the function that is measured."""
    return made.tokenizer(encoding).encode_ordinary_array


if __name__ == "__main__":
    main("tokstream", load)
