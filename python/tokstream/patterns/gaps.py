"""Gaps between the matches of a pattern, as pretokens of their own.

In: the rows of an automaton that need not match everywhere. Out: the rows of one that does: where
no match begins, the pretoken is the text up to the next place where one begins, or to the end.
That is what a split with the behaviour "isolated" yields in `tokenizers`. Refused: patterns for
which the place where a gap ends is not known one symbol later.

While the match at the beginning is undecided, or has failed, a second scan runs from a later place,
the *candidate*: the gap may end there. Its place is flagged when it starts; if it fails, a later
flag (of the next candidate, or the end) counts instead. So at most one candidate may be undecided
at a time. A match at the beginning always ends behind all candidates flagged so far, so its
flag counts whenever it comes.
"""

from __future__ import annotations

import itertools

from tokstream.errors import PatternError
from tokstream.patterns.automaton import DEAD, MAX_STATES, START
from tokstream.patterns.tables import Row, covering

__all__ = ["isolate_gaps"]

_NONE = -1  # no candidate
_SURE = -2  # the candidate certainly matches: the gap ends there
_MATCHED = -3  # the match at the beginning exists; its own scan goes on
_FRESH = -4  # nothing was read yet: no gap can end before the first symbol

# State of the scan from the beginning, and candidate (a state or one of the above).
_Pair = tuple[int, int]
_DEAD_PAIRS = ((DEAD, _SURE), (DEAD, _MATCHED))


def isolate_gaps(rows: list[Row]) -> list[Row]:
    """Complete `rows`.

    Raises:
        PatternError: two places where a gap may end would have to be remembered.
    """
    return _Completion(rows).build()


class _Completion:
    """Pairs of states met so far, numbered in order of discovery."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows
        self.covers = covering(rows)
        self.end = len(rows[START]) - 1
        self.pairs: list[_Pair] = [_DEAD_PAIRS[0], (START, _FRESH)]
        self.numbers: dict[_Pair, int] = dict.fromkeys(_DEAD_PAIRS, DEAD)
        self.numbers[START, _FRESH] = START

    def build(self) -> list[Row]:
        """Rows of all pairs; `self.pairs` grows while we go through it."""
        symbols = range(self.end + 1)
        alive = itertools.islice(self.pairs, START, None)
        rows = [[self._step(pair, symbol) for symbol in symbols] for pair in alive]
        return [[(DEAD, False) for _ in symbols], *rows]

    def _step(self, pair: _Pair, symbol: int) -> tuple[int, bool]:
        state, candidate = pair
        state, flagged = self.rows[state][symbol]
        if flagged or candidate == _MATCHED:
            return self._number((state, _MATCHED)), flagged
        begins = DEAD
        if candidate >= 0:
            candidate, matched = self.rows[candidate][symbol]
            candidate = _SURE if matched else candidate or _NONE
        if symbol == self.end:
            return DEAD, candidate in {_NONE, _FRESH} and pair[1] != _FRESH
        if candidate not in {_SURE, _FRESH}:
            begins = self.rows[START][symbol][0]
        if begins and candidate >= 0 and not self.covers[candidate]:
            raise PatternError(
                "pattern is not total, and where the text between its matches ends is not known "
                "one character later; add a last alternative that matches any one character"
            )
        if candidate >= 0 and self.covers[candidate]:
            candidate, begins = _SURE, DEAD
        if begins:
            candidate = _SURE if self.covers[begins] else begins
        if candidate == _FRESH:
            candidate = _NONE
        return self._number((state, candidate)), bool(begins)

    def _number(self, pair: _Pair) -> int:
        number = self.numbers.get(pair)
        if number is None:
            number = self.numbers[pair] = len(self.pairs)
            if number > MAX_STATES:
                raise PatternError(
                    f"pattern too large: with gaps, its automaton needs more than {MAX_STATES} "
                    "states; use smaller counts"
                )
            self.pairs.append(pair)
        return number
