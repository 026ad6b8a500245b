"""A text in parts of at most so many tokens, each a whole number of characters.

Enters: a text, where its tokens end, a limit and an overlap. Leaves: the parts.
Parts begin and end at token boundaries of the whole text that cut no character. Encoding a part
again gives at most the limit: where it gives more, since the pattern may split a text's end
differently from its middle, the part ends earlier. Where no token boundary will do, since the
tokens in reach all cut characters, a part ends between two characters.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

from tokstream.errors import ConfigurationError
from tokstream.offsets import repair_surrogates, source_positions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = ["Part", "parts_of", "split"]


class Part(NamedTuple):
    """A part of a text.

    Attributes:
        text: the part itself.
        n_tokens: how many ids `encode(text)` gives.
        start: where it begins in the whole, in characters.
        end: where it ends.
    """

    text: str
    n_tokens: int
    start: int
    end: int


class _Places:
    """A text's token boundaries, in bytes, and which of them cut no character."""

    def __init__(self, text: bytes, places: Sequence[int]) -> None:
        self.text = text
        self.places = places

    def is_whole(self, at: int) -> bool:
        return at >= len(self.text) or self.text[at] & 0xC0 != 0x80

    def back(self, k: int) -> int:
        """Return the last boundary up to the k-th that cuts no character; the first cuts none."""
        while k > 0 and not self.is_whole(self.places[k]):
            k -= 1
        return k

    def behind(self, at: int) -> int:
        """Return the first boundary behind a place that cuts no character; the last cuts none."""
        k = bisect_right(self.places, at)
        while not self.is_whole(self.places[k]):
            k += 1
        return k

    def next_character(self, at: int) -> int:
        at += 1
        while not self.is_whole(at):
            at += 1
        return at


def split(
    text: bytes,
    places: Sequence[int],
    max_tokens: int,
    overlap: int,
    count: Callable[[bytes], int],
) -> Iterator[tuple[int, int, int]]:
    """Yield begin and end of each part of a UTF-8 text, in bytes, and its number of ids.

    Args:
        text: the text, not empty.
        places: where its ids begin, and the text's end; never falling, from 0.
        max_tokens: most ids of a part.
        overlap: ids that a part shares with the one before, less than `max_tokens`.
        count: number of ids of a part alone.

    Raises:
        ConfigurationError: a single character has more than `max_tokens` ids.
    """
    found = _Places(text, places)
    begin = reached = 0
    while True:
        end, n_tokens = _end_of_part(found, begin, max_tokens, count)
        if end <= reached:  # alone it has more ids than as a part of the whole: share less
            half = (bisect_left(places, begin) + bisect_left(places, reached) + 1) // 2
            # several ids may begin at one place, so half of them need not be further on
            begin = min(places[found.behind(max(places[half] - 1, begin))], reached)
            continue
        yield begin, end, n_tokens
        if end == len(text):
            return
        reached = end
        shared = places[found.back(max(bisect_left(places, end) - overlap, 0))] if overlap else end
        begin = shared if shared > begin else min(places[found.behind(begin)], end)


def _end_of_part(
    found: _Places, begin: int, max_tokens: int, count: Callable[[bytes], int]
) -> tuple[int, int]:
    """Return where a part that begins at a place may end at most, and its number of ids."""
    k = bisect_right(found.places, begin) - 1 + max_tokens
    k = found.back(min(k, len(found.places) - 1))
    step = 0
    while (end := found.places[k]) > begin:
        if (n_tokens := count(found.text[begin:end])) <= max_tokens:
            return end, n_tokens
        # rarely more than once; doubled, so that it is not tried for every token
        step = max(n_tokens - max_tokens, 2 * step)
        k = found.back(max(k - step, 0))
    end, fitting = begin, 0
    until = found.places[found.behind(begin)]
    while end < until:
        following = found.next_character(end)
        n_tokens = count(found.text[begin:following])
        if n_tokens > max_tokens:
            break
        end, fitting = following, n_tokens
    if end == begin:
        character = found.text[begin : found.next_character(begin)].decode()
        raise ConfigurationError(
            f"the character {character!r} at byte {begin} has {n_tokens} tokens alone, more than "
            f"{max_tokens}, and characters are not cut; raise max_tokens"
        )
    return end, fitting


def parts_of(text: str, encoded: bytes, bounds: Iterable[tuple[int, int, int]]) -> Iterator[Part]:
    """Yield the parts of a text whose places in its UTF-8 are given, in increasing order."""
    positions = None
    if len(encoded) != len(text):
        repaired = repair_surrogates(text)
        positions = source_positions(text) if len(repaired) != len(text) else None
    at = n_before = 0
    for begin, end, n_tokens in bounds:
        n_before += len(encoded[at:begin].decode())
        at = begin
        start, stop = n_before, n_before + len(encoded[begin:end].decode())
        if positions is not None:
            start, stop = positions[start], positions[stop]
        yield Part(text[start:stop], n_tokens, start, stop)
