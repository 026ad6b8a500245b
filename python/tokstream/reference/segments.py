"""Stage 2, segments: from characters to runs of text and special tokens.

Enters: text, cut anywhere between characters.
Leaves: runs of text and `SpecialToken`s, in order.
Held back: a suffix that may still become a special token, allowed or disallowed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from tokstream.errors import ConfigurationError, DisallowedSpecialTokenError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

__all__ = ["Segment", "Segments", "SpecialToken", "Spellings"]


@dataclass(frozen=True, slots=True)
class SpecialToken:
    """A special token found in the text.

    Attributes:
        text: how it is spelled.
        id: what it is written as.
    """

    text: str
    id: int


Segment: TypeAlias = str | SpecialToken


class Segments:
    """Seg: the special tokens of a text, leftmost, then longest, and the runs between them.

    Seg walks from left to right. Where a special token begins it takes the longest one, otherwise
    one character. Online, a place is decided as soon as no longer special token can begin there,
    which makes the output after every push the maximum stable prefix of Seg: what Seg of every
    continuation begins with.

    Text that spells a *disallowed* special token is an error, wherever it occurs, also inside an
    allowed one. Of several, the error names the leftmost, then the longest. An allowed token is
    therefore held until no disallowed one can begin inside it.

    >>> segments = Segments({"<end>": 7, "<end>!": 8})
    >>> segments.push("so <e"), segments.push("nd>")
    (['so '], [])
    >>> segments.push("?"), segments.finish()
    ([SpecialToken(text='<end>', id=7), '?'], [])

    Args:
        allowed: special tokens to find, with their ids.
        disallowed: special tokens that must not occur.
        source: from an offset in the text, in UTF-8 bytes, to the offset that an error reports.

    Cost: O(n L) time, L different lengths of special tokens; memory twice the longest one.
    Source: Dalirrooyfard and Ye, arXiv:2610.19139, Definition 4.1 and Lemma 4.16.
    """

    def __init__(
        self,
        allowed: Mapping[str, int],
        disallowed: Collection[str] = (),
        *,
        source: Callable[[int], int] = int,
    ) -> None:
        self._source = source
        self._held = ""
        self._n_given = 0  # bytes of text given out: where `_held` begins
        self._allowed = Spellings(allowed)
        self._disallowed = Spellings(disallowed)
        self._ids = dict(allowed)

    @property
    def n_held(self) -> int:
        """UTF-8 bytes of text held back."""
        return len(self._held.encode())

    def push(self, text: str) -> list[Segment]:
        """Take text, return the segments that are certain; runs are never empty.

        Raises:
            DisallowedSpecialTokenError: the text spells a disallowed special token.
        """
        return _segments_or_raise(*self.read(text))

    def finish(self) -> list[Segment]:
        """End the text, return what was held.

        Raises:
            DisallowedSpecialTokenError: as `push`.
        """
        return _segments_or_raise(*self.read("", final=True))

    def set_trust(self, allowed: Mapping[str, int], disallowed: Collection[str]) -> list[Segment]:
        """Change what is allowed from here on; return what was held, read under the old rules.

        No special token forms across the change. The text itself goes on: this is no boundary
        between pretokens. Without a real change nothing happens.

        Raises:
            DisallowedSpecialTokenError: as `push`.
        """
        if self.trusts(allowed, disallowed):
            return []
        released = self.finish()
        self._allowed, self._disallowed = Spellings(allowed), Spellings(disallowed)
        self._ids = dict(allowed)
        return released

    def trusts(self, allowed: Mapping[str, int], disallowed: Collection[str]) -> bool:
        """Whether these are the special tokens that are allowed and disallowed now."""
        return self._ids == dict(allowed) and self._disallowed.all == set(disallowed)

    def read(
        self, text: str, *, final: bool = False
    ) -> tuple[list[Segment], DisallowedSpecialTokenError | None]:
        """Do what `push` or `finish` does, but return the segments before a fault with it."""
        held = self._held + text
        out: list[Segment] = []
        fault: DisallowedSpecialTokenError | None = None
        run, place = 0, 0  # a run of text began at `run`; everything before `place` is decided
        while place < len(held):
            if not final and self._allowed.may_begin(held, place):
                break
            special = self._allowed.longest(held, place)
            end = place + max(1, len(special))
            open_at, bad_at = self._find_disallowed(held, place, end, final=final)
            if open_at is not None:
                break
            if bad_at is not None:
                fault = self._refuse(held, bad_at)
                break
            if special:
                if run < place:
                    out.append(held[run:place])
                out.append(SpecialToken(special, self._ids[special]))
                run = end
            place = end
        if run < place:
            out.append(held[run:place])
        self._held = held[place:]
        self._n_given += len(held[:place].encode())
        return out, fault

    def _find_disallowed(
        self, held: str, begin: int, end: int, *, final: bool
    ) -> tuple[int | None, int | None]:
        """Find the first place in begin..end-1 where a disallowed token may begin, or does."""
        for place in range(begin, end):
            if not final and self._disallowed.may_begin(held, place):
                return place, None
            if self._disallowed.longest(held, place):
                return None, place
        return None, None

    def _refuse(self, held: str, place: int) -> DisallowedSpecialTokenError:
        token = self._disallowed.longest(held, place)
        offset = self._source(self._n_given + len(held[:place].encode()))
        return DisallowedSpecialTokenError(
            f"the text spells the special token {token!r} at byte {offset}, which is not allowed; "
            f"pass allowed_special={{{token!r}}} to encode it as the special token, or "
            "disallowed_special=() to encode it as plain text",
            offset,
            token=token,
        )

    def copy(self) -> Segments:
        """Return an independent copy, with the same `source`."""
        twin = Segments(self._ids, self._disallowed.all, source=self._source)
        twin._held, twin._n_given = self._held, self._n_given
        return twin

    def report_offsets_of(self, source: Callable[[int], int]) -> None:
        """Report the offsets of errors through another map from now on."""
        self._source = source


class Spellings:
    """A set of strings, asked at a place of a text."""

    def __init__(self, strings: Collection[str]) -> None:
        if "" in strings:
            raise ConfigurationError("a special token is empty; give it a text or leave it out")
        self.all = frozenset(strings)
        self._lengths = sorted({len(s) for s in self.all}, reverse=True)
        self._beginnings = {s[:k] for s in self.all for k in range(1, len(s))}
        self._first = {s[0] for s in self.all}

    def may_begin(self, text: str, place: int) -> bool:
        """Whether `text` ends before one of the strings that begins at `place`."""
        if text[place] not in self._first or len(text) - place >= self._lengths[0]:
            return False
        return text[place:] in self._beginnings

    def longest(self, text: str, place: int) -> str:
        """Return the longest of the strings that stands at `place`, or nothing."""
        if text[place] in self._first:
            for length in self._lengths:
                if text[place : place + length] in self.all:
                    return text[place : place + length]
        return ""


def _segments_or_raise(
    segments: list[Segment], fault: DisallowedSpecialTokenError | None
) -> list[Segment]:
    if fault is not None:
        raise fault
    return segments
