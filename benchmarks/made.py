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

__all__ = ["PATTERNS", "reference", "tokenizer"]

TESTS = Path(__file__).resolve().parents[1] / "tests"

PATTERNS = {
    # An a may be the first of a thousand and a b, and is a pretoken by itself if not.
    "lookback-1000": r"a{1000}b|[\s\S]",
    # Pairs may be followed by a c, however far away.
    "lookback-infinite": r"(?:aa|bb)*c|[\s\S]",
}
"""By name; each made tokenizer has the bytes and the tokens below."""
TOKENS = (b"aa", b"bb", b"aaaa", b"ab")


def tokenizer(name: str) -> tokstream.Tokenizer:
    """Return our tokenizer of a name."""
    if name not in PATTERNS:
        return tokstream.get_encoding(name)
    return tokstream.Tokenizer(name, Vocabulary.from_ranks(_ranks()), PATTERNS[name])


def reference(name: str) -> tiktoken.Encoding:
    """Return the reference's tokenizer of a name."""
    import tiktoken  # noqa: PLC0415 - our engine's process has no use for it

    if name in PATTERNS:
        return tiktoken.Encoding(
            name, pat_str=PATTERNS[name], mergeable_ranks=_ranks(), special_tokens={}
        )
    if str(TESTS) not in sys.path:
        sys.path.insert(0, str(TESTS))
    from data import tiktoken_encoding  # noqa: PLC0415 - it needs the test extra

    return tiktoken_encoding(name)


def _ranks() -> dict[bytes, int]:
    ranks = {bytes([byte]): byte for byte in range(256)}
    return ranks | {token: 256 + k for k, token in enumerate(TOKENS)}
