"""Ids → text and bytes: the verbs of tiktoken's `Encoding` that decode.

Enters: token ids. Leaves: text, or bytes; errors of the kinds that tiktoken raises. Held back: the
bytes of single ids that were asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokstream.compat.tiktoken.arguments import checked_threads
from tokstream.compat.tiktoken.errors import (
    MissingIdError,
    MissingIdRangeError,
    MissingListedIdError,
    named,
)
from tokstream.errors import InvalidTokenIdError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tokstream._core import Core

__all__ = ["MAX_KEPT", "DecodeVerbs"]

MAX_KEPT = 4096
"""Single tokens whose answers are kept, so many at most."""

# all bytes but those that go on with a character
_FIRST_BYTES = bytes(byte for byte in range(256) if not 0x80 <= byte < 0xC0)


class DecodeVerbs:
    """What `Encoding` decodes with; a base of its own also lets `share_type` put one beside it."""

    name: str
    _core: Core
    _token_bytes: Callable[[int], bytes | None]
    _known_bytes: dict[int, bytes]

    # as in `Encoding`
    _decodes_single_its_way = False

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        single = cls.decode_single_token_bytes
        cls._decodes_single_its_way = single is not _DECODE_SINGLE_TOKEN_BYTES

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """Return the bytes of ids.

        Raises:
            UnknownTokenError: a `KeyError`: the encoding has no such id; it names the index.
        """
        try:
            found = self._core.decode_or_fault(tokens)
        except InvalidTokenIdError as error:
            raise named(error) from None
        if type(found) is tuple:
            raise MissingListedIdError(*found)
        return found  # type: ignore[return-value]

    def decode(self, tokens: Sequence[int], errors: str = "replace") -> str:
        """Return the text of ids.

        Args:
            tokens: the ids.
            errors: what to do with bytes that are not UTF-8, as in `bytes.decode`.

        Raises:
            UnknownTokenError: a `KeyError`: the encoding has no such id; it names the index.
            UnicodeDecodeError: bytes that are not UTF-8, with `errors="strict"`.
        """
        try:
            found = self._core.decode_or_fault(tokens)
        except InvalidTokenIdError as error:
            raise named(error) from None
        if type(found) is tuple:
            raise MissingListedIdError(*found)
        return found.decode("utf-8", errors)  # type: ignore[union-attr]

    def decode_single_token_bytes(self, token: int) -> bytes:
        """Return the bytes of one id, special ones included.

        Raises:
            UnknownTokenError: a `KeyError`: the encoding has no such id.
        """
        known = self._known_bytes
        if type(token) is int and (found := known.get(token)) is not None:
            return found
        try:
            if (found := self._token_bytes(token)) is not None:
                if len(known) < MAX_KEPT and type(token) is int:
                    known[token] = found
                return found
        except OverflowError:
            pass
        kind = MissingIdError if 0 <= token < 2**32 else MissingIdRangeError
        raise kind(token, self.name)

    def decode_tokens_bytes(self, tokens: Iterable[int]) -> list[bytes]:
        """Return the bytes of each id.

        Raises:
            UnknownTokenError: a `KeyError`: the encoding has no such id; it names the index.
        """
        if self._decodes_single_its_way:
            return list(map(self.decode_single_token_bytes, tokens))
        try:
            return self._core.each_token(list(tokens))
        except InvalidTokenIdError as error:
            raise named(error) from None

    def decode_with_offsets(self, tokens: Iterable[int]) -> tuple[str, list[int]]:
        """Return the text of ids, and where in it each begins, in characters.

        An id that begins inside a character begins where that character does.

        Raises:
            UnicodeDecodeError: the bytes of all ids together are not UTF-8.
            UnknownTokenError: a `KeyError`: the encoding has no such id.
        """
        parts = self.decode_tokens_bytes(tokens)
        offsets = []
        n_chars = 0
        for part in parts:
            begins_inside = 0x80 <= part[0] < 0xC0
            offsets.append(max(0, n_chars - begins_inside))
            n_chars += len(part) - len(part.translate(None, _FIRST_BYTES))
        return b"".join(parts).decode("utf-8"), offsets

    def decode_batch(
        self, batch: Iterable[Sequence[int]], *, errors: str = "replace", num_threads: int = 8
    ) -> list[str]:
        """Do as `decode` for several lists; on one thread, which is faster than several."""
        checked_threads(num_threads)
        return [self.decode(tokens, errors=errors) for tokens in batch]

    def decode_bytes_batch(
        self, batch: Iterable[Sequence[int]], *, num_threads: int = 8
    ) -> list[bytes]:
        """Do as `decode_bytes` for several lists; on one thread, which is faster than several."""
        checked_threads(num_threads)
        return [self.decode_bytes(tokens) for tokens in batch]


# what a subclass may replace
_DECODE_SINGLE_TOKEN_BYTES = DecodeVerbs.decode_single_token_bytes
