"""`tok.as_hf()`: the interface of `tokenizers.Tokenizer` over tokstream's engine.

Enters: texts, pairs of them, words; ids. Leaves: `Encoding`s, texts. Held back: nothing.

All that threads share is immutable; a change makes a new state and puts it in the old one's place.
Settings of truncation and padding are kept for each thread, see `Tokenizer`.
"""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

from tokstream._buffers import plain, plain_if_text
from tokstream._locks import Lock
from tokstream.compat.huggingface.added import AddedToken, as_added_tokens
from tokstream.compat.huggingface.arguments import checked_flag
from tokstream.compat.huggingface.components import (
    BPE,
    Component,
    Decoder,
    Normalizer,
    PostProcessor,
    PreTokenizer,
    json_of,
)
from tokstream.compat.huggingface.encode import EncodeVerbs, checked_id
from tokstream.compat.huggingface.inputs import check_text
from tokstream.compat.huggingface.load import load_document, load_hub, state_of, state_of_model
from tokstream.compat.huggingface.processing import combined, copies
from tokstream.compat.huggingface.settings import Padding, Settings, Truncation, pad_all, truncated
from tokstream.compat.huggingface.written import state_as_text, unpickled
from tokstream.errors import ConfigurationError

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from tokstream.compat.huggingface.encoding import Encoding
    from tokstream.compat.huggingface.state import State
    from tokstream.tokenizer import Tokenizer as NativeTokenizer

__all__ = ["Tokenizer"]

_Part = TypeVar("_Part", bound=Component)


