"""What ids and tokens stand for.

Enters: ids, or a token. Leaves: their text or bytes, or the token's id. Nothing is held back.
"""

from __future__ import annotations

from operator import index

from tokstream._buffers import plain, view_of
from tokstream._light import TYPE_CHECKING
from tokstream.errors import InvalidTokenIdError, UnknownNameError
from tokstream.verbs.parts import Parts

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["IdVerbs"]


class IdVerbs(Parts):
    """`decode`, `decode_bytes`, `token_bytes` and `token_to_id`."""

    __slots__ = ()

    def decode(self, ids: Iterable[int], *, errors: str = "replace") -> str:
        """Return the text of ids.

        Args:
            ids: token ids, or an array of uint32.
            errors: what to do with bytes that are not UTF-8, as in `bytes.decode`.

        Raises:
            InvalidTokenIdError: an id that the tokenizer does not have; it names the index.
            UnicodeDecodeError: bytes that are not UTF-8, with `errors="strict"`.
            TypeError: no iterable, or something in it is no integer; it names the index.
        """
        if errors == "replace" and (decoder := self._decoder) is not None:
            try:
                return decoder.decode(ids)
            except TypeError as error:
                raise _named(error, ids) from None
        return self.decode_bytes(ids).decode("utf-8", errors)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the bytes of ids; those of a part of a text may be no whole characters."""
        try:
            if (decoder := self._decoder) is not None:
                return decoder.decode_bytes(ids)
            return self._core.decode(ids)
        except TypeError as error:
            raise _named(error, ids) from None

    def token_bytes(self, token_id: int) -> bytes:
        """Return the bytes of a token, special ones included.

        Raises:
            InvalidTokenIdError: no such id.
        """
        try:
            token = self._core.token_bytes(token_id)
        except OverflowError:
            token = None
        if token is None:
            raise InvalidTokenIdError(
                f"no token has the id {token_id}; ids of {self._name} are below {self._n_vocab}",
                token_id,
            )
        return token

    def token_to_id(self, token: bytes | str) -> int:
        """Return the id of a token by its bytes, or of a special token by its text.

        Raises:
            UnknownNameError: no such token.
        """
        if isinstance(token, str):
            token = plain(token)
            if (special := self._special_tokens.get(token)) is not None:
                return special
            token_id = self._id_of_entry(token.encode("utf-8", "surrogatepass"))
        else:
            token = bytes(view_of(token))
            token_id = self._id_of_entry(token)
            if token_id is None:
                token_id = self._special_tokens.get(token.decode("utf-8", "replace"))
        if token_id is None:
            raise UnknownNameError(
                f"{token!r} is not a token of {self._name}; encode gives the ids of any text"
            )
        return token_id

    def _id_of_entry(self, token: bytes) -> int | None:
        token_id = self._core.token_id(token)
        if (token_id is None or token_id >= self._n_vocab) and (parts := self._parts) is not None:
            return parts.id_of(token)
        return token_id


def _named(error: TypeError, ids: object) -> TypeError:
    """Say which of `ids` is no id; `error` itself if that cannot be told."""
    from collections.abc import Iterable, Iterator  # noqa: PLC0415 - see `_light`

    if not isinstance(ids, Iterable):
        return TypeError(f"ids is {type(ids).__name__}; give several ids, such as a list of them")
    if isinstance(ids, Iterator):
        return error  # those before the fault are used up
    for at, token_id in enumerate(ids):
        try:
            index(token_id)
        except TypeError:
            named = TypeError(f"the id at index {at} is {type(token_id).__name__}, not an integer")
            named.index = at  # type: ignore[attr-defined]  # as the core does
            return named
    return error
