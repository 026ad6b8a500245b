"""Eager output of incremental BPE: three windows, and three ways to find their common prefix.

Enters: the bytes of one pretoken, one at a time.
Leaves: how many of them are covered by tokens that every continuation shares.
Held back: the rest.

In Merge of a continuation let j be the last boundary at or before the end i of what was read. It
begins with the path to j (see `Tokens`). If j < i, the token across i has x[j:i] as a proper
prefix. So every set that has all these j, a *window*, is sound: all futures begin with what the
paths to its members have in common. The windows of `window` are, each contained in the one before:

* "jg": all j ≥ i - d, d the length of the longest suffix that is a prefix of a token.
* "chain": i, and j such that x[j:i] is a proper prefix of some token.
* "exact": i, and those for which one of these tokens may follow λ(j). Each of them is the last
  boundary in some future, so what they have in common is Merge⪯. (Source: this project; the papers
  leave zero delay open.)

Source: Jiang and Gong, arXiv:2605.30813 ("jg"); Dalirrooyfard and Ye, arXiv:2610.19139, Lemma 4.18
and Claim 4.25 (its delay is at most (m + 1) t, and t at least on `window_family`).
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from tokstream.errors import ConfigurationError
from tokstream.reference.tokens import last_token, lowest_common_ancestor

if TYPE_CHECKING:
    from tokstream.reference.merges import MergeRules

__all__ = ["WINDOWS", "JumpTree", "LastTokens", "ReferenceCounts", "n_stable", "window"]

WINDOWS = ("jg", "chain", "exact")


class LastTokens:
    """The last token of every prefix of a pretoken that grows.

    >>> from tokstream.reference.merges import MergeRules
    >>> tokens = LastTokens(MergeRules([b"a", b"aa", b"aaaa"]))
    >>> tokens.push(b"aaaaaaa")
    >>> {kind: sorted(window(tokens, kind)) for kind in WINDOWS}
    {'jg': [3, 4, 5, 6, 7], 'chain': [4, 5, 6, 7], 'exact': [4, 7]}
    >>> [n_stable(tokens, kind) for kind in WINDOWS]
    [0, 4, 4]
    """

    def __init__(self, rules: MergeRules) -> None:
        self.rules = rules
        self.text = b""
        self.last: list[bytes | None] = [None]
        """λ(i) for every place i."""

    def push(self, data: bytes) -> None:
        """Append bytes. Cost: O(t) look-ups per byte; see `SuccessorForest` for less."""
        self.text += data
        while len(self.last) <= len(self.text):
            self.last.append(last_token(self.rules, self.text, self.last))

    def parent(self, place: int) -> int:
        """Return the place before the last token."""
        return place - len(self.last[place] or b"")


def window(tokens: LastTokens, kind: str) -> set[int]:
    """Return the window of this kind at the end of the text.

    Cost: O(t) look-ups, and for "exact" as many questions to `MergeRules.straddled`.
    """
    rules, n = tokens.rules, len(tokens.text)
    if kind not in WINDOWS:
        raise ConfigurationError(f"window is {kind!r}; it must be one of {', '.join(WINDOWS)}")
    places = range(max(0, n - rules.max_length), n)
    suffixes = {j: tokens.text[j:] for j in places}
    if kind == "jg":
        first = min(
            (j for j, w in suffixes.items() if rules.reachable(w) or _is_beginning(rules, w)),
            default=n,
        )
        return set(range(first, n + 1))
    found = {j for j, w in suffixes.items() if _is_beginning(rules, w)}
    if kind == "exact":
        found = {j for j in found if rules.straddled(tokens.last[j], suffixes[j])}
    return {*found, n}


def n_stable(tokens: LastTokens, kind: str) -> int:
    """Return the bytes covered by what the paths to the window have in common.

    The deepest place on all of them is their lowest common ancestor.
    """
    return lowest_common_ancestor(tokens.last, window(tokens, kind))


def _is_beginning(rules: MergeRules, data: bytes) -> bool:
    """Whether it is a proper prefix of a reachable token."""
    return rules.straddled(None, data)


class ReferenceCounts:
    """The common prefix by counting references: amortized O(1) per byte, for the window "jg".

    The nodes are the places behind the last token given out. A node is alive while it is in the
    window or a child of it is alive. The left end of the window never moves left, since d grows by
    one at most. When one child of the last node given out is alive, and it has left the window, it
    is given out.

    What is given out is a prefix of the common prefix, often one token less: a node that is in the
    window and all others descend from it waits.

    >>> from tokstream.reference.merges import MergeRules
    >>> stage = ReferenceCounts(MergeRules([b"a", b"b", b"aa"]))
    >>> [stage.push(bytes((byte,))) for byte in b"aabab"]
    [[], [], [], [b'aa'], [b'b']]

    Source: the published implementation of Jiang and Gong, arXiv:2605.30813.
    """

    def __init__(self, rules: MergeRules) -> None:
        self._tokens = LastTokens(rules)
        self._nodes: deque[int] = deque()  # number of living children, of places from `_first` on
        self._first = 1
        self._window = 1  # first place in it, 1 at least: 0 is the root
        self._roots = 0  # living nodes whose parent was given out

    def push(self, byte: bytes) -> list[bytes]:
        """Take one byte, return the tokens that are given out."""
        tokens = self._tokens
        tokens.push(byte)
        place = len(tokens.text)
        self._nodes.append(0)
        self._count(tokens.parent(place), 1)
        left = min(window(tokens, "jg"))
        while self._window < left:
            self._window += 1
            self._bury(self._window - 1)
        out: list[bytes] = []
        while True:
            while self._first < self._window and not self._nodes[0]:
                self._nodes.popleft()
                self._first += 1
            if self._roots != 1 or self._first >= self._window:
                return out
            token = tokens.last[self._first]
            if token is not None:
                out.append(token)
            self._roots = self._nodes.popleft()
            self._first += 1

    def _count(self, parent: int, change: int) -> None:
        if parent < self._first:
            self._roots += change
        else:
            self._nodes[parent - self._first] += change

    def _bury(self, place: int) -> None:
        """A node has left the window: if no child is alive, it dies, and so may its parent."""
        while place >= self._first and place < self._window:
            if self._nodes[place - self._first]:
                return
            parent = self._tokens.parent(place)
            self._count(parent, -1)
            place = parent


class JumpTree:
    """A tree that grows by leaves, with O(log n) for the questions that `IncBpe` and windows ask.

    Every node has one jump to an ancestor, chosen as the digits of a skew-binary number: the jump
    of a node spans the jumps of its parent and of that one's target if these are equally long, and
    goes to its parent otherwise. It takes the place of the Euler tours of Lemma 2.3.

    >>> tree = JumpTree()
    >>> [tree.add(parent) for parent in (0, 1, 1, 3, 4)]
    [1, 2, 3, 4, 5]
    >>> tree.lowest_common_ancestor(2, 5), tree.child_towards(1, 5), tree.child_towards(2, 5)
    (1, 3, None)

    Source: Myers, An applicative random-access stack (1983), for the jumps.
    """

    def __init__(self) -> None:
        self.parent = [0]
        self._depth = [0]
        self._jump = [0]

    def add(self, parent: int) -> int:
        """Add a leaf, return its number. Cost: O(1)."""
        jump = self._jump[parent]
        depth = self._depth
        even = depth[parent] - depth[jump] == depth[jump] - depth[self._jump[jump]]
        self._jump.append(self._jump[jump] if even else parent)
        self.parent.append(parent)
        depth.append(depth[parent] + 1)
        return len(depth) - 1

    def ancestor(self, node: int, depth: int) -> int:
        """Return the ancestor of `node` at this depth. Cost: O(log n)."""
        while self._depth[node] > depth:
            jump = self._jump[node]
            node = jump if self._depth[jump] >= depth else self.parent[node]
        return node

    def child_towards(self, ancestor: int, node: int) -> int | None:
        """Return the child of `ancestor` on the path to `node`, None if it is not on that path."""
        child = self.ancestor(node, self._depth[ancestor] + 1)
        return child if child != ancestor and self.parent[child] == ancestor else None

    def lowest_common_ancestor(self, a: int, b: int) -> int:
        """Return the deepest node that is on the paths to both. Cost: O(log n)."""
        depth = min(self._depth[a], self._depth[b])
        a, b = self.ancestor(a, depth), self.ancestor(b, depth)
        while a != b:
            if self._jump[a] == self._jump[b]:
                a, b = self.parent[a], self.parent[b]
            else:
                a, b = self._jump[a], self._jump[b]
        return a
