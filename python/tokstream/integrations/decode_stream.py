"""`tokenizers.decoders.DecodeStream` for tokenizers with tokstream's engine as well as for its own.

Enters: ids, one at a time, with their tokenizer. Leaves: the text that they complete.
Held back: what the stream of either kind holds back.

Engines make such a stream before they say whose ids will come, and look the class up in its module;
so what stands there can wait for the first step to see which of the two it must be.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, final

import tokenizers.decoders

from tokstream._locks import Lock
from tokstream.compat.huggingface import DecodeStream as OurStream
from tokstream.compat.huggingface import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["share_decode_stream"]

_lock = Lock()


def share_decode_stream() -> None:
    """Make `tokenizers.decoders.DecodeStream` serve both kinds of tokenizers, in this process.

    Tokenizers of other kinds keep the class that was there, whoever put it there. A second call
    changes nothing. Code that imported the class by its name before keeps what it has.
    """
    with _lock:
        current = tokenizers.decoders.DecodeStream
        if not getattr(current, "serves_tokstream", False):
            tokenizers.decoders.DecodeStream = _sharing(current)  # type: ignore[misc, assignment]


def _sharing(theirs: Any) -> type:  # noqa: ANN401 - a class of another package
    """Return a class that is `theirs` for all tokenizers but tokstream's."""

    @final
    class DecodeStream:
        """A stream of text, of the kind that the tokenizer of its first step asks for."""

        serves_tokstream = True

        def __init__(
            self, ids: Sequence[int] | None = None, skip_special_tokens: bool | None = False
        ) -> None:
            # made in any case, since it checks the ids
            self._stream = theirs(ids=ids, skip_special_tokens=skip_special_tokens)
            # copied, as there: callers go on using their list
            kept = None if ids is None else list(ids)
            self._begin: tuple[Any, Any] | None = (kept, skip_special_tokens)

        def step(self, tokenizer: Any, id: int | Iterable[int]) -> str | None:  # noqa: A002, ANN401
            """Return the text that one or several more ids complete, None if they complete none."""
            if self._begin is not None:
                if isinstance(tokenizer, Tokenizer):
                    self._stream = OurStream(*self._begin)
                self._begin = None
                # from here on nothing stands between the caller and the stream
                self.step = self._stream.step  # type: ignore[method-assign]
            found: str | None = self._stream.step(tokenizer, id)
            return found

        def __copy__(self) -> DecodeStream:
            twin = DecodeStream.__new__(DecodeStream)
            vars(twin).update(_stream=copy.copy(self._stream), _begin=self._begin)
            if self._begin is None:
                twin.step = twin._stream.step  # type: ignore[method-assign] # noqa: SLF001
            return twin

        def __deepcopy__(self, memo: object) -> DecodeStream:
            return self.__copy__()

    return DecodeStream
