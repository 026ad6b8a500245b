"""The rules of stage 4: which tokens there are, how they come into being, which may be neighbours.

Enters: the tokens of a vocabulary in merge-rank order, with their ids.
Leaves: Merge of a whole pretoken, the canonical rule of a token, and the relation a → b.
Held back: nothing; what was once worked out is remembered.
"""

from __future__ import annotations

from bisect import bisect_right
from heapq import heapify, heappop, heappush
from itertools import pairwise, takewhile
from math import inf
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from tokstream.errors import VocabularyError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Key = TypeVar("Key")
Value = TypeVar("Value")

__all__ = ["MergeRules", "Rule", "Step"]

MEMO_LIMIT = 1 << 20  # answers of one kind kept


class Step(NamedTuple):
    """One merge: `piece[start:middle]` and `piece[middle:end]` become one token."""

    rank: int
    start: int
    middle: int
    end: int


class Rule(NamedTuple):
    """The canonical rule of a token w = pre + suc: the last merge when w itself is tokenized.

    Attributes:
        n_pre: bytes of `pre`; 0 if w is a single byte, which needs no merge.
        increasing: whether ranks never decrease while w comes into being.
    """

    n_pre: int
    increasing: bool


class MergeRules:
    """Merge, with the rank of a pair being the rank of the token it becomes.

    **Merge.** Start from single bytes; merge the adjacent pair whose result has the lowest rank,
    the leftmost of equals; repeat until no adjacent pair is a token.

    **Reachable.** Merge(w) = w. Only reachable tokens ever come out of Merge. tiktoken looks a
    pretoken up as a whole first, so an unreachable token is still the result when it is the whole
    pretoken; see `encode`.

    **Canonical rule.** Whenever a reachable token w comes into being, in whatever text, it is by
    the last merge of Merge(w), since nothing outside w can interfere before w is complete. One
    rule per token, then, says everything that can happen.

    **May precede.** a → b if Merge(a b) = a b. Pairs are all that matters: a sequence of reachable
    tokens is the Merge of its text if and only if each may precede the next (pair lemma).

    >>> rules = MergeRules([b"a", b"b", b"c", b"ab", b"bc", b"abc"])
    >>> rules.merge(b"aabbc")
    [b'a', b'ab', b'bc']
    >>> rules.rule(b"abc")           # ab, then c; never a, then bc
    Rule(n_pre=2, increasing=True)
    >>> rules.compatible(b"a", b"bc"), rules.compatible(b"ab", b"bc")
    (False, True)

    Args:
        tokens: the tokens in merge-rank order.
        ids: the id of each; without them, the place in the order is the id.

    Raises:
        VocabularyError: an empty token, or one that is there twice.

    Cost: O(m log m) for m tokens; the rules are worked out when they are asked for.
    Source: Jiang and Gong, arXiv:2605.30813 (canonical rules, properness, the pair criterion);
        Dalirrooyfard and Ye, arXiv:2610.19139 (definition of Merge).
    """

    def __init__(self, tokens: Iterable[bytes], ids: Iterable[int] | None = None) -> None:
        tokens = list(tokens)
        self._rank = {token: rank for rank, token in enumerate(tokens)}
        if len(self._rank) != len(tokens) or b"" in self._rank:
            raise VocabularyError(
                "a token is empty or there twice; every token needs bytes of its own"
            )
        self.ids = dict(zip(tokens, range(len(tokens)) if ids is None else ids, strict=True))
        self.max_length = max(map(len, tokens), default=0)
        """Bytes in the longest token, t in the papers."""
        self._sorted = sorted(tokens)
        self._rules: dict[bytes, Rule | None] = {}
        self._compatible: dict[tuple[bytes, bytes], bool] = {}
        self._crossing: dict[tuple[bytes, bytes], float] = {}
        self._straddled: dict[tuple[bytes | None, bytes], bool] = {}
        self._ranked: dict[bytes, list[tuple[int, bytes]]] = {}

    @classmethod
    def from_ranks(cls, ranks: Mapping[bytes, int]) -> MergeRules:
        """Build from a rank table, where the merge rank of a token is its id."""
        tokens = sorted(ranks, key=ranks.__getitem__)
        return cls(tokens, [ranks[token] for token in tokens])

    def __contains__(self, token: object) -> bool:
        return token in self._rank

    # Merge

    def steps(self, piece: bytes) -> Iterator[Step]:
        """Yield the merges that Merge(piece) consists of, in the order in which they happen.

        A heap holds a step for every adjacent pair that is a token; one that is out of date, since
        a neighbour has changed, is recognised by its places. Leftmost comes first among equals
        because the place stands behind the rank.

        Cost: O(n log n) for n bytes.
        """
        n = len(piece)
        end_of = list(range(1, n + 1))  # where the token that starts here ends, 0 if none does
        start_of = list(range(-1, n))  # where the token that ends here starts

        def step(start: int, middle: int, end: int) -> Iterator[Step]:
            if end - start <= self.max_length:
                rank = self._rank.get(piece[start:end])
                if rank is not None:
                    yield Step(rank, start, middle, end)

        heap = [s for i in range(n - 1) for s in step(i, i + 1, i + 2)]
        heapify(heap)
        while heap:
            now = heappop(heap)
            _, start, middle, end = now
            if end_of[start] != middle or end_of[middle] != end:
                continue
            yield now
            end_of[start], end_of[middle], start_of[end] = end, 0, start
            if start > 0:
                for s in step(start_of[start], start, end):
                    heappush(heap, s)
            if end < n:
                for s in step(start, end, end_of[end]):
                    heappush(heap, s)

    def merge(self, piece: bytes) -> list[bytes]:
        """Merge(piece): the tokens of a piece of text, never looked up as a whole.

        Raises:
            VocabularyError: a single byte is no token.
        Cost: O(n log n) for n bytes.
        """
        boundary = bytearray(b"\1") * (len(piece) + 1)
        for step in self.steps(piece):
            boundary[step.middle] = 0
        places = [i for i, kept in enumerate(boundary) if kept]
        tokens = [piece[i:j] for i, j in pairwise(places)]
        for token in tokens:
            if token not in self._rank:
                raise VocabularyError(
                    f"byte 0x{token[0]:02x} is no token, so text that holds it cannot be "
                    "encoded; get the complete vocabulary"
                )
        return tokens

    def encode(self, pretoken: bytes) -> list[int]:
        """Encode a whole pretoken: the token that it is, or else its Merge, as ids.

        The look-up matters for unreachable tokens only.

        >>> MergeRules([b"a", b"b", b"c", b"ab", b"bc"]).encode(b"abc")
        [3, 2]
        >>> MergeRules([b"a", b"b", b"aba"]).encode(b"aba")     # not by merging
        [2]
        """
        whole = self.ids.get(pretoken)
        if whole is not None:
            return [whole]
        return [self.ids[token] for token in self.merge(pretoken)]

    # Canonical rules

    def rule(self, token: bytes) -> Rule | None:
        """Return the canonical rule of a token; None if it is unreachable or no token.

        Cost: O(k log k) for k bytes the first time.
        """
        if token in self._rules:
            return self._rules[token]
        if token not in self._rank:
            return None
        steps = list(self.steps(token))
        if len(steps) < len(token) - 1:
            rule = None
        else:
            ranks = [step.rank for step in steps]
            rule = Rule(steps[-1].middle if steps else 0, ranks == sorted(ranks))
        self._rules[token] = rule
        return rule

    def reachable(self, token: bytes) -> bool:
        """Whether the token comes out of Merge."""
        return self.rule(token) is not None

    def unreachable(self) -> list[bytes]:
        """Return the tokens that never come out of Merge. Cost: Merge of every token."""
        return [token for token in self.ids if self.rule(token) is None]

    def improper(self) -> list[bytes]:
        """Return the tokens for which ranks decrease on the way. Cost: Merge of every token.

        The published vocabularies have none. They are what the fast algorithms cannot handle.
        """
        rules = ((token, self.rule(token)) for token in self.ids)
        return [token for token, rule in rules if rule is not None and not rule.increasing]

    def extensions(self, beginning: bytes) -> Iterator[bytes]:
        """Yield the tokens that begin with `beginning` and are longer, in order of their bytes.

        Cost: O(log m) for the first of m tokens.
        """
        for i in range(bisect_right(self._sorted, beginning), len(self._sorted)):
            if not self._sorted[i].startswith(beginning):
                break
            yield self._sorted[i]

    # May precede

    def compatible(self, left: bytes, right: bytes) -> bool:
        """Whether left → right: Merge(left right) = left right, for reachable tokens.

        Raises:
            VocabularyError: one of them is unreachable.
        Cost: O(d e) look-ups the first time, d and e the depths of the two derivations.
        """
        known = self._compatible.get((left, right))
        if known is None:
            if self._rule_of(left).increasing and self._rule_of(right).increasing:
                known = self.crossing(left, right) == inf
            else:
                known = self.merge(left + right) == [left, right]  # the definition
            _remember(self._compatible, (left, right), known)
        return known

    def crossing(self, left: bytes, right: bytes) -> float:
        """Return when a merge crosses the border in Merge(left right), as a rank; else inf.

        Until then the two sides develop as each does alone. So the neighbours of the border are,
        at any time, one token of the right edge of `left` (left itself, its suc, that one's suc
        and so on) and one of the left edge of `right`. The left edge is walked through from the
        first byte on: a piece of it meets what is on the other side while it is there, which is
        until it becomes part of the next longer piece.

        Ranks must increase along both derivations. The result is the usual spine check, kept with
        the time so that pairs with the same beginning share it.
        """
        edge: list[bytes] = []  # pieces of the left edge of `right`, as far as not known
        while (crossed := self._crossing.get((left, right))) is None:
            edge.append(right)
            n_pre = self._rule_of(right).n_pre
            if n_pre == 0:
                crossed = inf
                break
            right = right[:n_pre]
        for piece in reversed(edge):
            # of equal ranks the leftmost goes first, and the border is left of what is in `right`
            if crossed <= self.time(piece):
                break
            crossed = self._meeting(left, piece)
            _remember(self._crossing, (left, piece), crossed)
        return crossed

    def _meeting(self, left: bytes, piece: bytes) -> float:
        """Return when `piece` first merges with a token of the right edge of `left`, else inf.

        Each of those is there until its own use in a longer one. At an equal rank that use goes
        first, since it is further left. The merge is due at its rank, or, where ranks decrease,
        as soon as both are there.
        """
        first = used = inf
        while True:
            rule = self.rule(left + piece)
            if rule is not None and rule.n_pre == len(left):
                due = max(self._rank[left + piece], self.time(left), self.time(piece))
                if due < used:
                    first = due  # earlier than what was found before, which needs a longer token
            if len(left) == 1:
                return first
            used = self.time(left)
            left = left[self._rule_of(left).n_pre :]

    def straddled(self, before: bytes | None, beginning: bytes) -> bool:
        """Whether some reachable token has this proper beginning and may follow `before`.

        Then, in some future, it lies across the place where `beginning` ends. With `before` None
        it need not follow anything.

        A merge across the border that is due before the first byte of a token merges with the
        rest of it rules the token out, and all that are later with their first byte: that leaves
        few of the many thousands that may begin with a blank.

        Cost: O(m) for m tokens with this beginning the first time, then usually O(1).
        """
        key = before, beginning
        known = self._straddled.get(key)
        if known is None:
            known = any(True for _ in self.followers(before, beginning))
            _remember(self._straddled, key, known)
        return known

    def followers(self, before: bytes | None, beginning: bytes) -> Iterator[bytes]:
        """Yield the reachable tokens with this proper beginning that may follow `before`.

        >>> rules = MergeRules([b"a", b"b", b"ab", b"ba", b"aba"])
        >>> list(rules.followers(b"b", b"a")), list(rules.followers(b"a", b"b"))
        ([b'ab', b'aba'], [])
        """
        if not beginning:  # all tokens, the single bytes first: few are looked at
            tokens: Iterator[bytes] = filter(self.reachable, self.ids)
        elif before is None or not self._rule_of(before).increasing:
            tokens = (token for _, token in self._by_first_merge(beginning))
        else:
            due = self.crossing(before, beginning[:1])
            early = takewhile(lambda ranked: ranked[0] < due, self._by_first_merge(beginning))
            tokens = (token for _, token in early)
        return (token for token in tokens if before is None or self.compatible(before, token))

    def _by_first_merge(self, beginning: bytes) -> list[tuple[int, bytes]]:
        """Return the reachable extensions, ordered by the rank at which their first byte merges."""
        ranked = self._ranked.get(beginning)
        if ranked is None:
            reachable = filter(self.reachable, self.extensions(beginning))
            ranked = sorted((self._first_merge(token), token) for token in reachable)
            self._ranked[beginning] = ranked
        return ranked

    def _first_merge(self, token: bytes) -> int:
        while (n_pre := self._rule_of(token).n_pre) > 1:
            token = token[:n_pre]
        return self.time(token)

    def _rule_of(self, token: bytes) -> Rule:
        rule = self.rule(token)
        if rule is None:
            raise VocabularyError(f"{token!r} is not a token that merges can make")
        return rule

    def time(self, token: bytes) -> int:
        """Return when a token comes into being: at its rank; -1 for a single byte."""
        return self._rank[token] if len(token) > 1 else -1


def _remember(memo: dict[Key, Value], key: Key, value: Value) -> None:
    """Note an answer; begin a new memo when it is full."""
    if len(memo) >= MEMO_LIMIT:
        memo.clear()
    memo[key] = value
