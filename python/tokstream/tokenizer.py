"""The tokenizer: immutable, shared, one verb for each thing people do with ids.

Enters: text, or ids. Leaves: ids, or text. Nothing is held back: streams do that.
"""

from __future__ import annotations

import sys
from operator import index

from tokstream import _core
from tokstream._arrays import as_array
from tokstream._buffers import view_of
from tokstream._light import TYPE_CHECKING, final
from tokstream._tables import Tables, shared_tables
from tokstream.errors import (
    ConfigurationError,
    InvalidTokenIdError,
    UnknownNameError,
    UnsupportedTokenizerError,
)
from tokstream.special import SpecialPolicy
from tokstream.verbs.batch import BatchVerbs
from tokstream.verbs.parts import replaces
from tokstream.verbs.spans import SpanVerbs
from tokstream.verbs.streams import StreamVerbs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tokstream._types import ErrorMode, IdArray, SpecialChoice, Text
    from tokstream.compat.huggingface import Tokenizer as HuggingFaceTokenizer
    from tokstream.decoding import Decoder
    from tokstream.formats.parts import TokenizerParts
    from tokstream.vocabulary import Vocabulary

__all__ = ["Tokenizer"]

_END_OF_TEXT = "<|endoftext|>"


@final
class Tokenizer(BatchVerbs, SpanVerbs, StreamVerbs):
    """A BPE tokenizer: `encode`, `decode`, `count`, `stream` and their kin.

    Get one from `tokstream.get_encoding`, `encoding_for_model` or `load`; or build it from a
    vocabulary. Immutable, hashable, picklable, safe to share between threads and after fork.

    **Text** is a `str` or UTF-8 in a contiguous buffer of bytes. Surrogates in a `str` are read
    as tiktoken reads them: a pair is its character, a lone one U+FFFD.

    **Special tokens in text.** `allowed_special` names those that become their ids,
    `disallowed_special` those that make the text an error; each is "all" or a collection of
    names. Left out, they are what they are to the reference of the tokenizer's format: for
    encodings and rank files an error, as in tiktoken; for tokenizer.json their ids; for
    SentencePiece and tekken.json text. With `allowed_special=(), disallowed_special=()` all text is
    plain. Added tokens that are not special are always found.

    **Errors.** Bytes that are not UTF-8 raise `InvalidUtf8Error` with their offset, or are read
    as U+FFFD with `errors="replace"`. An `InputError` carries the ids before the fault in `ids`.
    """

    __slots__ = (
        "_core",
        "_decoder",
        "_eos",
        "_is_embedded",
        "_key",
        "_n_vocab",
        "_name",
        "_parts",
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
            from tokstream.vocabulary import check_special_tokens  # noqa: PLC0415 - see `_light`

            check_special_tokens(self._special_tokens, vocabulary, allow_shared_ids=True)
        self._eos = eos if eos is not None else _END_OF_TEXT
        if eos is not None and eos not in self._special_tokens:
            raise ConfigurationError(f"eos {eos!r} is not among the special tokens")
        self._is_embedded = False
        self._parts: TokenizerParts | None = None
        self._decoder: Decoder | None = None
        largest_special = max(self._special_tokens.values(), default=-1)
        self._n_vocab = max(vocabulary.n_vocab, largest_special + 1)
        self._key: tuple[object, ...] = (
            vocabulary.content_digest(),
            pattern,
            tuple(sorted(self._special_tokens.items())),
        )
        self._tables: Tables = shared_tables(self._key, lambda: self._build(_automaton))
        self._core = self._tables.core
        self._special = SpecialPolicy(self._special_tokens)
        spellings: dict[int, list[bytes]] = {}
        for text, token_id in self._special_tokens.items():
            spellings.setdefault(token_id, []).append(text.encode())
        self._shared_ids = {k: names for k, names in spellings.items() if len(names) > 1}

    def _build(self, automaton: bytes | None) -> _core.Core:
        if automaton is None:
            automaton = self._automaton_bytes()
        vocabulary = self._vocabulary
        return _core.Core(
            vocabulary.blob,
            vocabulary.lengths,
            vocabulary.ids,
            list(self._special_tokens.items()),
            automaton,
        )

    def _automaton_bytes(self) -> bytes:
        """Compile the pattern, or take what was compiled before for an embedded encoding."""
        from tokstream.encodings import registry  # noqa: PLC0415 - it is there by now

        if (known := registry.compiled_pattern(self._pattern)) is not None:
            return known
        from tokstream.patterns import compile_pattern  # noqa: PLC0415 - embedded ones need it not

        return compile_pattern(self._pattern).to_bytes()

    @classmethod
    def _from_parts(cls, parts: TokenizerParts) -> Tokenizer:
        """Build a tokenizer from what a format's reader found."""
        self = object.__new__(cls)
        self._name = parts.name
        self._vocabulary = parts.vocabulary
        self._pattern = parts.pattern or ""
        self._special_tokens = dict(parts.special_tokens)
        self._eos = parts.eos or _END_OF_TEXT
        self._is_embedded = False
        self._parts = parts
        self._decoder = parts.decoder
        self._n_vocab = parts.n_vocab
        self._key = parts.key()
        try:
            self._tables = shared_tables(self._key, parts.build)
            self._core = self._tables.core
            self._special = SpecialPolicy(self._special_tokens, parts.special_default, self._core)
        except ValueError as error:  # all that the engine refuses
            raise UnsupportedTokenizerError(
                f"{parts.name}: {error}", str(error).split(":", 1)[0]
            ) from error
        self._shared_ids = {}
        return self

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
        """The pretokenization pattern; empty if text is not cut by a single one."""
        return self._pattern

    @property
    def n_vocab(self) -> int:
        """One more than the largest id, special tokens included."""
        return self._n_vocab

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
        add_special_tokens: bool = False,
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
        return self._core.encode(  # type: ignore[return-value]
            text,
            specials,
            replaces(errors),
            False,  # noqa: FBT003
            add_special_tokens,
        )

    def encode_array(
        self,
        text: Text,
        *,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
        add_special_tokens: bool = False,
    ) -> IdArray:
        """Do as `encode`, but return a numpy array of uint32, shape (n_tokens,)."""
        specials = self._special.resolve(allowed_special, disallowed_special)
        return as_array(
            self._core.encode(text, specials, replaces(errors), True, add_special_tokens)  # noqa: FBT003
        )

    def encode_ordinary(self, text: Text, *, errors: ErrorMode = "strict") -> list[int]:
        """Return the ids of a text in which special tokens are plain text."""
        return self._core.encode(text, self._special.plain, replaces(errors), False)  # type: ignore[return-value]  # noqa: FBT003

    def encode_ordinary_array(self, text: Text, *, errors: ErrorMode = "strict") -> IdArray:
        """Do as `encode_ordinary`, but return a numpy array of uint32."""
        return as_array(
            self._core.encode(text, self._special.plain, replaces(errors), True)  # noqa: FBT003
        )

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
        return self._core.count(text, specials, replaces(errors), limit)

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
        if self._decoder is not None and errors == "replace":
            try:
                return self._decoder.decode(ids)
            except TypeError as error:
                raise _named(error, ids) from None
        return self.decode_bytes(ids).decode("utf-8", errors)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the bytes of ids; those of a part of a text may be no whole characters."""
        try:
            if self._decoder is not None:
                return self._decoder.decode_bytes(ids)
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
        if self._parts is not None and (token_id is None or token_id >= self._n_vocab):
            return self._parts.id_of(token)
        return token_id

    def info(self) -> dict[str, object]:
        """Return what is known of the tokenizer: vocabulary, pattern and their analysis.

        All values are plain; docs/api.md names the fields.
        """
        from tokstream.inspection import describe  # noqa: PLC0415 - it brings the compiler

        return describe(self, self._vocabulary, self._core)

    def as_hf(self) -> HuggingFaceTokenizer:
        """Return a view of this tokenizer with the interface of `tokenizers.Tokenizer`.

        Embedded encodings and rank files become what they are usually converted to. Truncation
        and padding of a tokenizer.json, which other verbs ignore, are in force there.

        Raises:
            UnsupportedTokenizerError: a SentencePiece model or tekken.json, which have no one form
                as a tokenizer.json.
            ConfigurationError: the tokenizer.json this was loaded from is gone or has changed.

        Cost: the tokenizer.json is read again, a second for 100,000 tokens.
        """
        from tokstream.compat.huggingface import Tokenizer as View  # noqa: PLC0415 - seldom needed

        return View.from_native(self)

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
        if self._parts is not None:
            return Tokenizer._from_parts, (self._parts,)
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
