"""cQueue: what an automaton would do on a queue of symbols, without reading them again.

Enters: symbols at the end, requests to remove some at the front.
Leaves: for any state, where the automaton is behind all of them, and its last match end.
Held back: the symbols in the queue, with a function on states for each.

This is the paper's way to pretokenize in linear time whatever the lookback. `CutQ` is another,
which needs no functions but keeps runs; `Pretokens` uses that one. The two are compared in tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from tokstream.errors import PatternError
from tokstream.reference.cutq import DEAD, START
from tokstream.reference.pretokens import CUT, join

if TYPE_CHECKING:
    from collections.abc import Collection

    from tokstream.reference.automata import Nfa
    from tokstream.reference.cutq import Automaton
    from tokstream.reference.pretokens import Pretoken

__all__ = ["CQueue", "Deterministic", "FastPretokenization", "Machine", "Nondeterministic"]


class Machine(Protocol):
    """What can be composed: what a symbol does to each state. 0 is dead, 1 the start."""

    n_states: int
    n_classes: int

    def class_of(self, code_point: int, /) -> int:
        """Return the symbol of a character. The end of the text is symbol `n_classes`."""

    def step(self, state: int, symbol: int, /) -> list[tuple[int, bool]]:
        """Return the next states, each with whether a match ended before the symbol.

        The dead state stands for a match end on a way that goes no further.
        """

    def covers(self, states: Collection[int], /) -> bool:
        """Whether a match ends here or later, whatever follows."""

    def ends(self, states: Collection[int], /) -> bool:
        """Whether the match ends exactly here, whatever follows."""


class Deterministic:
    """A deterministic automaton: a `Dfa`, or a compiled pattern with priorities and lookahead."""

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        self.n_states = len(automaton.covers)
        self.n_classes = automaton.n_classes

    def class_of(self, code_point: int, /) -> int:
        """Return the class of a code point."""
        return self._automaton.class_of(code_point)

    def step(self, state: int, symbol: int, /) -> list[tuple[int, bool]]:
        """Return the next state."""
        target, matched = self._automaton.step(state, symbol)
        return [(target, matched)] if target != DEAD or matched else []

    def covers(self, states: Collection[int], /) -> bool:
        """Whether the one state covers."""
        return any(self._automaton.covers[state] for state in states)

    def ends(self, states: Collection[int], /) -> bool:
        """Whether the one state ends."""
        return any(self._automaton.ends[state] for state in states)


class Nondeterministic:
    """A nondeterministic automaton and longest matches; state q + 1 for its own q.

    States from which nothing is accepted are left out.
    """

    def __init__(self, nfa: Nfa) -> None:
        self._nfa = nfa
        self.n_states = len(nfa.delta) + 1
        self.n_classes = len(nfa.alphabet)
        self._alive: set[int] = set()
        while True:
            hopeful = self._alive | nfa.accepting
            more = {
                q
                for q, row in enumerate(nfa.delta)
                if any(hopeful & next_ for next_ in row.values())
            }
            if more == self._alive:
                break
            self._alive = more

    def class_of(self, code_point: int, /) -> int:
        """Return the place of a character in the alphabet."""
        return self._nfa.alphabet.index(chr(code_point))

    def step(self, state: int, symbol: int, /) -> list[tuple[int, bool]]:
        """Return the next states; a state that accepts has a match end before every symbol."""
        if state == DEAD:
            return []
        matched = state - 1 in self._nfa.accepting
        targets: set[int] = set()
        if symbol < self.n_classes:
            targets = self._nfa.delta[state - 1].get(self._nfa.alphabet[symbol], targets)
        hopeful = self._alive | self._nfa.accepting
        over = [(DEAD, True)] if matched else []
        return [(q + 1, matched) for q in targets & hopeful] + over

    def covers(self, states: Collection[int], /) -> bool:
        """Whether one of the states accepts: the text may end any time."""
        return any(state - 1 in self._nfa.accepting for state in states)

    def ends(self, states: Collection[int], /) -> bool:
        """Whether one of the states accepts and none goes on."""
        return self.covers(states) and not any(state - 1 in self._alive for state in states)


Reach = dict[int, int]
"""Per state that can be reached, the last match end on a way there, -1 if there is none.

