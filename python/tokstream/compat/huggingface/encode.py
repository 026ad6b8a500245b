"""Texts → encodings, and ids → texts: the verbs of `tokenizers.Tokenizer`.

Enters: texts, pairs, words; see `inputs`. Leaves: `Encoding`s; texts.
Held back: nothing.
"""

from __future__ import annotations

import asyncio
from contextvars import copy_context
from functools import partial
from itertools import chain, filterfalse
from operator import index
from typing import TYPE_CHECKING, Any, TypeVar, cast

from tokstream.compat.huggingface.arguments import checked_flag
from tokstream.compat.huggingface.encoding import Encoding
from tokstream.compat.huggingface.inputs import Input, check_text, one_or_two, one_or_two_each
from tokstream.compat.huggingface.plan import Part
from tokstream.compat.huggingface.processing import combined
from tokstream.compat.huggingface.runs import FastSource, Run, WordsSource
from tokstream.compat.huggingface.settings import Settings, Truncation, pad_all, truncated
from tokstream.errors import InvalidTokenIdError
from tokstream.verbs.threads import environment_number

if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import Callable, Iterable

    from typing_extensions import Buffer

    from tokstream.compat.huggingface.plan import Frame
    from tokstream.compat.huggingface.runs import Reader, Source
    from tokstream.compat.huggingface.state import State

__all__ = ["EncodeVerbs", "checked_id"]

_Result = TypeVar("_Result")

_PLAIN = Settings()


