"""Text while ids arrive, a step at a time, as `tokenizers.decoders.DecodeStream` gives it.

Enters: ids, those of the prompt first. Leaves: new text, None where there is none yet. Held back:
ids from the last text on, as long as they end inside a character.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from tokstream.compat.huggingface.arguments import checked_flag
from tokstream.compat.huggingface.decode_ways import begin_way
from tokstream.compat.huggingface.encode import checked_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tokstream.compat.huggingface.decode_ways import Way
    from tokstream.compat.huggingface.state import State
    from tokstream.compat.huggingface.tokenizer import Tokenizer

__all__ = ["DecodeStream"]


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

    __slots__ = ("_begin", "_is_ready", "_skips", "_state", "_way")

    def __init__(
        self, ids: Sequence[int] | None = None, skip_special_tokens: bool | None = False
    ) -> None:
        self._begin: list[int] = [] if ids is None else list(map(checked_id, ids))
        self._skips = skip_special_tokens is not None and checked_flag(
            "skip_special_tokens", skip_special_tokens
        )
        self._way: Way | None = None
        """What has read the ids; the decoder is not known before the first step."""
        self._state: State | None = None
        """The tokenizer of the last ids."""
        self._is_ready = False
        """Whether the next token says what `texts_alone` has of it."""

    def step(self, tokenizer: Tokenizer, id: int | Iterable[int]) -> str | None:  # noqa: A002
        """Return the text that one or several more ids complete, None if they complete none.

        Args:
            tokenizer: the tokenizer of the ids; the same at every step.
            id: the next id, or several.

        Raises:
            TypeError: something else; the stream goes on as if it had not been given.

        Cost: a look-up for most tokens. With the decoders of most published tokenizers O(ids and
        bytes of the text), whatever they are; with others the ids since the last text are decoded
        anew.
        """
        state = tokenizer._state  # noqa: SLF001 - of the same package
        alone = state.texts_alone[self._skips]
        if self._is_ready and type(id) is int:
            text = alone.get(id)
            if text is not None:
                return text
        new = _numbers(id)
        way = self._way
        if way is None or state is not self._state:
            way = self._at(state)
        was_ready = way.is_ready
        text = way.step(state, new)
        self._is_ready = way.is_ready
        if text is not None and was_ready and way.is_ready and len(new) == 1:
            alone[new[0]] = text
        return text

    def _at(self, state: State) -> Way:
        """Return where the stream is; a decoder of another kind begins anew."""
        way = self._way
        if way is None or not way.takes(state):
            way = begin_way(state, self._begin, skips=self._skips)
        self._begin, self._way, self._state = [], way, state
        return way

    def __copy__(self) -> DecodeStream:
        twin = DecodeStream(self._begin, self._skips)
        twin._way = None if self._way is None else self._way.copy()
        twin._state, twin._is_ready = self._state, self._is_ready
        return twin

    def __deepcopy__(self, memo: object) -> DecodeStream:
        return self.__copy__()


def _numbers(given: object) -> list[int]:
    """Return one or several ids as numbers.

    Raises:
        TypeError: something else.
    """
    if type(given) is int and 0 <= given < 1 << 32:
        return [given]
    try:
        if hasattr(given, "__index__"):
            try:
                return [checked_id(given)]
            except TypeError:  # an array of several
                pass
        return list(map(checked_id, given))  # type: ignore[call-overload]
    except (TypeError, OverflowError) as error:
        raise TypeError(f"the step is {given!r}; give an id or a list of them ({error})") from None
