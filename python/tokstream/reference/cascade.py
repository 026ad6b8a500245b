r"""Stage 3 in several levels: pretokens cut again, each by the next pattern.

Enters: the text of one segment, cut anywhere between characters.
Leaves: text that surely belongs to the live pretoken, and `CUT` where it surely ends.
Held back: by each level, the text that a match may still claim.

This is what a sequence of pre-tokenizers is. Each level reads the pieces of the level before, and
the end of a piece is for it the end of input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from tokstream.reference.cutq import DEAD, START
from tokstream.reference.pretokens import CUT, Pretoken, join

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokstream.reference.cutq import Automaton

__all__ = ["Behaviour", "Cascade", "FixedLength", "Level", "Search", "Split"]

Behaviour: TypeAlias = Literal[
    "removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"
]
Found: TypeAlias = tuple[str, bool]
"""Text, and whether it belongs to a match. No text ends a match."""


class Level(Protocol):
    """One level. Of each piece it makes one or more, never empty ones, or none."""

    @property
    def n_held(self) -> int:
        """UTF-8 bytes of text held back."""

    def push(self, text: str) -> list[Pretoken]:
        """Take text of a piece; return text of the live pretoken and cuts."""

    def finish(self) -> list[Pretoken]:
        """End the piece; return the rest, a cut behind each pretoken. Begin a new piece."""

    def fresh(self) -> Level:
        """Return a level like this one at the beginning of a piece."""


class Cascade:
    r"""Levels, one after another.

    >>> from tokstream.patterns import compile_pattern
    >>> def split(pattern, behaviour):
    ...     return Split(compile_pattern(pattern, "tokenizers", partial=True), behaviour)
    >>> cascade = Cascade([split(r"\s+", "removed"), split(r"\d", "isolated")])
    >>> cascade.push("ab1 2c"), cascade.push("d "), cascade.finish()
    (['ab', CUT, '1', CUT, '2', CUT, 'c'], ['d', CUT], [])

    Args:
        levels: in the order in which they are applied; none at all never cuts.

    Cost: the sum of the levels'.
    """

    def __init__(self, levels: Iterable[Level]) -> None:
        self._levels = [level.fresh() for level in levels]
        self._is_open = False  # without levels, the segment is the pretoken

    @property
    def n_held(self) -> int:
        """UTF-8 bytes of text that some level holds back."""
        return sum(level.n_held for level in self._levels)

    def push(self, text: str) -> list[Pretoken]:
        """Take text; return text of the live pretoken and cuts, in order."""
        self._is_open = self._is_open or bool(text)
        return self._run([text] if text else [])

    def finish(self) -> list[Pretoken]:
        """End the segment; return the rest, a cut behind each pretoken. Begin a new segment."""
        is_open, self._is_open = self._is_open, False
        return self._run([CUT] if is_open else [])

    def split(self, text: str) -> list[str]:
        """Return the pretokens of a whole segment; this object's own state is not involved."""
        fresh = Cascade(self._levels)
        pretokens = [""]
        for part in fresh.push(text) + fresh.finish():
            if isinstance(part, str):
                pretokens[-1] += part
            else:
                pretokens.append("")
        return pretokens[:-1]

    def _run(self, marked: list[Pretoken]) -> list[Pretoken]:
        for level in self._levels:
            out: list[Pretoken] = []
            for part in marked:
                out += level.push(part) if isinstance(part, str) else level.finish()
            marked = join(out)
        return marked


