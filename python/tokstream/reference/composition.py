"""Composition: pretokens and tokens of one segment, each stage waiting for the one before.

Enters: the text of a segment, cut anywhere between characters.
Leaves: token ids.
Held back: text behind a match end that may still move, and what Merge may still change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokstream.reference.pretokens import CUT, Pretoken, Pretokens
from tokstream.reference.tokens import Tokens

if TYPE_CHECKING:
    from tokstream.reference.cutq import Automaton
    from tokstream.reference.merges import MergeRules

__all__ = ["Composition"]


class Composition:
    r"""Merge⪯ of Split⪯: each stage's maximum stable prefix, fed to the next.

    **Theorem 1.2.** With Seg⪯ in front this is stable, and its delay is at most
    b(R) + (m + 1) t + ℓ∞(S*): the lookback of the pattern, m merges, t bytes in the longest token,
    and the longest special token. It is stable since z ⪯ f(u y) for all y, and u ⪯ g(x y) for all
    y, give z ⪯ f(g(x y)) for all y (Claim 4.19). The delays add up (Claim 4.21).

    **Theorem 1.6.** It is not everything that is stable. For aaab|a|b and the merge b b, "aaa" is
    three tokens in every future, but two characters wait for a b that would join them to one
    pretoken:

    >>> from tokstream.patterns import compile_pattern
    >>> from tokstream.reference.merges import MergeRules
    >>> rules = MergeRules([b"a", b"b", b"bb"])
    >>> stage = Composition(rules, compile_pattern(r"aaab|[\s\S]"))
    >>> stage.push("aaa"), stage.n_held
    ([0], 2)
    >>> stage.push("a"), stage.finish()
    ([0], [0, 0])

    Cost: that of the two stages, O(n (|Q| + t)).
    Source: Dalirrooyfard and Ye, arXiv:2610.19139, Theorems 1.2 and 1.6, Section 4.2.
    """

    def __init__(self, rules: MergeRules, automaton: Automaton) -> None:
        self._rules, self._automaton = rules, automaton
        self._pretokens = Pretokens(automaton)
        self._tokens = Tokens(rules)

    @property
    def n_held(self) -> int:
        """UTF-8 bytes of text held back."""
        return self._pretokens.n_held + self._tokens.n_held

    def push(self, text: str) -> list[int]:
        """Take text of the segment, return the ids that are stable now."""
        return self._from_pretokens(self._pretokens.push(text))

    def finish(self) -> list[int]:
        """End the segment, return the remaining ids. Begin a new segment."""
        return self._from_pretokens(self._pretokens.finish())

    def _from_pretokens(self, marked: list[Pretoken]) -> list[int]:
        """Text that a cut follows is merged whole, other text as far as stable."""
        ids: list[int] = []
        text = ""
        for part in marked:
            if part is CUT:
                ids += self._tokens.cut(text)
                text = ""
            else:
                text = part
        return ids + self._tokens.push(text) if text else ids

    def copy(self) -> Composition:
        """Return an independent copy that shares rules and automaton. Cost: O(held)."""
        twin = Composition(self._rules, self._automaton)
        twin._pretokens, twin._tokens = self._pretokens.copy(), self._tokens.copy()
        return twin
