"""Stage 3, pretokens: from text to the units that merges never cross.

Enters: the text of one segment, cut anywhere between characters.
Leaves: text that surely belongs to the live pretoken, and `CUT` where it surely ends.
Held back: the text behind the last match end that may still move.
"""

from __future__ import annotations

from collections import deque
from enum import Enum
from typing import Final, Protocol, TypeAlias

from tokstream.errors import PatternError

__all__ = ["CUT", "Automaton", "Cut", "Pretoken", "Pretokens"]

DEAD, START = 0, 1


class Cut(Enum):
    """The mark between two pretokens, written ‖ in the paper."""

    CUT = "‖"

    def __repr__(self) -> str:
        return "CUT"


CUT: Final = Cut.CUT

Pretoken: TypeAlias = str | Cut


class Automaton(Protocol):
    """What this stage needs of a compiled pattern; see `tokstream.patterns.automaton`.

    State 0 is dead, state 1 the start. Symbols are classes of code points and, last, the end of
    the text. A step says whether a match ended *before* the symbol just read; the last match end
    before the automaton dies is where the pretoken ends.
    """

    @property
    def n_classes(self) -> int:
        """Number of classes, and the symbol that stands for the end of the text."""

    @property
    def covers(self) -> bytes:
        """Per state: whatever follows, a match ends here or later."""

    @property
    def ends(self) -> bytes:
        """Per state: whatever follows, the match ends exactly here."""

    def class_of(self, code_point: int, /) -> int:
        """Return the class of a code point."""

    def step(self, state: int, symbol: int, /) -> tuple[int, bool]:
        """Return the next state, and whether a match ended before the symbol."""


class Pretokens:
    r"""Split: cut a text into pretokens, each the match of the pattern where the last one ended.

    Online, the live pretoken reaches at least to its last match end, so the text up to there is
    given out; so is all of it in a state that *covers*, where every future has a match end here or
    later. The cut is given out when the automaton has died, or in a state that *ends*. Nothing
    else is common to all futures, so the output is the maximum stable prefix of Split.

    When the automaton dies some way behind its last match end, the text in between belongs to the
    next pretokens. Reading it again would take quadratic time for patterns with unbounded
    lookback. Instead their runs are there already (the paper's cutQ): `_runs` is the split of the
    text under the hypothesis that no live match grows any further. Each run begins at the last
    match end of the one before.

        runs        base ──────────┐ next ────┐ closed ─┐ last ───▶
        text    ....[a a b b a b a)[c c b b c)[a a c a a)[c b c       (i characters read)

    A symbol is read by every live run. If one of them reports a match end, all runs behind it
    were based on a wrong guess and a new one begins there. Two runs in one state have one future,
    in which the earlier one always wins: the later one is closed. So at most |Q| runs are live.

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
        self._position = 0  # characters read
        self._held: deque[str] = deque()  # the last of them, not given out yet
        base = _Run(0, START)
        self._runs = deque([base])  # in order; the first is the live pretoken, never closed
        self._live = [base]  # those that are not closed

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
            self._read(class_of(ord(character)))
            self._give_out(out)
        return _join(out)

    def finish(self) -> list[Pretoken]:
        """End the segment; return the rest, a cut behind each pretoken. Begin a new segment."""
        out: list[Pretoken] = []
        if self._runs[0].start < self._position:
            self._read(self._automaton.n_classes)
            self._give_out(out)
        self._begin()
        return _join(out)

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

    def _read(self, symbol: int) -> None:
        """Let every live run read the next symbol."""
        step, end = self._automaton.step, self._automaton.n_classes
        here = self._position  # a match end reported now is here, before the symbol
        live: list[_Run] = []
        taken = {DEAD}

        def go_on(run: _Run, state: int) -> None:
            run.state = DEAD if state in taken else state
            if run.state != DEAD:
                live.append(run)
                taken.add(state)

        for run in self._live:
            state, matched = step(run.state, symbol)
            go_on(run, state)
            if matched:
                while self._runs[-1] is not run:
                    self._runs.pop()
                fresh = _Run(here, START)
                self._runs.append(fresh)
                go_on(fresh, START if symbol == end else step(START, symbol)[0])
                break
        self._live = live
        self._position += symbol != end

    def _give_out(self, out: list[Pretoken]) -> None:
        """Append to `out` what has become certain."""
        base = self._runs[0]
        while base.state == DEAD:
            self._runs.popleft()
            if not self._runs:
                raise PatternError(
                    "the pattern is not total: it has no match at the beginning of "
                    f"{''.join(self._held)!r}; add an alternative that matches any character"
                )
            base = self._runs[0]
            self._give_text(out, base.start)
            out.append(CUT)
        if self._automaton.covers[base.state]:
            self._give_text(out, self._position)
        elif len(self._runs) > 1:
            self._give_text(out, self._runs[1].start)
        if self._automaton.ends[base.state]:
            out.append(CUT)
            base = _Run(self._position, START)
            self._runs, self._live = deque([base]), [base]

    def _give_text(self, out: list[Pretoken], end: int) -> None:
        """Append the held characters before position `end`."""
        n = end - (self._position - len(self._held))
        out.extend(self._held.popleft() for _ in range(n))

    def copy(self) -> Pretokens:
        """Return an independent copy that shares the automaton. Cost: O(held)."""
        twin = Pretokens(self._automaton)
        twin._position, twin._held = self._position, self._held.copy()
        twins = {id(run): _Run(run.start, run.state) for run in self._runs}
        twin._runs = deque(twins.values())
        twin._live = [twins[id(run)] for run in self._live]
        return twin


class _Run:
    """The automaton on the text from `start` on. Closed if its state is dead."""

    __slots__ = ("start", "state")

    def __init__(self, start: int, state: int) -> None:
        self.start = start
        self.state = state


def _join(marked: list[Pretoken]) -> list[Pretoken]:
    """Join the characters between cuts."""
    out: list[Pretoken] = []
    for part in marked:
        if part is CUT or not out or out[-1] is CUT:
            out.append(part)
        else:
            out[-1] += part
    return out
