r"""cutQ: the split of everything read so far, kept up to date while its end may still move.

Enters: symbols of the automaton, one at a time.
Leaves: where pretokens end, when nothing can move that end any more.
Held back: the runs of the automaton from which the split may still come.
"""

from __future__ import annotations

from collections import deque
from typing import Final, Protocol

from tokstream.errors import PatternError

__all__ = ["DEAD", "START", "Automaton", "CutQ", "Run"]

DEAD: Final = 0
START: Final = 1


class Automaton(Protocol):
    """What the reference needs of a compiled pattern; see `tokstream.patterns.automaton`.

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


class Run:
    """The automaton on the text from `start` on. Closed if its state is dead."""

    __slots__ = ("start", "state")

    def __init__(self, start: int, state: int) -> None:
        self.start = start
        self.state = state

    def __repr__(self) -> str:
        return f"Run({self.start}, {self.state})"


class CutQ:
    r"""The split of the text under the hypothesis that no live match grows any further.

        runs        base ──────────┐ next ────┐ closed ─┐ last ───▶
        text    ....[a a b b a b a)[c c b b c)[a a c a a)[c b c       (i characters read)

    Each run begins at the last match end of the one before. A symbol is read by every live run.
    If one of them reports a match end, all runs behind it were based on a wrong guess and a new
    one begins there. Two runs in one state have one future, in which the earlier one always wins:
    the later one is closed. So at most |Q| runs are live.

    For a run k ≤ j and every future there are two cases. Either some run up to j reports another
    match end, which is at `position` or behind it; or none does, and the pretoken of run j ends
    where run j + 1 begins.

    >>> from tokstream.patterns import compile_pattern
    >>> queue = CutQ(compile_pattern(r"a*b|[\s\S]"))
    >>> for symbol in map(queue.automaton.class_of, b"aaa"):
    ...     queue.push(symbol)
    >>> [run.start for run in queue.runs]      # a‖aa so far, and aaab may still come
    [0, 1, 2]
    >>> queue.push(queue.automaton.class_of(ord("b")))
    >>> queue.pop_closed(), queue.position
    (4, 4)

    Args:
        automaton: a compiled pattern, total: each text begins with a non-empty match.

    Cost: O(|Q|) per symbol, amortized; memory linear in the runs.
    Source: Dalirrooyfard and Ye, arXiv:2610.19139, Lemma 5.4, with match ends that are known one
        symbol later.
    """

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self.begin(0)

    def begin(self, position: int) -> None:
        """Begin a new pretoken at `position`."""
        self.position = position
        base = Run(position, START)
        self.runs = deque([base])
        """In order of their starts; the first is the live pretoken."""
        self._live = [base]  # those that are not closed

    def push(self, symbol: int, width: int = 1) -> None:
        """Let every live run read the next symbol, of `width` units; the end has none."""
        step, end = self.automaton.step, self.automaton.n_classes
        here = self.position  # a match end reported now is here, before the symbol
        live: list[Run] = []
        taken = {DEAD}

        def go_on(run: Run, state: int) -> None:
            run.state = DEAD if state in taken else state
            if run.state != DEAD:
                live.append(run)
                taken.add(state)

        for run in self._live:
            state, matched = step(run.state, symbol)
            go_on(run, state)
            if matched:
                while self.runs[-1] is not run:
                    self.runs.pop()
                fresh = Run(here, START)
                self.runs.append(fresh)
                go_on(fresh, START if symbol == end else step(START, symbol)[0])
                break
        self._live = live
        if symbol != end:
            self.position += width

    def pop_closed(self) -> int | None:
        """Take off the first pretoken if nothing can move its end; return that end, else None.

        Raises:
            PatternError: no match begins where the pretoken does.
        """
        base = self.runs[0]
        if base.state == DEAD:
            self.runs.popleft()
            if not self.runs:
                raise PatternError(
                    f"the pattern is not total: it has no match at {base.start}; "
                    "add an alternative that matches any character"
                )
            return self.runs[0].start
        if self.automaton.ends[base.state]:
            self.begin(self.position)
            return self.position
        return None

    def copy(self) -> CutQ:
        """Return an independent copy that shares the automaton."""
        twin = CutQ(self.automaton)
        twin.position = self.position
        twins = {id(run): Run(run.start, run.state) for run in self.runs}
        twin.runs = deque(twins.values())
        twin._live = [twins[id(run)] for run in self._live]
        return twin
