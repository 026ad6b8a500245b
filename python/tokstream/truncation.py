"""The longest part of a text whose own encoding fits a number of tokens.

Enters: a text and a limit. Leaves: a prefix (or suffix) that ends at a token boundary, cut back
to a whole character. Encoding the part again gives at most the limit, which cutting the list of
ids does not promise: the pattern may split a text's end differently from its middle.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from tokstream.offsets import repair_surrogates, source_positions

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokstream._types import Text
    from tokstream.streaming import EncodeStream

__all__ = ["Truncated", "keep_left", "keep_right"]

_Part = TypeVar("_Part", str, bytes)
_BLOCK = 1 << 14


class Truncated(NamedTuple, Generic[_Part]):
    """A part of a text.

    Attributes:
        text: the part that was kept, of the same kind as the text: `str` or `bytes`.
        n_tokens: how many ids `encode(text)` gives.
        offset: where the text was cut, in characters of a `str` or in bytes: the end of the part
            with `side="right"`, its beginning with `side="left"`.
    """

    text: _Part
    n_tokens: int
    offset: int


class _Source(Generic[_Part]):
    """A text by byte offsets of its encoded form."""

    def __init__(self, text: _Part) -> None:
        self.encoded: bytes
        self._positions: list[int] | None = None
        self._is_text = isinstance(text, str)
        if not isinstance(text, str):
            self.encoded = text
            return
        try:
            self.encoded = text.encode()
        except UnicodeEncodeError:
            self.encoded = repair_surrogates(text).encode()
            self._positions = source_positions(text)

    def is_inside_character(self, offset: int) -> bool:
        return offset < len(self.encoded) and self.encoded[offset] & 0xC0 == 0x80

    def index(self, offset: int) -> int:
        """Index in the text of the character that begins at byte `offset`."""
        if not self._is_text:
            return offset
        n_chars = len(self.encoded[:offset].decode())
        return n_chars if self._positions is None else self._positions[n_chars]


def keep_left(
    text: _Part,
    max_tokens: int,
    stream: EncodeStream,
    lengths_of: Callable[[list[int]], list[int]],
    count: Callable[[Text], int],
) -> Truncated[_Part]:
    """Return the longest prefix that fits.

    Cost: encoding twice as much as is kept, usually; once more for each boundary that does not do.
    """
    ids: list[int] = []
    for begin in range(0, len(text), _BLOCK):
        ids += stream.feed(text[begin : begin + _BLOCK])
        if len(ids) > max_tokens:
            break
    else:
        ids += stream.finish()
        if len(ids) <= max_tokens:
            return Truncated(text, len(ids), len(text))
    source = _Source(text[: begin + _BLOCK] if text else text)
    ends = list(accumulate(lengths_of(ids[:max_tokens]), initial=0))
    for end in reversed(ends):
        while end > 0 and source.is_inside_character(end):
            end -= 1  # noqa: PLW2901 - cut back to a whole character
        index = source.index(end)
        if (n_tokens := count(text[:index])) <= max_tokens:
            return Truncated(text[:index], n_tokens, index)
    raise AssertionError("unreachable: the empty prefix always fits")


def keep_right(
    text: _Part,
    max_tokens: int,
    ids: list[int],
    lengths_of: Callable[[list[int]], list[int]],
    count: Callable[[Text], int],
) -> Truncated[_Part]:
    """Return the longest suffix that fits; `ids` is the encoding of the whole text.

    Cost: O(text) plus encoding what is kept.
    """
    if len(ids) <= max_tokens:
        return Truncated(text, len(ids), 0)
    source = _Source(text)
    starts = list(accumulate(lengths_of(ids), initial=0))
    for start in starts[len(ids) - max_tokens :]:
        while source.is_inside_character(start):
            start += 1  # noqa: PLW2901 - cut to a whole character
        index = source.index(start)
        if (n_tokens := count(text[index:])) <= max_tokens:
            return Truncated(text[index:], n_tokens, index)
    raise AssertionError("unreachable: the empty suffix always fits")
