"""What a search for the matches of a pattern has to hold back.

In: an automaton that need not match everywhere, or the levels of a cascade. Out: the number of
characters that may be undecided at a time, counted in code points, from the tables alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokstream.patterns.analysis import components
from tokstream.patterns.automaton import DEAD, FLAG, START, STATE_MASK, Automaton

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokstream.patterns.levels import Level

__all__ = ["held_by_levels", "held_by_search"]


def held_by_levels(levels: Iterable[Level]) -> int | None:
    """Most characters that the levels of a cascade hold back together; None if unlimited."""
    total = 0
    for level in levels:
        if isinstance(automaton := level[1] if len(level) > 1 else None, bytes):
            held = held_by_search(Automaton.from_bytes(automaton))
            if held is None:
                return None
            total += held
    return total


def held_by_search(automaton: Automaton) -> int | None:
    """Most characters that are undecided while an automaton searches; None if unlimited.

    Undecided is what a match may or may not take in: all since the place where it may begin, or
    since its last possible end. That is over when another end is possible, when a match has become
    certain, or when there is none.
    """
    width = automaton.n_classes + 1
    table = automaton.transitions
    rows = [table[at : at + width].tolist() for at in range(0, len(table), width)]
    quiet = [
        sorted({entry for entry in row[:-1] if DEAD < entry < FLAG and not automaton.covers[entry]})
        for row in rows
    ]
    behind = {entry & STATE_MASK for row in rows for entry in row if entry >= FLAG}
    first = {state for state in {*quiet[START], *behind} - {DEAD} if not automaton.covers[state]}
    longest: dict[int, int] = {}
    for part in components(quiet, first):
        members = set(part)
        after = {state for member in part for state in quiet[member]}
        if after & members:
            return None
        ahead = max((longest[state] for state in after), default=0)
        longest.update(dict.fromkeys(part, ahead + 1))
    return max(longest.values(), default=0)
