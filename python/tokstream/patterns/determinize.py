"""Nondeterministic automaton with priorities to the smallest equivalent `Automaton`.

In: an `Nfa`. Out: rows of next states and flags, minimized and numbered breadth first, then the
finished `Automaton`. Refused: more states or classes than the tables hold, patterns that can match
the empty string, and patterns that do not match at the beginning of every text, unless gaps between
matches are wanted as pretokens, or the automaton is for a search.

A state is the ordered list of the threads a backtracking matcher could still be in, best first. A
thread that reaches the end of the pattern flags a match before the symbol just read and removes
the threads behind it: what they find could never be preferred.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from tokstream.errors import PatternError
from tokstream.patterns.automaton import DEAD, FLAG, MAX_CLASSES, MAX_STATES, START, Automaton
from tokstream.patterns.gaps import isolate_gaps
from tokstream.patterns.nfa import ENDED, Nfa
from tokstream.patterns.tables import Row, covering, merge_classes, minimal, unmatched

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["determinize"]


def determinize(nfa: Nfa, *, gaps: bool = False, partial: bool = False) -> Automaton:
    """Build the automaton of `nfa`.

    Args:
        nfa: the pattern.
        gaps: make the text between matches pretokens too, one per gap.
        partial: there may be text between matches; the automaton is for a search.

    Raises:
        PatternError: too many states or classes, an empty match, or, without `gaps` or `partial`, a
            text without a match at its beginning.
    Cost: states times symbols times threads per state.
    """
    rows = minimal(_thread_lists(nfa))
    samples = _samples(nfa)
    _refuse_empty_match(rows, samples)
    if gaps:
        rows = minimal(isolate_gaps(rows))
    elif not partial:
        _refuse_partial(rows, samples)
    rows, renumber = merge_classes(rows)
    return _finish(nfa, rows, renumber)


def _finish(nfa: Nfa, rows: list[Row], renumber: list[int]) -> Automaton:
    n_classes = len(rows[START]) - 1
    if n_classes > MAX_CLASSES:
        raise PatternError(
            f"pattern too large: it tells {n_classes} classes of code points apart, the limit is "
            f"{MAX_CLASSES}; use fewer different character classes"
        )
    index, blocks = nfa.partition.tables(renumber)
    ends = bytes(
        state != DEAD and all(flagged and target == DEAD for target, flagged in row)
        for state, row in enumerate(rows)
    )
    table = array("H", [target | (FLAG if flag else 0) for row in rows for target, flag in row])
    covers = bytes(covering(rows))
    return Automaton(len(rows), n_classes, index, blocks, table, covers, ends)


def _refuse_empty_match(rows: list[Row], samples: Sequence[str]) -> None:
    for symbol, (_, flagged) in enumerate(rows[START]):
        if flagged:
            at_end = symbol == len(samples)
            where = "at the end of a text" if at_end else f"before {samples[symbol]!r}"
            raise PatternError(
                f"pattern can match the empty string, for example {where}; a pretoken has at "
                "least one character, so write + instead of * or add a mandatory part"
            )


def _refuse_partial(rows: list[Row], samples: Sequence[str]) -> None:
    symbols = unmatched(rows, covering(rows))
    if symbols is not None:
        text = "".join(samples[symbol] for symbol in symbols)
        raise PatternError(
            f"pattern is not total: it does not match at the beginning of {text!r}; add a last "
            "alternative that matches any one character, such as |[\\s\\S]"
        )


def _thread_lists(nfa: Nfa) -> list[Row]:
    """Rows of the subset automaton; 0 is the empty list, 1 the list at the start."""
    end = nfa.end_symbol
    numbers: dict[tuple[int, ...], int] = {(): DEAD, (nfa.start,): START}
    lists: list[tuple[int, ...]] = [(), (nfa.start,)]
    rows: list[Row] = []
    for threads in lists:
        items = [item for thread in threads for item in nfa.closure(thread)]
        nfa.spend(len(items))
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


def _samples(nfa: Nfa) -> list[str]:
    """One character of each class, for messages: a printable one if its run begins with one."""
    found: dict[int, str] = {}
    for start, symbol in nfa.partition.runs:
        character = chr(start)
        if symbol not in found or (character.isprintable() and not found[symbol].isprintable()):
            found[symbol] = character
    return [found[symbol] for symbol in range(nfa.end_symbol)]
