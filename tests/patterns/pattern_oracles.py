"""What the reference engines cut, to compare with.

In: a pattern and texts. Out: the texts on which the engine's pretokens differ from ours.

`tokenizers` shows its splits. tiktoken does not: it only shows tokens. But it looks up a whole
pretoken first, and merges only pairs that are entries, so two vocabularies show the cuts:

* LONG: all single bytes, our pretokens of three bytes or more, and, wherever shorter pretokens of
  ours stand side by side, every stretch of three bytes or more of such a run. There is no entry of
  two bytes, hence nothing ever merges: an entry in the output is a whole pretoken. So equal output
  means that all long pretokens are the same, and that between them tiktoken has no long ones.
* PAIRS: all single bytes and all pairs of bytes. Where all pretokens have one or two bytes, each
  of them is one token.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import tiktoken
from tokenizers import Regex, pre_tokenizers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["TiktokenOracle", "TokenizersOracle"]

_BYTES = {bytes([value]): value for value in range(256)}
_LONGEST_STRETCH = 48  # of a run of short pretokens, in bytes; more than the texts contain in a row


class TokenizersOracle:
    """A split with the behaviour "isolated": matches, and what lies between them."""

    def __init__(self, pattern: str) -> None:
        self.splitter = pre_tokenizers.Split(Regex(pattern), "isolated")

    def differences(self, texts: Iterable[str], split: Callable[[str], list[str]]) -> list[str]:
        pre_tokenize = self.splitter.pre_tokenize_str
        return [t for t in texts if [piece for piece, _ in pre_tokenize(t)] != split(t)]


@lru_cache(maxsize=1)
def _pairs() -> dict[bytes, int]:
    entries = dict(_BYTES)
    for first in range(256):
        for second in range(256):
            entries[bytes((first, second))] = len(entries)
    return entries


class TiktokenOracle:
    """tiktoken with vocabularies that betray its cuts; see the module's text."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.pairs = self._encoding(_pairs())
        self.pair_ids: dict[bytes, list[int]] = {}

    def _encoding(self, ranks: dict[bytes, int]) -> tiktoken.Encoding:
        return tiktoken.Encoding(
            "oracle", pat_str=self.pattern, mergeable_ranks=ranks, special_tokens={}
        )

    def differences(self, texts: Sequence[str], split: Callable[[str], list[str]]) -> list[str]:
        ours = [[piece.encode() for piece in split(text)] for text in texts]
        long_ranks = dict(_BYTES)
        for pieces in ours:
            self._add_entries(pieces, long_ranks)
        long = self._encoding(long_ranks)
        wrong: list[str] = []
        for text, pieces in zip(texts, ours, strict=True):
            expected: list[int] = []
            for piece in pieces:
                if len(piece) > 2:
                    expected.append(long_ranks[piece])
                else:
                    expected.extend(piece)
            if long.encode_ordinary(text) != expected or self._pairs_differ(text, pieces):
                wrong.append(text)
        return wrong

    @staticmethod
    def _add_entries(pieces: list[bytes], ranks: dict[bytes, int]) -> None:
        run = b""
        for piece in [*pieces, b"   "]:
            if len(piece) <= 2:
                run += piece
                continue
            for begin in range(len(run) - 2):
                for end in range(begin + 3, min(len(run), begin + _LONGEST_STRETCH) + 1):
                    ranks.setdefault(run[begin:end], len(ranks))
            run = b""
            ranks.setdefault(piece, len(ranks))

    def _pairs_differ(self, text: str, pieces: list[bytes]) -> bool:
        expected: list[int] = []
        for piece in pieces:
            ids = self.pair_ids.get(piece)
            if ids is None:
                ids = self.pairs._core_bpe.encode_single_piece(piece)
                if len(piece) <= 16:
                    self.pair_ids[piece] = ids
            expected.extend(ids)
        return self.pairs.encode_ordinary(text) != expected
