"""The longest part of a text whose own encoding fits a number of tokens.

Enters: a text and a limit. Leaves: a prefix (or suffix) that ends at a token boundary, cut back
to a whole character. Encoding the part again gives at most the limit, which cutting the list of
ids does not promise: the pattern may split a text's end differently from its middle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from tokstream.offsets import repair_surrogates, source_positions

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokstream._types import Text
    from tokstream.streaming import EncodeStream

__all__ = ["Cut", "Truncated", "keep_left", "keep_right"]

_Part = TypeVar("_Part", str, bytes)
Cut = tuple[int, int]
"""Between two ids, in bytes: where the one ends, and where the other begins, there or behind."""
_BLOCK = 1 << 14
_NEAR = 16
"""So many boundaries on both sides of the one after `max_tokens` ids are tried in one pass."""


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

    def whole_character(self, offset: int) -> int:
        """Cut back to where a character begins."""
        while offset > 0 and self.is_inside_character(offset):
            offset -= 1
        return offset

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
    cuts_in: Callable[[bytes, list[int]], list[Cut]],
) -> Truncated[_Part]:
    """Return the longest prefix that fits; `stream` is fresh.

    It ends at one of the first `max_tokens` boundaries of the text, or at one of the few behind
    them: the pattern may split a text's end so that it has fewer ids than its beginning.

    Cost: encoding twice as much as is kept, and a few calls; more only where no boundary nearby
    will do.
    """
    fresh = stream.copy()
    ids: list[int] = []
    n_read, is_whole = 0, False
    while True:
        while len(ids) <= max_tokens and n_read < len(text):
            ids += stream.feed(text[n_read : n_read + _BLOCK])
            n_read += _BLOCK
        if n_read >= len(text) and not is_whole:
            ids += stream.finish()
            is_whole = True
            if len(ids) <= max_tokens:
                return Truncated(text, len(ids), len(text))
        source = _Source(text[:n_read])
        cuts = cuts_in(source.encoded, ids)
        best, is_certain = _longest_fit(source, cuts[: max_tokens + _NEAR + 1], max_tokens, fresh)
        if is_whole or is_certain or len(cuts) > max_tokens + _NEAR:
            index = source.index(best[0])
            return Truncated(text[:index], best[1], index)
        # as much again, for a pattern that leaves long text undecided
        n_more = n_read
        ids += stream.feed(text[n_read : n_read + n_more])
        n_read += n_more


def _longest_fit(
    source: _Source[_Part], cuts: list[Cut], max_tokens: int, fresh: EncodeStream
) -> tuple[tuple[int, int], bool]:
    """Return (end, number of ids) of the longest prefix that ends at one of `cuts` and fits.

    Text between two ids, such as a mark that a normalizer composes with the letter before it,
    is kept if it fits. Also whether every longer prefix of the text has too many ids: it has if
    they are stable.
    """
    first = max(0, min(max_tokens, len(cuts) - 1) - _NEAR)
    probe, best, n_fed = fresh.copy(), None, 0
    for end in _ends(source, cuts[first:]):
        probe.advance(source.encoded[n_fed:end])
        n_fed = end
        if probe.n_tokens > max_tokens:
            break
        n_tokens = probe.n_tokens + len(probe.peek())
        if n_tokens <= max_tokens:
            best = (end, n_tokens)
    is_certain = probe.n_tokens > max_tokens
    for end in reversed(_ends(source, cuts[:first])):
        if best is not None:
            break
        probe = fresh.copy()
        n_tokens = probe.advance(source.encoded[:end]) + len(probe.peek())
        best = (end, n_tokens) if n_tokens <= max_tokens else None
    return best or (0, 0), is_certain


def _ends(source: _Source[_Part], cuts: list[Cut]) -> list[int]:
    """Where a prefix may end, in order, cut back to whole characters."""
    return sorted({source.whole_character(end) for cut in cuts for end in cut})


def keep_right(
    text: _Part,
    max_tokens: int,
    stream: EncodeStream,
    cuts_in: Callable[[bytes, list[int]], list[Cut]],
    count: Callable[[Text], int],
) -> Truncated[_Part]:
    """Return the longest suffix of at most the last `max_tokens` ids that fits.

    Cost: O(text) plus encoding what is kept.
    """
    ids = stream.feed(text) + stream.finish()
    if len(ids) <= max_tokens:
        return Truncated(text, len(ids), 0)
    source = _Source(text)
    for _, start in cuts_in(source.encoded, ids)[len(ids) - max_tokens :]:
        while source.is_inside_character(start):
            start += 1  # noqa: PLW2901 - cut to a whole character
        index = source.index(start)
        if (n_tokens := count(text[index:])) <= max_tokens:
            return Truncated(text[index:], n_tokens, index)
    return Truncated(text[len(text) :], 0, len(text))
