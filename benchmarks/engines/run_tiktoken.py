"""Engine: tiktoken, whole text to array; special tokens are plain text. Also the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness import main

import made

if TYPE_CHECKING:
    from harness import Encode


def load(encoding: str) -> Encode:
    """Return the function that is measured."""
    reference = made.reference(encoding)
    return lambda text: reference.encode_to_numpy(text, disallowed_special=())


if __name__ == "__main__":
    main("tiktoken", load)
