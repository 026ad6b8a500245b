"""Added tokens that have the same blanks: one takes those behind it, the next begins with them.

Enters: a text's added tokens with their places, each character in one place. Leaves: the places
that the reference gives, in which both tokens have the blanks. Held back: nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tokstream.compat.huggingface.added import WHITE_SPACE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tokstream.compat.huggingface.added import AddedToken

__all__ = ["Overlaps"]

Offsets = tuple[int, int]

_BLANKS = re.compile(f"[{WHITE_SPACE}]*")


def _begins_blank(text: str) -> bool:
    return text != text.lstrip(WHITE_SPACE)


class Overlaps:
    """The added tokens of a tokenizer that may have blanks of others.

    Args:
        tokens: its added tokens by id.
        looked_for: gives the text that a token is found by.
    """

    def __init__(self, tokens: Mapping[int, AddedToken], looked_for: Callable[[int], str]) -> None:
        self._tokens = tokens
        takes = {k: t for k, t in tokens.items() if t.rstrip}
        self._takes = takes
        self._begins = {k: t for k, t in tokens.items() if takes and _begins_blank(looked_for(k))}

    def __bool__(self) -> bool:
        return bool(self._begins and self._takes)

    def occur(self, ids: Sequence[int]) -> bool:
        """Are there tokens of both kinds among the ids?"""
        return not (self._takes.keys().isdisjoint(ids) or self._begins.keys().isdisjoint(ids))

    def put(
        self, text: str, ids: Sequence[int], offsets: list[Offsets], added: Sequence[int]
    ) -> None:
        """Let tokens have the blanks behind them that the next token begins with.

        Args:
            text: the text.
            ids: its ids.
            offsets: their places; they are changed.
            added: indices of the added tokens that were found, in order.

        Cost: O(added tokens and blanks behind them).
        """
        wall = len(text)  # what is found in the text before it is normalized ends a text
        following = -1
        for at in reversed(added):
            start, end = offsets[at]
            takes, begins = self._takes.get(ids[at]), None
            if takes is not None and following == at + 1 and offsets[following][0] == end:
                begins = self._begins.get(ids[following])
            if takes is not None and begins is not None and begins.normalized == takes.normalized:
                if blanks := _BLANKS.match(text, end, wall if takes.normalized else len(text)):
                    end = blanks.end()
                offsets[at] = start, end
                if begins.lstrip:  # it would take them, too, and leaves them where they are taken
                    offsets[following] = min(end, offsets[following][1]), offsets[following][1]
            if not self._tokens[ids[at]].normalized:
                wall = start
            following = at
