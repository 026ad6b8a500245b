"""`Encoding`: tiktoken's class, each verb a thin layer over the native tables.

Enters: text, or token ids. Leaves: token ids, or text; errors of the kinds that tiktoken raises.
Held back: `mergeable_ranks` of an embedded encoding, until it is asked for.
"""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self, cast

from tokstream._arrays import as_array
from tokstream._buffers import plain
from tokstream._locks import kept
from tokstream.compat.tiktoken.arguments import (
    checked_threads,
    special_fault,
    tokenizer_of,
    without_empty,
)
from tokstream.compat.tiktoken.completions import encode_bytes, with_unstable
from tokstream.compat.tiktoken.decoding import MAX_KEPT, DecodeVerbs
from tokstream.compat.tiktoken.errors import (
    MissingTokenError,
    NoTokenIdError,
    TokenCountError,
)
from tokstream.compat.tiktoken.replaced import by_name, choices, one_by_one
from tokstream.errors import ConfigurationError, DisallowedSpecialTokenError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from collections.abc import Set as AbstractSet

    from tokstream._core import SpecialSet
    from tokstream._types import IdArray, Text
    from tokstream.tokenizer import Tokenizer

    _Allowed = Literal["all"] | AbstractSet[str]
    _Disallowed = Literal["all"] | Collection[str]

__all__ = ["Encoding", "raise_disallowed_special_token"]

_NONE: frozenset[str] = frozenset()
_MISSING = -1


