"""How long can a pattern keep a stream waiting? An automaton comes in, texts that try it go out.

A stream waits while a match may still grow past its last end. That can last without limit only on
a cycle of the automaton that passes no possible end, so the texts are: a way into such a cycle and
many rounds of it, besides a run of one character of every class. What a stream's delay does on them
is a measurement, not a proof: vocabularies have their say, too.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tokstream.patterns.analysis import components
from tokstream.patterns.automaton import DEAD, FLAG, START, STATE_MASK

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tokstream import Tokenizer
    from tokstream.patterns.automaton import Automaton

__all__ = ["Probe", "probe", "waiting_runs"]

N_CHARACTERS: Final = 8192
PER_FEED: Final = 5
MAX_CYCLES: Final = 100
LIKELY: Final = "a A\n1.é漢-'\t\r_\u00a0\u3000\u0301क"


@dataclass(frozen=True, slots=True)
class Probe:
    """What was measured.

    Attributes:
        longest_delay: largest delay seen, in bytes.
        keeps_growing: whether it was still rising on some text of 8,192 characters, in its second
            half.
        n_texts: texts that were tried.
        worst: the text with that delay: what begins it, and what is repeated.
    """

    longest_delay: int
    keeps_growing: bool
    n_texts: int
    worst: tuple[str, str]


def probe(tokenizer: Tokenizer, automaton: Automaton) -> Probe:
    """Feed all of `waiting_runs` and watch the delay.

    Cost: some ten milliseconds for each text.
    """
    longest, grows, worst, n_texts = 0, False, ("", ""), 0
    for beginning, round_ in waiting_runs(automaton):
        stream = tokenizer.stream(allowed_special=(), disallowed_special=())
        stream.advance(beginning)
        n_feeds = max(2, N_CHARACTERS // (PER_FEED * len(round_)))
        halves = [0, 0]
        for k in range(n_feeds):
            stream.advance(round_ * PER_FEED)
            half = 2 * k // n_feeds
            halves[half] = max(halves[half], stream.delay_bytes)
        n_texts += 1
        # a run of a long token's character may reach its largest delay late, by a token's length
        grows = grows or halves[1] > 1.5 * halves[0] + 8
        if max(halves) > longest:
            longest, worst = max(halves), (beginning, round_)
    return Probe(longest, grows, n_texts, worst)


def waiting_runs(automaton: Automaton) -> Iterator[tuple[str, str]]:
    """Yield (beginning, round): texts `beginning + round * n` that may keep a stream waiting."""
    width = automaton.n_classes + 1
    table = automaton.transitions
    rows = [table[at : at + width - 1].tolist() for at in range(0, len(table), width)]
    letters = representatives(automaton)
    for letter in letters:
        yield "", letter
    quiet = [
        [
            (c, entry)
            for c, entry in enumerate(row)
            if DEAD < entry < FLAG and not automaton.covers[state] and state != START
        ]
        for state, row in enumerate(rows)
    ]
    ways = shortest(
        [[(c, e & STATE_MASK) for c, e in enumerate(row) if e & STATE_MASK] for row in rows], START
    )
    n_left = MAX_CYCLES
    for state, c, target in cycle_edges(quiet, ways):
        back = [c] if target == state else [c, *shortest(quiet, target)[state]]
        yield (
            "".join(letters[one] for one in ways[state]),
            "".join(letters[one] for one in back),
        )
        n_left -= 1
        if n_left == 0:
            return


def cycle_edges(
    graph: list[list[tuple[int, int]]], among: Iterable[int]
) -> Iterator[tuple[int, int, int]]:
    """Yield the edges (state, class, state) that lie on a cycle."""
    followers = [sorted({target for _, target in edges}) for edges in graph]
    part_of = {
        state: k for k, part in enumerate(components(followers, set(among))) for state in part
    }
    for state, edges in enumerate(graph):
        for c, target in edges:
            if state in part_of and part_of[state] == part_of[target]:
                yield state, c, target


def shortest(graph: list[list[tuple[int, int]]], begin: int) -> dict[int, list[int]]:
    """Shortest words that lead from `begin` to each state, breadth first."""
    ways: dict[int, list[int]] = {begin: []}
    pending = deque([begin])
    while pending:
        state = pending.popleft()
        for c, target in graph[state]:
            if target not in ways:
                ways[target] = [*ways[state], c]
                pending.append(target)
    return ways


def representatives(automaton: Automaton) -> list[str]:
    """Choose a character of each class, a common one if there is one."""
    found: dict[int, str] = {}
    for character in LIKELY:
        found.setdefault(automaton.class_of(ord(character)), character)
    for point in range(0x110000):
        if len(found) == automaton.n_classes:
            break
        if not 0xD800 <= point < 0xE000:
            found.setdefault(automaton.class_of(point), chr(point))
    # a class of surrogates alone, if there is one, is never read
    return [found.get(c, "\ufffd") for c in range(automaton.n_classes)]
