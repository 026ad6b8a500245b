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

__all__ = ["PatternAnalysis", "analyse", "components"]


@dataclass(frozen=True, slots=True)
class PatternAnalysis:
    r"""Facts about a pattern; lengths in code points.

    Attributes:
        n_states: states of the minimal automaton, dead and start included.
        n_classes: classes of code points the pattern can tell apart.
        lookback: how much text behind a possible end may have to be read again, at most: the
            longest distance from such an end to the next one, or to where it is certain that
            there will be a later one; None if unlimited.
        lookback_finite: the same with every loop gone through no more than once (states that can
            come round to each other without a possible end count as one); at least 1.
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
    finite, unlimited = _lookback(rows, automaton.covers)
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


def _lookback(rows: list[list[int]], covers: bytes) -> tuple[int, bool]:
    """Longest finite stretch behind a possible end, and whether some stretch has no limit.

    A stretch begins with a flagged step and goes on over unflagged ones. It is over when another
    end is possible, or when the state covers: then the scan will not come back. It has no limit if
    it can enter a cycle. (From every live state a flag is reachable: the automaton is minimal.)
    """
    open_ended = [bool(row != [0] * len(row)) and not covers[q] for q, row in enumerate(rows)]
    quiet = [
        sorted({entry for entry in row if DEAD < entry < FLAG}) if open_ended[state] else []
        for state, row in enumerate(rows)
    ]
    quiet[START] = []  # nothing has been read there that could have to be read again
    behind = {entry & STATE_MASK for row in rows for entry in row if entry >= FLAG} - {DEAD}
    unlimited = False
    longest: dict[int, int] = {}
    for part in components(quiet, behind):
        members = set(part)
        after = {q for state in part for q in quiet[state]}
        unlimited = unlimited or bool(after & members)
        ahead = max((longest[q] + 1 for q in after - members), default=0)
        longest.update(dict.fromkeys(part, ahead))
    return max((longest[state] + 1 for state in behind), default=1), unlimited


def components(graph: list[list[int]], first: set[int]) -> list[list[int]]:
    """Strongly connected parts reachable from `first`, each behind those it leads to (Kosaraju)."""
    order = _finished(graph, sorted(first))
    back: list[list[int]] = [[] for _ in graph]
    for state in order:
        for after in graph[state]:
            back[after].append(state)
    parts: list[list[int]] = []
    seen: set[int] = set()
    for state in reversed(order):
        if state not in seen:
            part = [state]
            seen.add(state)
            for member in part:  # grows while we go
                fresh = [before for before in back[member] if before not in seen]
                seen.update(fresh)
                part.extend(dict.fromkeys(fresh))
            parts.append(part)
    return parts[::-1]


def _finished(graph: list[list[int]], first: list[int]) -> list[int]:
    """States reachable from `first` in the order in which a depth-first walk leaves them."""
    order: list[int] = []
    seen: set[int] = set()
    for root in first:
        pending = [(root, iter(graph[root]))] if root not in seen else []
        seen.add(root)
        while pending:
            state, targets = pending[-1]
            target = next(targets, None)
            if target is None:
                order.append(state)
                pending.pop()
            elif target not in seen:
                seen.add(target)
                pending.append((target, iter(graph[target])))
    return order


def _certain_cuts(rows: list[list[int]], n_classes: int) -> tuple[tuple[int, int], ...]:
    """Pairs (a, b) such that no state reads a and then b and lives on.

    As the pattern is total, some scan ends its match behind a; it cannot have read on over b.
    """
    cuts: list[tuple[int, int]] = []
    for a in range(n_classes):
        after = {row[a] & STATE_MASK for row in rows} - {DEAD}
        cuts.extend(
            (a, b)
            for b in range(n_classes)
            if all(rows[state][b] & STATE_MASK == DEAD for state in after)
        )
    return tuple(cuts)
