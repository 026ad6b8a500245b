"""Batch merge: three ways to merge a whole pretoken.

Enters: the bytes of a pretoken that is complete.
Leaves: its tokens.
Held back: nothing; none of these is an online algorithm.

| way | cost | where |
|---|---|---|
| naive: the definition | O(n²) | `naive` |
| heap: the lowest of the adjacent pairs | O(n log n) | `MergeRules.merge` |
| backtracking: the longest that fit | O(n t), in practice O(tokens) | `backtracking` |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokstream.errors import VocabularyError
from tokstream.reference.rulelists import merge_by_rank

if TYPE_CHECKING:
    from tokstream.reference.merges import MergeRules

__all__ = ["backtracking", "naive"]


def naive(rules: MergeRules, piece: bytes) -> list[bytes]:
    """Merge(piece) by its definition, where the rank of a pair is that of the token it becomes.

    >>> from tokstream.reference.merges import MergeRules
    >>> naive(MergeRules([b"a", b"b", b"ab", b"aba"]), b"abaab")
    [b'aba', b'ab']

    Cost: O(n²) for n bytes, more for long tokens.
    """
    rank = {token: k for k, token in enumerate(rules.ids)}
    ranks = {
        (token[:i], token[i:]): k
        for token, k in rank.items()
        if token in piece
        for i in range(1, len(token))
        if token[:i] in rank and token[i:] in rank
    }
    return merge_by_rank(ranks, piece)


def backtracking(rules: MergeRules, piece: bytes) -> list[bytes]:
    """Merge(piece) by search: the sequence of reachable tokens each of which may follow the last.

    By the pair lemma there is exactly one. So take the longest token that may follow, and where
    there is none, go back and take a shorter one. An offset at which the search has failed need not
    be looked at again: each offset is reached by one such sequence at most.

    >>> from tokstream.reference.merges import MergeRules
    >>> rules = MergeRules([b"a", b"b", b"c", b"ab", b"bc", b"abc"])
    >>> backtracking(rules, b"aabcbc")
    [b'a', b'abc', b'bc']

    Raises:
        VocabularyError: a single byte is no token.
    Cost: every offset fails at most once, O(n t) look-ups; on real text little more than one per
        token, which makes it the fastest one for long pretokens.
    Source: the `bpe` crate of github/rust-gems.
    """
    n = len(piece)
    failed = bytearray(n + 1)
    tokens: list[bytes] = []
    at, limit = 0, rules.max_length  # the next token is at most `limit` bytes long
    while at < n:
        for length in range(min(limit, n - at), 0, -1):
            token = piece[at : at + length]
            if (
                not failed[at + length]
                and rules.reachable(token)
                and (not tokens or rules.compatible(tokens[-1], token))
            ):
                tokens.append(token)
                at += length
                limit = rules.max_length
                break
        else:
            if not tokens:
                unknown = next((byte for byte in piece if bytes((byte,)) not in rules), piece[0])
                raise VocabularyError(
                    f"byte 0x{unknown:02x} is no token, so text that holds it cannot be encoded; "
                    "get the complete vocabulary"
                )
            failed[at] = 1
            limit = len(tokens[-1]) - 1
            at -= len(tokens.pop())
    return tokens
