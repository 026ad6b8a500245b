"""Scores of pieces → merges, as the engine takes them.

Enters: the model. Leaves: pieces that merging can make, and merges in order of score. Refused:
equal scores, by which the reference takes whichever stands first in the text, except where that
makes no difference.
"""

from __future__ import annotations

from array import array
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from tokstream import _core
from tokstream.formats.document import shown
from tokstream.formats.joined import joined
from tokstream.formats.sentencepiece.model import NORMAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tokstream.formats.sentencepiece.model import SentencePieceModel

__all__ = ["merges_of"]

_NEVER = 2**32


def merges_of(model: SentencePieceModel) -> tuple[list[str], list[int], array[int]]:
    """Return the pieces that text is made of, their ids, and merges between them.

    The reference merges any two neighbours that are a piece together, the one with the best score
    first. So every way to split a piece into two is a merge. Where two such merges of one piece
    can overlap in a text (the piece ends as it begins), only the one that makes the piece by
    itself is listed: the other never happens.

    Raises:
        UnsupportedTokenizerError: equal scores that matter.

    Cost: O(bytes · longest piece).
    """
    order = sorted(
        (k for k, kind in enumerate(model.kinds) if kind == NORMAL),
        key=lambda k: -model.scores[k],  # sorted() is stable: by id where scores are equal
    )
    pieces = [model.pieces[k] for k in order]
    _refuse_equal_scores(model, order, {piece: rank for rank, piece in enumerate(pieces)})
    merges = array("I")
    merges.frombytes(_core.merges_by_score(*joined(pieces)))
    return pieces, order, merges


def _refuse_equal_scores(
    model: SentencePieceModel, order: Sequence[int], ranks: Mapping[str, int]
) -> None:
    """Refuse equal scores, unless the pieces are runs of one character that merge alike.

    Runs of blanks often have the lowest score, all the same. Runs of every length come out alike
    if those up to a bound do. Of m merges that make pieces of at most t characters, each moves what
    a text's end decides by at most t towards its beginning, so the first piece is the same for all
    runs of at least (m + 1) t; and what follows it is what a run of the remaining length becomes.

    Cost: O((m t)³), a third of a second for the fifteen runs of blanks of Llama 2.
    """
    longer = [k for k in order if len(model.pieces[k]) > 1]
    for score, group in groupby(longer, key=lambda k: model.scores[k]):
        tied = [model.pieces[k] for k in group]
        if len(tied) < 2:
            continue
        character = tied[0][0]
        why = _why_not(model, tied, character, score)
        if why is None:
            longest = max(map(len, tied))
            by_length = {len(piece): ranks[piece] for piece in tied}
            for n in range(2, (len(tied) + 2) * longest + 1):
                if _leftmost(n, by_length) != _ranked(n, by_length):
                    why = f"a run of {n} characters {character!r} would be merged otherwise"
                    break
        if why is not None:
            raise model.unsupported(
                f"the equal scores of {shown(tied[0])} and {shown(tied[1])}", why
            )


def _why_not(
    model: SentencePieceModel, tied: Sequence[str], character: str, score: float
) -> str | None:
    if any(piece.strip(character) for piece in tied):
        return "of two merges with equal scores the reference takes the first in the text"
    for k, kind in enumerate(model.kinds):
        piece = model.pieces[k]
        if kind != NORMAL or len(piece) < 2 or character not in piece or piece in tied:
            continue
        if model.scores[k] < score or character in piece[1:]:
            return f"they could be merged into {shown(piece)} at the wrong time"
    return None


def _leftmost(n: int, ranks: Mapping[int, int]) -> list[int]:
    """Lengths that a run of n becomes if the leftmost possible merge is always the next."""
    parts = [1] * n
    k = 0
    while k + 1 < len(parts):
        if parts[k] + parts[k + 1] in ranks:
            parts[k : k + 2] = [parts[k] + parts[k + 1]]
            k = max(k - 1, 0)
        else:
            k += 1
    return parts


def _ranked(n: int, ranks: Mapping[int, int]) -> list[int]:
    """Lengths that a run of n becomes if merges happen in order of rank."""
    parts = [1] * n
    while True:
        pairs = [ranks.get(a + b, _NEVER) for a, b in pairwise(parts)]
        best = min(pairs, default=_NEVER)
        if best == _NEVER:
            return parts
        k = pairs.index(best)
        parts[k : k + 2] = [parts[k] + parts[k + 1]]
