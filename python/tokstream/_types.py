"""Types that several modules name."""

from __future__ import annotations

from tokstream._light import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Literal, TypeAlias

    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Buffer

    Text: TypeAlias = str | Buffer
    """Text as characters, or as UTF-8 in a contiguous buffer of bytes."""

    IdArray: TypeAlias = NDArray[np.uint32]

    SpecialChoice: TypeAlias = Literal["all"] | Collection[str] | None
    """"all", some special tokens by name, or None for the tokenizer's default."""

    ErrorMode: TypeAlias = Literal["strict", "replace"]
    DelayMode: TypeAlias = Literal["optimal", "composition"]