class Encoding(DecodeVerbs):
    """A tokenizer with tiktoken's verbs; see `tokstream.Tokenizer` for tokstream's own.

    Immutable, safe to share between threads and after fork. Encodings from `get_encoding` pickle
    as their name, others as what they were made of, in the form that tiktoken's pickles have.

    Attributes:
        name: what the encoding is called.
        max_token_value: the largest token id, special tokens included.
    """

    name: str
    max_token_value: int

    # whether a subclass has replaced what others of its verbs then call, as in tiktoken; worked out
    # once, so that it costs calls nothing
    _encodes_its_way = _encodes_ordinary_its_way = _lists_special_its_way = False

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        cls._encodes_its_way = cls.encode is not _ENCODE
        cls._encodes_ordinary_its_way = cls.encode_ordinary is not _ENCODE_ORDINARY
        cls._lists_special_its_way = cls.special_tokens_set is not _SPECIAL_TOKENS_SET

    def __init__(
        self,
        name: str,
        *,
        pat_str: str,
        mergeable_ranks: dict[bytes, int],
        special_tokens: dict[str, int],
        explicit_n_vocab: int | None = None,
    ) -> None:
        """Build an encoding.

        Args:
            name: what to call it.
            pat_str: the pattern that cuts text before tokens are merged.
            mergeable_ranks: token bytes to rank, which is merge priority and id.
            special_tokens: text to id.
            explicit_n_vocab: the number of ids, checked if given.

        Raises:
            ConfigurationError: a `ValueError`: pattern or vocabulary cannot be honoured exactly.
            TypeError: a pattern that is not `str`, tokens that are not bytes, ids that are no
                numbers.
            TokenCountError: an `AssertionError`: `explicit_n_vocab` is not the number of ids.

        Cost: about a second for 100,000 tokens, once: tables are shared with encodings of the same
            ranks and pattern in this process, and kept in a file for later ones.
        """
        tokenizer = tokenizer_of(name, pat_str, mergeable_ranks, special_tokens)
        if explicit_n_vocab:
            n_tokens = len(mergeable_ranks) + len(special_tokens)
            n_vocab = tokenizer.n_vocab
            if not n_tokens == n_vocab == explicit_n_vocab:
                raise TokenCountError(
                    f"explicit_n_vocab is {explicit_n_vocab}, but {name!r} has "
                    f"{len(mergeable_ranks)} mergeable and {len(special_tokens)} special tokens, "
                    f"and the largest id is {n_vocab - 1}; correct it or leave it out"
                )
        self._set_up(tokenizer)
        self._mergeable_ranks = mergeable_ranks

    @classmethod
    def from_tokenizer(cls, tokenizer: Tokenizer) -> Self:
        """Return the encoding of a tokenizer; not in tiktoken.

        Args:
            tokenizer: one from `tokstream.get_encoding`, or from `load` of a rank file.

        Raises:
            ConfigurationError: the tokenizer has a normalizer, byte fallback or other parts that
                no encoding has.
        """
        if tokenizer._parts is not None:  # noqa: SLF001 - made for it
            raise ConfigurationError(
                f"{tokenizer.name} does more than merge by rank (format "
                f"{tokenizer._parts.format}), which tiktoken cannot express; use its own verbs"  # noqa: SLF001
            )
        self = cls.__new__(cls)
        self._set_up(tokenizer)
        return self

    def _set_up(self, tokenizer: Tokenizer) -> None:
        policy = tokenizer._special  # noqa: SLF001 - thin by using what is there
        self.name = tokenizer.name
        self.max_token_value = tokenizer.n_vocab - 1
        self._tokenizer = tokenizer
        self._core = core = tokenizer._core  # noqa: SLF001
        # looked up once: a call of a single token is little more than that
        self._token_bytes = core.token_bytes
        self._token_id = core.token_id
        self._merge = core.merge
        self._special_bytes = {t.encode(): i for t, i in tokenizer.special_tokens.items()}
        # single tokens that were asked for, those that do not exist as _MISSING; texts and bytes
        # apart, as they may not be compared
        self._text_ids: dict[object, int] = {}
        self._bytes_ids: dict[object, int] = {}
        self._known_bytes = {}
        self._pat_str = tokenizer.pattern
        self._special_tokens = tokenizer.special_tokens
        self._special_token_values = set(self._special_tokens.values())
        self._resolve = policy.resolve
        self._refusing = policy.default
        self._plain = policy.plain

    @kept
    def _mergeable_ranks(self) -> dict[bytes, int]:
        return self._tokenizer._vocabulary.to_ranks()  # noqa: SLF001

    def __repr__(self) -> str:
        return f"<Encoding {self.name!r}>"

    # encoding

    def encode(
        self,
        text: str,
        *,
        allowed_special: _Allowed = _NONE,
        disallowed_special: _Disallowed = "all",
    ) -> list[int]:
        """Return the ids of a text.

        Args:
            text: the text; surrogates are joined to characters, lone ones read as U+FFFD.
            allowed_special: special tokens that become their ids.
            disallowed_special: texts that raise an error; "all" are the special tokens that are
                not allowed. With () nothing is refused: special tokens are plain text unless
                they are allowed.

        Raises:
            DisallowedSpecialTokenError: a `ValueError`: the text spells a disallowed one.
            TypeError: `text` is not `str`.

        Cost: O(n) for n bytes.

        >>> import tokstream.compat.tiktoken as tiktoken
        >>> tiktoken.get_encoding("gpt2").encode("hello <|endoftext|>", allowed_special="all")
        [31373, 220, 50256]
        """
        if not isinstance(text, str):
            raise _no_text(text)
        if (
            allowed_special is _NONE
            and disallowed_special == "all"
            and not self._lists_special_its_way
        ):
            specials = self._refusing
        else:
            specials = self._choice(allowed_special, disallowed_special)
        return self._core.encode(text, specials, False, False)  # type: ignore[return-value]  # noqa: FBT003

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the ids of a text in which special tokens are plain text."""
        if not isinstance(text, str):
            raise _no_text(text)
        return self._core.encode(text, self._plain, False, False)  # type: ignore[return-value]  # noqa: FBT003

    def encode_to_numpy(
        self,
        text: str,
        *,
        allowed_special: _Allowed = _NONE,
        disallowed_special: _Disallowed = "all",
    ) -> IdArray:
        """Do as `encode`, but return a numpy array of uint32."""
        if not isinstance(text, str):
            raise _no_text(text)
        specials = self._choice(allowed_special, disallowed_special)
        return as_array(self._core.encode(text, specials, False, True))  # noqa: FBT003

    def encode_ordinary_batch(self, text: list[str], *, num_threads: int = 8) -> list[list[int]]:
        """Do as `encode_ordinary` for several texts, on at most `num_threads` threads."""
        if self._encodes_ordinary_its_way:
            return one_by_one(self.encode_ordinary, text, num_threads)
        return self._batch(text, self._plain, num_threads)

    def encode_batch(
        self,
        text: list[str],
        *,
        num_threads: int = 8,
        allowed_special: _Allowed = _NONE,
        disallowed_special: _Disallowed = "all",
    ) -> list[list[int]]:
        """Do as `encode` for several texts, on at most `num_threads` threads."""
        if self._encodes_its_way:
            special = self.special_tokens_set
            verb = choices(self.encode, special, allowed_special, disallowed_special)
            return one_by_one(verb, text, num_threads)
        return self._batch(text, self._choice(allowed_special, disallowed_special), num_threads)

    def encode_with_unstable(
        self,
        text: str,
        *,
        allowed_special: _Allowed = _NONE,
        disallowed_special: _Disallowed = "all",
    ) -> tuple[list[int], list[list[int]]]:
        """Return ids that stay, and what the rest of the text may turn into if it goes on.

        The completions are tiktoken's, in increasing order; for what is certain whatever follows,
        and for all of it, use `Tokenizer.stream`.

        Returns:
            The ids before the last piece of the text; and sequences of ids whose bytes begin with
            that piece, each as long as it takes to cover it.

        Cost: for each place in the last piece, and each token that begins with what follows there,
        what the token adds is encoded; each may give a list of its own: of half the vocabulary
        where a text ends with a blank.
        """
        if not isinstance(text, str):
            raise _no_text(text)
        specials = self._choice(allowed_special, disallowed_special)
        return with_unstable(self._core, text, specials)

    def encode_single_token(self, text_or_bytes: str | bytes) -> int:
        """Return the id of one token, special ones included.

        Raises:
            UnknownNameError: a `KeyError`: there is no such token.
        """
        kind = type(text_or_bytes)
        known = self._text_ids if kind is str else self._bytes_ids
        try:
            token_id = known.get(text_or_bytes)
        except (TypeError, ValueError):  # a buffer that may change, or no buffer
            token_id, known = None, {}
        if token_id is None:
            token = _bytes_of(text_or_bytes)
            token_id = self._token_id(token)
            if token_id is None:
                token_id = self._special_bytes.get(token, _MISSING)
            if len(known) < MAX_KEPT and (kind is str or kind is bytes):
                known[text_or_bytes] = token_id
        if token_id < 0:
            raise MissingTokenError(_bytes_of(text_or_bytes), self.name)
        return token_id

    # facts

    def token_byte_values(self) -> list[bytes]:
        """Return the bytes of all mergeable tokens, sorted."""
        return sorted(self._tokenizer._vocabulary.tokens())  # noqa: SLF001

    @property
    def eot_token(self) -> int:
        """Id of "<|endoftext|>"; a `KeyError` if there is none."""
        return self._special_tokens["<|endoftext|>"]

    @kept
    def special_tokens_set(self) -> set[str]:
        """The texts of the special tokens."""
        return set(self._special_tokens)

    def is_special_token(self, token: int) -> bool:
        """Tell whether an id is that of a special token.

        Raises:
            NoTokenIdError: a `TypeError` and an `AssertionError`: `token` is no integer.
        """
        try:
            return (token if type(token) is int else index(token)) in self._special_token_values
        except TypeError:
            raise NoTokenIdError(f"a token id is an int, got {type(token).__name__}") from None

    @property
    def n_vocab(self) -> int:
        """One more than the largest id."""
        return self.max_token_value + 1

    # what others use of tiktoken's inner side

    def _encode_single_piece(self, text_or_bytes: str | bytes) -> list[int]:
        """Return the ids of text or bytes that the pattern does not cut."""
        if isinstance(text_or_bytes, str):
            return self._merge(plain(text_or_bytes).encode(), True)  # noqa: FBT003
        return self._merge(_bytes_of(text_or_bytes), True)  # noqa: FBT003

    def _encode_only_native_bpe(self, text: str) -> list[int]:
        """Do as `encode_ordinary`; tiktoken cuts the text with the `regex` module here."""
        return _ENCODE_ORDINARY(self, text)

    def _encode_bytes(self, text: bytes) -> list[int]:
        """Return the ids of bytes; from the last piece before what is not UTF-8 on, uncut."""
        return encode_bytes(self._core, bytes(memoryview(text)), self._plain)

    def _choice(self, allowed: _Allowed, disallowed: _Disallowed) -> SpecialSet:
        if self._lists_special_its_way:
            allowed, disallowed = by_name(self.special_tokens_set, allowed, disallowed)
        if not allowed:
            if not disallowed:  # None too, as in tiktoken
                return self._plain
            if disallowed == "all":
                return self._refusing
        if not disallowed:
            disallowed = ()
        elif isinstance(disallowed, str) and disallowed != "all":
            disallowed = frozenset(disallowed)  # as in tiktoken: its characters
        try:
            return self._resolve(allowed, disallowed)
        except ConfigurationError as error:
            names = without_empty(allowed)
            if names is None:
                raise special_fault(error, allowed, disallowed) from None
        return self._choice(names, disallowed)

    def _batch(self, texts: Iterable[str], specials: SpecialSet, n: int) -> list[list[int]]:
        n_threads = checked_threads(n)
        listed: list[Text] = list(texts)
        for kind in set(map(type, listed)):
            if not issubclass(kind, str):
                raise _no_text(next(text for text in listed if isinstance(text, kind)))
        return cast(
            "list[list[int]]",
            self._core.encode_batch(listed, specials, False, False, n_threads),  # noqa: FBT003
        )

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __getstate__(self) -> object:
        from tokstream.compat.tiktoken import registry  # noqa: PLC0415 - it imports this module

        known = registry.ENCODINGS.get(self.name)
        if known is not None and known._tokenizer is self._tokenizer:  # noqa: SLF001
            return self.name
        return {
            "name": self.name,
            "pat_str": self._pat_str,
            "mergeable_ranks": self._mergeable_ranks,
            "special_tokens": self._special_tokens,
        }

    def __setstate__(self, value: object) -> None:
        from tokstream.compat.tiktoken import registry  # noqa: PLC0415 - it imports this module

        if isinstance(value, str):
            self.__dict__ = registry.get_encoding(value).__dict__
            return
        parts = cast("dict[str, Any]", value)
        self.__init__(**parts)  # type: ignore[misc]


# what a subclass may replace
_ENCODE, _ENCODE_ORDINARY = Encoding.encode, Encoding.encode_ordinary
_SPECIAL_TOKENS_SET = Encoding.special_tokens_set


def raise_disallowed_special_token(token: str) -> NoReturn:
    """Raise what `encode` raises for a text that spells a special token.

    Raises:
        DisallowedSpecialTokenError: a `ValueError`.
    """
    raise DisallowedSpecialTokenError(
        f"the text spells the special token {token!r}, which is not allowed here; to encode it as "
        f"that token pass allowed_special={{{token!r}}}, to encode it as plain text pass "
        "disallowed_special=()",
        token=token,
    )


def _bytes_of(text_or_bytes: str | bytes) -> bytes:
    if isinstance(text_or_bytes, str):
        return plain(text_or_bytes).encode()
    return text_or_bytes if type(text_or_bytes) is bytes else bytes(memoryview(text_or_bytes))


def _no_text(text: object) -> TypeError:
    return TypeError(f"expected str, got {type(text).__name__}; decode bytes first")