class Split:
    r"""Cuts at the matches of a pattern, and at the gaps between them.

    Text is a row of matches and *gaps*, the runs between them: matches may be neighbours, gaps are
    not. The behaviour says which neighbours are one pretoken.

        removed                matches are dropped, each gap is a pretoken
        isolated               each match and each gap is one
        merged_with_previous   a match joins the gap before it
        merged_with_next       a match joins the gap behind it
        contiguous             neighbouring matches are one

    With `invert`, gaps count as matches and matches as gaps.

    While the search is undecided, the first character held is in a gap or in a match. Where both
    would put it into the same pretoken, it is given out.

    >>> from tokstream.patterns import compile_pattern
    >>> commas = compile_pattern(",", "tokenizers", partial=True)
    >>> for behaviour in ("removed", "isolated", "merged_with_previous", "contiguous"):
    ...     print(Cascade([Split(commas, behaviour)]).split("a,b,,c"))
    ['a', 'b', 'c']
    ['a', ',', 'b', ',', ',', 'c']
    ['a,', 'b,', ',', 'c']
    ['a', ',', 'b', ',,', 'c']
    >>> Cascade([Split(commas, "removed", invert=True)]).split("a,b,,c")
    [',', ',', ',']

    Args:
        automaton: a compiled pattern; it need not match everywhere.
        behaviour: what becomes of the matches.
        invert: matches and gaps change places.

    Cost: that of the search.
    """

    def __init__(self, automaton: Automaton, behaviour: Behaviour, *, invert: bool = False) -> None:
        self._automaton = automaton
        self._behaviour = behaviour
        self._invert = invert
        self._begin()

    def _begin(self) -> None:
        self._search = Search(self._automaton)
        self._last: bool | None = None  # whether what came last counts as a match
        self._goes_on = False  # more text of it may come
        self._is_open = False  # the live pretoken has text
        self._n_early = 0  # how many of the characters that the search holds were given out

    @property
    def n_held(self) -> int:
        """UTF-8 bytes of text held back."""
        return len(self._search.held[self._n_early :].encode())

    def push(self, text: str) -> list[Pretoken]:
        """See `Level`."""
        out: list[Pretoken] = []
        for found in self._search.push(text):
            self._take(found, out)
        self._give_early(out)
        return join(out)

    def finish(self) -> list[Pretoken]:
        """See `Level`."""
        out: list[Pretoken] = []
        for found in self._search.finish():
            self._take(found, out)
        self._close(out)
        self._begin()
        return join(out)

    def fresh(self) -> Split:
        """See `Level`."""
        return Split(self._automaton, self._behaviour, invert=self._invert)

    def _take(self, found: Found, out: list[Pretoken]) -> None:
        text, is_match = found
        counts = is_match != self._invert
        if not text:
            self._goes_on = False
            if not self._joins(counts, True) and not self._joins(counts, False):  # noqa: FBT003
                self._close(out)  # whatever follows
            return
        given, self._n_early = self._n_early, 0
        if self._begins_pretoken(counts) and not given:
            self._close(out)
        self._last, self._goes_on = counts, True
        if not self._is_dropped(counts) and len(text) > given:
            out.append(text[given:])
            self._is_open = True

    def _give_early(self, out: list[Pretoken]) -> None:
        """Give out the first character held, if gap and match put it into the same pretoken."""
        first = self._search.held[:1]
        if not first or self._n_early:
            return
        futures = {
            (self._begins_pretoken(counts), self._is_dropped(counts)) for counts in (True, False)
        }
        if self._search.is_match:  # the match may end here, and another one begin
            counts = not self._invert
            futures.add((not self._joins(counts, counts), self._is_dropped(counts)))
        if len(futures) > 1 or (True in (dropped for _, dropped in futures)):
            return
        if futures.pop()[0]:
            self._close(out)
        out.append(first)
        self._is_open, self._n_early = True, 1

    def _begins_pretoken(self, counts: bool) -> bool:
        """Whether text of this kind, if it comes next, is not in the pretoken of what came last."""
        if self._goes_on and self._last == counts:
            return False
        return self._last is not None and not self._joins(self._last, counts)

    def _is_dropped(self, counts: bool) -> bool:
        return counts and self._behaviour == "removed"

    def _joins(self, before: bool, behind: bool) -> bool:
        """Whether two neighbours are one pretoken, of which each counts as a match or does not."""
        if self._behaviour == "merged_with_previous":
            return behind and not before
        if self._behaviour == "merged_with_next":
            return before and not behind
        return self._behaviour == "contiguous" and before == behind

    def _close(self, out: list[Pretoken]) -> None:
        if self._is_open:
            out.append(CUT)
        self._is_open = False


