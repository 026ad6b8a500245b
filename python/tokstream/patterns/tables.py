"""Rows of next states and flags: what is done with them on the way to an `Automaton`.

In: rows, one per state, of (next state, whether a match ends before the symbol), a symbol being an
index into the row and the last one the end of the input; state 0 is dead, state 1 the start. Out:
smaller rows, or facts about them. Nothing here knows about patterns.
"""

from __future__ import annotations

from tokstream.patterns.automaton import DEAD, START

__all__ = ["Row", "covering", "merge_classes", "minimal", "unmatched"]

Row = list[tuple[int, bool]]


def minimal(rows: list[Row]) -> list[Row]:
    """Merge states that no continuation can tell apart (Moore), then number breadth first.

    Cost: symbols times states, times the number of splits a state sees its targets take part in.
    """
    block = _blocks(rows)
    member = {number: state for state, number in reversed(list(enumerate(block)))}
    order = {block[DEAD]: DEAD, block[START]: START}
    if len(order) == 1:  # nothing ever matches: start is as good as dead
        return [rows[DEAD], [(DEAD, False)] * len(rows[DEAD])]
    queue = [START]
    for state in queue:
        for target, _ in rows[state]:
            number = block[target]
            if number not in order:
                order[number] = len(order)
                queue.append(target)
    # `order` lists the blocks by their new number.
    return [
        [(order[block[target]], flag) for target, flag in rows[member[number]]] for number in order
    ]


def _blocks(rows: list[Row]) -> list[int]:
    """Block of each state in the coarsest partition that respects flags and next states.

    Only states with a step into a new block are looked at again; the others of a block still
    agree with each other.
    """
    sources: list[set[int]] = [set() for _ in rows]
    flags: dict[tuple[bool, ...], list[int]] = {}
    for state, row in enumerate(rows):
        flags.setdefault(tuple(flag for _, flag in row), []).append(state)
        for target, _ in row:
            sources[target].add(state)
    members = [set(states) for states in flags.values()]
    block = [0] * len(rows)
    for number, states in enumerate(members):
        for state in states:
            block[state] = number
    pending = set(range(len(rows)))
    while pending:
        touched: dict[int, list[int]] = {}
        for state in sorted(pending):
            touched.setdefault(block[state], []).append(state)
        pending = set()
        moves: list[list[int]] = []
        for number, again in touched.items():
            moves.extend(_split(rows, block, members[number], again))
        for group in moves:
            members[block[group[0]]].difference_update(group)
            for state in group:
                block[state] = len(members)
                pending |= sources[state]
            members.append(set(group))
    return block


def _split(
    rows: list[Row], block: list[int], members: set[int], touched: list[int]
) -> list[list[int]]:
    """Groups of `touched` states that no longer belong to their block, in a fixed order."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for state in touched:
        groups.setdefault(tuple([block[target] for target, _ in rows[state]]), []).append(state)
    if len(touched) < len(members):
        untouched = min(members.difference(touched))
        groups.pop(tuple([block[target] for target, _ in rows[untouched]]), None)
        return list(groups.values())
    return sorted(groups.values(), key=len)[:-1]  # the largest keeps the number


def merge_classes(rows: list[Row]) -> tuple[list[Row], list[int]]:
    """Merge classes with equal columns; classes stay in order of their lowest code point."""
    end = len(rows[START]) - 1
    columns: dict[tuple[tuple[int, bool], ...], int] = {}
    renumber: list[int] = []
    kept: list[int] = []
    for symbol in range(end):
        column = tuple(row[symbol] for row in rows)
        number = columns.setdefault(column, len(columns))
        if number == len(kept):
            kept.append(symbol)
        renumber.append(number)
    kept.append(end)
    return [[row[symbol] for symbol in kept] for row in rows], renumber


def covering(rows: list[Row]) -> bytearray:
    """Greatest fixpoint: on every symbol a match ends, or the next state is alive and covers."""
    sources: list[list[int]] = [[] for _ in rows]
    covers = bytearray(b"\1") * len(rows)
    covers[DEAD] = 0
    pending = [DEAD]
    for state, row in enumerate(rows):
        for target, flagged in row:
            if not flagged:
                sources[target].append(state)
    while pending:
        for state in sources[pending.pop()]:
            if covers[state]:
                covers[state] = 0
                pending.append(state)
    return covers


def unmatched(rows: list[Row], covers: bytearray) -> list[int] | None:
    """Shortest text (as classes) at whose beginning nothing matches; None if there is none."""
    end = len(rows[START]) - 1
    queue: list[tuple[int, list[int]]] = [(START, [])]
    seen = {START}
    for state, read in queue:
        if read and not rows[state][end][1]:
            return read
        for symbol, (target, flagged) in enumerate(rows[state][:end]):
            if flagged:
                continue
            text = [*read, symbol]
            if target == DEAD:
                return text
            if target not in seen and not covers[target]:
                seen.add(target)
                queue.append((target, text))
    return None
