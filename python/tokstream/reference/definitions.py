r"""The definitions of the theory, run as they are written down.

Enters: a whole text, and special tokens, an automaton, merge rules.
Leaves: segments, pretokens, tokens; stable prefixes and delays.
Held back: nothing. This is what the online algorithms are compared with.

Everything here is as slow as it is obvious. Texts are over a small alphabet, since stable prefixes
are found by trying all continuations.

Notation. x ⪯ y: x is a prefix of y. z is a *stable prefix* of f at x if z ⪯ f(x y) for every y.
Any two of them are prefixes of a third, so one of them is the longest (Claim 4.8): f⪯(x), the
common prefix of all f(x y). m is the number of merge rules, t the length of the longest token.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, TypeVar

from tokstream.errors import PatternError
from tokstream.reference.cutq import DEAD, START
from tokstream.reference.pretokens import CUT, Cut

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from tokstream.reference.cutq import Automaton
    from tokstream.reference.merges import MergeRules

    Marked = list[str | Cut]

T = TypeVar("T")

__all__ = ["common_prefix", "delay", "is_total", "seg", "split", "stable_prefix", "tok"]


# The three stages


def seg(text: str, special_tokens: Collection[str]) -> Marked:
    """Seg (Definition 4.1): take the longest special token where one begins, else a character.

    Each special token stands between two marks; two marks in a row are one.

    >>> seg("a<b><b>!", ["<b>", "<b>!"])
    ['a', CUT, '<b>', CUT, '<b>!', CUT]
    """
    out: Marked = []
    while text:
        found = max((s for s in special_tokens if text.startswith(s)), key=len, default="")
        if found:
            if out[-1:] != [CUT]:
                out.append(CUT)
            out += [found, CUT]
        else:
            out.append(text[0])
        text = text[len(found) or 1 :]
    return out


def split(automaton: Automaton, text: str) -> list[str]:
    """Split (Definition 4.2): take the longest non-empty match, again and again.

    For compiled patterns, the longest match of their automaton is the leftmost-first match.

    >>> from tokstream.reference.automata import Dfa
    >>> split(Dfa.from_words("ab", ["a", "b", "aab"]), "aaaab")
    ['a', 'a', 'aab']

    Raises:
        PatternError: the automaton is not total.
    """
    symbols = [*map(automaton.class_of, map(ord, text)), automaton.n_classes]
    pretokens = []
    start = 0
    while start < len(text):
        state, end = START, start
        for i in range(start, len(symbols)):
            state, matched = automaton.step(state, symbols[i])
            if matched:
                end = i
            if state == DEAD:
                break
        if end == start:
            raise PatternError(
                f"the pattern is not total: it has no match at {start}; "
                "add an alternative that matches any character"
            )
        pretokens.append(text[start:end])
        start = end
    return pretokens


def tok(
    automaton: Automaton, rules: MergeRules, text: str, special_tokens: Collection[str] = ()
) -> list[bytes | str]:
    """Tok = Merge of Split of Seg. A special token is its own token, as `str`.

    Merge is Definition 4.4, in whatever reading `rules` has; see `RuleList`.

    >>> from tokstream.reference.automata import Dfa
    >>> from tokstream.reference.merges import MergeRules
    >>> dfa, rules = Dfa.from_words("ab", ["a", "b", "aab"]), MergeRules([b"a", b"b", b"ab"])
    >>> tok(dfa, rules, "aaaab<s>b", ["<s>"])
    [b'a', b'a', b'a', b'ab', '<s>', b'b']
    """
    tokens: list[bytes | str] = []
    run = ""
    for item in [*seg(text, special_tokens), CUT]:
        if isinstance(item, str) and item not in special_tokens:
            run += item
            continue
        for pretoken in split(automaton, run):
            tokens += rules.merge(pretoken.encode())
        run = ""
        if isinstance(item, str):
            tokens.append(item)
    return tokens


def is_total(automaton: Automaton, alphabet: str) -> bool:
    """Whether every text has a non-empty match at its beginning: whether each character has.

    (If one character matches, so does what begins with it; that text may end there is a text too.)

    >>> from tokstream.patterns import compile_pattern
    >>> is_total(compile_pattern(r"a+|[^a]"), "ab")
    True
    """
    end = automaton.n_classes
    return all(
        automaton.step(automaton.step(START, automaton.class_of(ord(c)))[0], end)[1]
        for c in alphabet
    )


# What is stable


def common_prefix(sequences: Iterable[Sequence[T]]) -> list[T]:
    """Return the longest common prefix.

    >>> common_prefix(["abcd", "abd", "abc"])
    ['a', 'b']
    """
    rest = iter(sequences)
    common = list(next(rest))
    for sequence in rest:
        n = 0
        while n < min(len(common), len(sequence)) and common[n] == sequence[n]:
            n += 1
        del common[n:]
        if not common:
            break
    return common


def stable_prefix(
    function: Callable[[str], Sequence[T]], text: str, alphabet: str, length: int
) -> list[T]:
    """f⪯(text): what f of every continuation begins with, by trying those up to a length.

    Longer continuations could only shorten it, so this is never less than the truth; an algorithm
    that gives out as much as this and is stable gives out f⪯. How long is long enough depends on
    f: t - 1 for Merge; for Split as long as it takes to reach a match end, the dead state, or a
    repetition of both.

    >>> from tokstream.reference.merges import MergeRules
    >>> rules = MergeRules([b"a", b"b", b"ab"])
    >>> stable_prefix(lambda x: rules.merge(x.encode()), "aba", "ab", 1)
    [b'ab']

    Cost: |Σ| to the power of `length`, times f.
    """
    continuations = ("".join(y) for n in range(length + 1) for y in product(alphabet, repeat=n))
    return common_prefix(function(text + y) for y in continuations)


def delay(given_out: Sequence[Sequence[T]], stable: Sequence[Sequence[T]]) -> int | None:
    """Return the delay: the smallest k with f⪯(x without its last k) ⪯ z ⪯ f⪯(x), for all x.

    Args:
        given_out: z, what was given out after 0, 1, 2, ... characters.
        stable: f⪯ of the same prefixes of the text.

    Returns:
        k, or None if something was given out that is not stable.

    >>> delay(["", "", "a", "ab"], ["", "a", "ab", "abc"])
    1
    """
    worst = 0
    for i, z in enumerate(given_out):
        if list(stable[i][: len(z)]) != list(z):
            return None
        k = 0
        while len(stable[i - k]) > len(z):
            k += 1
        worst = max(worst, k)
    return worst
