"""Merge by a list of rules, in the two readings that a list allows, and by ranks of results.

Enters: rules (left, right) in the order of their priority, and a reading.
Leaves: Merge, and all that `MergeRules` says about its tokens, by definition.
Held back: nothing; what was once worked out is remembered.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from tokstream.errors import ConfigurationError
from tokstream.reference.merges import MergeRules, Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["READINGS", "RuleList", "merge_by_passes", "merge_by_rank"]

READINGS = ("P", "H", "T")
"""Pass by pass; greedy by the rank of the pair; greedy by the rank of the result."""

Pair = tuple[bytes, bytes]


def merge_by_passes(
    rules: Iterable[Pair], piece: bytes, fired: list[Pair] | None = None
) -> list[bytes]:
    """Merge, reading P (Definition 4.4): for each rule, one pass from left to right.

    >>> merge_by_passes([(b"a", b"a"), (b"aa", b"a")], b"aaaaa")
    [b'aa', b'aaa']

    Args:
        rules: pairs of tokens by priority.
        piece: what to merge.
        fired: is given the pairs that were merged, in order.

    Cost: O(n m) for n bytes, m rules.
    """
    parts = [piece[i : i + 1] for i in range(len(piece))]
    for pair in rules:
        i = 0
        while i < len(parts) - 1:
            if (parts[i], parts[i + 1]) == pair:
                parts[i : i + 2] = [parts[i] + parts[i + 1]]
                if fired is not None:
                    fired.append(pair)
            i += 1
    return parts


def merge_by_rank(
    ranks: Mapping[Pair, int], piece: bytes, fired: list[Pair] | None = None
) -> list[bytes]:
    """Merge, reading H: the adjacent pair of the lowest rank, the leftmost of equals, until none.

    Reading T is the same with ranks that depend on the result only.

    >>> merge_by_rank({(b"a", b"a"): 0, (b"aa", b"a"): 1}, b"aaaaa")
    [b'aa', b'aaa']

    Args:
        ranks: the rank of each pair that merges.
        piece: what to merge.
        fired: is given the pairs that were merged, in order.

    Cost: O(n²) for n bytes.
    """
    parts = [piece[i : i + 1] for i in range(len(piece))]
    while True:
        pairs = [(ranks[pair], i) for i, pair in enumerate(pairwise(parts)) if pair in ranks]
        if not pairs:
            return parts
        _, i = min(pairs)
        if fired is not None:
            fired.append((parts[i], parts[i + 1]))
        parts[i : i + 2] = [parts[i] + parts[i + 1]]


class RuleList(MergeRules):
    """The tokens of a list of rules, with the interface of `MergeRules`.

    The readings differ where the list is *improper*: where some token comes into being by merges
    whose ranks do not increase.

    >>> rules = [(b"a", b"b"), (b"b", b"c"), (b"a", b"bc"), (b"abc", b"d"), (b"ab", b"c")]
    >>> [RuleList(rules, b"abcd", reading).merge(b"abcd") for reading in ("P", "H", "T")]
    [[b'abc', b'd'], [b'abcd'], [b'abcd']]
    >>> RuleList(rules, b"abcd", "H").improper()
    [b'abcd']

    Args:
        rules: pairs of tokens by priority; of equal pairs the first counts.
        alphabet: the single bytes; those in the rules are added.
        reading: "P", "H" or "T", where the rank of a result is that of its first rule.

    Cost: whatever the definition takes. Every answer is by running Merge.
    Source: Dalirrooyfard and Ye, arXiv:2610.19139, Definition 4.4 (P); Hugging Face tokenizers (H);
        tiktoken (T).
    """

    def __init__(self, rules: Iterable[Pair], alphabet: bytes, reading: str = "P") -> None:
        if reading not in READINGS:
            raise ConfigurationError(f"reading is {reading!r}; it must be P, H or T")
        self.pairs = list(dict.fromkeys(rules))
        self.reading = reading
        single = sorted({*alphabet, *b"".join(a + b for a, b in self.pairs)})
        atoms = [bytes((byte,)) for byte in single]
        tokens = dict.fromkeys([*atoms, *(left + right for left, right in self.pairs)])
        super().__init__(tokens)
        place = {token: k for k, token in enumerate(tokens)}
        if reading == "T":
            self.ranks = {
                (token[:i], token[i:]): place[token]
                for token in tokens
                for i in range(1, len(token))
                if token[:i] in tokens and token[i:] in tokens
            }
        else:
            self.ranks = {pair: rank for rank, pair in enumerate(self.pairs)}
        reachable = [token for token in tokens if self.merge(token) == [token]]
        self.max_length = max(map(len, reachable))
        self._reachable = frozenset(reachable)
        self.n_rules = len(set(self.ranks.values()))
        """m: the number of different ranks."""

    def merge(self, piece: bytes) -> list[bytes]:
        """Merge(piece), in the reading of this list."""
        return list(self._merged(piece))

    @lru_cache(1 << 16)  # noqa: B019 - lists are few and small
    def _merged(self, piece: bytes) -> tuple[bytes, ...]:
        return tuple(self._run(piece))

    def _run(self, piece: bytes, fired: list[Pair] | None = None) -> list[bytes]:
        if self.reading == "P":
            return merge_by_passes(self.pairs, piece, fired)
        return merge_by_rank(self.ranks, piece, fired)

    def encode(self, pretoken: bytes) -> list[int]:
        """Encode a whole pretoken: its Merge, as ids. No look-up of the whole."""
        return [self.ids[token] for token in self.merge(pretoken)]

    def reachable(self, token: bytes) -> bool:
        """Whether Merge(token) = token."""
        return token in self._reachable

    def extensions(self, beginning: bytes) -> Iterator[bytes]:
        """Yield the reachable tokens that begin with `beginning` and are longer."""
        return filter(self.reachable, super().extensions(beginning))

    def __contains__(self, token: object) -> bool:
        return token in self._reachable

    def compatible(self, left: bytes, right: bytes) -> bool:
        """Whether left → right: Merge(left right) = left right."""
        return self._merged(left + right) == (left, right)

    def followers(self, before: bytes | None, beginning: bytes) -> Iterator[bytes]:
        """Yield the reachable tokens with this proper beginning that may follow `before`."""
        tokens = self.extensions(beginning)
        return (token for token in tokens if before is None or self.compatible(before, token))

    def rule(self, token: bytes) -> Rule | None:
        """Return the canonical rule of a token: the last merge of its own run."""
        if token not in self._reachable:
            return None
        fired: list[Pair] = []
        self._run(token, fired)
        ranks = [self.ranks[pair] for pair in fired]
        return Rule(len(fired[-1][0]) if fired else 0, ranks == sorted(ranks))

    def time(self, token: bytes) -> int:
        """Return the rank at which a token comes into being, -1 for a single byte."""
        rule = self.rule(token)
        if rule is None or rule.n_pre == 0:
            return -1
        return self.ranks[token[: rule.n_pre], token[rule.n_pre :]]
