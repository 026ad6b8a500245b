"""Stage 3, pretokens: from text to the units that merges never cross.

Enters: the text of one segment, cut anywhere between characters.
Leaves: text that surely belongs to the live pretoken, and `CUT` where it surely ends.
Held back: the text behind the last match end that may still move.
"""

from __future__ import annotations

from collections import deque
from enum import Enum
from typing import Final, TypeAlias

from tokstream.reference.cutq import Automaton, CutQ

__all__ = ["CUT", "Automaton", "Cut", "Pretoken", "Pretokens", "join"]


class Cut(Enum):
    """The mark between two pretokens, written ‖ in the paper."""

    CUT = "‖"

    def __repr__(self) -> str:
        return "CUT"


CUT: Final = Cut.CUT

Pretoken: TypeAlias = str | Cut


class Pretokens:
    r"""Split: cut a text into pretokens, each the match of the pattern where the last one ended.

    Online, the live pretoken reaches at least to its last match end, so the text up to there is
    given out; so is all of it in a state that *covers*, where every future has a match end here or
    later. The cut is given out when the automaton has died, or in a state that *ends*. Nothing
    else is common to all futures, so the output is the maximum stable prefix of Split.

    When the automaton dies some way behind its last match end, the text in between belongs to the
    next pretokens. Reading it again would take quadratic time for patterns with unbounded
    lookback. Instead their runs are there already; see `CutQ`.

    >>> from tokstream.patterns import compile_pattern
    >>> pretokens = Pretokens(compile_pattern(r"(?:aa|bb)*c|[\s\S]"))
    >>> pretokens.push("aab"), pretokens.push("b")       # aabbc would be one pretoken
    (['a'], [])
    >>> pretokens.push("a"), pretokens.push("b")
    ([], [CUT, 'a', CUT, 'b', CUT, 'b', CUT, 'a', CUT, 'b'])
    >>> pretokens.finish()
    [CUT]

    Args:
        automaton: a compiled pattern, total: each text begins with a non-empty match.

    Cost: O(n |Q|) time for |Q| states, for every pattern; memory linear in the text held back,
        which is bounded by the pattern's lookback.
    Source: Dalirrooyfard and Ye, arXiv:2610.19139, Lemma 4.17 (fast pretokenization, zero delay)
        and cutQ in the proof of Theorem 1.7, with match ends that are known one symbol later.
    """

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        self._begin()

    def _begin(self) -> None:
        self._held: deque[str] = deque()  # the last characters read, not given out yet
        self._queue = CutQ(self._automaton)

    @property
    def n_held(self) -> int:
        """UTF-8 bytes of text held back."""
        return len("".join(self._held).encode())

    def push(self, text: str) -> list[Pretoken]:
        """Take text; return text of the live pretoken and cuts, in order."""
        out: list[Pretoken] = []
        class_of = self._automaton.class_of
        for character in text:
            self._held.append(character)
            self._queue.push(class_of(ord(character)))
            self._give_out(out)
        return join(out)

    def finish(self) -> list[Pretoken]:
        """End the segment; return the rest, a cut behind each pretoken. Begin a new segment."""
        out: list[Pretoken] = []
        if self._queue.runs[0].start < self._queue.position:
            self._queue.push(self._automaton.n_classes)
            self._give_out(out)
        self._begin()
        return join(out)

    def split(self, text: str) -> list[str]:
        """Split(text), whole; this object's own state is not involved."""
        fresh = Pretokens(self._automaton)
        pretokens = [""]
        for part in fresh.push(text) + fresh.finish():
            if isinstance(part, str):
                pretokens[-1] += part
            else:
                pretokens.append("")
        return pretokens[:-1]

    def _give_out(self, out: list[Pretoken]) -> None:
        """Append to `out` what has become certain."""
        queue = self._queue
        while (end := queue.pop_closed()) is not None:
            self._give_text(out, end)
            out.append(CUT)
        if self._automaton.covers[queue.runs[0].state]:
            self._give_text(out, queue.position)
        elif len(queue.runs) > 1:
            self._give_text(out, queue.runs[1].start)

    def _give_text(self, out: list[Pretoken], end: int) -> None:
        """Append the held characters before position `end`."""
        n = end - (self._queue.position - len(self._held))
        out.extend(self._held.popleft() for _ in range(n))

    def copy(self) -> Pretokens:
        """Return an independent copy that shares the automaton. Cost: O(held)."""
        twin = Pretokens(self._automaton)
        twin._held, twin._queue = self._held.copy(), self._queue.copy()
        return twin


def join(marked: list[Pretoken]) -> list[Pretoken]:
    """Join the characters between cuts."""
    out: list[Pretoken] = []
    for part in marked:
        if part is CUT or not out or out[-1] is CUT:
            out.append(part)
        else:
            out[-1] += part
    return out
