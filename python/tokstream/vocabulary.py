"""A vocabulary: the tokens of a tokenizer in merge-rank order, and the ids they are written as.

Enters: token bytes with their ids, from a file format or an embedded encoding.
Leaves: three flat tables that the native core reads in place, checked once and then immutable.
Held back: nothing; special tokens are not part of a vocabulary.

Merge rank and id are two things. In a rank file they are the same number, with holes where
special tokens live; other formats number their tokens freely. The position in the tables is the
rank (holes closed, which changes no comparison between ranks), `ids` says what is written.
"""

from __future__ import annotations

import sys
from array import array
from itertools import accumulate, islice, pairwise
from operator import lt
from weakref import WeakValueDictionary

from tokstream._checks import MAX_TOKEN_ID, as_table, check_tokens, id_out_of_range, wrong_type
from tokstream._light import TYPE_CHECKING, final
from tokstream.errors import VocabularyError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, Self

__all__ = ["Vocabulary"]

_given_out: WeakValueDictionary[str, Vocabulary] = WeakValueDictionary()
"""Vocabularies by digest whose ranks somebody has: they may well come back."""


@final
class Vocabulary:
    """Tokens in merge-rank order; immutable, hashable, equal when the content is equal.

    Build one with `from_ranks` or `from_tables`, which check what they are given.

    Attributes:
        blob: the bytes of all tokens, one after the other in merge-rank order.
        lengths: bytes per token, `len(vocabulary)` of them; read only by agreement.
        ids: the id of the k-th token in merge-rank order; read only by agreement.
    """

    __slots__ = ("__weakref__", "_digest", "_n_vocab", "_starts", "blob", "ids", "lengths")

    blob: bytes
    lengths: array[int]
    ids: array[int]
    _starts: array[int] | None
    _digest: str | None
    _n_vocab: int | None

    def __init__(self) -> None:
        raise TypeError("build a Vocabulary with Vocabulary.from_ranks or Vocabulary.from_tables")

    @classmethod
    def _from_checked(cls, blob: bytes, lengths: array[int], ids: array[int]) -> Self:
        """Take tables that are known to be sound (embedded and hash-tested, or checked here)."""
        self = object.__new__(cls)
        for name, value in (
            ("blob", blob),
            ("lengths", lengths),
            ("ids", ids),
            ("_starts", None),
            ("_digest", None),
            ("_n_vocab", None),
        ):
            object.__setattr__(self, name, value)
        return self

    @classmethod
    def from_ranks(cls, ranks: Mapping[bytes, int]) -> Self:
        """Build from a rank table, where the merge rank of a token is also its id.

        Args:
            ranks: token bytes to rank, in any order; ranks may have holes.

        Returns:
            The vocabulary, in increasing order of rank.

        Raises:
            VocabularyError: an empty token, a token that is not bytes, a rank that is not an
                integer in 0..2**32-2 or is given twice, or a missing single byte.

        Cost: O(n log n) for n tokens; O(n) if they come in order of rank. What `to_ranks` gave is
        known again, and not checked once more.
        """
        if not ranks:
            raise VocabularyError("the vocabulary has no tokens; is this the right file?")
        if set(map(type, ranks)) != {bytes} or set(map(type, ranks.values())) != {int}:
            raise VocabularyError(wrong_type(ranks))
        if (known := _known_again(ranks)) is not None:
            return known
        ids = list(ranks.values())
        tokens: list[bytes] = list(ranks)
        if any(a > b for a, b in pairwise(ids)):
            tokens.sort(key=ranks.__getitem__)
            ids.sort()
        for token, rank in ((tokens[0], ids[0]), (tokens[-1], ids[-1])):
            if not 0 <= rank <= MAX_TOKEN_ID:
                raise VocabularyError(id_out_of_range(token, rank))
        check_tokens(tokens, ids, ranks.keys(), require_all_bytes=True)
        return cls._from_checked(
            b"".join(tokens), array("I", list(map(len, tokens))), array("I", ids)
        )

    @classmethod
    def from_tables(
        cls,
        blob: bytes,
        lengths: Iterable[int],
        ids: Iterable[int],
        *,
        require_all_bytes: bool = True,
    ) -> Self:
        """Build from flat tables in merge-rank order, where ids may differ from ranks.

        Args:
            blob: the bytes of all tokens in merge-rank order.
            lengths: bytes per token; their sum is `len(blob)`.
            ids: one id per token, in 0..2**32-2, all different.
            require_all_bytes: whether each of the 256 single bytes must be a token. Only a
                format with another way to spell a byte (byte fallback, unknown token) may say no.

        Returns:
            The vocabulary.

        Raises:
            VocabularyError: the tables do not fit together, or hold an empty token, a token
                twice, an id twice or out of range, or lack a single byte.

        Cost: O(n) for n tokens, one `bytes` object per token for the time of the check.
        """
        blob = bytes(blob)
        length_table = as_table(lengths, "length")
        id_table = as_table(ids, "id")
        if len(length_table) != len(id_table):
            raise VocabularyError(
                f"{len(length_table)} token lengths but {len(id_table)} ids; "
                "every token needs one of each"
            )
        if (total := sum(length_table)) != len(blob):
            raise VocabularyError(
                f"the token lengths add up to {total} bytes but the tokens have {len(blob)}; "
                "the tables do not belong together or are cut short"
            )
        if not id_table:
            raise VocabularyError("the vocabulary has no tokens; is this the right file?")
        self = cls._from_checked(blob, length_table, id_table)
        tokens = list(self.tokens())
        check_tokens(tokens, id_table, set(tokens), require_all_bytes=require_all_bytes)
        if (largest := max(id_table)) > MAX_TOKEN_ID:
            raise VocabularyError(id_out_of_range(tokens[id_table.index(largest)], largest))
        return self

    def __len__(self) -> int:
        """Return the number of tokens."""
        return len(self.ids)

    @property
    def n_vocab(self) -> int:
        """One more than the largest id; 0 for an empty vocabulary. Cost: O(n), once."""
        if self._n_vocab is None:
            object.__setattr__(self, "_n_vocab", max(self.ids, default=-1) + 1)
        assert self._n_vocab is not None
        return self._n_vocab

    @property
    def max_token_bytes(self) -> int:
        """Bytes in the longest token; 0 for an empty vocabulary. Cost: O(n)."""
        return max(self.lengths, default=0)

    @property
    def starts(self) -> array[int]:
        """Where each token begins in `blob`: n + 1 offsets, the last is `len(blob)`.

        Cost: O(n) the first time.
        """
        if self._starts is None:
            object.__setattr__(self, "_starts", array("I", accumulate(self.lengths, initial=0)))
        assert self._starts is not None
        return self._starts

    def token(self, rank: int) -> bytes:
        """Return the bytes of the token at a position in merge-rank order, 0 <= rank < len.

        Raises:
            IndexError: no such position.
        """
        if not 0 <= rank < len(self):
            raise IndexError(f"position {rank} is outside a vocabulary of {len(self)} tokens")
        start = self.starts[rank]
        return self.blob[start : start + self.lengths[rank]]

    def tokens(self) -> Iterator[bytes]:
        """Yield the bytes of every token in merge-rank order."""
        blob = self.blob
        return (blob[start:end] for start, end in pairwise(self.starts))

    def to_ranks(self) -> dict[bytes, int]:
        """Return a new dict from token bytes to id, in merge-rank order."""
        ranks = dict(zip(self.tokens(), self.ids, strict=True))
        if len(ranks) == len(self) and _are_sound(ranks, self.ids):
            _given_out[self.content_digest()] = self
        return ranks

    def to_rank_file(self) -> bytes:
        r"""Return the text of the rank file: one line `base64 SP id LF` per token, in rank order.

        Raises:
            VocabularyError: ids do not increase with merge rank, which a rank file cannot say.
        """
        from binascii import b2a_base64  # noqa: PLC0415 - seldom needed

        if any(a >= b for a, b in pairwise(self.ids)):
            raise VocabularyError(
                "the ids do not increase with merge rank, so no rank file can hold this "
                "vocabulary: there, the id of a token is its merge rank"
            )
        return b"".join(
            b"%b %d\n" % (b2a_base64(token, newline=False), token_id)
            for token, token_id in zip(self.tokens(), self.ids, strict=True)
        )

    def content_digest(self) -> str:
        """Return the sha256, in hex, of a canonical form of the content.

        The form is a version line, the number of tokens, then lengths and ids as little-endian
        32-bit numbers, then the blob. The same on every machine. Cost: O(bytes), once.
        """
        if self._digest is None:
            import hashlib  # noqa: PLC0415 - encodings know theirs

            digest = hashlib.sha256(b"tokstream vocabulary 1\n%d\n" % len(self))
            digest.update(_little_endian(self.lengths))
            digest.update(_little_endian(self.ids))
            digest.update(self.blob)
            object.__setattr__(self, "_digest", digest.hexdigest())
        assert self._digest is not None
        return self._digest

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Vocabulary is immutable: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Vocabulary is immutable: {name} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        return self is other or (
            self.blob == other.blob and self.lengths == other.lengths and self.ids == other.ids
        )

    def __hash__(self) -> int:
        return hash(self.content_digest())

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.blob, self.lengths, self.ids)

    def __repr__(self) -> str:
        return f"<Vocabulary of {len(self)} tokens, {len(self.blob)} bytes>"


