"""The tokenizer: immutable, shared, one verb for each thing people do with ids.

Enters: text, or ids. Leaves: ids, or text. Nothing is held back: streams do that.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING, Any, Literal, cast, final, overload
from weakref import WeakValueDictionary

from tokstream import _core
from tokstream._arrays import as_array
from tokstream._buffers import view_of
from tokstream.errors import ConfigurationError, InvalidTokenIdError, UnknownNameError
from tokstream.special import SpecialPolicy
from tokstream.streaming import DecodeStream, EncodeStream
from tokstream.vocabulary import check_special_tokens

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping

    from typing_extensions import Buffer

    from tokstream._types import DelayMode, ErrorMode, IdArray, SpecialChoice, Text
    from tokstream.truncation import Truncated
    from tokstream.vocabulary import Vocabulary

__all__ = ["Tokenizer"]

_END_OF_TEXT = "<|endoftext|>"
_THREADS_VARIABLE = "TOKSTREAM_NUM_THREADS"

_shared: WeakValueDictionary[tuple[object, ...], _Tables] = WeakValueDictionary()
_shared_lock = threading.Lock()


def _new_lock() -> None:
    global _shared_lock  # noqa: PLW0603 - a thread that the fork left behind may hold the old one
    _shared_lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_lock)


class _Tables:
    """Native tables, one set for equal content in a process."""

    def __init__(self, core: _core.Core) -> None:
        self.core = core


@final
class Tokenizer:
    """A BPE tokenizer: `encode`, `decode`, `count`, `stream` and their kin.

    Get one from `tokstream.get_encoding`, `encoding_for_model` or `load`; or build it from a
    vocabulary. Immutable, hashable, picklable, safe to share between threads and after fork.

    **Text** is a `str` or UTF-8 in a contiguous buffer of bytes. Surrogates in a `str` are read
    as tiktoken reads them: a pair is its character, a lone one U+FFFD.

    **Special tokens in text.** `allowed_special` names those that become their ids,
    `disallowed_special` those that make the text an error; each is "all" or a collection of
    names. Left out, nothing is allowed and everything else disallowed, as in tiktoken. With
    `allowed_special=(), disallowed_special=()` all text is plain.

    **Errors.** Bytes that are not UTF-8 raise `InvalidUtf8Error` with their offset, or are read
    as U+FFFD with `errors="replace"`. An `InputError` carries the ids before the fault in `ids`.
    """

    __slots__ = (
        "_core",
        "_eos",
        "_is_embedded",
        "_key",
        "_name",
        "_pattern",
        "_shared_ids",
        "_special",
        "_special_tokens",
        "_tables",
        "_vocabulary",
    )

    def __init__(
        self,
        name: str,
        vocabulary: Vocabulary,
        pattern: str,
        special_tokens: Mapping[str, int] | None = None,
        *,
        eos: str | None = None,
        _automaton: bytes | None = None,
    ) -> None:
        """Build a tokenizer from its parts.

        Args:
            name: what to call it.
            vocabulary: tokens in merge-rank order with their ids.
            pattern: the pretokenization pattern, in tiktoken's dialect.
            special_tokens: text to id.
            eos: the special token that ends a text; by default "<|endoftext|>" if there is one.

        Raises:
            PatternError: the pattern cannot be honoured exactly.
            VocabularyError: the vocabulary cannot.
        """
        self._name = name
        self._vocabulary = vocabulary
        self._pattern = pattern
        self._special_tokens = dict(special_tokens or {})
        if _automaton is None:  # embedded ones are checked by a test
            check_special_tokens(self._special_tokens, vocabulary, allow_shared_ids=True)
        self._eos = eos if eos is not None else _END_OF_TEXT
        if eos is not None and eos not in self._special_tokens:
            raise ConfigurationError(f"eos {eos!r} is not among the special tokens")
        self._is_embedded = False
        self._key = (
            vocabulary.content_digest(),
            pattern,
            tuple(sorted(self._special_tokens.items())),
        )
        self._tables = self._build(_automaton)
        self._core = self._tables.core
        self._special = SpecialPolicy(self._special_tokens)
        spellings: dict[int, list[bytes]] = {}
        for text, token_id in self._special_tokens.items():
            spellings.setdefault(token_id, []).append(text.encode())
        self._shared_ids = {k: names for k, names in spellings.items() if len(names) > 1}

    def _build(self, automaton: bytes | None) -> _Tables:
        with _shared_lock:
            known = _shared.get(self._key)
        if known is not None:
            return known
        if automaton is None:
            from tokstream.patterns import compile_pattern  # noqa: PLC0415 - embedded ones need it not

            automaton = compile_pattern(self._pattern).to_bytes()
        vocabulary = self._vocabulary
        tables = _Tables(
            _core.Core(
                vocabulary.blob,
                vocabulary.lengths,
                vocabulary.ids,
                list(self._special_tokens.items()),
                automaton,
            )
        )
        with _shared_lock:
            return _shared.setdefault(self._key, tables)

    @classmethod
    def _embedded(cls, name: str) -> Tokenizer:
        from tokstream.encodings import registry  # noqa: PLC0415 - it is about to be used

        spec = registry.spec(name)
        self = cls(
            name,
            registry.vocabulary(name),
            spec.pattern,
            spec.special_tokens,
            eos=spec.eos,
            _automaton=registry.load_automaton_bytes(name),
        )
        self._is_embedded = True
        return self

    @property
    def name(self) -> str:
        """What the tokenizer is called."""
        return self._name

    @property
    def pattern(self) -> str:
        """The pretokenization pattern."""
        return self._pattern

    @property
    def n_vocab(self) -> int:
        """One more than the largest id, special tokens included."""
        largest_special = max(self._special_tokens.values(), default=-1)
        return max(self._vocabulary.n_vocab, largest_special + 1)

    @property
    def special_tokens(self) -> dict[str, int]:
        """Special tokens by their text; a new dict."""
        return dict(self._special_tokens)

    @property
    def eos_id(self) -> int | None:
        """Id of the token that ends a text, None if there is none."""
        return self._special_tokens.get(self._eos)

    def encode(
        self,
        text: Text,
        *,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
        add_special_tokens: bool = False,  # noqa: ARG002 - no format has a template yet
    ) -> list[int]:
        """Return the ids of a whole text.

        Args:
            text: text or UTF-8 bytes.
            allowed_special: special tokens to honour, see the class.
            disallowed_special: special tokens to refuse, see the class.
            errors: "strict" or "replace", for bytes that are not UTF-8.
            add_special_tokens: apply the tokenizer's template, such as a token before the text.
                Rank files have none, so it changes nothing for them.

        Raises:
            DisallowedSpecialTokenError: the text spells a disallowed special token.
            InvalidUtf8Error: bytes that are not UTF-8, with `errors="strict"`.
            TypeError: neither `str` nor a buffer of bytes.

        Cost: O(n) for n bytes, whatever the text; the GIL is released for long ones.

        >>> import tokstream
        >>> tokstream.get_encoding("cl100k_base").encode("hello world")
        [15339, 1917]
        """
        specials = self._special.resolve(allowed_special, disallowed_special)
        return self._core.encode(text, specials, _replaces(errors), False)  # type: ignore[return-value]  # noqa: FBT003

    def encode_array(
        self,
        text: Text,
        *,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
        add_special_tokens: bool = False,  # noqa: ARG002 - no format has a template yet
    ) -> IdArray:
        """Do as `encode`, but return a numpy array of uint32, shape (n_tokens,)."""
        specials = self._special.resolve(allowed_special, disallowed_special)
        return as_array(self._core.encode(text, specials, _replaces(errors), True))  # noqa: FBT003

    def encode_ordinary(self, text: Text, *, errors: ErrorMode = "strict") -> list[int]:
        """Return the ids of a text in which special tokens are plain text."""
        return self._core.encode(text, self._special.plain, _replaces(errors), False)  # type: ignore[return-value]  # noqa: FBT003

    def encode_ordinary_array(self, text: Text, *, errors: ErrorMode = "strict") -> IdArray:
        """Do as `encode_ordinary`, but return a numpy array of uint32."""
        return as_array(
            self._core.encode(text, self._special.plain, _replaces(errors), True)  # noqa: FBT003
        )

    def encode_batch(
        self,
        texts: Iterable[Text],
        *,
        num_threads: int | None = None,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
        add_special_tokens: bool = False,  # noqa: ARG002 - no format has a template yet
    ) -> list[list[int]]:
        """Return the ids of several texts, on several threads.

        Args:
            texts: texts of any sizes.
            num_threads: at most so many at once; by default the number of processors this
                process may use, or the environment variable TOKSTREAM_NUM_THREADS.
            allowed_special: as in `encode`.
            disallowed_special: as in `encode`.
            errors: as in `encode`.
            add_special_tokens: as in `encode`.

        Raises:
            InputError: as in `encode`; the first text at fault is in the error's `index`.
        """
        return cast(
            "list[list[int]]",
            self._batch(texts, num_threads, allowed_special, disallowed_special, errors, False),  # noqa: FBT003
        )

    def encode_batch_array(
        self,
        texts: Iterable[Text],
        *,
        num_threads: int | None = None,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
        add_special_tokens: bool = False,  # noqa: ARG002 - no format has a template yet
    ) -> list[IdArray]:
        """Do as `encode_batch`, but return numpy arrays of uint32, one for each text."""
        batch = self._batch(texts, num_threads, allowed_special, disallowed_special, errors, True)  # noqa: FBT003
        return [as_array(data) for data in batch]

    def _batch(
        self,
        texts: Iterable[Text],
        num_threads: int | None,
        allowed_special: SpecialChoice,
        disallowed_special: SpecialChoice,
        errors: ErrorMode,
        as_array: bool,
    ) -> list[list[int] | _core.Ids]:
        if isinstance(texts, str | bytes | bytearray):
            raise TypeError("encode_batch takes several texts; pass a list, or use encode")
        specials = self._special.resolve(allowed_special, disallowed_special)
        n_threads = _n_threads(num_threads)
        return self._core.encode_batch(
            list(texts), specials, _replaces(errors), as_array, n_threads
        )

    def encode_iter(
        self,
        source: Text | Iterable[Text],
        *,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
    ) -> Iterator[list[int]]:
        """Yield the ids of one text in batches, as soon as they are stable.

        Args:
            source: a text, which is sliced here so that the first batch comes at once; or
                the chunks of one text, cut anywhere.
            allowed_special: as in `encode`.
            disallowed_special: as in `encode`.
            errors: as in `encode`.

        Yields:
            Non-empty batches; joined, they are `encode` of the whole text.
        """
        from tokstream.pipelines.iterables import encode_chunks  # noqa: PLC0415

        stream = self._stream(allowed_special, disallowed_special, errors)
        return encode_chunks(source, stream.feed, stream.finish)

    def encode_iter_array(
        self,
        source: Text | Iterable[Text],
        *,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
    ) -> Iterator[IdArray]:
        """Do as `encode_iter`, but yield numpy arrays of uint32."""
        from tokstream.pipelines.iterables import encode_chunks  # noqa: PLC0415

        stream = self._stream(allowed_special, disallowed_special, errors)
        return encode_chunks(source, stream.feed_array, stream.finish_array)

    def encode_aiter(
        self,
        source: AsyncIterable[Text] | Iterable[Text] | Text,
        *,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
    ) -> AsyncIterator[list[int]]:
        """Do as `encode_iter` for asynchronous chunks.

        Within a big chunk the event loop gets a turn every 64 KiB or sooner.
        """
        from tokstream.pipelines.iterables import encode_async_chunks  # noqa: PLC0415

        stream = self._stream(allowed_special, disallowed_special, errors)
        return encode_async_chunks(source, stream.feed, stream.finish)

    def encode_aiter_array(
        self,
        source: AsyncIterable[Text] | Iterable[Text] | Text,
        *,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
    ) -> AsyncIterator[IdArray]:
        """Do as `encode_aiter`, but yield numpy arrays of uint32."""
        from tokstream.pipelines.iterables import encode_async_chunks  # noqa: PLC0415

        stream = self._stream(allowed_special, disallowed_special, errors)
        return encode_async_chunks(source, stream.feed_array, stream.finish_array)

    def count(
        self,
        text: Text,
        *,
        limit: int | None = None,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
    ) -> int:
        """Return the number of ids of a text, without making them.

        Args:
            text: text or UTF-8 bytes.
            limit: stop once there are more; the result is then `limit + 1`.
            allowed_special: as in `encode`.
            disallowed_special: as in `encode`.
            errors: as in `encode`.

        Cost: O(n); with a limit, O(limit) whatever n, counted in blocks of about 1 MiB.
        """
        if limit is not None:
            if limit < 0:
                raise ConfigurationError(f"limit is {limit}; it must be 0 or more")
            limit = min(limit, sys.maxsize)
        specials = self._special.resolve(allowed_special, disallowed_special)
        return self._core.count(text, specials, _replaces(errors), limit)

    @overload
    def truncate(
        self,
        text: str,
        max_tokens: int,
        *,
        side: Literal["right", "left"] = "right",
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
    ) -> Truncated[str]: ...

    @overload
    def truncate(
        self,
        text: Buffer,
        max_tokens: int,
        *,
        side: Literal["right", "left"] = "right",
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
    ) -> Truncated[bytes]: ...

    def truncate(
        self,
        text: Text,
        max_tokens: int,
        *,
        side: Literal["right", "left"] = "right",
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
    ) -> Truncated[Any]:
        """Return the longest part of a text that has at most `max_tokens` ids.

        Args:
            text: text or UTF-8 bytes.
            max_tokens: how many ids may remain, 0 or more.
            side: which side to cut: "right" keeps the beginning, "left" the end.
            allowed_special: as in `encode`.
            disallowed_special: as in `encode`.

        Returns:
            The part, cut at a token boundary and back to a whole character; its number of ids;
            and the offset of the cut. Encoding the part alone gives that many ids, which cutting
            the list of ids does not promise. It is the longest such part among those cut at one
            of the `max_tokens` ids that remain; with side="right" also at a few behind them, since
            a text may have fewer ids than its beginning ("    " is one, "    1" begins with two).

        Raises:
            InputError: as in `encode`, for the text that had to be read.
        """
        from tokstream import truncation  # noqa: PLC0415 - seldom needed

        if max_tokens < 0:
            raise ConfigurationError(f"max_tokens is {max_tokens}; it must be 0 or more")
        if side not in ("right", "left"):
            raise ConfigurationError(f'side is {side!r}; it must be "right" or "left"')
        whole = text if isinstance(text, str | bytes) else bytes(view_of(text))
        choice = (allowed_special, disallowed_special)
        stream = EncodeStream(self, choice, "strict")
        if side == "right":
            return truncation.keep_left(whole, max_tokens, stream, self._lengths_in)
        specials = self._special.resolve(*choice)

        def count(part: Text) -> int:
            return self._core.count(part, specials, False, max_tokens)

        return truncation.keep_right(whole, max_tokens, stream, self._lengths_in, count)

    def encode_with_offsets(
        self,
        text: Text,
        *,
        unit: Literal["char", "byte"] = "char",
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the ids of a text and the span of each.

        Args:
            text: text or UTF-8 bytes.
            unit: "char" counts characters (of the `str`, or of the decoded bytes), "byte" counts
                bytes of the UTF-8.
            allowed_special: as in `encode`.
            disallowed_special: as in `encode`.

        Returns:
            Ids, and as many (start, end). In characters, a token inside a character spans that
            character, so that neighbouring spans may overlap.

        Raises:
            InputError: as in `encode`.
        """
        from tokstream import offsets  # noqa: PLC0415 - seldom needed

        if unit not in ("char", "byte"):
            raise ConfigurationError(f'unit is {unit!r}; it must be "char" or "byte"')
        ids = self.encode(
            text, allowed_special=allowed_special, disallowed_special=disallowed_special
        )
        has_surrogates = False
        if isinstance(text, str):
            try:
                encoded = text.encode()
            except UnicodeEncodeError:
                has_surrogates = True
                encoded = offsets.repair_surrogates(text).encode()
        else:
            encoded = bytes(text)
        lengths = self._lengths_in(encoded, ids)
        if unit == "byte":
            return ids, offsets.byte_spans(lengths)
        spans = offsets.char_spans(encoded, lengths)
        if has_surrogates:
            position = offsets.source_positions(cast("str", text))
            spans = [(position[start], position[end]) for start, end in spans]
        return ids, spans

    def _lengths_in(self, text: bytes, ids: list[int]) -> list[int]:
        """Byte length of each id; an id that two special tokens share is looked up in the text."""
        lengths = self._core.token_lengths(ids)
        if not self._shared_ids:
            return lengths
        at = 0
        for k, token_id in enumerate(ids):
            spellings = self._shared_ids.get(token_id, ())
            fitting = [len(name) for name in spellings if text.startswith(name, at)]
            lengths[k] = max(fitting, default=lengths[k])
            at += lengths[k]
        return lengths

    def decode(self, ids: Iterable[int], *, errors: str = "replace") -> str:
        """Return the text of ids.

        Args:
            ids: token ids, or an array of uint32.
            errors: what to do with bytes that are not UTF-8, as in `bytes.decode`.

        Raises:
            InvalidTokenIdError: an id that the tokenizer does not have; it names the index.
            UnicodeDecodeError: bytes that are not UTF-8, with `errors="strict"`.
        """
        return self.decode_bytes(ids).decode("utf-8", errors)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the bytes of ids; those of a part of a text may be no whole characters."""
        return self._core.decode(ids)

    def decode_stream(self, *, errors: str = "replace") -> DecodeStream:
        """Return a decoder that is fed ids and returns text as characters become complete."""
        return DecodeStream(self, errors)

    def stream(
        self,
        *,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
        max_pending_bytes: int | None = None,
        delay: DelayMode = "optimal",
    ) -> EncodeStream:
        """Return an encoder that is fed chunks and returns ids as they become stable.

        Args:
            allowed_special: as in `encode`; `EncodeStream.feed` may override it for a chunk.
            disallowed_special: as in `encode`.
            errors: as in `encode`.
            max_pending_bytes: raise `PendingLimitError` rather than hold more undecided text.
            delay: when ids are given out; which ids is the same. "optimal": as soon as no
                continuation can change them, also where the pattern has not decided yet (a line
                break and a million blanks). "composition": only what is certain to belong to the
                pretoken at hand, as the stages one after another would.

        >>> import tokstream
        >>> stream = tokstream.get_encoding("cl100k_base").stream()
        >>> stream.feed("hello wor"), stream.feed("ld, how"), stream.finish()
        ([15339], [1917, 11], [1268])
        """
        return self._stream(allowed_special, disallowed_special, errors, max_pending_bytes, delay)

    def _stream(
        self,
        allowed_special: SpecialChoice,
        disallowed_special: SpecialChoice,
        errors: ErrorMode,
        max_pending_bytes: int | None = None,
        delay: DelayMode = "optimal",
    ) -> EncodeStream:
        _replaces(errors)
        if max_pending_bytes is not None:
            if max_pending_bytes < 0:
                raise ConfigurationError(
                    f"max_pending_bytes is {max_pending_bytes}; it must be 0 or more"
                )
            max_pending_bytes = min(max_pending_bytes, sys.maxsize)
        if delay not in ("optimal", "composition"):
            raise ConfigurationError(f'delay is {delay!r}; it must be "optimal" or "composition"')
        choice = (allowed_special, disallowed_special)
        return EncodeStream(self, choice, errors, max_pending_bytes, delay)

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
                f"no token has the id {token_id}; ids of {self._name} are below {self.n_vocab}",
                token_id,
            )
        return token

    def token_to_id(self, token: bytes | str) -> int:
        """Return the id of a token by its bytes, or of a special token by its text.

        Raises:
            UnknownNameError: no such token.
        """
        if isinstance(token, str):
            if (special := self._special_tokens.get(token)) is not None:
                return special
            token_id = self._core.token_id(token.encode("utf-8", "surrogatepass"))
        else:
            token = bytes(view_of(token))
            token_id = self._core.token_id(token)
            if token_id is None:
                token_id = self._special_tokens.get(token.decode("utf-8", "replace"))
        if token_id is None:
            raise UnknownNameError(
                f"{token!r} is not a token of {self._name}; encode gives the ids of any text"
            )
        return token_id

    def info(self) -> dict[str, object]:
        """Return what is known of the tokenizer: vocabulary, pattern and their analysis."""
        from tokstream.inspection import describe  # noqa: PLC0415 - it brings the compiler

        return describe(self, self._vocabulary, self._core)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tokenizer):
            return NotImplemented
        return self is other or (self._key == other._key and self._name == other._name)

    def __hash__(self) -> int:
        return hash(self._key)

    def __copy__(self) -> Tokenizer:
        return self

    def __deepcopy__(self, memo: object) -> Tokenizer:
        return self

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        if self._is_embedded:
            from tokstream.encodings import get_encoding  # noqa: PLC0415 - it imports this module

            return get_encoding, (self._name,)
        eos = self._eos if self._eos in self._special_tokens else None
        return _rebuild, (self._name, self._vocabulary, self._pattern, self._special_tokens, eos)

    def __repr__(self) -> str:
        return f"<Tokenizer {self._name}: {self.n_vocab} ids>"


def _rebuild(
    name: str,
    vocabulary: Vocabulary,
    pattern: str,
    special_tokens: dict[str, int],
    eos: str | None,
) -> Tokenizer:
    return Tokenizer(name, vocabulary, pattern, special_tokens, eos=eos)


def _replaces(errors: str) -> bool:
    if errors not in ("strict", "replace"):
        raise ConfigurationError(f'errors is {errors!r}; it must be "strict" or "replace"')
    return errors == "replace"


def _n_threads(num_threads: int | None) -> int:
    where = "num_threads"
    value: int | str
    if num_threads is not None:
        value = num_threads
    elif setting := os.environ.get(_THREADS_VARIABLE):
        where, value = _THREADS_VARIABLE, setting
    else:
        return (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else (os.cpu_count() or 1)
        )
    try:
        number = int(value)
    except ValueError:
        number = 0
    if number < 1:
        raise ConfigurationError(f"{where} is {value!r}; it must be a number of threads, 1 or more")
    return number
