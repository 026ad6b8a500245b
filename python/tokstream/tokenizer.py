"""The tokenizer: immutable, shared, one verb for each thing people do with ids.

Enters: text, or ids. Leaves: ids, or text. Nothing is held back: streams do that.
"""

from __future__ import annotations

from tokstream._light import TYPE_CHECKING, final
from tokstream._tables import Tables, note_related, related_tables, shared_tables
from tokstream.errors import ConfigurationError, UnsupportedTokenizerError
from tokstream.special import SpecialPolicy
from tokstream.verbs.batch import BatchVerbs
from tokstream.verbs.ids import IdVerbs
from tokstream.verbs.spans import SpanVerbs
from tokstream.verbs.streams import StreamVerbs
from tokstream.verbs.whole import WholeVerbs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tokstream.compat.huggingface import Tokenizer as HuggingFaceTokenizer
    from tokstream.decoding import Decoder
    from tokstream.formats.parts import SpecialDefault, TokenizerParts
    from tokstream.prepared import Place
    from tokstream.prepared.parts import StoredParts
    from tokstream.vocabulary import Vocabulary

__all__ = ["Tokenizer"]

_END_OF_TEXT = "<|endoftext|>"


@final
class Tokenizer(WholeVerbs, IdVerbs, BatchVerbs, SpanVerbs, StreamVerbs):
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

    **Threads.** A text of 1 MiB or more is cut where its parts are encoded one by one, and encoded
    on at most `num_threads` threads; by default as many as TOKSTREAM_NUM_THREADS in the
    environment says, else as there are processors that the process may use. Ids and errors are
    those of one thread. A text without a place to cut takes one, and so do tokenizers with a
    normalizer that does more than a Unicode form or writing spaces as signs, several steps of
    pre-tokenization, or added tokens with conditions.

    **Errors.** Bytes that are not UTF-8 raise `InvalidUtf8Error` with their offset, or are read
    as U+FFFD with `errors="replace"`. An `InputError` carries the ids before the fault in `ids`.
    """

    __slots__ = (
        "_core",
        "_eos",
        "_has_parts",
        "_is_embedded",
        "_key",
        "_known_parts",
        "_known_vocabulary",
        "_n_vocab",
        "_name",
        "_pattern",
        "_shared_ids",
        "_special",
        "_special_tokens",
        "_stored",
        "_tables",
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
        from tokstream._checks import check_special_tokens  # noqa: PLC0415 - see `_light`

        special_tokens = check_special_tokens(
            dict(special_tokens or {}), vocabulary, allow_shared_ids=True
        )
        if eos is not None and eos not in special_tokens:
            raise ConfigurationError(f"eos {eos!r} is not among the special tokens")
        self._fill_plain(name, vocabulary, pattern, special_tokens, eos)

        def build() -> Tables:
            from tokstream.prepared.ranks import tables  # noqa: PLC0415 - seldom needed

            return tables(self._key, vocabulary, special_tokens, _automaton)

        self._share(build)

    def _fill(
        self,
        name: str,
        pattern: str,
        special_tokens: dict[str, int],
        eos: str | None,
        n_vocab: int,
        key: tuple[object, ...],
    ) -> None:
        """Set what every tokenizer has but its tables."""
        self._name = name
        self._pattern = pattern
        self._special_tokens = special_tokens
        self._eos = eos or _END_OF_TEXT
        self._n_vocab = n_vocab
        self._key = key
        self._is_embedded = False
        self._has_parts = False
        self._known_vocabulary: Vocabulary | None = None
        self._known_parts: TokenizerParts | None = None
        self._stored: StoredParts | None = None

    def _fill_plain(
        self,
        name: str,
        vocabulary: Vocabulary,
        pattern: str,
        special_tokens: dict[str, int],
        eos: str | None,
    ) -> None:
        largest_special = max(special_tokens.values(), default=-1)
        n_vocab = max(vocabulary.n_vocab, largest_special + 1)
        key = _plain_key(vocabulary.content_digest(), pattern, special_tokens)
        self._fill(name, pattern, special_tokens, eos, n_vocab, key)
        self._known_vocabulary = vocabulary

    def _share(self, build: Callable[[], Tables], default: SpecialDefault = "refuse") -> None:
        """Take the process's tables for this content, built if there are none."""
        values = self._special_tokens.values()
        self._tables: Tables = shared_tables(self._key, build)
        if not self._has_parts:
            note_related(self._key, self._tables, values)
        self._core = self._tables.core
        own_tokens = self._core if self._has_parts else None
        self._special = SpecialPolicy(self._special_tokens, default, own_tokens)
        self._shared_ids = {}
        if not self._has_parts and len(set(values)) < len(values):
            spellings: dict[int, list[bytes]] = {}
            for text, token_id in self._special_tokens.items():
                spellings.setdefault(token_id, []).append(text.encode())
            self._shared_ids = {k: names for k, names in spellings.items() if len(names) > 1}

    @classmethod
    def _from_parts(cls, parts: TokenizerParts, place: Place | None = None) -> Tokenizer:
        """Build a tokenizer from what a format's reader found, and keep its tables in `place`."""
        self = object.__new__(cls)
        pattern, special_tokens = parts.pattern or "", dict(parts.special_tokens)
        if parts.is_plain():
            self._fill_plain(parts.name, parts.vocabulary, pattern, special_tokens, None)
        else:
            self._fill(parts.name, pattern, special_tokens, parts.eos, parts.n_vocab, parts.key())
            self._known_vocabulary = parts.vocabulary
            self._known_parts = parts
            self._has_parts = True

        def build() -> Tables:
            related = None
            if not self._has_parts:
                related = related_tables(self._key, special_tokens.items())
            core = parts.build() if related is None else related.core
            if place is not None and place.path is not None:
                from tokstream.prepared.parts import keep  # noqa: PLC0415 - seldom needed

                if (stored := keep(place, core, parts, self._key)) is not None:
                    self._stored = stored
                    return Tables(stored.core(), place.path)
            return Tables(core)

        try:
            self._share(build, parts.special_default)
        except ValueError as error:  # all that the engine refuses
            if not self._has_parts:
                raise
            raise UnsupportedTokenizerError(
                f"{parts.name}: {error}", str(error).split(":", 1)[0]
            ) from error
        return self

    @classmethod
    def _from_file(
        cls,
        stored: StoredParts,
        path: str | None,
        build: Callable[[], Tables] | None = None,
    ) -> Tokenizer:
        """Build a tokenizer from a prepared file.

        Args:
            stored: what is in it.
            path: where it is.
            build: gives the tables, if not the file does.

        Raises:
            ValueError: the file is damaged.
        """
        self = object.__new__(cls)
        head = stored.head
        self._fill(
            head["name"],
            head["pattern"] or "",
            dict(head["special_tokens"]),
            head["eos"] if head["has_parts"] else None,
            head["n_vocab"],
            stored.key,
        )
        self._has_parts = head["has_parts"]
        self._stored = stored
        self._share(build or (lambda: Tables(stored.core(), path)), head["special_default"])
        return self

    @classmethod
    def _embedded(cls, name: str) -> Tokenizer:
        from tokstream.encodings import prepared  # noqa: PLC0415 - it is about to be used

        self = object.__new__(cls)
        spec = prepared.spec(name)
        special_tokens = dict(spec.special_tokens)
        digest, build = prepared.tables(spec)
        key = _plain_key(digest, spec.pattern, special_tokens)
        self._fill(name, spec.pattern, special_tokens, spec.eos, spec.n_vocab, key)
        self._is_embedded = True
        self._share(build)
        return self

    def _automaton_bytes(self) -> bytes:
        from tokstream.prepared.ranks import compiled  # noqa: PLC0415 - seldom needed

        return compiled(self._pattern)

    @property
    def _vocabulary(self) -> Vocabulary:
        """Tokens in merge-rank order; where tables come from a file, read when asked for."""
        if self._known_vocabulary is None:
            if self._stored is not None:
                self._known_vocabulary = self._stored.parts().vocabulary
            else:
                from tokstream.encodings.registry import vocabulary  # noqa: PLC0415

                self._known_vocabulary = vocabulary(self._name)
        return self._known_vocabulary

    @property
    def _parts(self) -> TokenizerParts | None:
        """What a format's reader found; None for rank files and embedded encodings."""
        if self._known_parts is None and self._has_parts and self._stored is not None:
            self._known_parts = self._stored.parts()
        return self._known_parts

    @property
    def _decoder(self) -> Decoder | None:
        """How ids become text; None if their text is the tokens' bytes, joined."""
        return None if (parts := self._parts) is None else parts.decoder

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

    def info(self) -> dict[str, object]:
        """Return what is known of the tokenizer: vocabulary, pattern and their analysis.

        All values are plain; docs/api.md names the fields.
        """
        from tokstream.inspection import describe  # noqa: PLC0415 - it brings the compiler

        return describe(self, self._vocabulary, self._core)

    def as_hf(self) -> HuggingFaceTokenizer:
        """Return a view of this tokenizer with the interface of `tokenizers.Tokenizer`.

        What is no tokenizer.json becomes the one that it is usually converted to, with special
        tokens that are recognised in a text. Truncation and padding of a tokenizer.json, which
        other verbs ignore, are in force there.

        Raises:
            UnsupportedTokenizerError: a part that a tokenizer.json cannot say exactly, by name.
            ConfigurationError: the file this was loaded from is gone or has changed.

        Cost: the file is read again, a second for 100,000 tokens.
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
        if self._stored is not None:
            from tokstream.prepared.pickles import from_sections  # noqa: PLC0415 - seldom needed

            return from_sections, (self._tables.path, self._stored.sections())
        if (parts := self._parts) is not None:
            from tokstream.prepared.pickles import from_parts  # noqa: PLC0415 - seldom needed

            return from_parts, (parts,)
        eos = self._eos if self._eos in self._special_tokens else None
        return _rebuild, (self._name, self._vocabulary, self._pattern, self._special_tokens, eos)

    def __repr__(self) -> str:
        return f"<Tokenizer {self._name}: {self.n_vocab} ids>"


def _plain_key(digest: str, pattern: str, special_tokens: Mapping[str, int]) -> tuple[object, ...]:
    """Return what tells the content of a rank file or encoding from any other."""
    return digest, pattern, tuple(sorted(special_tokens.items()))


def _rebuild(
    name: str,
    vocabulary: Vocabulary,
    pattern: str,
    special_tokens: dict[str, int],
    eos: str | None,
) -> Tokenizer:
    return Tokenizer(name, vocabulary, pattern, special_tokens, eos=eos)
