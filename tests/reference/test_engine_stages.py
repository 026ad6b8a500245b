"""The engine's normalizers and levels against the reference's, character by character.

What one has given out is a beginning of what the other has: either may know something sooner.
"""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING, Any, get_args

import pytest

from tokstream import _core as stub
from tokstream.patterns import compile_pattern
from tokstream.reference.cascade import Behaviour, Cascade, FixedLength, Level, Split
from tokstream.reference.forms import Form
from tokstream.reference.normalize import (
    Lowercase,
    Normalizer,
    Prepend,
    Replace,
    Step,
    Strip,
    StripAccents,
    joined,
)
from tokstream.reference.pretokens import CUT, Pretoken

if TYPE_CHECKING:
    from collections.abc import Callable

_core: Any = stub
if not hasattr(_core, "Levels") or not hasattr(_core, "Normalize"):
    pytest.skip("this engine has no normalizers and levels", allow_module_level=True)

PATTERNS = ["a+", "ab|b", "ab+c|b", "(?:aa|bb)*c", r"a(?!b)", "abc|ab|bb"]
CASES = list(product(PATTERNS, get_args(Behaviour), (False, True)))


def level(rng: random.Random) -> tuple[Level, tuple[Any, ...]]:
    if rng.random() < 0.1:
        return FixedLength(2), ("fixed_length", 2)
    pattern, behaviour, invert = rng.choice(CASES)
    automaton = compile_pattern(pattern, "tokenizers", partial=True)
    ours = Split(automaton, behaviour, invert=invert)
    return ours, ("split", automaton.to_bytes(), behaviour, invert)


def marks(marked: list[Pretoken]) -> str:
    return "".join("|" if part is CUT else part for part in marked)


def native_marks(marked: list[tuple[bytes, int] | None]) -> str:
    return "".join("|" if part is None else part[0].decode() for part in marked)


def test_cascades() -> None:
    rng = random.Random(0)
    for _ in range(600):
        levels = [level(rng) for _ in range(rng.randint(1, 3))]
        cascade = Cascade(ours for ours, _ in levels)
        native = _core.Levels([theirs for _, theirs in levels])
        text = "".join(rng.choices("abc", k=rng.randint(0, 14)))
        ours = theirs = ""
        for character in text:
            ours += marks(cascade.push(character))
            theirs += native_marks(native.push(character))
            assert ours.startswith(theirs) or theirs.startswith(ours), (text, ours, theirs)
        ours += marks(cascade.finish())
        theirs += native_marks(native.finish())
        assert ours == theirs, text


# characters that both versions of Unicode know
ALPHABET = (
    "aeoqsAEΣİßéüǖåΩᾳ漢가각ﬁ²①ﾞ豈 \u00a0\n긱\u0301\u0308\u0323\u0327\u0345\u0338\u3099\u09c7\u09be"
)
STEPS: list[tuple[Callable[[], Step], tuple[Any, ...]]] = [
    (lambda: Form("NFC"), ("nfc",)),
    (lambda: Form("NFD"), ("nfd",)),
    (lambda: Form("NFKC"), ("nfkc",)),
    (lambda: Form("NFKD"), ("nfkd",)),
    (Lowercase, ("lowercase",)),
    (StripAccents, ("strip_accents",)),
    (lambda: Strip(left=True, right=True), ("strip", True, True)),
    (lambda: Strip(left=False, right=True), ("strip", False, True)),
    (lambda: Prepend("▁"), ("prepend", "▁")),
    (lambda: Replace(" ", "▁"), ("replace", " ", "▁")),
    (lambda: Replace("ae", "x"), ("replace", "ae", "x")),
]


def test_normalizers() -> None:
    rng = random.Random(1)
    for _ in range(600):
        steps = rng.choices(STEPS, k=rng.randint(1, 4))
        normalizer = Normalizer(make() for make, _ in steps)
        native = _core.Normalize([spec for _, spec in steps])
        text = "".join(rng.choices(rng.sample(ALPHABET, 8), k=rng.randint(0, 10)))
        for _ in range(2):  # a second segment with the same objects
            ours = theirs = ""
            n_ours = n_theirs = fed = 0
            for part in [*text, None]:
                given = normalizer.finish() if part is None else normalizer.push(part)
                found = native.finish() if part is None else native.push(part)
                ours += joined(given)
                theirs += b"".join(data for data, _ in found).decode()
                n_ours += sum(n for _, n in given)
                n_theirs += sum(n for _, n in found)
                fed += len((part or "").encode())
                assert theirs.startswith(ours) or ours.startswith(theirs), (text, ours, theirs)
                assert n_theirs + native.n_held == fed
            assert ours == theirs, (text, steps)
            assert n_ours == n_theirs == fed
