"""Streams: text in chunks in, stable ids out; ids in, text out.

Held back: of text, what some continuation would still tokenize otherwise (`delay_bytes`);
of ids, an unfinished character.
"""

from __future__ import annotations

import codecs
from operator import index

from tokstream import _core
from tokstream._arrays import as_array
from tokstream._light import TYPE_CHECKING, final
from tokstream.errors import UnfinishedStreamWarning

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType
    from typing import Self

    from tokstream._types import DelayMode, ErrorMode, IdArray, SpecialChoice, Text
    from tokstream.decoding import Decoding
    from tokstream.tokenizer import Tokenizer

__all__ = ["DecodeStream", "EncodeStream"]


@final
class EncodeStream:
    """An encoder that is fed in chunks; the ids it returns are final.

    For every way of cutting the input, the concatenated `feed` results plus `finish` equal
    `encode(whole)`. Made by `Tokenizer.stream`. A stream belongs to one thread at a time.

    Memory: the undecided text, usually some tens of bytes.
    """

    __slots__ = ("_choice", "_core", "_tokenizer")

    def __init__(
        self,
        tokenizer: Tokenizer,
        choice: tuple[SpecialChoice, SpecialChoice],
        errors: ErrorMode,
        max_pending_bytes: int | None = None,
        delay: DelayMode = "optimal",
        *,
        with_template: bool = False,
    ) -> None:
        policy = tokenizer._special  # noqa: SLF001 - made for it
        self._tokenizer = tokenizer
        self._choice = policy.freeze(choice[0]), policy.freeze(choice[1])
        self._core = _core.Stream(
            tokenizer._core,  # noqa: SLF001
            policy.resolve(*self._choice),
            errors == "replace",
            max_pending_bytes,
            delay == "optimal",
            with_template,
        )

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer whose ids this stream gives."""
        return self._tokenizer

    def feed(
        self,
        chunk: Text,
        /,
        *,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
    ) -> list[int]:
        """Encode the next chunk; return the ids that became stable.

        Args:
            chunk: text or UTF-8 bytes, length >= 0; may end inside a character.
            allowed_special: special tokens to honour in this chunk, as in `Tokenizer.encode`; by
                default what the stream was made with. A special token never forms across a
                change of either argument.
            disallowed_special: special tokens to refuse in this chunk; likewise.

        Returns:
            Ids in text order; may be empty. No later input can change them.

        Raises:
            InvalidUtf8Error: bytes that are not UTF-8, with `errors="strict"`.
            DisallowedSpecialTokenError: the text spells a disallowed special token.
            UnfinishedCharacterError: `str` and bytes mixed inside one character.
            PendingLimitError: more undecided text than `max_pending_bytes`.
            StreamClosedError: called after `finish`.
            StreamBusyError: another thread is in a call.
            TypeError: neither `str` nor a buffer of bytes.

            After an `InputError` the stream has failed: it raises the same error until `reset`;
            the ids that became stable in the failing call are in the error's `ids`.

        Cost: O(n) for n bytes; one copy of the chunk unless it is `bytes`, a view of them, or a
        long ASCII `str`.
        Source: Dalirrooyfard & Ye, arXiv:2610.19139; Jiang & Gong, arXiv:2605.30813.
        """
        if allowed_special is None and disallowed_special is None:
            return self._core.feed(chunk)
        return self._core.feed(chunk, self._resolve(allowed_special, disallowed_special))

    def feed_array(
        self,
        chunk: Text,
        /,
        *,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
    ) -> IdArray:
        """Do as `feed`, but return a numpy array of uint32."""
        if allowed_special is None and disallowed_special is None:
            return self._core.feed_array(chunk)
        return self._core.feed_array(chunk, self._resolve(allowed_special, disallowed_special))

    def _resolve(
        self, allowed_special: SpecialChoice, disallowed_special: SpecialChoice
    ) -> _core.SpecialSet | None:
        if allowed_special is None and disallowed_special is None:
            return None
        allowed, disallowed = self._choice
        return self._tokenizer._special.resolve(  # noqa: SLF001
            allowed if allowed_special is None else allowed_special,
            disallowed if disallowed_special is None else disallowed_special,
        )

    def _feed_buffer(self, chunk: Text) -> memoryview:
        """Do as `feed`, but return a buffer of native 32-bit numbers, without numpy."""
        return memoryview(self._core.feed_buffer(chunk)).cast("I")

    def advance(
        self,
        chunk: Text,
        /,
        *,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
    ) -> int:
        """Do as `feed`, but return only the number of ids."""
        specials = self._resolve(allowed_special, disallowed_special)
        return self._core.advance(chunk, specials)

    def feed_special(self, name: str, /) -> list[int]:
        """End the text so far and append a special token, whatever `allowed_special` says.

        Args:
            name: the text of the special token, such as "<|im_start|>".

        Returns:
            The remaining ids of the text before, then the special token's id.

        Raises:
            UnknownNameError: no such special token.
            InvalidUtf8Error: the text before ends inside a character.
            StreamClosedError: called after `finish`.
        """
        token_id = self._tokenizer._special.id_of(name)  # noqa: SLF001
        return self._core.feed_special(token_id)

    def finish(self) -> list[int]:
        """End the input; return the remaining ids and close the stream.

        Raises:
            InvalidUtf8Error: the input ends inside a character, with `errors="strict"`.
            DisallowedSpecialTokenError: the held text spells a disallowed special token.
            StreamClosedError: called a second time.
        """
        return self._core.finish()  # type: ignore[return-value]

    def finish_array(self) -> IdArray:
        """Do as `finish`, but return a numpy array of uint32."""
        return as_array(self._core.finish(True))  # noqa: FBT003

    def _finish_buffer(self) -> memoryview:
        return memoryview(self._core.finish(True)).cast("I")  # type: ignore[arg-type]  # noqa: FBT003

    def peek(self) -> list[int]:
        """Return the ids that `finish` would return now; change nothing.

        Cost: O(pending text).
        """
        return self._core.peek()  # type: ignore[return-value]

    def peek_array(self) -> IdArray:
        """Do as `peek`, but return a numpy array of uint32."""
        return as_array(self._core.peek(True))  # noqa: FBT003

    def copy(self) -> EncodeStream:
        """Return an independent stream in the same state: encode a shared prefix once.

        Cost: O(pending text).
        """
        other = object.__new__(EncodeStream)
        other._tokenizer = self._tokenizer
        other._choice = self._choice
        other._core = self._core.copy()
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> EncodeStream:
        return self.copy()

    def reset(self) -> None:
        """Forget all input and start anew; also after an error or `finish`."""
        self._core.reset()

    @property
    def n_tokens(self) -> int:
        """Ids returned so far."""
        return self._core.counters()[0]

    @property
    def n_bytes(self) -> int:
        """Source bytes fed so far; a `str` counts as its UTF-8."""
        return self._core.counters()[1]

    @property
    def delay_bytes(self) -> int:
        """Source bytes fed that no returned id covers yet."""
        return self._core.counters()[2]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if exc_type is None and not self._core.is_finished and (pending := self.delay_bytes):
            import warnings  # noqa: PLC0415 - seldom needed

            warnings.warn(
                f"the stream was left without finish: {pending} bytes are pending, "
                "so ids are missing; call finish inside the with block",
                UnfinishedStreamWarning,
                stacklevel=2,
            )

    def __repr__(self) -> str:
        n_tokens, n_bytes, delay = self._core.counters()
        state = "finished" if self._core.is_finished else f"{delay} pending"
        return f"<EncodeStream {self._tokenizer.name}: {n_bytes} bytes, {n_tokens} ids, {state}>"


@final
class DecodeStream:
    """A decoder that is fed ids; it returns text as soon as characters are complete.

    Made by `Tokenizer.decode_stream`. For every way of cutting the ids, the concatenated `feed`
    results plus `finish` equal `decode(all)`.
    """

    __slots__ = ("_decoder", "_decoding", "_is_raw", "_tokenizer")

    def __init__(self, tokenizer: Tokenizer, errors: str) -> None:
        self._tokenizer = tokenizer
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors)
        self._is_raw = errors != "replace"
        self._decoding = self._begin()

    def _begin(self) -> Decoding | None:
        decoder = self._tokenizer._decoder  # noqa: SLF001 - made for it
        return None if decoder is None else decoder.begin(raw=self._is_raw)

    def feed(self, ids: int | Iterable[int], /) -> str:
        """Return the text that became complete with one or more ids; may be empty.

        Raises:
            InvalidTokenIdError: an id that the tokenizer does not have; nothing is consumed.
            UnicodeDecodeError: ids that are not UTF-8, with `errors="strict"`.
        """
        if self._decoding is None:
            return self._decoder.decode(self._tokenizer.decode_bytes(_as_sequence(ids)))
        return self._checked(self._decoding.push(_as_sequence(ids)))

    def finish(self) -> str:
        """End the ids; return what an unfinished character decodes to, and start anew."""
        text = "" if self._decoding is None else self._checked(self._decoding.finish())
        text += self._decoder.decode(b"", final=True)
        self.reset()
        return text

    def reset(self) -> None:
        """Forget an unfinished character."""
        self._decoder.reset()
        self._decoding = self._begin()

    def _checked(self, text: str) -> str:
        """Treat bytes that are not UTF-8 as the user wants, if that is not the reference's way."""
        if not self._is_raw:
            return text
        return self._decoder.decode(text.encode("utf-8", "surrogateescape"))


def _as_sequence(ids: int | Iterable[int]) -> Iterable[int]:
    try:
        return (index(ids),)  # type: ignore[arg-type]  # a number, of Python or of numpy
    except TypeError:
        return ids  # type: ignore[return-value]
