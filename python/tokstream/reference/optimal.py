"""Theorem 1.7 as published: optimal delay by a length threshold, from three data structures.

Enters: the text of a segment, one byte per character.
Leaves: tokens.
Held back: at least what differs between futures, and in an undecided pretoken the last 3 m t bytes.

**What it is good for.** The theorem says that delay O(m t) is possible in almost linear time, and
with Theorem 1.1 that no efficient algorithm does better, as a function of m and t. For a published
vocabulary the bound says nothing: with cl100k_base, m t is 12.8 MB, so that inside an undecided
pretoken this algorithm gives out nothing before 38 MB have come. Use `Adaptive`, which asks the
text at hand instead of the threshold, and gives out at least as much after every character.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokstream.reference.cutq import DEAD, CutQ
from tokstream.reference.tokens import last_token

if TYPE_CHECKING:
    from tokstream.reference.automata import Dfa
    from tokstream.reference.merges import MergeRules

__all__ = ["BpeQ", "IncBpe", "OptimalDelay", "first_tokens", "n_merges"]


def n_merges(rules: MergeRules) -> int:
    """Return m, the number of rules that can fire: one per reachable token of two bytes or more.

    >>> from tokstream.reference.merges import MergeRules
    >>> n_merges(MergeRules([b"a", b"b", b"ab", b"bab", b"aab"]))
    3
    """
    return sum(1 for token in rules.ids if len(token) > 1 and rules.reachable(token))


def first_tokens(rules: MergeRules, text: bytes) -> list[bytes]:
    """Φ: the first token of Merge of every suffix of the text, which is not empty.

    The only reachable token that begins the suffix and may precede the first token of what is
    behind it, if anything is.

    >>> from tokstream.reference.merges import MergeRules
    >>> first_tokens(MergeRules([b"a", b"b", b"ab", b"aba"]), b"abaab")
    [b'aba', b'b', b'a', b'ab', b'b']

    Cost: O(n t) look-ups; see `MirroredForest` for less.
    Source: Dalirrooyfard and Ye, arXiv:2610.19139, Section 5, BPE queue.
    """
    n = len(text)
    first: list[bytes | None] = [None] * (n + 1)
    for i in reversed(range(n)):
        for end in range(i + 1, min(i + rules.max_length, n) + 1):
            token, behind = text[i:end], first[end]
            if rules.reachable(token) and (behind is None or rules.compatible(token, behind)):
                first[i] = token
                break
    return [token for token in first if token is not None]


class BpeQ:
    """bpeQ (Lemma 2.4): the first token of a queue of bytes, if the queue is long.

    **Claim 5.1.** Texts that agree in their first (m + 1) t bytes have the same first token. (Each
    rule, in the order of ranks, can carry a difference over one token, t bytes.)

    The queue is w = U V. The first token of every suffix of U is worked out when U becomes the
    first 3 m t bytes of w; U is good as long as 2 m t bytes of it are left.

    >>> from tokstream.reference.merges import MergeRules
    >>> queue = BpeQ(MergeRules([b"a", b"aa"]))                 # m t = 2
    >>> for _ in range(5):
    ...     queue.push(b"a")
    >>> queue.first()
    >>> queue.push(b"a")
    >>> queue.first()
    b'aa'

    Cost: amortized the cost of Φ per byte; memory O(|w| + m t).
    """

    def __init__(self, rules: MergeRules) -> None:
        self._rules = rules
        self.unit = max(1, n_merges(rules)) * rules.max_length
        """m t"""
        self._bytes = b""
        self._first: list[bytes] = []  # of every suffix of U

    def push(self, data: bytes) -> None:
        """Append bytes."""
        self._bytes += data
        self._renew()

    def pop(self, n: int) -> None:
        """Remove the first n bytes."""
        self._bytes = self._bytes[n:]
        del self._first[:n]
        self._renew()

    def _renew(self) -> None:
        if len(self._bytes) >= 3 * self.unit and len(self._first) < 2 * self.unit:
            self._first = first_tokens(self._rules, self._bytes[: 3 * self.unit])

    def first(self) -> bytes | None:
        """Return the first token of w and of all that begin with w; None if w is too short."""
        return self._first[0] if len(self._bytes) >= 3 * self.unit else None


class IncBpe:
    """incBPE (Lemma 2.3): the first token behind a boundary of a text that grows.

    The hidden text h is cut into pretokens by marks. A place i has the parent i - |λ(i)|, where
    λ(i) is the last token of Merge of h up to i. The first token behind `out` is the child of `out`
    on the path from the end of h.

    >>> from tokstream.reference.merges import MergeRules
    >>> text = IncBpe(MergeRules([b"a", b"b", b"ab"]))
    >>> text.push(b"aab"), text.first(0), text.first(1), text.first(2)
    (None, b'a', b'ab', None)
    >>> text.mark(); text.push(b"b"); text.first(3)
    b'b'

    Cost: that of λ per byte; a walk up the path per query, where a jump pointer per node would
        make it O(log n), see `JumpTree`.
    """

    def __init__(self, rules: MergeRules) -> None:
        self._rules = rules
        self._pretoken = b""
        self._start = 0
        self._last: list[bytes | None] = [None]

    @property
    def end(self) -> int:
        """Length of the hidden text."""
        return self._start + len(self._pretoken)

    def mark(self) -> None:
        """Begin a new pretoken at the end of h."""
        self._start = self.end
        self._pretoken = b""
        self._last = [None]

    def push(self, data: bytes) -> None:
        """Append bytes to h."""
        self._pretoken += data
        while len(self._last) <= len(self._pretoken):
            self._last.append(last_token(self._rules, self._pretoken, self._last))

    def first(self, out: int) -> bytes | None:
        """Return the token that begins at `out`, None if no token of h does."""
        place, token = self.end, None
        while place > out and (last := self._last[place - self._start]) is not None:
            token, place = last, place - len(last)
        return token if place == out else None


class OptimalDelay:
    """The literal algorithm of Theorem 1.7, for a deterministic automaton and longest matches.

    Let [s, e) be the pretoken of Split(x) that holds the next token, θ its first token behind what
    was given out, and base the start of the first pretoken that may still grow.

    * e ≤ base: θ is certain.
    * Otherwise, θ is the next token in the futures in which no pretoken that began at s or before
      grows. In the others that pretoken reaches past x, so the next token is τ = φ of the rest of
      x and more. If more than 3 m t bytes are there, bpeQ knows τ (Claim 5.1), and θ is certain
      if it equals τ. If it does not, what was given out is exactly Tok⪯(x).

    So, after every character, either at most 3 m t bytes are held, or the output is Tok⪯(x).

    >>> from tokstream.reference.automata import Dfa
    >>> from tokstream.reference.merges import MergeRules
    >>> dfa = Dfa.from_words("ab", ["a", "b", "a" * 20 + "b"])
    >>> stage = OptimalDelay(dfa, MergeRules([b"a", b"b", b"bb"]))      # 3 m t = 6
    >>> len(stage.push("a" * 20)), stage.is_exact
    (14, False)
    >>> stage.push("b"), len(stage.finish())
    ([b'a', b'a', b'a', b'a', b'a', b'a', b'b'], 0)

    Cost: O(n) rounds; that of the three data structures in each.
    Source: Dalirrooyfard and Ye, arXiv:2610.19139, Theorem 1.7 and Section 5, whose main loop is
        reconstructed here.
    """

    def __init__(self, automaton: Dfa, rules: MergeRules) -> None:
        self._automaton, self._rules = automaton, rules
        self._begin()

    def _begin(self) -> None:
        self._pending = b""
        self._out = 0
        self._cuts = CutQ(self._automaton)
        self._queue = BpeQ(self._rules)
        self._hidden = IncBpe(self._rules)
        self.is_exact = True
        """Whether all that is given out is Tok⪯: the last push did not stop at the threshold."""

    @property
    def n_held(self) -> int:
        """Bytes held back."""
        return len(self._pending)

    def push(self, text: str) -> list[bytes]:
        """Take text, return the tokens that are certain."""
        tokens = []
        for character in text:
            self._pending += character.encode()
            self._queue.push(character.encode())
            self._cuts.push(self._automaton.class_of(ord(character)))
            tokens += self._advance()
        return tokens

    def finish(self) -> list[bytes]:
        """End the segment, return the remaining tokens. Begin a new segment."""
        tokens = []
        while self._pending:
            start, end = self._pretoken(self._out)
            tokens.append(self._give_out(self._next(start, end)))
        self._begin()
        return tokens

    def _advance(self) -> list[bytes]:
        tokens = []
        # what pop_closed takes off is below the base
        start = self._cuts.runs[0].start
        while (end := self._cuts.pop_closed()) is not None:
            while self._out < end:
                tokens.append(self._give_out(self._next(start, end)))
            start = end
        self.is_exact = True
        while self._pending:
            theta = self._next(*self._pretoken(self._out))
            if len(self._pending) <= 3 * self._queue.unit:
                self.is_exact = False
                break
            if self._queue.first() != theta:
                break
            tokens.append(self._give_out(theta))
        return tokens

    def _pretoken(self, place: int) -> tuple[int, int]:
        """cutQ.first: the pretoken of Split(x) that holds the byte behind `place`."""
        runs = [run for run in self._cuts.runs if run.start <= place]
        end = self._automaton.n_classes
        for run in runs:
            if run.state != DEAD and self._automaton.step(run.state, end)[1]:
                return run.start, self._cuts.position
        return runs[-1].start, self._cuts.runs[len(runs)].start

    def _next(self, start: int, end: int) -> bytes:
        """θ: the next token if [start, end) is a pretoken."""
        if start == self._out and self._hidden.end == start:
            self._hidden.mark()
        known = self._hidden.end - self._out
        self._hidden.push(self._pending[known : end - self._out])
        theta = self._hidden.first(self._out)
        if theta is None:
            raise AssertionError(f"{self._out} is no boundary, although all before it is stable")
        return theta

    def _give_out(self, token: bytes) -> bytes:
        self._out += len(token)
        self._pending = self._pending[len(token) :]
        self._queue.pop(len(token))
        return token
