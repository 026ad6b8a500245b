"""A vocabulary with merges → the tables that the engine merges by.

Enters: tokens as bytes with their ids and the merges between them. Leaves: the reachable tokens in
canonical order (`Vocabulary`), the hidden ones with what they are written as, and the tokens that
no text becomes, which are kept for decoding. The heavy loops are the native core's.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Literal

from tokstream import _core
from tokstream.formats.characters import expansion
from tokstream.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Buffer

__all__ = ["MergeTables", "Unknown", "order_tokens"]

_HIDDEN = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Unknown:
    """What a format has for text that is no token.

    Attributes:
        byte_ids: id of the token for each byte, or None.
        unk_id: id of the unknown token, or None; then such text vanishes.
        fuse: whether several unknown tokens in a row in a pretoken become one.
    """

    byte_ids: tuple[int, ...] | None = None
    unk_id: int | None = None
    fuse: bool = False


@dataclass(frozen=True, slots=True)
class MergeTables:
    """What the engine takes of a vocabulary.

    Attributes:
        vocabulary: tokens in canonical order, hidden ones included, with internal ids.
        expansions: internal id of each hidden token to the ids it is written as.
        unreachable: (bytes, id) of tokens that merging does not lead to.
        rules: how each token comes into being, for the engine.
    """

    vocabulary: Vocabulary
    expansions: dict[int, tuple[int, ...]]
    unreachable: tuple[tuple[bytes, int], ...]
    rules: bytes


def order_tokens(
    tokens: Sequence[bytes],
    ids: Sequence[int],
    merges: array[int],
    *,
    units: Literal["bytes", "characters"],
    unknown: Unknown,
    first_free_id: int,
    has_begin_marker: bool = False,
    has_end_marker: bool = False,
) -> MergeTables:
    """Put a vocabulary into canonical order by its merges.

    Args:
        tokens: bytes of the tokens, all different, in any order.
        ids: their ids.
        merges: positions in `tokens`, two for each merge; earlier merges are stronger.
        units: what merging starts from.
        unknown: what text becomes that is no token.
        first_free_id: hidden tokens get ids from here on.
        has_begin_marker: whether tokens that begin a pretoken have FE before them.
        has_end_marker: whether tokens that end a pretoken have FF behind them.

    Raises:
        VocabularyError: merges that the engine cannot honour exactly.

    Cost: O(bytes · log), some tenths of a second for half a million merges.
    """
    blob, lengths, order, unreachable, rules = _core.canonical_order(
        b"".join(tokens),
        _buffer(array("I", list(map(len, tokens)))),
        _buffer(merges),
        units,
        has_begin_marker,
        has_end_marker,
    )
    internal = [_HIDDEN if at == _HIDDEN else ids[at] for at in _numbers(order)]
    expansions: dict[int, tuple[int, ...]] = {}
    if _HIDDEN in internal:
        starts = list(accumulate(_numbers(lengths), initial=0))
        for k, token_id in enumerate(internal):
            if token_id == _HIDDEN:
                internal[k] = first_free_id + len(expansions)
                expansions[internal[k]] = expansion(
                    blob[starts[k] : starts[k + 1]],
                    byte_ids=unknown.byte_ids,
                    unk_id=unknown.unk_id,
                    is_byte_level=units == "bytes",
                )
    return MergeTables(
        vocabulary=Vocabulary._from_checked(  # noqa: SLF001 - checked and ordered by the core
            blob, _numbers(lengths), array("I", internal)
        ),
        expansions=expansions,
        unreachable=tuple([(tokens[at], ids[at]) for at in _numbers(unreachable)]),
        rules=rules,
    )


def _buffer(table: array[int]) -> Buffer:
    """Return a buffer that is aligned even if it is empty, which an empty array's is not."""
    return table or memoryview(array("I", (0,)))[:0]


def _numbers(data: bytes) -> array[int]:
    table = array("I")
    table.frombytes(data)
    return table
