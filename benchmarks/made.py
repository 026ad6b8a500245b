"""Tokenizers by name: the embedded encodings, and small ones made for what a pattern can do.

Enters: a name. Leaves: the tokenizer, ours or the reference's, of equal vocabulary and pattern.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import tokstream
from tokstream.vocabulary import Vocabulary

if TYPE_CHECKING:
    import tiktoken

__all__ = ["MADE", "reference", "tokenizer"]

TESTS = Path(__file__).resolve().parents[1] / "tests"

FEW = (b"aa", b"bb", b"aaaa", b"ab")
WHOLE = r"[\s\S]+"
"""All of a text is one pretoken, so that only the vocabulary counts."""


def _fibonacci() -> tuple[bytes, ...]:
    shorter, longer = b"a", b"ab"
    words = []
    while len(longer) < 400:
        words.append(longer)
        shorter, longer = longer, longer + shorter
    return tuple(words)


MADE: dict[str, tuple[str, tuple[bytes, ...]]] = {
    # An a may be the first of a thousand and a b, and is a pretoken by itself if not.
    "lookback-1000": (r"a{1000}b|[\s\S]", FEW),
    # Pairs may be followed by a c, however far away.
    "lookback-infinite": (r"(?:aa|bb)*c|[\s\S]", FEW),
    # Each token ends with all shorter ones, so that a text has 256 of them at every place.
    "letters-256": (WHOLE, tuple(b"a" * n for n in range(2, 257))),
    # Of every two tokens that overlap one is nearly the other, and which one fits is seen late.
    "pairs-256": (WHOLE, tuple(b * k for k in range(1, 129) for b in (b"ab", b"ba"))[1:]),
    # Words that repeat themselves as much as words without a period can.
    "fibonacci": (WHOLE, _fibonacci()),
}
"""By name: a pattern, and tokens beside the single bytes."""


def tokenizer(name: str) -> tokstream.Tokenizer:
    """Return our tokenizer of a name."""
    if name not in MADE:
        return tokstream.get_encoding(name)
    pattern, tokens = MADE[name]
    return tokstream.Tokenizer(name, Vocabulary.from_ranks(_ranks(tokens)), pattern)


def reference(name: str) -> tiktoken.Encoding:
    """Return the reference's tokenizer of a name."""
    import tiktoken  # noqa: PLC0415 - our engine's process has no use for it

    if name in MADE:
        pattern, tokens = MADE[name]
        return tiktoken.Encoding(
            name, pat_str=pattern, mergeable_ranks=_ranks(tokens), special_tokens={}
        )
    if str(TESTS) not in sys.path:
        sys.path.insert(0, str(TESTS))
    from data import tiktoken_encoding  # noqa: PLC0415 - it needs the test extra

    return tiktoken_encoding(name)


def _ranks(tokens: tuple[bytes, ...]) -> dict[bytes, int]:
    ranks = {bytes([byte]): byte for byte in range(256)}
    return ranks | {token: 256 + k for k, token in enumerate(tokens)}