def _known_again(ranks: Mapping[bytes, int]) -> Vocabulary | None:
    """Return the vocabulary whose `to_ranks` gave these ranks, in this order, if it is alive."""
    if not _given_out:
        return None
    try:
        ids = array("I", ranks.values())
    except OverflowError:  # checking them will say which
        return None
    lengths = array("I", map(len, ranks))
    digest = Vocabulary._from_checked(b"".join(ranks), lengths, ids).content_digest()  # noqa: SLF001
    return _given_out.get(digest)


def _are_sound(ranks: Mapping[bytes, int], ids: array[int]) -> bool:
    """Tell whether `from_ranks` would make of distinct tokens the tables that they came from."""
    in_order = all(map(lt, ids, islice(ids, 1, None)))
    return in_order and b"" not in ranks and all(bytes((b,)) in ranks for b in range(256))


def _restore(blob: bytes, lengths: array[int], ids: array[int]) -> Vocabulary:
    """Unpickle; checked again, since a pickle may come from anywhere."""
    return Vocabulary.from_tables(blob, lengths, ids, require_all_bytes=False)


def _little_endian(table: array[int]) -> bytes:
    if sys.byteorder == "little":
        return table.tobytes()
    swapped = array("I", table)
    swapped.byteswap()
    return swapped.tobytes()
