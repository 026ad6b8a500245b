"""The facts about Merge and Split on which everything rests, as statements to try out.

Enters: rules or an automaton, and a text.
Leaves: whether the fact holds there. It always does; the proofs are in a few words.
Held back: nothing.

One function per fact, true for all arguments of the kind it names. The tests try them on thousands
of random instances.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from tokstream.reference.definitions import common_prefix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokstream.reference.automata import Dfa
    from tokstream.reference.merges import MergeRules

__all__ = [
    "bounded_influence",
    "every_match_is_near_the_last",
    "locality",
    "pair_lemma",
    "unique_last_token",
]


def locality(rules: MergeRules, text: bytes) -> bool:
    """Merge of the text between two boundaries of Merge(text) is the tokens between them.

    Every step takes the pair of the lowest rank, the leftmost of equals. If that is between the
    two boundaries, it is also the step that the part alone would take, and no step crosses a
    boundary. So every token is Merge of itself: reachable.

    >>> from tokstream.reference.merges import MergeRules
    >>> locality(MergeRules([b"a", b"b", b"ab", b"aba", b"bb"]), b"abaabbb")
    True

    Cost: O(k²) runs of Merge for k tokens.
    """
    tokens = rules.merge(text)
    return all(
        rules.merge(b"".join(tokens[i:j])) == tokens[i:j]
        for i in range(len(tokens))
        for j in range(i + 1, len(tokens) + 1)
    )


def pair_lemma(rules: MergeRules, tokens: Sequence[bytes]) -> bool:
    """Reachable tokens are Merge of their text if and only if each may precede the next.

    Take the first step that crosses a border. Until then both sides ran as they do alone, so the
    two tokens at that border alone would have taken it too. The list may be improper.

    >>> from tokstream.reference.merges import MergeRules
    >>> rules = MergeRules([b"a", b"b", b"ab", b"bb"])
    >>> pair_lemma(rules, [b"ab", b"b", b"ab"]), pair_lemma(rules, [b"b", b"b", b"a"])
    (True, True)

    Source: Dalirrooyfard and Ye, arXiv:2610.19139, Section 5; Jiang and Gong, arXiv:2605.30813.
    """
    whole = rules.merge(b"".join(tokens)) == list(tokens)
    return whole == all(rules.compatible(a, b) for a, b in pairwise(tokens))


def unique_last_token(rules: MergeRules, text: bytes) -> bool:
    """Exactly one reachable token ends a non-empty text and may follow what ends the text before.

    That λ qualifies is the pair lemma. If another did, there would be two sequences that are Merge
    of the text.

    >>> from tokstream.reference.merges import MergeRules
    >>> unique_last_token(MergeRules([b"a", b"b", b"ab", b"bab"]), b"abbab")
    True
    """
    found = []
    for token in filter(rules.reachable, rules.ids):
        if text.endswith(token):
            before = rules.merge(text[: -len(token)])
            if not before or rules.compatible(before[-1], token):
                found.append(token)
    return found == rules.merge(text)[-1:]


def bounded_influence(rules: MergeRules, a: bytes, b: bytes, n_rules: int) -> bool:
    """Lemma 4.23 and Claim 5.1: a common prefix of n bytes gives common tokens of n - m t or more.

    Take the rules in the order of their ranks. If before a rule the two token sequences agree up to
    some place, they agree behind it up to that place or one token less, which is t bytes at most.
    For lists that are improper, in the reading H, count only ranks higher than all before.

    >>> from tokstream.reference.merges import MergeRules
    >>> bounded_influence(MergeRules([b"a", b"b", b"ab", b"bb"]), b"abbbbba", b"abbbbbb", 2)
    True

    Args:
        rules: the rules.
        a: a text.
        b: a text that begins like it.
        n_rules: m.
    """
    n = len(common_prefix([a, b]))
    common = common_prefix([rules.merge(a), rules.merge(b)])
    return sum(map(len, common)) >= n - n_rules * rules.max_length


def every_match_is_near_the_last(dfa: Dfa, text: str) -> bool:
    """Lemma 4.20: b(R) or more behind its last match, no continuation of a text is a match.

    Otherwise take prefixes of that match that are in the language, each at most b shorter than the
    one before, until one would be between the last match and the end of the text.

    >>> from tokstream.reference.automata import Dfa
    >>> every_match_is_near_the_last(Dfa.from_words("ab", ["a", "b", "aaab"]), "aaba")
    True
    """
    lookback = dfa.lookback()
    states = [*accumulate(text, dfa.read, initial=0)]
    last = max((i for i, state in enumerate(states) if state in dfa.accepting), default=None)
    if lookback is None or last is None or len(text) - last < lookback:
        return True
    return states[-1] in dfa.dead
