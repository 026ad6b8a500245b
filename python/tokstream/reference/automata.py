r"""Automata of the theory: deterministic and not, and how far they make Split look back.

Enters: transition tables over the characters of a small alphabet.
Leaves: automata as `CutQ` reads them, and the lookback of their language.
Held back: nothing.

The theory's automata accept in a state; ours report a match end before the symbol that follows it,
so that a match may depend on that symbol. An accepting state is one that reports an end before
every symbol, the end of the text included.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from tokstream.errors import PatternError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["Dfa", "Nfa"]

START = 0


class Dfa:
    """A total deterministic automaton; its own states are numbered 0 (the start), 1, 2, ...

    It is also an `Automaton` for `CutQ`, with state q + 1 for q and 0 for all states that are not
    alive and do not accept. **Total**: every non-empty text has a non-empty prefix that is
    accepted, which is the same as every single character being accepted. **Dead** states are those
    from which no non-empty text is accepted; a dead state may accept.

    >>> dfa = Dfa.from_words("ab", ["a", "b", "aab"])
    >>> dfa.accepts("aab"), dfa.accepts("aa"), dfa.lookback()
    (True, False, 2)
    >>> Dfa.from_words("ab", ["a", "aab"])
    Traceback (most recent call last):
    tokstream.errors.PatternError: the automaton is not total: it does not accept 'b'; ...

    Args:
        alphabet: the characters; a class is a place in it.
        delta: per state the next state for each character.
        accepting: the states that accept.

    Raises:
        PatternError: it is not total.
    """

    def __init__(
        self, alphabet: str, delta: Sequence[Sequence[int]], accepting: Iterable[int]
    ) -> None:
        self.alphabet = alphabet
        self.delta = [list(row) for row in delta]
        self.accepting = frozenset(accepting)
        for character, state in zip(alphabet, self.delta[START], strict=True):
            if state not in self.accepting:
                raise PatternError(
                    f"the automaton is not total: it does not accept {character!r}; "
                    "let it accept every single character"
                )
        self.alive = self._alive()
        self.n_classes = len(alphabet)
        # the text may end anywhere, so only states that accept are sure of a match end
        self.covers = bytes([0, *(q in self.accepting for q in range(len(self.delta)))])
        self.ends = bytes([0, *(q in self.accepting - self.alive for q in range(len(self.delta)))])

    @classmethod
    def from_words(cls, alphabet: str, words: Iterable[str]) -> Dfa:
        """Build the automaton of a finite language: its trie."""
        states = {"": START}
        for word in words:
            for n in range(1, len(word) + 1):
                states.setdefault(word[:n], len(states))
        sink = len(states)
        delta = [[states.get(word + c, sink) for c in alphabet] for word in states]
        return cls(alphabet, [*delta, [sink] * len(alphabet)], [states[word] for word in words])

    @property
    def dead(self) -> frozenset[int]:
        """States from which no non-empty text is accepted."""
        return frozenset(range(len(self.delta))) - self.alive

    def _alive(self) -> frozenset[int]:
        alive: set[int] = set()
        while True:
            more = {
                q
                for q, row in enumerate(self.delta)
                if any(p in self.accepting or p in alive for p in row)
            }
            if more == alive:
                return frozenset(alive)
            alive = more

    def read(self, state: int, text: str) -> int:
        """δ(state, text)."""
        for character in text:
            state = self.delta[state][self.alphabet.index(character)]
        return state

    def accepts(self, text: str) -> bool:
        """Whether the text is in the language."""
        return self.read(START, text) in self.accepting

    def class_of(self, code_point: int, /) -> int:
        """Return the place of a character in the alphabet."""
        return self.alphabet.index(chr(code_point))

    def step(self, state: int, symbol: int, /) -> tuple[int, bool]:
        """Return the next state, and whether a match ended before the symbol; see `CutQ`."""
        if state == 0:
            return 0, False
        matched = state - 1 in self.accepting
        if symbol == self.n_classes:
            return 0, matched
        target = self.delta[state - 1][symbol]
        return target + 1 if target in self.alive | self.accepting else 0, matched

    def lookback(self) -> int | None:
        """b(R): the lookback of the language (Definition 4.3); None if it is infinite.

        The smallest b such that every w in the language, longer than b, has a proper prefix in the
        language that is at most b shorter. In the automaton: the longest walk from one accepting
        state to the next with none in between. It is infinite if such a walk can go round.

        >>> Dfa("ab", [[1, 2], [1, 3], [3, 3], [3, 3]], [1, 2]).lookback()      # a+ | b
        1
        >>> Dfa("ab", [[1, 2], [3, 2], [4, 4], [3, 2], [4, 4]], [1, 2]).lookback()      # a*b | a

        Cost: O(|Q|² |Σ|).
        Source: Dalirrooyfard and Ye, arXiv:2610.19139, Definition 4.3 and Lemma 4.20.
        """
        reachable, todo = {START}, [START]
        for q in todo:
            fresh = set(self.delta[q]) - reachable
            reachable |= fresh
            todo += fresh
        current = self.accepting & self.alive & reachable  # n quiet steps behind a match end
        quiet = self.alive - self.accepting
        for n in count(1):
            current = quiet & {p for q in current for p in self.delta[q]}
            if not current:
                return n
            if n > len(self.delta):
                return None
        raise AssertionError  # not reached


class Nfa:
    """A nondeterministic automaton: per state and character a set of next states.

    >>> nfa = Nfa("ab", [{"a": {0, 1}, "b": {2}}, {"b": {2}}, {}], {1, 2})      # a+ | a*b
    >>> nfa.accepts("aab"), nfa.accepts("ba"), len(nfa.determinize().delta)
    (True, False, 4)

    Args:
        alphabet: the characters.
        delta: per state the next states for each character.
        accepting: the states that accept.
    """

    def __init__(
        self, alphabet: str, delta: Sequence[Mapping[str, set[int]]], accepting: Iterable[int]
    ) -> None:
        self.alphabet = alphabet
        self.delta = list(delta)
        self.accepting = frozenset(accepting)

    def after(self, states: frozenset[int], character: str) -> frozenset[int]:
        """Return the states that one of `states` leads to."""
        none: set[int] = set()
        return frozenset(p for q in states for p in self.delta[q].get(character, none))

    def accepts(self, text: str) -> bool:
        """Whether the text is in the language."""
        states = frozenset({START})
        for character in text:
            states = self.after(states, character)
        return bool(states & self.accepting)

    def determinize(self) -> Dfa:
        """Return the automaton of its sets of states. Cost: exponential, in the worst case."""
        numbers = {frozenset({START}): 0}
        todo = list(numbers)
        delta: list[list[int]] = []
        for states in todo:
            row = []
            for character in self.alphabet:
                target = self.after(states, character)
                if target not in numbers:
                    numbers[target] = len(numbers)
                    todo.append(target)
                row.append(numbers[target])
            delta.append(row)
        accepting = [k for states, k in numbers.items() if states & self.accepting]
        return Dfa(self.alphabet, delta, accepting)