class EncodeVerbs:
    """`encode`, `decode` and their kin."""

    _state: State

    def _settings(self) -> Settings:
        raise NotImplementedError

    def encode(
        self,
        sequence: object,
        pair: object = None,
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> Encoding:
        """Encode a text or a pair.

        Args:
            sequence: a text; with `is_pretokenized` a list of words.
            pair: the second text, in the same form.
            is_pretokenized: whether texts are given as words.
            add_special_tokens: put the template around.

        Raises:
            TypeError: an input of another form.
            ConfigurationError: truncation that cannot be done; it is a ValueError.

        Cost: O(n); ids are made at once, offsets and words when they are asked for.
        """
        if add_special_tokens is not True and add_special_tokens is not False:
            add_special_tokens = checked_flag("add_special_tokens", add_special_tokens)
        state, settings = self._state, self._settings()
        if pair is None and type(sequence) is str and is_pretokenized is False:
            check_text(sequence)
            reader = state.readers[settings[2]]
            ids: Any = state.core.encode(sequence, reader.specials, False, False)  # noqa: FBT003
            frame = state.frames[add_special_tokens] if settings == _PLAIN else None
            if frame is not None:
                return Encoding.of_text(frame, reader, sequence, ids)
            return _wrapped(state, settings, reader, [sequence], [ids], add_special_tokens)[0]
        inputs = one_or_two(sequence, pair, is_pretokenized)
        return _encoded(state, settings, [inputs], adds=add_special_tokens, is_fast=False)[0]

    def encode_batch(
        self,
        input: Iterable[object],  # noqa: A002 - the reference's name
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> list[Encoding]:
        """Encode several texts or pairs, on several threads.

        Args:
            input: texts, and pairs as tuples or lists of two; with `is_pretokenized` lists of
                words instead of texts.
            is_pretokenized: as in `encode`.
            add_special_tokens: as in `encode`.
        """
        adds = checked_flag("add_special_tokens", add_special_tokens)
        state, settings = self._state, self._settings()
        if type(input) is list and is_pretokenized is False and set(map(type, input)) == {str}:
            texts: list[str] = input[:]
            for text in filterfalse(str.isascii, texts):
                check_text(text)
            reader = state.readers[settings.splits_special]
            return _wrapped(state, settings, reader, texts, _ids(state, reader, texts), adds)
        inputs = one_or_two_each(input, is_pretokenized)
        return _encoded(state, settings, inputs, adds=adds, is_fast=False)

    def encode_batch_fast(
        self,
        input: Iterable[object],  # noqa: A002 - the reference's name
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> list[Encoding]:
        """Do as `encode_batch`, without tokens, offsets and words: they are empty, as there.

        Here it is no faster, since `encode_batch` makes them only if they are asked for.
        """
        adds = checked_flag("add_special_tokens", add_special_tokens)
        inputs = one_or_two_each(input, is_pretokenized)
        return _encoded(self._state, self._settings(), inputs, adds=adds, is_fast=True)

    # the async verbs check what they are given, and begin, at the call; the settings are those of
    # the caller's thread

    def async_encode(
        self,
        sequence: object,
        pair: object = None,
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> Future[Encoding]:
        """Do as `encode` on another thread.

        Raises:
            RuntimeError: no event loop runs in this thread.
        """
        inputs = [one_or_two(sequence, pair, is_pretokenized)]
        encoded = self._work(inputs, add_special_tokens, is_fast=False)
        return _begun(lambda: encoded()[0])

    def async_encode_batch(
        self,
        input: Iterable[object],  # noqa: A002 - the reference's name
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> Future[list[Encoding]]:
        """Do as `encode_batch` on other threads; raises as `async_encode`."""
        inputs = one_or_two_each(input, is_pretokenized)
        return _begun(self._work(inputs, add_special_tokens, is_fast=False))

    def async_encode_batch_fast(
        self,
        input: Iterable[object],  # noqa: A002 - the reference's name
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> Future[list[Encoding]]:
        """Do as `encode_batch_fast` on other threads; raises as `async_encode`."""
        inputs = one_or_two_each(input, is_pretokenized)
        return _begun(self._work(inputs, add_special_tokens, is_fast=True))

    def _work(
        self, inputs: list[list[Input]], add_special_tokens: object, *, is_fast: bool
    ) -> Callable[[], list[Encoding]]:
        adds = checked_flag("add_special_tokens", add_special_tokens)
        return partial(_encoded, self._state, self._settings(), inputs, adds=adds, is_fast=is_fast)

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = True) -> str:
        """Return the text of ids; those that are no token say nothing, as in the reference.

        Raises:
            OverflowError: an id that is negative or above 32 bits.
            TypeError: no sequence of whole numbers.
        """
        if skip_special_tokens is not True and skip_special_tokens is not False:
            skip_special_tokens = checked_flag("skip_special_tokens", skip_special_tokens)
        return _decoded(self._state, ids, skip_special_tokens=skip_special_tokens)

    def decode_batch(
        self, sequences: Iterable[Iterable[int]], skip_special_tokens: bool = True
    ) -> list[str]:
        """Return the texts of several lists of ids."""
        state, skips = self._state, checked_flag("skip_special_tokens", skip_special_tokens)
        return [_decoded(state, ids, skip_special_tokens=skips) for ids in sequences]

    def async_decode_batch(
        self, sequences: Iterable[Iterable[int]], skip_special_tokens: bool = True
    ) -> Future[list[str]]:
        """Do as `decode_batch` on another thread; raises as `async_encode`."""
        numbers = [_numbers(ids) for ids in sequences]
        skips = checked_flag("skip_special_tokens", skip_special_tokens)
        return _begun(partial(self.decode_batch, numbers, skips))


def _begun(work: Callable[[], _Result]) -> Future[_Result]:
    """Return a future of the running event loop for what another thread does, from now on.

    Raises:
        RuntimeError: no event loop runs in this thread.
    """
    loop = asyncio.get_running_loop()
    return loop.run_in_executor(None, copy_context().run, work)


def _decoded(state: State, ids: Any, *, skip_special_tokens: bool) -> str:  # noqa: ANN401
    if type(ids) is not list:
        ids = list(map(index, ids))
    try:
        return state.decode(ids, skip_special_tokens=skip_special_tokens)
    except (TypeError, OverflowError, InvalidTokenIdError):
        numbers = _numbers(ids)
    known = [number for number in numbers if state.token(number) is not None]
    return state.decode(known, skip_special_tokens=skip_special_tokens)


def _numbers(ids: Iterable[int]) -> list[int]:
    """Return ids as numbers.

    Raises:
        OverflowError: one that is negative or above 32 bits.
        TypeError: no sequence of whole numbers.
    """
    return list(map(checked_id, ids))


def checked_id(value: object) -> int:
    """Return an id as a number.

    Raises:
        OverflowError: it is negative or above 32 bits.
        TypeError: no whole number.
    """
    number = index(value)  # type: ignore[arg-type]
    if not 0 <= number < 1 << 32:
        raise OverflowError(f"no token can have the id {number}; ids are 0 .. 2**32 - 1")
    return number


def _encoded(
    state: State,
    settings: Settings,
    inputs: list[list[Input]],
    *,
    adds: bool,
    is_fast: bool,
) -> list[Encoding]:
    """Encode one or two texts for each input, all in one native call."""
    texts: list[str | Buffer] = []
    for given in inputs:
        for part in given:
            if isinstance(part, str):
                texts.append(part)
            else:
                texts += part
    reader = state.readers[settings.splits_special]
    ids = iter(_ids(state, reader, texts))

    def one(given: Input) -> Source:
        if isinstance(given, str):
            found = next(ids)
            return FastSource(found) if is_fast else reader.source(given, found)
        parts = [next(ids) for _ in given]
        if is_fast:
            return FastSource(list(chain.from_iterable(parts)))
        return WordsSource(reader, given, parts)

    # as in the reference; it shows in what overflows
    second_type = 0 if is_fast else 1
    found = [
        _finished(state, settings.truncation, tuple(map(one, given)), adds, second_type)
        for given in inputs
    ]
    if settings.padding is not None:
        pad_all(found, settings.padding)
    return found


def _ids(state: State, reader: Reader, texts: list[Any]) -> list[list[int]]:
    """Return the ids of texts, encoded on several threads."""
    n_threads = environment_number()
    found = state.core.encode_batch(texts, reader.specials, False, False, n_threads)  # noqa: FBT003
    return cast("list[list[int]]", found)


def _wrapped(
    state: State,
    settings: Settings,
    reader: Reader,
    texts: list[str],
    ids: list[list[int]],
    adds: bool,
) -> list[Encoding]:
    """Return the encodings of single texts, given their ids; the usual case, in few steps."""
    truncation, padding, _ = settings
    frame = state.frames[adds]
    if frame is not None and (truncation is None or _all_fit(ids, truncation, frame)):
        found = Encoding.of_texts(frame, reader, texts, ids)
    else:
        sources = map(reader.source, texts, ids)
        found = [_finished(state, truncation, (source,), adds, 1) for source in sources]
    if padding is not None:
        pad_all(found, padding)
    return found


def _all_fit(ids: list[list[int]], truncation: Truncation, frame: Frame) -> bool:
    """Is nothing to be cut?"""
    return 0 < truncation.max_length - frame.n_around >= max(map(len, ids))


def _finished(
    state: State,
    truncation: Truncation | None,
    sources: tuple[Source, ...],
    adds: bool,
    second_type: int,
) -> Encoding:
    """Cut one text or a pair, and put the template around."""
    n_texts = len(sources)
    plan = state.plan(n_texts, adds=adds, second_type=second_type)
    if plan.frame is not None and n_texts == 1:
        frame, source = plan.frame, sources[0]
        room = len(source.ids) if truncation is None else truncation.max_length - frame.n_around
        if len(source.ids) <= room and (room > 0 or truncation is None):
            return Encoding.framed(frame, source)
    parts = [Part(source, 0, len(source.ids)) for source in sources]
    if truncation is None:
        return plan.make(parts)
    room = truncation.max_length - (state.n_added(n_texts) if adds else 0)
    if room < 0 or 0 < room >= sum([part.end for part in parts]):
        return plan.make(parts)  # as in the reference: what the template alone exceeds is not cut

    def whole() -> Encoding:
        encodings = [
            Encoding([Run(source, 0, len(source.ids), k * second_type)] if source.ids else [])
            for k, source in enumerate(sources)
        ]
        first, second = encodings[0], encodings[1] if n_texts == 2 else None
        truncated(first, second, truncation, truncation.max_length - room)
        return combined(encodings, state.processor, adds=adds)

    if n_texts == 2 or room == 0:
        return whole()
    # the usual case; what overflows is made when it is asked for
    encoding = Encoding([Run(sources[0], 0, parts[0].end)])
    truncated(encoding, None, truncation, truncation.max_length - room)
    run = encoding.runs[0]
    encoding = plan.make([Part(run.source, run.begin, run.end)])
    encoding.overflow(lambda: whole().overflowing)
    return encoding
