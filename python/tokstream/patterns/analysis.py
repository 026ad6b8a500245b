"""What the tables of a compiled pattern say about streaming.

In: an `Automaton`. Out: a `PatternAnalysis`: how far it may have to look back, where cuts are
certain, and which states a run of equal characters stays in. Everything is counted in code points
and derived from the tables alone, so it holds for loaded automata too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokstream.patterns.automaton import DEAD, FLAG, START, STATE_MASK

if TYPE_CHECKING:
    from tokstream.patterns.automaton import Automaton

__all__ = ["PatternAnalysis", "analyse"]


@dataclass(frozen=True, slots=True)
class PatternAnalysis:
    r"""Facts about a pattern; lengths in code points.

    Attributes:
        n_states: states of the minimal automaton, dead and start included.
        n_classes: classes of code points the pattern can tell apart.
        lookback: longest distance between two consecutive places where a match may end, that is,
            how much text behind a possible end may have to be read again; None if unlimited.
        lookback_finite: the same without the unlimited stretches: the longest distance over
            stretches that visit no state that can come round without a possible end.
        lookahead_lag: 1 if some match end depends on the symbol behind it (``\s+(?!\S)``, ``$``),
            else 0.
        certain_cuts: class pairs (a, b) such that wherever b follows a in any text, a pretoken
            ends between them; sorted.
        self_loops: per state with any, the classes that lead from the state to itself.
    """

    n_states: int
    n_classes: int
    lookback: int | None
    lookback_finite: int
    lookahead_lag: int
    certain_cuts: tuple[tuple[int, int], ...]
    self_loops: dict[int, tuple[int, ...]]


def analyse(automaton: Automaton) -> PatternAnalysis:
    """Derive the facts; O(states times classes squared)."""
    width = automaton.n_classes + 1
    table = automaton.transitions
    rows = [table[at : at + width].tolist() for at in range(0, len(table), width)]
    finite, unlimited = _lookback(rows)
    mixed = any(
        0 < sum(entry >= FLAG for entry in row) < width for row in rows[START + 1 :] if any(row)
    )
    loops = {
        state: classes
        for state, row in enumerate(rows)
        if state != DEAD
        and (classes := tuple(c for c in range(width - 1) if row[c] & STATE_MASK == state))
    }
    return PatternAnalysis(
        n_states=automaton.n_states,
        n_classes=automaton.n_classes,
        lookback=None if unlimited else finite,
        lookback_finite=finite,
        lookahead_lag=int(mixed),
        certain_cuts=_certain_cuts(rows, width - 1),
        self_loops=loops,
    )


def _lookback(rows: list[list[int]]) -> tuple[int, bool]:
    """Longest finite distance between flags, and whether some distance has no limit.

    A distance is a path of unflagged steps that ends with a flagged one. It has no limit if an
    unflagged cycle, from which a flag is still reachable, can be entered. (All states are
    reachable from the start, hence from a possible end, since no pattern matches nothing.)
    """
    quiet: list[list[int]] = []  # unflagged steps to live states
    flags = []  # whether a flagged step exists
    for row in rows:
        quiet.append(sorted({entry for entry in row if DEAD < entry < FLAG}))
        flags.append(any(entry >= FLAG for entry in row))
    useful = _useful(quiet, flags)
    quiet = [
        [after for after in targets if after in useful] if state in useful else []
        for state, targets in enumerate(quiet)
    ]
    cyclic = _on_cycles(quiet)
    longest: dict[int, int] = {}
    for state in _bottom_up(quiet, cyclic):
        steps = [longest[after] + 1 for after in quiet[state] if longest.get(after)]
        longest[state] = max([*steps, int(flags[state])])
    return max(longest.values(), default=0), bool(cyclic)


def _useful(quiet: list[list[int]], flags: list[bool]) -> set[int]:
    """States from which unflagged steps lead to a flagged one."""
    sources: list[list[int]] = [[] for _ in quiet]
    for state, targets in enumerate(quiet):
        for after in targets:
            sources[after].append(state)
    useful = {state for state, flag in enumerate(flags) if flag}
    pending = list(useful)
    while pending:
        for before in sources[pending.pop()]:
            if before not in useful:
                useful.add(before)
                pending.append(before)
    return useful


def _on_cycles(quiet: list[list[int]]) -> set[int]:
    """States that lie on a cycle: peel off what has no way in or no way out, then test the rest."""
    found: set[int] = set()
    for state, targets in enumerate(quiet):
        seen: set[int] = set()
        pending = list(targets)
        while pending and state not in seen:
            after = pending.pop()
            if after not in seen:
                seen.add(after)
                pending.extend(quiet[after])
        if state in seen:
            found.add(state)
    return found


def _bottom_up(quiet: list[list[int]], cyclic: set[int]) -> list[int]:
    """Acyclic states, each behind those its steps lead to."""
    order: list[int] = []
    done = set(cyclic)
    for first in range(len(quiet)):
        pending = [first]
        while pending:
            state = pending[-1]
            if state in done:
                pending.pop()
                continue
            waiting = [after for after in quiet[state] if after not in done]
            if waiting:
                pending.extend(waiting)
            else:
                done.add(state)
                order.append(pending.pop())
    return order


def _certain_cuts(rows: list[list[int]], n_classes: int) -> tuple[tuple[int, int], ...]:
    """Pairs (a, b) such that every live state that survives a flags and dies on b.

    A scan that dies on a starts again at or before a; as the pattern is total, some scan reads on
    over a, and that one ends its match between a and b.
    """
    cuts: list[tuple[int, int]] = []
    for a in range(n_classes):
        after = {row[a] & STATE_MASK for row in rows} - {DEAD}
        cuts.extend(
            (a, b) for b in range(n_classes) if all(rows[state][b] == FLAG for state in after)
        )
    return tuple(cuts)