class Tokenizer(EncodeVerbs):
    """A tokenizer with the names and the behaviour of `tokenizers.Tokenizer`.

    Get one from `tok.as_hf()`, or from `from_file` and its kin.

    **Threads.** One object may be used and changed by any number of threads. What
    `enable_truncation`, `enable_padding`, their opposites and `encode_special_tokens` set in the
    thread that made the object holds for all threads that have no settings of their own. Another
    thread that sets one of them, or asks for it, has its own from then on. So threads with
    different settings do not get in each other's way.
    """

    def __init__(self, model: object) -> None:
        """Make a tokenizer of a model and nothing else.

        Args:
            model: a `BPE` of `tokenizers`, or `model` of another of these.

        Raises:
            TypeError: something else.
            UnsupportedTokenizerError: a model that cannot be honoured exactly, by name.
        """
        self._begin(state_of_model(model), Settings())

    @classmethod
    def _of(cls, loaded: tuple[State, Settings]) -> Self:
        tokenizer = cls.__new__(cls)
        tokenizer._begin(*loaded)  # noqa: SLF001 - of this class
        return tokenizer

    def _begin(self, state: State, settings: Settings) -> None:
        self._state = state
        # one object for each part: changed in place, it is changed for all who have it
        self._shown: dict[str, Component] = {}
        self._lock = Lock()
        self._shared = settings
        self._own = threading.local()
        # in the thread that makes the object; idents of threads are given out again
        self._own.makes_shared = True
        self._has_own = False
        """Whether any thread has settings of its own."""

    # --- making one ------------------------------------------------------------------------------

    @classmethod
    def from_native(cls, native: NativeTokenizer) -> Tokenizer:
        """Return the view of a tokenizer of tokstream, see `tokstream.Tokenizer.as_hf`."""
        return cls._of(state_of(native))

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Tokenizer:
        """Load a tokenizer.json.

        Raises:
            VocabularyError: it is damaged; the message says where.
            UnsupportedTokenizerError: a part that cannot be honoured exactly, by name.
            OSError: it cannot be read.
        """
        from pathlib import Path  # noqa: PLC0415 - not on the way to encode

        path = Path(plain_if_text(path))
        return cls._of(load_document(path.read_bytes(), str(path)))

    @classmethod
    def from_str(cls, json: str) -> Tokenizer:
        """Load the content of a tokenizer.json.

        Raises:
            TypeError: no text.
        """
        if not isinstance(json, str):
            raise TypeError(
                f"the tokenizer.json is {type(json).__name__}; give its text as str, or use "
                "from_buffer for bytes and from_file for a path"
            )
        return cls._of(load_document(plain(json).encode(), "<str>"))

    @classmethod
    def from_buffer(cls, buffer: bytes) -> Tokenizer:
        """Load the content of a tokenizer.json as bytes.

        Raises:
            TypeError: no bytes.
        """
        try:
            data = bytes(memoryview(buffer))
        except TypeError:
            raise TypeError(
                f"the tokenizer.json is {type(buffer).__name__}; give its bytes, or use "
                "from_str for text and from_file for a path"
            ) from None
        return cls._of(load_document(data, "<bytes>"))

    @classmethod
    def from_pretrained(
        cls, identifier: str, revision: str | None = None, token: str | None = None
    ) -> Tokenizer:
        """Load the tokenizer.json of a model on the Hugging Face hub, through `huggingface_hub`.

        Raises:
            MissingDependencyError: `huggingface_hub` is not installed.
        """
        return cls._of(load_hub(identifier, revision, token))

    # --- the vocabulary --------------------------------------------------------------------------

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        """Return all tokens with their ids; a new dict."""
        state = self._state
        vocab = dict(state.definition.table)
        if checked_flag("with_added_tokens", with_added_tokens):
            vocab |= state.added.ids
        return vocab

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:
        """Return the number of tokens."""
        state = self._state
        table = state.definition.table
        if not checked_flag("with_added_tokens", with_added_tokens):
            return len(table)
        return len(table) + sum(text not in table for text in state.added.ids)

    def token_to_id(self, token: str) -> int | None:
        """Return the id of a token, None if there is none.

        Raises:
            TypeError: no text, or one with surrogates.
        """
        found = self._state.token_id(token)
        if found is None and not isinstance(token, str):
            raise TypeError(f"the token is {type(token).__name__}; give a str")
        if found is None:
            check_text(token)
        return found

    def id_to_token(self, id: int) -> str | None:  # noqa: A002 - the reference's name
        """Return the token of an id, None if there is none.

        Raises:
            TypeError: no whole number.
            OverflowError: a negative one, or one above 32 bits.
        """
        is_id = type(id) is int and 0 <= id < 1 << 32
        return self._state.token(id if is_id else checked_id(id))

    def get_added_tokens_decoder(self) -> dict[int, AddedToken]:
        """Return the added tokens by id; new objects."""
        return {
            token_id: AddedToken(**token.__getstate__())
            for token_id, token in sorted(self._state.added.by_id.items())
        }

    def add_tokens(self, tokens: Sequence[object]) -> int:
        """Add tokens that are found in a text before it is cut.

        Args:
            tokens: a list of `str`, or of `AddedToken`s, ours or those of `tokenizers`.

        Returns:
            How many were not there as they are now.

        Cost: O(added tokens); the next `encode` builds tables anew, some tenths of a second.
        """
        return self._add(as_added_tokens(tokens, special=False))

    def add_special_tokens(self, tokens: Sequence[object]) -> int:
        """Do as `add_tokens` with tokens that are special."""
        return self._add(as_added_tokens(tokens, special=True))

    def _add(self, tokens: list[AddedToken]) -> int:
        with self._lock:
            state = self._state
            added, n_added = state.added.extended(tokens, state.definition.table)
            if n_added or added.specials != state.added.specials:
                self._state = state.with_added(added)
        return n_added

    # --- settings --------------------------------------------------------------------------------

    def _settings(self) -> Settings:
        """Return what is in force in this thread."""
        if not self._has_own:
            return self._shared
        own: Settings | None = getattr(self._own, "settings", None)
        return self._shared if own is None else own

    def _set(self, settings: Settings) -> None:
        if getattr(self._own, "makes_shared", False):
            self._shared = settings
        else:
            self._own.settings = settings
            self._has_own = True

    def _kept(self) -> Settings:
        """Return what is in force in this thread; no other thread changes it from here on."""
        settings = self._settings()
        self._set(settings)
        return settings

    @property
    def encode_special_tokens(self) -> bool:
        """Whether special tokens in a text are plain text."""
        return self._kept().splits_special

    @encode_special_tokens.setter
    def encode_special_tokens(self, value: bool) -> None:
        splits_special = checked_flag("encode_special_tokens", value)
        self._set(self._settings()._replace(splits_special=splits_special))

    def enable_truncation(self, max_length: int, **options: Any) -> None:  # noqa: ANN401
        """Cut encodings from now on.

        Args:
            max_length: how many tokens there are at most, those of the template included.
            options: `stride` (0), `strategy` ("longest_first", "only_first", "only_second"),
                `direction` ("right", "left").

        Raises:
            ConfigurationError: a value that is none of the allowed ones; it is a ValueError.
        """
        n_added = self.num_special_tokens_to_add(is_pair=False)
        truncation = Truncation.of(max_length, options, n_added)
        self._set(self._settings()._replace(truncation=truncation))

    def no_truncation(self) -> None:
        """Cut nothing."""
        self._set(self._settings()._replace(truncation=None))

    @property
    def truncation(self) -> dict[str, Any] | None:
        """How encodings are cut, None if they are not; a new dict."""
        truncation = self._kept().truncation
        return None if truncation is None else truncation.shown()

    def enable_padding(self, **options: Any) -> None:  # noqa: ANN401
        """Make encodings equally long from now on.

        Args:
            options: `length` (None: that of the longest in the batch), `pad_to_multiple_of`
                (None), `pad_id` (0), `pad_token` ("[PAD]"), `pad_type_id` (0), `direction`
                ("right", "left").

        Raises:
            ConfigurationError: a value that is none of the allowed ones; it is a ValueError.
        """
        self._set(self._settings()._replace(padding=Padding.of(options)))

    def no_padding(self) -> None:
        """Add no padding."""
        self._set(self._settings()._replace(padding=None))

    @property
    def padding(self) -> dict[str, Any] | None:
        """How encodings are made equally long, None if they are not; a new dict."""
        padding = self._kept().padding
        return None if padding is None else padding.shown()

    # --- around texts ----------------------------------------------------------------------------

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Return how many tokens the template adds to one text or to a pair."""
        return self._state.n_added(1 + checked_flag("is_pair", is_pair))

    def post_process(
        self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True
    ) -> Encoding:
        """Cut, put the template around, and pad; the encodings given stay as they are."""
        state, (truncation, padding, _) = self._state, self._settings()
        adds = checked_flag("add_special_tokens", add_special_tokens)
        encodings, processor = copies(encoding, pair), state.processor
        if truncation is not None:
            n_added = state.n_added(len(encodings)) if adds else 0
            truncated(encodings[0], encodings[1] if pair is not None else None, truncation, n_added)
        whole = combined(encodings, processor, adds=adds)
        if padding is not None:
            pad_all([whole], padding)
        return whole

    # --- parts -----------------------------------------------------------------------------------

    @property
    def model(self) -> BPE:
        """The model, to look at; may be set to a `BPE` of `tokenizers`."""
        return BPE(self._state)

    @model.setter
    def model(self, value: object) -> None:
        model = state_of_model(value).definition
        with self._lock:
            self._state = self._state.with_model(model)

    @property
    def normalizer(self) -> Normalizer | None:
        """The normalizer; may be set to one of `tokenizers`, or None."""
        return self._part("normalizer", Normalizer)

    @normalizer.setter
    def normalizer(self, value: object) -> None:
        self._change("normalizer", Normalizer, value)

    @property
    def pre_tokenizer(self) -> PreTokenizer | None:
        """The pre-tokenizer; may be set to one of `tokenizers`, or None."""
        return self._part("pre_tokenizer", PreTokenizer)

    @pre_tokenizer.setter
    def pre_tokenizer(self, value: object) -> None:
        self._change("pre_tokenizer", PreTokenizer, value)

    @property
    def post_processor(self) -> PostProcessor | None:
        """The post-processor; may be set to one of `tokenizers`, or None."""
        return self._part("post_processor", PostProcessor)

    @post_processor.setter
    def post_processor(self, value: object) -> None:
        self._change("post_processor", PostProcessor, value)

    @property
    def decoder(self) -> Decoder | None:
        """The decoder; may be set to one of `tokenizers`, or None."""
        return self._part("decoder", Decoder)

    @decoder.setter
    def decoder(self, value: object) -> None:
        self._change("decoder", Decoder, value)

    def _part(self, name: str, kind: type[_Part]) -> _Part | None:
        data = self._state.definition.parts.get(name)
        if data is None:
            return None
        shown = self._shown.get(name)
        if not isinstance(shown, kind) or shown.data != data:
            shown = self._shown[name] = kind(data, partial(self._replace, name))
        return shown

    def _change(self, name: str, kind: type[Component], value: object) -> None:
        data = json_of(value, kind)
        with self._lock:
            if data != self._state.definition.parts.get(name):
                self._state = self._state.with_part(name, data)

    def _replace(self, name: str, before: dict[str, Any], after: dict[str, Any]) -> None:
        """Put a changed part in place of what it was, if that is still in place."""
        with self._lock:
            if self._state.definition.parts.get(name) == before:
                self._state = self._state.with_part(name, after)

    def train(self, *args: object, **options: object) -> NoReturn:  # noqa: ARG002
        """Refuse: tokstream does not train."""
        raise ConfigurationError(
            "tokstream does not train vocabularies; train with `tokenizers`, save, and load the "
            "tokenizer.json here"
        )

    train_from_iterator = train

    # --- written form ----------------------------------------------------------------------------

    def to_str(self, pretty: bool = False) -> str:
        """Return the tokenizer as the content of a tokenizer.json.

        Cost: O(content); half a second for 150,000 tokens.
        """
        pretty = checked_flag("pretty", pretty)
        return state_as_text(self._state, self._settings(), pretty=pretty)

    def save(self, path: str | os.PathLike[str], pretty: bool = True) -> None:
        """Write a tokenizer.json; a regular file is replaced once all of it is written."""
        from tokstream.compat.huggingface.written import write_text  # noqa: PLC0415

        write_text(plain_if_text(path), self.to_str(pretty))

    def __copy__(self) -> Tokenizer:
        return self._of((self._state, self._settings()))

    def __deepcopy__(self, memo: object) -> Tokenizer:
        return self.__copy__()

    def __reduce__(self) -> tuple[object, ...]:
        return unpickled, (type(self), self.to_str().encode(), self._settings().splits_special)

    def __repr__(self) -> str:
        state = self._state
        return (
            f"<Tokenizer {state.parts.name} as in tokenizers: {self.get_vocab_size()} tokens, "
            f"{len(state.added.by_id)} of them added>"
        )
