"""Texts on which pretokenization patterns are compared with their reference engines.

In: an automaton (for its classes) and a seed. Out: texts: exhaustive over classes, random over an
adversarial alphabet, and every code point in a few contexts. Seeded, so every run has the same.
"""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokstream.patterns.automaton import Automaton

__all__ = ["ALPHABET", "class_members", "class_texts", "every_code_point", "random_texts"]

# Whitespace mixes, apostrophes and the letters of contractions in all cases (with U+017F and
# U+212A), marks, title-case and modifier letters, digits of other scripts, emoji with joiners,
# scripts without case, NUL, private use and unassigned code points.
ALPHABET = (
    " \n\r\t\x0b\x0c\x85\xa0\u1680\u2003\u2028\u2029\u3000\u200b\ufeff"
    "''’\u02bcsStTdDmMlLvVeErR\u017f\u212a"
    "aZéÉßẞǅʰªµσςΣİıа"
    "\u0301\u0300\u20dd\u093f\u200c\u200d\ufe0f"
    "059²½Ⅷ٣۴९\U0001d7d9①"
    '.,!?…。，、।۔،/\\_-()[]{}<>@#$%^&*+=|~`"€'
    "中文字一龥㐀\U00020000々〇ぁゟァヿ한글กาअक"
    "\U0001f600\U0001f468\U0001f3fd\u2764"
    "\0\x01\x1f\x7f\xad\ue000\u0378\U000e0100\U0010ffff"
)


def class_members(automaton: Automaton, limit: int = 40, seed: int = 7) -> list[list[str]]:
    """Up to `limit` code points of each class: the first few, and others at random."""
    members: list[list[int]] = [[] for _ in range(automaton.n_classes)]
    blocks = memoryview(automaton.class_blocks)
    for high, block in enumerate(automaton.class_index):
        for low, number in enumerate(blocks[block << 6 : (block + 1) << 6]):
            members[number].append(high << 6 | low)
    rng = random.Random(seed)
    result: list[list[str]] = []
    for code_points in members:
        fine = [cp for cp in code_points if not 0xD800 <= cp <= 0xDFFF]
        some = fine[:4] + rng.sample(fine, min(len(fine), limit))
        result.append([chr(cp) for cp in dict.fromkeys(some)])
    return result


def class_texts(automaton: Automaton, length: int, per_choice: int = 1) -> Iterator[str]:
    """Every sequence of up to `length` classes, each with `per_choice` choices of code points."""
    members = class_members(automaton)
    rng = random.Random(automaton.n_states)
    for n in range(1, length + 1):
        for classes in itertools.product(members, repeat=n):
            for _ in range(per_choice):
                yield "".join(rng.choice(choice) for choice in classes)


def random_texts(automaton: Automaton, count: int, seed: int) -> Iterator[str]:
    """Texts of 1 to 24 code points: half over `ALPHABET`, half class by class with repeats."""
    members = class_members(automaton)
    rng = random.Random(seed)
    for number in range(count):
        length = min(1 + int(rng.expovariate(0.12)), 24)
        if number % 2:
            narrow = rng.choices(ALPHABET, k=rng.randint(2, 8)) if number % 4 == 1 else ALPHABET
            yield "".join(rng.choices(narrow, k=length))
        else:
            few = rng.choices(members, k=rng.randint(2, 6))
            yield "".join(rng.choice(rng.choice(few)) for _ in range(length))


def every_code_point(step: int = 1, per_text: int = 32) -> Iterator[str]:
    """Texts that contain every `step`-th code point alone and beside each kind of neighbour."""
    chosen = [cp for cp in range(0, 0x110000, step) if not 0xD800 <= cp <= 0xDFFF]
    for at in range(0, len(chosen), per_text):
        characters = map(chr, chosen[at : at + per_text])
        yield "".join(f"a{c}A{c} {c}1{c}{c}.{c}\n{c}'{c}中" for c in characters)
