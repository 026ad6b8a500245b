"""Definitions, executed literally, and random instances small enough for it.

Everything here is as slow as it is obvious. `stable` is the definition of the maximum stable
prefix with continuations up to a length; the callers choose one that is known to be enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")


def common_prefix(a: Sequence[T], b: Sequence[T]) -> list[T]:
    n = 0
    while n < min(len(a), len(b)) and a[n] == b[n]:
        n += 1
    return list(a[:n])


def stable(
    function: Callable[[str], Sequence[T]], text: str, alphabet: str, length: int
) -> list[T]:
    """The longest common prefix of function(text + y) over all y of at most this length."""
    common = list(function(text))
    for n in range(1, length + 1):
        for y in product(alphabet, repeat=n):
            if not common:
                return common
            common = common_prefix(common, function(text + "".join(y)))
    return common


def ways_to_cut(text: str) -> Iterator[list[str]]:
    """Whole, character by character, and at every single place."""
    yield [text]
    yield list(text)
    for i in range(len(text) + 1):
        yield [text[:i], text[i:]]


def naive_merge(tokens: Sequence[bytes], piece: bytes) -> list[bytes]:
    """Merge by its definition: the lowest rank, the leftmost of equals, until none is left."""
    rank = {token: k for k, token in enumerate(tokens)}
    parts = [piece[i : i + 1] for i in range(len(piece))]
    while True:
        pairs = [
            (rank[parts[i] + parts[i + 1]], i)
            for i in range(len(parts) - 1)
            if parts[i] + parts[i + 1] in rank
        ]
        if not pairs:
            return parts
        _, i = min(pairs)
        parts[i : i + 2] = [parts[i] + parts[i + 1]]


def random_tokens(rng: random.Random, alphabet: str, n: int, longest: int) -> list[bytes]:
    """The single bytes, then n others in an order that respects nothing.

    Some are unreachable, and ranks may decrease along a derivation.
    """
    tokens = [character.encode() for character in alphabet]
    while len(tokens) < len(alphabet) + n:
        length = rng.randint(2, longest)
        token = "".join(rng.choice(alphabet) for _ in range(length)).encode()
        if token not in tokens:
            tokens.append(token)
        elif rng.random() < 0.1:
            break
    return tokens


def random_bpe_tokens(rng: random.Random, alphabet: str, n: int, longest: int) -> list[bytes]:
    """As training makes them: each is the concatenation of two earlier ones."""
    tokens = [character.encode() for character in alphabet]
    for _ in range(8 * n):
        token = rng.choice(tokens) + rng.choice(tokens)
        if len(token) <= longest and token not in tokens:
            tokens.append(token)
        if len(tokens) == len(alphabet) + n:
            break
    return tokens


@dataclass
class TableAutomaton:
    """An automaton over the letters of an alphabet, by the contract of compiled patterns."""

    alphabet: str
    table: list[list[tuple[int, bool]]]
    covers: bytes = b""
    ends: bytes = b""
    n_steps: int = 0

    @property
    def n_classes(self) -> int:
        return len(self.alphabet)

    def class_of(self, code_point: int) -> int:
        return self.alphabet.index(chr(code_point))

    def step(self, state: int, symbol: int) -> tuple[int, bool]:
        self.n_steps += 1
        return self.table[state][symbol]


def naive_split(automaton: TableAutomaton, text: str) -> list[str]:
    """Split by its definition, each character one item, "‖" behind each pretoken."""
    out: list[str] = []
    start = 0
    while start < len(text):
        state, end = 1, start
        for i in range(start, len(text) + 1):
            symbol = automaton.class_of(ord(text[i])) if i < len(text) else automaton.n_classes
            state, flagged = automaton.step(state, symbol)
            if flagged:
                end = i
            if state == 0:
                break
        assert end > start, "not total"
        out += [*text[start:end], "‖"]
        start = end
    return out


def random_automaton(rng: random.Random, alphabet: str, n_states: int) -> TableAutomaton:
    """A total automaton of at least 4 states.

    0 is dead, 1 the start. Before the first match end it is in one of a few young states, from
    which only a match end leads away; that makes it total. Behind it anything may happen.
    """
    young = range(2, 2 + rng.randint(1, min(2, n_states - 3)))
    old = range(young.stop, n_states)
    flags = rng.choice((0.1, 0.3, 0.6))
    start = [(rng.choice(young), False) for _ in alphabet] + [(0, False)]
    table = [[(0, False)] * (len(alphabet) + 1), start]
    for state in range(2, n_states):
        row = []
        for _ in alphabet:
            dies = rng.random() < 0.2
            if state in old:
                row.append((0 if dies else rng.choice(old), rng.random() < flags))
            elif rng.random() < 0.3:
                row.append((rng.choice(young), False))
            else:
                row.append((0 if dies else rng.choice(old), True))
        table.append([*row, (0, state in young or rng.random() < flags)])
    _bury_hopeless(table)
    covers, ends = _certainties(table)
    return TableAutomaton(alphabet, table, covers, ends)


def _bury_hopeless(table: list[list[tuple[int, bool]]]) -> None:
    """Replace states from which no flag can be reached by the dead one."""
    hopeful: set[int] = set()
    while True:
        more = {
            state
            for state, row in enumerate(table)
            if any(flagged or target in hopeful for target, flagged in row)
        }
        if more == hopeful:
            break
        hopeful = more
    for row in table:
        row[:] = [(target if target in hopeful else 0, flagged) for target, flagged in row]


def _certainties(table: list[list[tuple[int, bool]]]) -> tuple[bytes, bytes]:
    covers = [state > 1 for state in range(len(table))]
    while True:
        now = [
            covers[state] and all(flagged or (t and covers[t]) for t, flagged in row)
            for state, row in enumerate(table)
        ]
        if now == covers:
            break
        covers = [bool(c) for c in now]
    ends = [
        state > 1 and all(flagged and t == 0 for t, flagged in row)
        for state, row in enumerate(table)
    ]
    return bytes(covers), bytes(ends)
