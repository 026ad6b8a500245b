"""One published pattern compared with its reference engine, on as many texts as asked for.

In: a `Published` pattern and sizes. Out: a `Check` with counts and the texts that were cut
differently (none, it is hoped). The test command runs a slice, `scripts/check_patterns.py` all.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pattern_oracles import TiktokenOracle, TokenizersOracle
from pattern_texts import class_texts, every_code_point, random_texts

from tokstream.patterns import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

    from published import Published

__all__ = ["Check", "check"]

_BATCH = 10_000
_MAX_CLASS_TEXTS = 200_000


@dataclass(frozen=True)
class Check:
    """Result for one pattern: sizes of its automaton, texts compared, texts cut differently."""

    name: str
    dialect: str
    n_states: int
    n_classes: int
    compile_ms: float
    n_code_points: int
    n_class_texts: int
    n_random_texts: int
    differences: tuple[str, ...]


def check(published: Published, *, strings: int, step: int = 1, seed: int = 20) -> Check:
    """Compare every `step`-th code point, all short class sequences and `strings` random texts."""
    oracle = (
        TiktokenOracle(published.pattern)
        if published.dialect == "tiktoken"
        else TokenizersOracle(published.pattern)
    )
    compile_pattern.cache_clear()
    began = time.process_time()
    automaton = compile_pattern(published.pattern, published.dialect, gaps=published.gaps)
    compile_ms = 1e3 * (time.process_time() - began)
    length = 1
    while automaton.n_classes ** (length + 1) <= _MAX_CLASS_TEXTS // step and length < 6:
        length += 1
    differences: list[str] = []
    counts: list[int] = []
    sources: tuple[Iterable[str], ...] = (
        every_code_point(step),
        class_texts(automaton, length),
        random_texts(automaton, strings, seed),
    )
    for source in sources:
        iterator = iter(source)
        n = 0
        while batch := list(itertools.islice(iterator, _BATCH)):
            differences.extend(oracle.differences(batch, automaton.split))
            n += len(batch)
        counts.append(n)
    return Check(
        published.name,
        published.dialect,
        automaton.n_states,
        automaton.n_classes,
        compile_ms,
        len(range(0, 0x110000, step)) - len([c for c in range(0xD800, 0xE000) if c % step == 0]),
        counts[1],
        counts[2],
        tuple(differences),
    )
