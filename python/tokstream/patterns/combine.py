r"""A cascade of splits as one automaton, where that is possible.

In: levels that split at patterns and drop nothing. Out: the automaton whose pretokens are the
pieces of the last level, or None. Nothing is approximated: what is not proved equal stays a
cascade.

Two levels at a time, from the last: the *outer* one cuts, and each of its cuts is the end of the
input for the *inner* one. Both read every symbol together. That works if

* for the outer one each cut is certain as soon as the next symbol is read, so that the inner one
  gets its end in time; and
* wherever the inner one may cut, the outer one goes on as it would from its start: the combined
  automaton begins anew there and knows nothing of what was before.
"""

from __future__ import annotations

from array import array
from itertools import islice
from typing import TYPE_CHECKING

from tokstream.errors import PatternError
from tokstream.patterns.automaton import DEAD, FLAG, MAX_CLASSES, MAX_STATES, START, Automaton
from tokstream.patterns.gaps import isolate_gaps
from tokstream.patterns.tables import Row, covering, merge_classes, minimal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokstream.patterns.levels import Level

__all__ = ["combine"]

_BLOCK = 64


def combine(levels: Sequence[Level]) -> Automaton | None:
    """Combine a cascade of splits, at least one, into one total automaton.

    Returns:
        None if a level is no split, drops or joins text, if a gap's end is not known in time, or if
        the two conditions of the module's text do not hold.
    Cost: states times states times classes, some 10 ms for published cascades.
    """
    totals = [_total(level) for level in levels]
    combined = totals[-1]
    for outer in reversed(totals[:-1]):
        if outer is None or combined is None:
            return None
        combined = _combine(outer, combined)
    return combined


def _total(level: Level) -> Automaton | None:
    """Automaton that also matches the gaps, if the level's pieces are those of `isolated`."""
    if level[0] != "split" or not isinstance(level[1], bytes):
        return None
    automaton = Automaton.from_bytes(level[1])
    rows = _rows(automaton)
    covers = covering(rows)
    is_total = all(flagged or covers[target] for target, flagged in rows[START][:-1])
    if is_total and (level[2] == "isolated" or (level[2] == "removed" and level[3])):
        return automaton
    if level[2] != "isolated":
        return None
    try:
        rows = minimal(isolate_gaps(rows))
    except PatternError:
        return None
    return _finish(rows, automaton.class_index, automaton.class_blocks)


def _rows(automaton: Automaton) -> list[Row]:
    symbols = range(automaton.n_classes + 1)
    return [[automaton.step(q, symbol) for symbol in symbols] for q in range(automaton.n_states)]


def _finish(rows: list[Row], index: array[int], blocks: array[int]) -> Automaton | None:
    rows, renumber = merge_classes(rows)
    n_classes = len(rows[START]) - 1
    if n_classes > MAX_CLASSES:
        return None
    ends = bytes(
        state != DEAD and all(flagged and target == DEAD for target, flagged in row)
        for state, row in enumerate(rows)
    )
    table = array("H", [target | (FLAG if flag else 0) for row in rows for target, flag in row])
    renumbered = array("B", [renumber[number] for number in blocks])
    covers = bytes(covering(rows))
    return Automaton(len(rows), n_classes, index, renumbered, table, covers, ends)


def _combine(outer: Automaton, inner: Automaton) -> Automaton | None:
    cutter = _Cutter.of(outer)
    if cutter is None:
        return None
    classes = _Classes(outer, inner)
    if len(classes.pairs) > MAX_STATES:
        return None
    rows = _product(cutter, _rows(inner), classes)
    if rows is None:
        return None
    return _finish(minimal(rows), classes.index, classes.blocks)


class _Cutter:
    """The outer automaton as one that says, of each symbol, whether it cuts before it."""

    def __init__(self, steps: list[list[tuple[int, bool]]]) -> None:
        self.steps = steps
        # States from which all goes on as from the start.
        first = [target for target, _ in steps[START]]
        self.fresh = [[target for target, _ in row] == first for row in steps]

    @classmethod
    def of(cls, automaton: Automaton) -> _Cutter | None:
        """Build it; None if some cut is not certain when the next symbol is read."""
        rows = minimal(_rows(automaton))
        covers = covering(rows)
        first = rows[START]
        steps: list[list[tuple[int, bool]]] = []
        for state, row in enumerate(rows):
            step: list[tuple[int, bool]] = []
            for symbol, (target, flagged) in enumerate(row[:-1]):
                cuts = flagged and target == DEAD
                if not (cuts or covers[target] or state == DEAD):
                    return None
                step.append((first[symbol][0] if cuts else target, cuts))
            steps.append(step)
        return cls(steps)


class _Classes:
    """Classes that both automata can tell apart: pairs of their classes.

    Attributes:
        pairs: the classes of the two automata, per joint class.
        index: block number per 64 code points.
        blocks: joint classes, 64 per block; more than a byte holds before they are merged.
    """

    def __init__(self, left: Automaton, right: Automaton) -> None:
        numbers: dict[tuple[int, int], int] = {}
        known: dict[tuple[int, int], int] = {}
        self.blocks = array("L")
        self.index = array("H")
        for pair in zip(left.class_index, right.class_index, strict=True):
            number = known.get(pair)
            if number is None:
                number = known[pair] = len(known)
                one, other = (at * _BLOCK for at in pair)
                for both in zip(
                    left.class_blocks[one : one + _BLOCK],
                    right.class_blocks[other : other + _BLOCK],
                    strict=True,
                ):
                    self.blocks.append(numbers.setdefault(both, len(numbers)))
            self.index.append(number)
        self.pairs = list(numbers)


def _product(cutter: _Cutter, inner: list[Row], classes: _Classes) -> list[Row] | None:
    """Rows of the two automata reading together; None if the inner one cuts at a wrong place."""
    end = len(inner[START]) - 1
    start = (START, START)
    numbers: dict[tuple[int, int], int] = {start: START}
    states = [start, start]  # the first one stands for the dead state
    rows: list[Row] = [[(DEAD, False)] * (len(classes.pairs) + 1)]
    for at, inside in islice(states, START, None):
        row: Row = []
        for outer_class, inner_class in classes.pairs:
            after, cuts = cutter.steps[at][outer_class]
            if cuts:
                row.append((DEAD, inner[inside][end][1]))
                continue
            target, flagged = inner[inside][inner_class]
            if target == DEAD:
                row.append((DEAD, flagged))
                continue
            number = numbers.setdefault((after, target), len(states))
            if number == len(states):
                if number >= MAX_STATES:
                    return None
                states.append((after, target))
            row.append((number, flagged))
        row.append((DEAD, inner[inside][end][1]))
        rows.append(row)
    return rows if _begins_anew(cutter, rows, states, classes) else None


def _begins_anew(
    cutter: _Cutter, rows: list[Row], states: list[tuple[int, int]], classes: _Classes
) -> bool:
    """Whether the outer automaton goes on as from its start wherever only the inner one cuts."""
    covers = covering(rows)
    for (at, _), row in zip(states, rows, strict=True):
        if cutter.fresh[at]:
            continue
        for (outer_class, _), (target, flagged) in zip(classes.pairs, row[:-1], strict=True):
            # A match that surely ends later does not end here.
            if flagged and not covers[target] and not cutter.steps[at][outer_class][1]:
                return False
    return True
