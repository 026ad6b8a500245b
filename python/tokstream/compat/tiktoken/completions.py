"""What the end of a text may turn into: `encode_with_unstable` and `_encode_bytes`.

Enters: text, or bytes that need not be UTF-8. Leaves: ids, and sequences of ids.
Held back: nothing.

The results are tiktoken's, its approximations included. Its idea: the last piece that the pattern
cut is unstable, and with it the tokens of blanks before it. Some token straddles the end of the
text; so at each place in the unstable bytes, try every token that begins with what follows there.

Tens of thousands of tokens may begin so, and each makes a text to encode: that is done natively.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tokstream._core import completions, encode_unstable

if TYPE_CHECKING:
    from tokstream._core import Core, SpecialSet

__all__ = ["encode_bytes", "with_unstable"]


def with_unstable(core: Core, text: str, specials: SpecialSet) -> tuple[list[int], list[list[int]]]:
    """Return stable ids and sorted completions of a text."""
    ids, unstable = encode_unstable(core, text, specials)
    return ids, completions(core, unstable) if unstable else []


def encode_bytes(core: Core, data: bytes, plain: SpecialSet) -> list[int]:
    """Return the ids of bytes; if they are not UTF-8, the unstable end before that is one piece.

    Args:
        core: the tables.
        data: the bytes; from what is not UTF-8 on, they belong to that piece.
        plain: the set for which special tokens are plain text.
    """
    try:
        return cast("list[int]", core.encode(data.decode(), plain, False, False))  # noqa: FBT003
    except UnicodeDecodeError as error:
        good = error.start
    ids, unstable = encode_unstable(core, data[:good].decode(), plain)
    rest = unstable + data[good:]
    whole = core.token_id(rest)
    if whole is not None:
        return [*ids, whole]
    # a single byte is its token in any case
    return ids + core.merge(rest, len(rest) == 1)
