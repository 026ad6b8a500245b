"""Text while ids arrive, a step at a time, as `tokenizers.decoders.DecodeStream` gives it.

Enters: ids, those of the prompt first. Leaves: new text, None where there is none yet. Held back:
ids from the last text on, as long as they end inside a character.
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, final

from tokstream.compat.huggingface.encode import checked_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tokstream.compat.huggingface.tokenizer import Tokenizer

__all__ = ["DecodeStream"]

_UNFINISHED = "\ufffd"


@final
class DecodeStream:
    """A decoder that is given ids step by step.

    Two faults of the reference are not here. A prompt that ends inside a character: the reference
    gives out the whole prompt again with the first id that completes it, this one the character
    only. Text that later ids change, as an odd byte does behind a character of byte tokens: the
    reference raises an error, this one goes on with the new ids.

    Args:
        ids: ids that came before, such as a prompt; their text is not given out.
        skip_special_tokens: leave special tokens out.
    """

    __slots__ = ("_before", "_ids", "_n_before", "_pending", "_prefill", "_skips")

    def __init__(
        self, ids: Sequence[int] | None = None, skip_special_tokens: bool | None = False
    ) -> None:
        self._ids: list[int] = [] if ids is None else list(map(checked_id, ids))
        self._prefill = bool(self._ids)
        self._skips = bool(skip_special_tokens)
        self._before = ""
        """Text of the ids that is given out."""
        self._n_before = 0
        """How many of the ids it is the text of."""
        self._pending: bytes | None = None
        """Bytes that are not given out, where the text is the tokens' bytes, joined."""

    def step(self, tokenizer: Tokenizer, id: int | Iterable[int]) -> str | None:  # noqa: A002
        """Return the text that one or several more ids complete, None if they complete none.

        Args:
            tokenizer: the tokenizer of the ids; the same at every step.
            id: the next id, or several.

        Raises:
            TypeError: something else; the stream goes on as if it had not been given.
        """
        if self._pending == b"" and type(id) is int:
            alone = tokenizer.texts_alone(self._skips)
            if alone is not None:
                return alone.get(id) or self._step_alone(tokenizer, id, alone)
        new = _numbers(id)
        if self._prefill or self._pending is None:
            self._begin(tokenizer)
        if tokenizer.joins_bytes:
            return self._step_bytes(tokenizer, new)
        self._ids += new
        text = self._decode(tokenizer, self._ids)
        if text.endswith(_UNFINISHED):
            return None
        if not text.startswith(self._before):
            self._ids = self._ids[self._n_before :]
            self._before, self._n_before = "", 0
            text = self._decode(tokenizer, self._ids)
        if len(text) <= len(self._before):
            return None
        found = text[len(self._before) :]
        n_left = len(self._ids) - self._n_before
        self._ids = self._ids[self._n_before :]
        self._before = self._decode(tokenizer, self._ids)
        self._n_before = n_left
        return found

    def _step_alone(self, tokenizer: Tokenizer, token_id: int, alone: dict[int, str]) -> str | None:
        """Step as `step` does, and note the text of a token that is whole characters."""
        text = self._step_bytes(tokenizer, _numbers(token_id))
        if text:
            alone[token_id] = text
        return text

    def _step_bytes(self, tokenizer: Tokenizer, new: list[int]) -> str | None:
        data = (self._pending or b"") + tokenizer.decode_bytes(new, skip_special_tokens=self._skips)
        text = data.decode("utf-8", "replace")
        if not text or text.endswith(_UNFINISHED):
            self._pending = data
            return None
        self._pending = b""
        return text

    def _begin(self, tokenizer: Tokenizer) -> None:
        """Take in the ids before, whose text may end inside a character."""
        self._prefill = False
        self._pending = b""
        if tokenizer.joins_bytes:
            decoder = codecs.getincrementaldecoder("utf-8")("replace")
            decoder.decode(tokenizer.decode_bytes(self._ids, skip_special_tokens=self._skips))
            self._pending = decoder.getstate()[0]
            return
        text = self._decode(tokenizer, self._ids)
        self._before = text.rstrip(_UNFINISHED)
        if self._before == text:
            self._n_before = len(self._ids)

    def _decode(self, tokenizer: Tokenizer, ids: list[int]) -> str:
        return tokenizer.decode(ids, skip_special_tokens=self._skips)

    def __copy__(self) -> DecodeStream:
        twin = DecodeStream(self._ids, self._skips)
        twin._prefill = self._prefill
        twin._before, twin._n_before = self._before, self._n_before
        twin._pending = self._pending
        return twin

    def __deepcopy__(self, memo: object) -> DecodeStream:
        return self.__copy__()


def _numbers(given: object) -> list[int]:
    """Return one or several ids as numbers.

    Raises:
        TypeError: something else.
    """
    try:
        if hasattr(given, "__index__"):
            try:
                return [checked_id(given)]
            except TypeError:  # an array of several
                pass
        return list(map(checked_id, given))  # type: ignore[call-overload]
    except (TypeError, OverflowError) as error:
        raise TypeError(f"the step is {given!r}; give an id or a list of them ({error})") from None
