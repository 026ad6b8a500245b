"""Texts of which each begins as the one before did: the turns of a conversation.

Enters: a text. Leaves: its ids. Held back: the last text, its ids, and copies of the stream at
places in it; the next text is encoded from the last place on at which both are still the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokstream.errors import ConfigurationError

if TYPE_CHECKING:
    from tokstream._types import SpecialChoice
    from tokstream.streaming import EncodeStream
    from tokstream.tokenizer import Tokenizer

__all__ = ["PrefixEncoder"]

# more are thinned out, and the farther from the end the more: texts differ near their ends
_MAX_MARKS = 96


class _Mark(NamedTuple):
    """A stream after so many characters, which has given so many ids."""

    n_chars: int
    stream: EncodeStream
    n_ids: int


class PrefixEncoder:
    """An encoder for texts that grow: only what is new since the last text is encoded.

    The ids are those of `Tokenizer.encode`. An encoder belongs to one thread at a time.

    Memory: the last text, its ids, and at most 96 streams of a few kilobytes.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        *,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        add_special_tokens: bool = False,
        spacing: int = 2048,
    ) -> None:
        """Begin without a text.

        Args:
            tokenizer: whose ids are wanted.
            allowed_special: as in `Tokenizer.encode`.
            disallowed_special: as in `Tokenizer.encode`.
            add_special_tokens: as in `Tokenizer.encode`.
            spacing: characters between two places where work can be taken up again, 1 or more.

        Raises:
            ConfigurationError: `spacing` is less than 1.
        """
        if spacing < 1:
            raise ConfigurationError(f"spacing is {spacing}; it must be 1 or more")
        stream = tokenizer.stream(
            allowed_special=allowed_special,
            disallowed_special=disallowed_special,
            add_special_tokens=add_special_tokens,
        )
        self._spacing = spacing
        self._text = ""
        self._ids: list[int] = []
        self._marks = [_Mark(0, stream, 0)]
        self._n_reused = 0

    @property
    def n_reused(self) -> int:
        """Characters of the last text that were not encoded again."""
        return self._n_reused

    def encode(self, text: str) -> list[int]:
        """Return the ids of a whole text.

        Raises:
            InputError: as in `Tokenizer.encode`; what precedes the fault is kept for the next.

        Cost: O(n) for the n characters behind the last place that is kept and still the same;
        comparing and copying, for the rest.
        """
        same = _same(self._text, text)
        marks = self._marks
        while marks[-1].n_chars > same:
            marks.pop()
        at, kept, n_ids = marks[-1]
        self._n_reused = at
        self._text = text
        del self._ids[n_ids:]
        stream = kept.copy()
        while at < len(text):
            end = min(at + self._spacing, len(text))
            self._ids += stream.feed(text[at:end])
            at = end
            marks.append(_Mark(at, stream.copy(), len(self._ids)))
            if len(marks) > _MAX_MARKS:
                marks[:] = _thinned(marks)
        return self._ids + stream.finish()


def _thinned(marks: list[_Mark]) -> list[_Mark]:
    """Leave out marks between which, without them, is no more than a quarter of the way back."""
    end = marks[-1].n_chars
    kept = [marks[-1]]
    for mark, older in zip(reversed(marks[1:-1]), reversed(marks[:-2]), strict=True):
        if kept[-1].n_chars - older.n_chars > (end - older.n_chars) // 4:
            kept.append(mark)
    return [marks[0], *reversed(kept)]


def _same(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their beginnings. Cost: O(n)."""
    low, high = 0, min(len(one), len(other))
    if one[:high] == other[:high]:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle
    return low