The dead state stands for ways that are over and had a match end."""


class _Function(NamedTuple):
    """f_w for a word w.

    Attributes:
        length: |w|.
        reach: per state, what it can reach by reading w.
    """

    length: int
    reach: dict[int, Reach]


class CQueue:
    """A queue of symbols as two stacks (Lemma 2.2).

    For a word w let f_w(q) = (δ(q, w), last(q, w)): the state behind w, and the length of the
    longest prefix of w at which a match ends. Functions of words compose:

        f_uv(q) = (δ(δ(q, u), v), max(last(q, u), |u| + last(δ(q, u), v))).

    The back stack has at each symbol the function of all up to it; the front stack has at each
    symbol the function of all from it on, its top being the first of the queue. When the front is
    empty, the back is turned over.

    For nondeterministic automata f_w(q) is a set of states, each with the best last match end on
    the way to it.

    >>> from tokstream.reference.automata import Dfa
    >>> dfa = Dfa.from_words("ab", ["a", "b", "aab"])
    >>> queue = CQueue(Deterministic(dfa))
    >>> for symbol in (0, 0):
    ...     queue.push(symbol)
    >>> queue.query({START: -1})                   # state 4, and a match end behind one symbol
    {4: 1}
    >>> queue.pop(1), queue.query({START: -1})
    ([0], {2: -1})

    Args:
        machine: the automaton.

    Cost: push and pop amortized O(|Q|) for deterministic automata, O(|Q|³) for others.
    Source: Dalirrooyfard and Ye, arXiv:2610.19139, Lemma 2.2, Equations 3 and 4.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._front: list[tuple[int, _Function]] = []
        self._back: list[tuple[int, _Function]] = []
        self._single: dict[int, _Function] = {}
        self.n_compositions = 0
        """Functions composed so far: what the queue costs."""

    def __len__(self) -> int:
        return len(self._front) + len(self._back)

    def push(self, symbol: int) -> None:
        """Append a symbol."""
        function = self._of(symbol)
        if self._back:
            function = self._compose(self._back[-1][1], function)
        self._back.append((symbol, function))

    def pop(self, n: int) -> list[int]:
        """Remove and return the first n symbols."""
        out = []
        for _ in range(n):
            if not self._front:
                while self._back:
                    symbol, _ = self._back.pop()
                    function = self._of(symbol)
                    if self._front:
                        function = self._compose(function, self._front[-1][1])
                    self._front.append((symbol, function))
            out.append(self._front.pop()[0])
        return out

    def query(self, reach: Reach) -> Reach:
        """Continue from `reach` over all symbols; positions count from the front of the queue."""
        at = 0
        for stack in (self._front, self._back):
            if stack:
                function = stack[-1][1]
                reach = _apply(reach, at, function)
                at += function.length
        return reach

    def _of(self, symbol: int) -> _Function:
        function = self._single.get(symbol)
        if function is None:
            table: dict[int, Reach] = {}
            for state in range(self._machine.n_states):
                steps = self._machine.step(state, symbol)
                table[state] = {target: matched - 1 for target, matched in steps}
            function = self._single[symbol] = _Function(1, table)
        return function

    def _compose(self, first: _Function, then: _Function) -> _Function:
        self.n_compositions += 1
        table = {q: _apply(reach, first.length, then) for q, reach in first.reach.items()}
        return _Function(first.length + then.length, table)


def _apply(reach: Reach, at: int, function: _Function) -> Reach:
    """Continue over a word that begins at position `at`."""
    out: Reach = {}
    for state, last in reach.items():
        if last >= 0:  # however it goes on, that match end was there
            out[DEAD] = max(out.get(DEAD, -1), last)
        for target, end in function.reach[state].items():
            best = max(last, at + end if end >= 0 else -1)
            out[target] = max(out.get(target, -1), best)
    return out


class FastPretokenization:
    r"""Split, online, without delay and in linear time, by cQueue (Lemma 4.17).

    The queue holds what is behind the last match end of the live pretoken. If there is another
    match end, all before it is given out. If the automaton dies, the pretoken is cut; where the
    automaton is on what is left, and where it last matched, is a query, not a second reading.

    After every push, exactly what `Pretokens` gives out: the maximum stable prefix of Split.

    >>> from tokstream.patterns import compile_pattern
    >>> stage = FastPretokenization(Deterministic(compile_pattern(r"(?:aa|bb)*c|[\s\S]")))
    >>> stage.push("aab"), stage.push("b")
    (['a'], [])
    >>> stage.push("a"), stage.push("b")
    ([], [CUT, 'a', CUT, 'b', CUT, 'b', CUT, 'a', CUT, 'b'])
    >>> stage.finish()
    [CUT]

    Args:
        machine: a total automaton.

    Cost: O(n |Q|) for deterministic automata and O(n |Q|³) for others, whatever the lookback;
        memory O(|Q|) per symbol held, and at most b(R) are.
    Source: Dalirrooyfard and Ye, arXiv:2610.19139, Lemma 4.17.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._begin()

    def _begin(self) -> None:
        self._held = ""  # the characters in the queue
        self._queue = CQueue(self._machine)
        self._states: set[int] = {START}
        self._is_open = False  # whether the live pretoken has any text

    @property
    def n_held(self) -> int:
        """Characters held back."""
        return len(self._held)

    def push(self, text: str) -> list[Pretoken]:
        """Take text; return text of the live pretoken and cuts, in order."""
        out: list[Pretoken] = []
        for character in text:
            self._held += character
            self._read(self._machine.class_of(ord(character)), out)
        return join(out)

    def finish(self) -> list[Pretoken]:
        """End the segment; return the rest, a cut behind each pretoken. Begin a new segment."""
        out: list[Pretoken] = []
        if self._is_open:
            self._read(self._machine.n_classes, out)
        self._begin()
        return join(out)

    def _read(self, symbol: int, out: list[Pretoken]) -> None:
        self._is_open = True
        steps = [step for state in self._states for step in self._machine.step(state, symbol)]
        matched = any(matched for _, matched in steps)
        if matched:
            self._give_out(len(self._queue), out)
        self._states = {state for state, _ in steps} - {DEAD}
        self._queue.push(symbol)
        while not self._states:
            out.append(CUT)
            if not self._held:  # there is only the end of the text, if anything
                return
            reach = self._queue.query({START: -1})
            end = max(reach.values(), default=-1)
            self._states = set(reach) - {DEAD}
            if end > 0:
                self._give_out(end, out)
            elif not self._states:
                raise PatternError(
                    f"the pattern is not total: it has no match at {self._held!r}; "
                    "add an alternative that matches any character"
                )
        if self._machine.covers(self._states):
            self._give_out(len(self._queue), out)
        if self._machine.ends(self._states):
            out.append(CUT)
            self._states, self._is_open = {START}, False

    def _give_out(self, n: int, out: list[Pretoken]) -> None:
        """Append the first n characters in the queue."""
        if n:
            self._queue.pop(n)
            out.append(self._held[:n])
            self._held = self._held[n:]