class Search:
    r"""The matches of a pattern in a text, leftmost first, and the gaps between them.

    A match begins at the first place where there is one, behind the last one. The automaton runs
    from that place; when it dies without a match end, this character is a gap, and the next place
    is tried. Text up to a match end surely belongs to the match; so does all of it in a state that
    covers.

    >>> from tokstream.patterns import compile_pattern
    >>> search = Search(compile_pattern("ab+c|b", "tokenizers", partial=True))
    >>> search.push("xabb")                 # abbc may still come
    [('x', False)]
    >>> search.push("a"), search.finish()
    ([('a', False), ('b', True), ('', True), ('b', True), ('', True)], [('a', False)])

    Args:
        automaton: a compiled pattern; it need not match everywhere.

    Cost: O(n k) for n characters, k the longest stretch that is read and then read again. The
        engine keeps one run per state instead, as `CutQ`, and is linear for every pattern.
    """

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        self.held = ""
        """Text held back: from where a match may begin, or from its last match end."""
        self._state = START
        self._n_read = 0  # how many of the characters held the automaton has read
        self.is_match = False
        """There is a match that ends where `held` begins, or further on."""

    def push(self, text: str) -> list[Found]:
        """Take text; return what surely is gap or match, and ends of matches."""
        self.held += text
        return self._read(final=False)

    def finish(self) -> list[Found]:
        """End the text; return the rest. Ready for another text."""
        return self._read(final=True)

    def _read(self, *, final: bool) -> list[Found]:
        out: list[Found] = []
        automaton = self._automaton
        while self._n_read < len(self.held) or (final and (self.held or self.is_match)):
            at_end = self._n_read == len(self.held)
            symbol = (
                automaton.n_classes if at_end else automaton.class_of(ord(self.held[self._n_read]))
            )
            self._state, matched = automaton.step(self._state, symbol)
            if matched:
                self._give(self._n_read, out)
            if self._state == DEAD:
                self._begin_again(out)
                continue
            self._n_read += 1
            if automaton.covers[self._state]:
                self._give(self._n_read, out)
            if automaton.ends[self._state]:
                self._begin_again(out)
        return out

    def _give(self, n: int, out: list[Found]) -> None:
        """Give out the first `n` characters held: they surely belong to the match."""
        if n:
            out.append((self.held[:n], True))
        self.held, self._n_read = self.held[n:], self._n_read - n
        self.is_match = True

    def _begin_again(self, out: list[Found]) -> None:
        """Begin a new search behind the match, or behind a character of a gap."""
        if self.is_match:
            out.append(("", True))
        else:
            out.append((self.held[0], False))
            self.held = self.held[1:]
        self._state, self._n_read, self.is_match = START, 0, False


class FixedLength:
    """Cuts behind every `length` characters of a piece.

    >>> level = FixedLength(2)
    >>> level.push("abc"), level.finish(), level.push("d")
    (['ab', CUT, 'c'], [CUT], ['d'])
    """

    n_held = 0

    def __init__(self, length: int) -> None:
        self._length = length
        self._n_live = 0

    def push(self, text: str) -> list[Pretoken]:
        """See `Level`."""
        out: list[Pretoken] = []
        for character in text:
            out.append(character)
            self._n_live += 1
            if self._n_live == self._length:
                out.append(CUT)
                self._n_live = 0
        return join(out)

    def finish(self) -> list[Pretoken]:
        """See `Level`."""
        n_live, self._n_live = self._n_live, 0
        return [CUT] if n_live else []

    def fresh(self) -> FixedLength:
        """See `Level`."""
        return FixedLength(self._length)
