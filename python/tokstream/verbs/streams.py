"""Ids of one text while it arrives: streams, and iterators over them.

Enters: chunks of a text, or ids. Leaves: ids as they become stable, or text.
Held back: what the stream holds back.
"""

from __future__ import annotations

from tokstream._light import TYPE_CHECKING, cast
from tokstream.errors import ConfigurationError
from tokstream.streaming import DecodeStream, EncodeStream
from tokstream.verbs.parts import Parts, limit_of, replaces

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator

    from tokstream._types import DelayMode, ErrorMode, IdArray, SpecialChoice, Text
    from tokstream.tokenizer import Tokenizer

__all__ = ["StreamVerbs"]


class StreamVerbs(Parts):
    """`stream`, `decode_stream`, and `encode_iter` with its kin."""

    __slots__ = ()

    def decode_stream(self, *, errors: str = "replace") -> DecodeStream:
        """Return a decoder that is fed ids and returns text as characters become complete."""
        return DecodeStream(cast("Tokenizer", self), errors)

    def stream(
        self,
        *,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
        max_pending_bytes: int | None = None,
        delay: DelayMode = "optimal",
        add_special_tokens: bool = False,
    ) -> EncodeStream:
        """Return an encoder that is fed chunks and returns ids as they become stable.

        Args:
            allowed_special: as in `encode`; `EncodeStream.feed` may override it for a chunk.
            disallowed_special: as in `encode`.
            errors: as in `encode`.
            max_pending_bytes: raise `PendingLimitError` if more than so many bytes are pending
                (`delay_bytes`) after a call; the stream has failed then. Within a call more may
                be held, at most the chunk in addition: cut chunks to bound memory. Usual text
                needs some tens of bytes, and the longest token that can still form.
            delay: when ids are given out; which ids is the same. "optimal": as soon as no
                continuation can change them, also where the pattern has not decided yet (a line
                break and a million blanks). "composition": only what is certain to belong to the
                pretoken at hand, as the stages one after another would.
            add_special_tokens: as in `encode`; ids before the text come with the first `feed`,
                those behind it with `finish`.

        >>> import tokstream
        >>> stream = tokstream.get_encoding("cl100k_base").stream()
        >>> stream.feed("hello wor"), stream.feed("ld, how"), stream.finish()
        ([15339], [1917, 11], [1268])
        """
        return self._stream(
            allowed_special,
            disallowed_special,
            errors,
            max_pending_bytes,
            delay,
            with_template=add_special_tokens,
        )

    def _stream(
        self,
        allowed_special: SpecialChoice,
        disallowed_special: SpecialChoice,
        errors: ErrorMode,
        max_pending_bytes: int | None = None,
        delay: DelayMode = "optimal",
        *,
        with_template: bool = False,
    ) -> EncodeStream:
        replaces(errors)
        if max_pending_bytes is not None:
            max_pending_bytes = limit_of("max_pending_bytes", max_pending_bytes)
        if delay not in ("optimal", "composition"):
            raise ConfigurationError(f'delay is {delay!r}; it must be "optimal" or "composition"')
        choice = (allowed_special, disallowed_special)
        return EncodeStream(
            cast("Tokenizer", self),
            choice,
            errors,
            max_pending_bytes,
            delay,
            with_template=with_template,
        )

    def encode_iter(
        self,
        source: Text | Iterable[Text],
        *,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
        add_special_tokens: bool = False,
    ) -> Iterator[list[int]]:
        """Yield the ids of one text in batches, as soon as they are stable.

        Args:
            source: a text, which is sliced here so that the first batch comes at once; or
                the chunks of one text, cut anywhere.
            allowed_special: as in `encode`.
            disallowed_special: as in `encode`.
            errors: as in `encode`.
            add_special_tokens: as in `encode`.

        Yields:
            Non-empty batches; joined, they are `encode` of the whole text.
        """
        from tokstream.pipelines.iterables import encode_chunks  # noqa: PLC0415

        stream = self._stream(
            allowed_special, disallowed_special, errors, with_template=add_special_tokens
        )
        return encode_chunks(source, stream.feed, stream.finish)

    def encode_iter_array(
        self,
        source: Text | Iterable[Text],
        *,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
        add_special_tokens: bool = False,
    ) -> Iterator[IdArray]:
        """Do as `encode_iter`, but yield numpy arrays of uint32."""
        from tokstream.pipelines.iterables import encode_chunks  # noqa: PLC0415

        stream = self._stream(
            allowed_special, disallowed_special, errors, with_template=add_special_tokens
        )
        return encode_chunks(source, stream.feed_array, stream.finish_array)

    def encode_aiter(
        self,
        source: AsyncIterable[Text] | Iterable[Text] | Text,
        *,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
        add_special_tokens: bool = False,
    ) -> AsyncIterator[list[int]]:
        """Do as `encode_iter` for asynchronous chunks.

        Within a big chunk the event loop gets a turn every 64 KiB or sooner.
        """
        from tokstream.pipelines.iterables import encode_async_chunks  # noqa: PLC0415

        stream = self._stream(
            allowed_special, disallowed_special, errors, with_template=add_special_tokens
        )
        return encode_async_chunks(source, stream.feed, stream.finish)

    def encode_aiter_array(
        self,
        source: AsyncIterable[Text] | Iterable[Text] | Text,
        *,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
        add_special_tokens: bool = False,
    ) -> AsyncIterator[IdArray]:
        """Do as `encode_aiter`, but yield numpy arrays of uint32."""
        from tokstream.pipelines.iterables import encode_async_chunks  # noqa: PLC0415

        stream = self._stream(
            allowed_special, disallowed_special, errors, with_template=add_special_tokens
        )
        return encode_async_chunks(source, stream.feed_array, stream.finish_array)
