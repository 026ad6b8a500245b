"""Nondeterministic automaton with priorities to the smallest equivalent `Automaton`.

In: an `Nfa`. Out: rows of next states and flags, minimized and numbered breadth first, then the
finished `Automaton`. Refused: more states or classes than the tables hold, patterns that can match
nothing at all, and patterns that do not match at the beginning of every text.

A state is the ordered list of the threads a backtracking matcher could still be in, best first. A
thread that reaches the end of the pattern flags a match before the symbol just read and removes
the threads behind it: what they find could never be preferred.
"""

from __future__ import annotations

from array import array

from tokstream.errors import PatternError
from tokstream.patterns.automaton import DEAD, FLAG, MAX_CLASSES, MAX_STATES, START, Automaton
from tokstream.patterns.nfa import ENDED, Nfa

__all__ = ["determinize"]

Row = list[tuple[int, bool]]


def determinize(nfa: Nfa) -> Automaton:
    """Build the automaton of `nfa`.

    Raises:
        PatternError: too many states or classes, an empty match, or a text without a match.
    Cost: states times symbols times threads per state.
    """
    rows = _minimal(_thread_lists(nfa))
    rows, renumber = _merge_classes(rows, nfa.end_symbol)
    n_classes = len(rows[0]) - 1
    if n_classes > MAX_CLASSES:
        raise PatternError(
            f"pattern too large: it tells {n_classes} classes of code points apart, the limit is "
            f"{MAX_CLASSES}; use fewer different character classes"
        )
    index, blocks = nfa.partition.tables(renumber)
    covers = _covers(rows)
    sample = _samples(nfa, renumber)
    for symbol, (_, flagged) in enumerate(rows[START]):
        if flagged:
            before = f"before {sample[symbol]!r}" if symbol < n_classes else "at the end of a text"
            raise PatternError(
                f"pattern can match the empty string, for example {before}; a pretoken has at "
                "least one character, so write + instead of * or add a mandatory part"
            )
    unmatched = _unmatched(rows, covers)
    if unmatched is not None:
        text = "".join(sample[symbol] for symbol in unmatched)
        raise PatternError(
            f"pattern is not total: it does not match at the beginning of {text!r}; add a last "
            "alternative that matches any one character, such as |[\\s\\S]"
        )
    ends = bytes(
        state != DEAD and all(flagged and target == DEAD for target, flagged in row)
        for state, row in enumerate(rows)
    )
    table = array("H", [target | (FLAG if flag else 0) for row in rows for target, flag in row])
    return Automaton(len(rows), n_classes, index, blocks, table, bytes(covers), ends)


def _thread_lists(nfa: Nfa) -> list[Row]:
    """Rows of the subset automaton; 0 is the empty list, 1 the list at the start."""
    end = nfa.end_symbol
    numbers: dict[tuple[int, ...], int] = {(): DEAD, (nfa.start,): START}
    lists: list[tuple[int, ...]] = [(), (nfa.start,)]
    rows: list[Row] = []
    for threads in lists:
        items = [item for thread in threads for item in nfa.closure(thread)]
        row: Row = []
        for symbol in range(end + 1):
            bit = 1 << symbol
            flagged = False
            after: dict[int, None] = {}
            for mask, target in items:
                if mask & bit:
                    if target == ENDED:
                        flagged = True
                        break
                    after[target] = None
            successor = () if symbol == end else tuple(after)
            number = numbers.get(successor)
            if number is None:
                number = numbers[successor] = len(lists)
                if number > MAX_STATES:
                    raise PatternError(
                        f"pattern too large: its automaton needs more than {MAX_STATES} states; "
                        "use smaller counts or fewer overlapping alternatives"
                    )
                lists.append(successor)
            row.append((number, flagged))
        rows.append(row)
    return rows


def _minimal(rows: list[Row]) -> list[Row]:
    """Merge states that no continuation can tell apart (Moore), then number breadth first."""
    flags: dict[tuple[bool, ...], int] = {}
    block = [flags.setdefault(tuple(flag for _, flag in row), len(flags)) for row in rows]
    n_blocks = len(flags)
    while True:
        refined: dict[tuple[int, ...], int] = {}
        block = [
            refined.setdefault((block[state], *(block[t] for t, _ in row)), len(refined))
            for state, row in enumerate(rows)
        ]
        if len(refined) == n_blocks:
            break
        n_blocks = len(refined)
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


def _merge_classes(rows: list[Row], end: int) -> tuple[list[Row], list[int]]:
    """Merge classes with equal columns; classes stay in order of their lowest code point."""
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


def _covers(rows: list[Row]) -> bytearray:
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


def _unmatched(rows: list[Row], covers: bytearray) -> list[int] | None:
    """Shortest text (as classes) at whose beginning nothing matches; None if there is none."""
    end = len(rows[START]) - 1
    queue: list[tuple[int, list[int]]] = [(START, [])]
    seen = {START}
    for state, read in queue:
        for symbol, (target, flagged) in enumerate(rows[state]):
            if flagged or (symbol == end and state == START):
                continue
            if symbol == end:
                return read
            text = [*read, symbol]
            if target == DEAD:
                return text
            if target not in seen and not covers[target]:
                seen.add(target)
                queue.append((target, text))
    return None


def _samples(nfa: Nfa, renumber: list[int]) -> dict[int, str]:
    """One character of each class, for messages: a printable one early in the class if any."""
    found: dict[int, str] = {}
    for start, number in nfa.partition.runs:
        symbol = renumber[number]
        character = chr(start)
        if symbol not in found or (character.isprintable() and not found[symbol].isprintable()):
            found[symbol] = character
    return found
