"""From ids back to text, as each format's reference does it, whole or while ids arrive.

Enters: ids. Leaves: text. Held back: what a later id can still change, such as the bytes of a
character that byte tokens have not completed, or the last token where the last one is special.

Tokenizers whose tokens are bytes need nothing of this: their text is the tokens' bytes, joined.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from operator import index
from typing import TYPE_CHECKING

from tokstream.errors import InvalidTokenIdError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Decoder", "Decoding", "unknown_id"]


class Decoding(ABC):
    """The state of one decoding. For every way of cutting the ids, the joined result is the same.

    Text comes with bytes that are not UTF-8 as lone surrogates (`surrogateescape`) if the decoding
    was begun raw.
    """

    @abstractmethod
    def push(self, ids: Iterable[int]) -> str:
        """Read more ids; return the text that no later id can change.

        Raises:
            InvalidTokenIdError: an id that the tokenizer does not have; nothing is consumed.
        """

    @abstractmethod
    def finish(self) -> str:
        """End the ids; return the rest of the text."""


class Decoder(ABC):
    """How one tokenizer's ids become text; immutable."""

    @abstractmethod
    def begin(self, *, raw: bool = False) -> Decoding:
        """Return the state at the beginning.

        Args:
            raw: give bytes that are not UTF-8 as lone surrogates, instead of U+FFFD.
        """

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids, as the reference does.

        Raises:
            InvalidTokenIdError: an id that the tokenizer does not have.
        """
        decoding = self.begin()
        return decoding.push(ids) + decoding.finish()

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the same as bytes, in which byte tokens are what they say, UTF-8 or not."""
        decoding = self.begin(raw=True)
        return (decoding.push(ids) + decoding.finish()).encode("utf-8", "surrogateescape")


def unknown_id(ids: Iterable[object], known: Mapping[int, object]) -> InvalidTokenIdError:
    """Return the error that names the first id that is not known."""
    for at, token_id in enumerate(ids):
        if (number := index(token_id)) not in known:  # type: ignore[arg-type]
            largest = max(known, default=-1)
            return InvalidTokenIdError(
                f"id {number} at index {at} is no token; ids are 0..{largest}, with holes"
                if number <= largest
                else f"id {number} at index {at} is no token; ids are below {largest + 1}",
                number,
                at,
            )
    return InvalidTokenIdError("an id is no token")
