"""Incremental BPE in constant time per test: the successor forest and its mirror image.

Enters: merge rules whose ranks increase along every derivation, and the bytes of a pretoken.
Leaves: the last token of every prefix, or the first token of every suffix.
Held back: nothing.

**Successor forest.** The parent of a token w = pre + suc (its canonical rule) is suc; the roots are
single bytes. So the ancestors of w are its right edge, the tokens that stand at its end while it
comes into being. Children are in order of *descending* rank, tokens are numbered in preorder. So
all descendants of a token have consecutive numbers, and so have those of them that are not below a
child of rank ρ or less.

**Range test.** Let ρ be the rank of w and i its end. Just before ρ, what is before suc(w) must end
in pre(w). The last token there goes through the right edge of λ over time. So pre(w) must be on it,
and what takes it in must come after ρ: λ is in the subtree of pre(w), not below a child of rank ρ
or less. (A child of rank ρ is w itself, for pre(w) = suc(w) = that child's suc: the left copy goes
first.) That is one comparison with the interval of w. Those who pass are one path in the forest
from the last byte down, and λ is the deepest, which is the longest.

Source: Jiang and Gong, arXiv:2605.30813.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from tokstream.errors import VocabularyError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tokstream.reference.merges import MergeRules

__all__ = ["Interval", "MirroredForest", "SuccessorForest"]


class Interval(NamedTuple):
    """Numbers from `low` to `high` - 1, of the tokens beside which `token` passes."""

    low: int
    high: int
    token: bytes


class _Forest:
    """Both forests: tokens with parents, numbered in preorder, and the interval of each."""

    def __init__(self, rules: MergeRules, *, mirrored: bool) -> None:
        if rules.improper():
            raise VocabularyError(
                f"ranks decrease while {rules.improper()[0]!r} comes into being; "
                "use `last_token`, which runs Merge instead"
            )
        self._rules = rules
        tokens = [token for token in rules.ids if rules.reachable(token)]
        self._children: dict[bytes, list[bytes]] = {token: [] for token in tokens}
        self._sides: dict[bytes, tuple[bytes, bytes]] = {}  # (the other side, the parent)
        for token in tokens:
            rule = rules.rule(token)
            if rule is not None and rule.n_pre:
                pre, suc = token[: rule.n_pre], token[rule.n_pre :]
                self._sides[token] = (suc, pre) if mirrored else (pre, suc)
                self._children[self._sides[token][1]].append(token)
        for children in self._children.values():
            children.sort(key=rules.time, reverse=True)
        self.number: dict[bytes, int] = {}
        """Preorder number."""
        self._end: dict[bytes, int] = {}  # behind its last descendant
        self._count([token for token in tokens if token not in self._sides])
        self.interval: dict[bytes, Interval] = {}
        """Of every token of two bytes or more."""
        for token, (other, _) in self._sides.items():
            high = self._end[other]
            for child in self._children[other]:
                if rules.time(child) < rules.time(token) + (not mirrored):
                    high = self.number[child]
                    break
            self.interval[token] = Interval(self.number[other], high, token)
        self._below = {
            token: sorted(self.interval[child] for child in children)
            for token, children in self._children.items()
        }

    def _count(self, roots: list[bytes]) -> None:
        stack = [(root, False) for root in reversed(roots)]
        while stack:
            token, is_done = stack.pop()
            if is_done:
                self._end[token] = len(self.number)
                continue
            self.number[token] = len(self.number)
            stack.append((token, True))
            stack += [(child, False) for child in reversed(self._children[token])]

    def _child(self, token: bytes, number: int) -> bytes | None:
        """Return the child whose interval has this number: at most one, they are disjoint."""
        below = self._below[token]
        k = bisect_right(below, number, key=lambda interval: interval.low) - 1
        return below[k].token if k >= 0 and number < below[k].high else None

    def depth(self) -> int:
        """Return D, the most steps of a descent. 10 at most in published vocabularies."""
        depth: dict[bytes, int] = {}
        for token in self.number:  # parents first
            sides = self._sides.get(token)
            depth[token] = 0 if sides is None else depth[sides[1]] + 1
        return max(depth.values())


class SuccessorForest(_Forest):
    """The last token of every prefix, found in one of three ways.

    >>> from tokstream.reference.merges import MergeRules
    >>> forest = SuccessorForest(MergeRules([b"a", b"b", b"ab", b"bb", b"aab", b"bab"]))
    >>> forest.number
    {b'a': 0, b'b': 1, b'bb': 2, b'ab': 3, b'bab': 4, b'aab': 5}
    >>> forest.interval[b"bb"]                    # behind b, not behind bb or ab
    Interval(low=1, high=2, token=b'bb')
    >>> forest.last_tokens(b"aabbb") == [None, b"a", b"a", b"aab", b"b", b"bb"]
    True
    >>> forest.last_tokens(b"aabbb") == forest.last_tokens(b"aabbb", way="longest first")
    True

    Raises:
        VocabularyError: ranks decrease along a derivation.
    """

    def __init__(self, rules: MergeRules) -> None:
        super().__init__(rules, mirrored=False)
        self._centroids: dict[bytes, _Centroid] = {}

    def passes(self, token: bytes, last: Sequence[bytes | None]) -> bool:
        """Range test: whether the token stands at the end of a prefix when it comes into being.

        Args:
            token: one that the prefix ends in.
            last: λ of all shorter prefixes; the one asked for is that before suc(token).

        Cost: O(1).
        """
        suc = self.suc(token)
        if suc is None:
            return True
        before = last[len(last) - len(suc)]
        interval = self.interval[token]
        return before is not None and interval.low <= self.number[before] < interval.high

    def suc(self, token: bytes) -> bytes | None:
        """Return the parent, None for a single byte."""
        sides = self._sides.get(token)
        return None if sides is None else sides[1]

    def last_tokens(self, text: bytes, way: str = "descent") -> list[bytes | None]:
        """Return λ of every prefix of the text; `way` is "descent", "longest first", "centroids".

        Cost: see the three methods, per byte.
        """
        ways = {
            "descent": self.by_descent,
            "longest first": self.by_length,
            "centroids": self.by_centroids,
        }
        find = ways[way]
        last: list[bytes | None] = [None]
        for _ in text:
            last.append(find(text, last))
        return last

    def by_descent(self, text: bytes, last: Sequence[bytes | None]) -> bytes:
        """From the last byte down, always to the child that passes.

        Cost: O(D log c), D the depth of the forest, c the most children. About one step per byte of
        real text.
        """
        i = len(last)
        token = text[i - 1 : i]
        while (before := last[i - len(token)]) is not None:
            child = self._child(token, self.number[before])
            if child is None:
                break
            token = child
        return token

    def by_length(self, text: bytes, last: Sequence[bytes | None]) -> bytes:
        """Try the tokens that end here, the longest first. One or two per byte of real text.

        An Aho-Corasick automaton would list them; here all suffixes are looked up.
        Cost: O(t).
        """
        i = len(last)
        for token in self._suffixes(text[max(0, i - self._rules.max_length) : i]):
            if self.passes(token, last):
                return token
        raise AssertionError("a single byte always passes")

    def _suffixes(self, text: bytes) -> list[bytes]:
        """Return the tokens that the text ends in, the longest first."""
        return [text[k:] for k in range(len(text)) if text[k:] in self.number]

    def by_centroids(self, text: bytes, last: Sequence[bytes | None]) -> bytes:
        """Halve the candidates with each test: O(log² t) per byte in the worst case.

        The tokens that the longest one ends in, itself included, are a tree: suc of a suffix is a
        suffix. A *centroid* of a tree is a node without which no part has more than half its nodes.
        If it passes, λ is the centroid or below one of its children, and the number before the
        centroid tells below which. If not, λ is above.

        Cost: O(log t) centroids, each with a search among its children. Memory for all trees is
        linear in the number of pairs (token, token it ends in), 473,509 for cl100k_base.
        """
        i = len(last)
        suffixes = self._suffixes(text[max(0, i - self._rules.max_length) : i])
        longest = suffixes[0]
        part = self._centroids.get(longest)
        if part is None:
            part = self._centroids[longest] = _Centroid.of(self, suffixes)
        found = text[i - 1 : i]
        at: _Centroid | None = part
        while at is not None:
            if not self.passes(at.token, last):
                at = at.above
                continue
            found = at.token
            before = last[i - len(found)]
            child = None if before is None else self._child(found, self.number[before])
            at = None if child is None else at.below.get(child)
        return found


class _Centroid:
    """A centroid, the part above it, and the part below each of its children."""

    __slots__ = ("above", "below", "token")

    def __init__(
        self, token: bytes, above: _Centroid | None, below: dict[bytes, _Centroid]
    ) -> None:
        self.token, self.above, self.below = token, above, below

    @classmethod
    def of(cls, forest: SuccessorForest, tokens: Iterable[bytes]) -> _Centroid:
        """Decompose a connected part of the forest. Cost: O(k log k) for k tokens."""
        part = set(tokens)
        order = sorted(part, key=forest.number.__getitem__)  # parents first
        parent = {token: forest.suc(token) for token in order}
        size = dict.fromkeys(order, 1)
        for token in reversed(order):
            above = parent[token]
            if above is not None and above in part:
                size[above] += size[token]
        # the deepest node with at least half of all below it
        centroid = max((t for t in order if 2 * size[t] >= len(part)), key=len)
        belongs = {centroid: b""}  # to which child of the centroid
        for token in order:
            above = parent[token]
            if above is not None and above in belongs:
                belongs[token] = belongs[above] or token
        parts: dict[bytes, list[bytes]] = {}
        for token, child in belongs.items():
            if child:
                parts.setdefault(child, []).append(token)
        rest = part - belongs.keys()
        return cls(
            centroid,
            cls.of(forest, rest) if rest else None,
            {child: cls.of(forest, members) for child, members in parts.items()},
        )


class MirroredForest(_Forest):
    """The first token of every suffix, from right to left (the batch primitive Φ of bpeQ).

    The parent of a token is pre(w), and the interval of w is beside suc(w). Of equal ranks the
    leftmost goes first, and now w is left of what takes in suc(w): only a *smaller* rank closes the
    interval. So it is not the successor forest of the reversed text.

    >>> from tokstream.reference.merges import MergeRules
    >>> rules = MergeRules([b"a", b"aa"])
    >>> MirroredForest(rules).first_tokens(b"aaa")
    [b'aa', b'aa', b'a']
    >>> SuccessorForest(rules).last_tokens(b"aaa")
    [None, b'a', b'aa', b'a']

    Raises:
        VocabularyError: ranks decrease along a derivation.
    """

    def __init__(self, rules: MergeRules) -> None:
        super().__init__(rules, mirrored=True)

    def first_tokens(self, text: bytes) -> list[bytes]:
        """Return the first token of Merge of every non-empty suffix. Cost: O(D log c) per byte."""
        n = len(text)
        first: list[bytes] = []  # from right to left
        for i in reversed(range(n)):
            token = text[i : i + 1]
            while i + len(token) < n:
                behind = first[n - i - len(token) - 1]
                child = self._child(token, self.number[behind])
                if child is None:
                    break
                token = child
            first.append(token)
        return first[::-1]
