"""Stage 4, tokens: from pretokens, the last one possibly unfinished, to token ids.

Enters: text of the live pretoken, cut anywhere between characters, and cuts.
Leaves: token ids.
Held back: the text whose tokens depend on how the live pretoken goes on.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

from tokstream.errors import VocabularyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokstream.reference.merges import MergeRules

__all__ = ["Tokens", "last_token", "lowest_common_ancestor"]


class Tokens:
    """Merge, of a pretoken that is still growing.

    After every push the ids given out are the maximum stable prefix of Merge: what Merge of every
    longer text (of bytes) begins with. It is found in three steps.

    1. *The last token of every prefix.* λ(i) is the last token of Merge of the first i bytes; see
       `last_token`. Taking it off gives a shorter prefix, so the places 0..n form a tree with root
       0, parent i - |λ(i)|, in which the path from 0 to i spells Merge of the first i bytes.
    2. *The window.* Whatever follows, Merge of the longer text has a last boundary j at or before
       n. Either j = n, or a token w lies across n: what stands behind j is a proper beginning of
       w, and λ(j) → w. These j are the window; each is the last boundary in some future.
    3. *The common beginning.* All futures begin with the path to some j of the window, so what
       they have in common is the path to the lowest common ancestor of the window.

    What was given out can be forgotten, since every future has a boundary there, and what follows
    a boundary is Merge of its own text.

    Whole-pretoken rule: a pretoken that is a token is that token, even if merges never make it.
    So while the pretoken, from its beginning, may still become such a token, nothing is certain.

    >>> from tokstream.reference.merges import MergeRules
    >>> rules = MergeRules([b"a", b"b", b"aa", b"ab", b"aaaa"])
    >>> tokens = Tokens(rules)
    >>> [tokens.push(character) for character in "aaaaaaa"]
    [[], [], [], [4], [], [], []]
    >>> tokens.push("b"), tokens.push("a"), tokens.cut()
    ([2, 3], [], [0])

    Cost: per push O(n t) for n bytes, t bytes in the longest token, once the relation → between
        the tokens at hand is known; memory linear in what is pending.
    Source: Jiang and Gong, arXiv:2605.30813 (last tokens, eager output as a common ancestor);
        zero delay by the exact window, where they and Dalirrooyfard and Ye, arXiv:2610.19139,
        take a larger one.
    """

    def __init__(self, rules: MergeRules) -> None:
        self._rules = rules
        self._begin(b"", from_beginning=True)

    def _begin(self, pending: bytes, *, from_beginning: bool) -> None:
        """Take `pending` as all that is left of the live pretoken."""
        self._from_beginning = from_beginning  # nothing was given out of this pretoken
        self._pending = b""
        self._last: list[bytes | None] = [None]  # λ of every prefix of `_pending`
        self._extend(pending)

    def _extend(self, more: bytes) -> None:
        self._pending += more
        while len(self._last) <= len(self._pending):
            self._last.append(last_token(self._rules, self._pending, self._last))

    @property
    def n_held(self) -> int:
        """UTF-8 bytes of text held back."""
        return len(self._pending)

    def push(self, text: str) -> list[int]:
        """Take more text of the live pretoken; return the ids that are stable now."""
        self._extend(text.encode())
        n_stable = self._stable()
        if n_stable == 0:
            return []
        ids = [self._rules.ids[token] for token in self._path(n_stable)]
        self._begin(self._pending[n_stable:], from_beginning=False)
        return ids

    def cut(self, text: str = "") -> list[int]:
        """Take the last text of the live pretoken and close it; return all its remaining ids.

        Cost: O(n log n) for n bytes pending.
        """
        rest = self._pending + text.encode()
        if self._from_beginning:
            ids = self._rules.encode(rest)
        else:
            ids = [self._rules.ids[token] for token in self._rules.merge(rest)]
        self._begin(b"", from_beginning=True)
        return ids

    def _stable(self) -> int:
        """Return how many pending bytes are covered by tokens that all futures share."""
        if self._from_beginning and self._may_be_whole():
            return 0
        return lowest_common_ancestor(self._last, self._window())

    def _may_be_whole(self) -> bool:
        """Whether the pretoken may be, or become, a token that merges never make.

        A reachable token it may become is across every boundary, so the window has 0 in it and
        nothing is stable anyway: any longer token will do for the question.
        """
        whole = self._pending
        if whole in self._rules and not self._rules.reachable(whole):
            return True
        return any(True for _ in self._rules.extensions(whole))

    def _window(self) -> set[int]:
        """W_exact: the places that are the last boundary in some future."""
        n = len(self._pending)
        window = {n}
        for j in range(max(0, n - self._rules.max_length + 1), n):
            if self._rules.straddled(self._last[j], self._pending[j:]):
                window.add(j)
        return window

    def _path(self, place: int) -> list[bytes]:
        """Merge of the first `place` pending bytes: the path from 0, read off backwards."""
        path: list[bytes] = []
        while (token := self._last[place]) is not None:
            path.append(token)
            place -= len(token)
        return path[::-1]

    def copy(self) -> Tokens:
        """Return an independent copy that shares the rules. Cost: O(held)."""
        twin = Tokens(self._rules)
        twin._from_beginning = self._from_beginning
        twin._pending, twin._last = self._pending, self._last.copy()
        return twin


def last_token(rules: MergeRules, text: bytes, last: Sequence[bytes | None]) -> bytes:
    """λ: the last token of Merge of the first i bytes of `text`, given λ of all shorter prefixes.

    It is the only reachable token w that ends at i and either begins at 0 or may follow λ of what
    is before it. That it qualifies follows from the pair lemma, that no other does from Merge
    being a function.

    Args:
        rules: the merge rules.
        text: at least i bytes.
        last: λ(0) to λ(i - 1); λ(0) is None.

    Raises:
        VocabularyError: a single byte is no token.
    Cost: O(t) look-ups, t bytes in the longest token.
    """
    i = len(last)
    for length in range(1, min(i, rules.max_length) + 1):
        token = text[i - length : i]
        if not rules.reachable(token):
            continue
        before = last[i - length]
        if before is None or rules.compatible(before, token):
            return token
    raise VocabularyError(
        f"byte 0x{text[i - 1]:02x} is no token, so text that holds it cannot be encoded; "
        "get the complete vocabulary"
    )


def lowest_common_ancestor(last: Sequence[bytes | None], places: set[int]) -> int:
    """Return the deepest place that is on the paths to all of `places`.

    Parents come before their children, so replacing the rightmost place by its parent, until one
    place is left, never goes past a common ancestor.

    >>> lowest_common_ancestor([None, b"a", b"ab", b"c", b"cd"], {3, 4})
    2

    Cost: O(k log w) for a window of w places and k steps up the tree.
    """
    heap = [-place for place in places]  # rightmost first
    heapify(heap)
    while True:
        rightmost = -heappop(heap)
        while heap and heap[0] == -rightmost:
            heappop(heap)
        token = last[rightmost]
        if not heap or token is None:
            return rightmost
        heappush(heap, len(token) - rightmost)
