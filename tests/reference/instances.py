"""Random automata and rule lists, small enough for brute force."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokstream.reference.automata import Dfa
from tokstream.reference.rulelists import RuleList

if TYPE_CHECKING:
    import random


def random_dfa(rng: random.Random, alphabet: str, n_states: int) -> Dfa:
    """A total automaton with a sink, most of the time with some lookback."""
    accepts = rng.choice((0.0, 0.1, 0.3))
    dies = rng.choice((0.05, 0.35))
    sink = n_states
    delta = [
        [rng.randrange(1, n_states) if q == 0 or rng.random() > dies else sink for _ in alphabet]
        for q in range(n_states)
    ]
    accepting = {q for q in range(1, n_states) if rng.random() < accepts} | set(delta[0])
    return Dfa(alphabet, [*delta, [sink] * len(alphabet)], accepting)


def random_rules(
    rng: random.Random, alphabet: str, n: int, longest: int, *, reading: str, shuffled: bool
) -> RuleList:
    """Some rules have the same result; shuffled, most lists are improper."""
    tokens = [character.encode() for character in alphabet]
    rules: list[tuple[bytes, bytes]] = []
    for _ in range(8 * n):
        left, right = rng.choice(tokens), rng.choice(tokens)
        if len(left + right) <= longest and (left, right) not in rules:
            rules.append((left, right))
            if left + right not in tokens:
                tokens.append(left + right)
        if len(rules) == n:
            break
    if shuffled:
        rng.shuffle(rules)
    return RuleList(rules, alphabet.encode(), reading)
