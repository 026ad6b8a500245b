r"""Proof that giving nothing back makes no difference.

In: an `Nfa` that treats possessive repeats and atomic groups as their greedy forms. Out: nothing,
or a `PatternError` for the first part for which the two forms might differ.

A part matches in a number of ways, in order; atomic means that only the first way counts. The
greedy form is the same if either

* what follows the part can end at once, without reading or asking for anything: then the first way
  always leads to a match and no other is ever tried; or
* whenever a way of the part ends, on the symbol that comes next (a) all better ways that are still
  going on can only go on where what follows cannot, and (b) there is no worse way that could
  go on instead. By (a) a shorter way leads nowhere once a better one has read on; by (b)
  nothing is left to fall back to.

Both are checked on the ordered thread lists of the part alone. Parts inside or behind a part are
taken as greedy here; that only adds ways, so the conditions stay sufficient, and the parts can be
replaced one by one, inner before outer.
"""

from __future__ import annotations

from tokstream.errors import PatternError
from tokstream.patterns.nfa import ENDED, AtomicPart, Nfa

__all__ = ["MAX_PROOF_STATES", "check_atomic_parts"]

MAX_PROOF_STATES = 4_096


def check_atomic_parts(nfa: Nfa) -> None:
    """Raise unless every atomic part of `nfa` may be treated as greedy.

    Raises:
        PatternError: naming the construct and its offset.
    Cost: the thread lists of each part (at most `MAX_PROOF_STATES`) times the symbols.
    """
    for part in nfa.atomics:
        if _ends_at_once(nfa, part.follow) or _is_disjoint(nfa, part):
            continue
        raise PatternError(
            f"{part.construct} at offset {part.offset} is not supported here: giving characters "
            "back could change the match; use the greedy form, or make what follows begin with "
            "other characters",
            part.offset,
        )


def _ends_at_once(nfa: Nfa, node: int) -> bool:
    """Whether the end of the pattern is reached from `node` on every symbol."""
    missing = nfa.all_symbols
    for mask, target in nfa.closure(node):
        if target == ENDED:
            missing &= ~mask
    return not missing


def _is_disjoint(nfa: Nfa, part: AtomicPart) -> bool:
    """Check the second condition of the module's text on all thread lists of `part`."""
    follow_mask = 0
    for mask, _ in nfa.closure(part.follow):
        follow_mask |= mask
    first: tuple[int, ...] = (part.entry,)
    seen = {first}
    pending = [first]
    while pending:
        threads = pending.pop()
        items = [item for thread in threads for item in nfa.closure(thread, part.exit)]
        nfa.spend(len(items))
        for symbol in range(nfa.end_symbol + 1):
            after = _read(items, 1 << symbol, follow_mask)
            if after is None:
                return False
            if after and after not in seen:
                if len(seen) >= MAX_PROOF_STATES:
                    return False
                seen.add(after)
                pending.append(after)
    return True


def _read(items: list[tuple[int, int]], symbol: int, follow_mask: int) -> tuple[int, ...] | None:
    """Threads after `symbol` (a mask of one bit); None if giving back could matter there."""
    after: dict[int, None] = {}
    ended = False
    for mask, target in items:
        if not mask & symbol:
            continue
        if target == ENDED:
            if after and follow_mask & symbol:
                return None
            ended = True
        elif ended:
            return None
        else:
            after[target] = None
    return tuple(after)
