"""The native part: tables and text in, ids out. Use `tokstream.Tokenizer` instead."""

from collections.abc import Iterable
from typing import Any, Literal, TypedDict, final

from typing_extensions import Buffer

from tokstream._types import IdArray

__all__ = [
    "BUILD",
    "MAX_THREADS",
    "Chunks",
    "Core",
    "Ids",
    "Levels",
    "Normalize",
    "Prepared",
    "Pretokens",
    "Segments",
    "SpecialSet",
    "Stream",
    "canonical_order",
    "checksum",
    "completions",
    "encode_unstable",
    "encode_with_words",
    "find_tokens",
    "fold_case",
    "merges_by_score",
    "release_free_memory",
    "strings_in_place",
    "token_places",
    "token_words",
    "unicode_property",
    "usable_cores",
    "use_numpy",
]

MAX_THREADS: int
"""More threads than this are never used."""

def usable_cores() -> int:
    """Processors that this process may use, by its affinity and its group's quota."""

def strings_in_place() -> bool:
    """Are the characters of a `str` read where they are, without a copy that Python makes?

    False if the layout of this Python's `str` is not known, or `TOKSTREAM_SIMD` is `plain`.
    """

def unicode_property(name: str, /) -> list[tuple[int, int]] | None:
    r"""Inclusive ranges of the code points in `\p{name}`, None if there is no such property."""

def fold_case(ranges: list[tuple[int, int]], /) -> list[tuple[int, int]]:
    """Inclusive ranges closed under Unicode simple case folding."""

def release_free_memory() -> None:
    """Give free memory back to the system; building tables leaves much of it behind."""

def canonical_order(
    blob: bytes,
    lengths: Buffer,
    merges: Buffer,
    units: Literal["bytes", "characters"],
    has_begin_marker: bool,
    has_end_marker: bool,
    /,
) -> tuple[bytes, bytes, bytes, bytes, bytes]:
    r"""Turn a merge list into tokens in canonical order, as `Core` takes them.

    Tokens are given as the bytes of their text (byte-level ones as the raw bytes they stand for).
    If the last unit of a pretoken is another token than elsewhere (`end_of_word_suffix`), tokens
    that end one have the byte 0xFF in place of the suffix; if the first is, tokens that begin one
    have the byte 0xFE before them (and others no `continuing_subword_prefix`).

    Args:
        blob: bytes of the tokens, in any order.
        lengths: bytes per token, a buffer of uint32.
        merges: 2 * n_merges indices of tokens, a buffer of uint32; earlier merges are stronger.
        units: what merging starts from.
        has_begin_marker: whether there are tokens with 0xFE.
        has_end_marker: whether there are tokens with 0xFF.

    Returns:
        blob: bytes of the tokens in canonical order: all single bytes first, then whole units and
            hidden beginnings of them, then what merges make.
        lengths: bytes per token, native uint32.
        tokens: for each, the index of the given token it is, native uint32; 0xFFFFFFFF for hidden
            ones, which need an internal id and an expansion.
        unreachable: indices of given tokens that no text becomes, native uint32.
        rules: how each comes into being, for `Spec["rules"]`.

    Raises:
        VocabularyError: empty or equal tokens, or a merge of something that is no token.

    Cost: O(bytes · log); half a million merges in some tenths of a second.
    """

def find_tokens(tokens: str, texts: str, separator: str, /) -> bytes:
    """Positions of `texts` among `tokens`, both joined by `separator`.

    Returns:
        One native uint32 per text; 0xFFFFFFFF for those that are not there.

    Cost: O(bytes); a million texts in a tenth of a second.
    """

def merges_by_score(pieces: str, separator: str, /) -> bytes:
    """Merges of pieces, joined by `separator`, that any two neighbours make: best score first.

    Every way to split a piece into two pieces is a merge. Two such merges can overlap in a text
    only if the piece ends as it begins; of those, only the one is given that makes the piece by
    itself, since the other never happens.

    Returns:
        Two native uint32 for each merge, positions in `pieces`; the strongest merge first.

    Cost: O(bytes · longest piece); 260,000 pieces in some tenths of a second.
    """

class Spec(TypedDict, total=False):
    """What a tokenizer has beyond pattern and vocabulary; every part may be left out.

    Attributes:
        rules: from `canonical_order`, for tokens in its order; must be there if they are.
        normalizer: steps, such as `("nfc",)`, `("replace", " ", "_")`.
        levels: of the pretokenizer, such as `("split", automaton, "isolated", False)`.
        added_tokens: (content, id, special, normalized, lstrip, rstrip, single_word).
        keeps_added: added tokens that are looked for in normalized text are not normalized.
        expansions: internal id to the ids given out in its place.
        unk_id: the unknown token, as in `expansions`.
        fuse_unk: several unknown tokens in a row in one pretoken become one.
        whole_pieces: (bytes, id) of pretokens that are one token, though merging does not make
            it; with the marker bytes, if there are any.
        decode_only: (bytes, id) of tokens that no text becomes.
        has_begin_marker: every pretoken begins with the byte 0xFE.
        has_end_marker: every pretoken ends with the byte 0xFF.
        drops_unknown: which units are left out before merging if they are no token; None (the
            default) for none.
        template: ids before and behind a text.
    """

    rules: bytes
    normalizer: list[tuple[object, ...]]
    levels: list[tuple[object, ...]]
    added_tokens: list[tuple[str, int, bool, bool, bool, bool, bool]]
    keeps_added: bool
    expansions: dict[int, tuple[int, ...]]
    unk_id: int | None
    fuse_unk: bool
    whole_pieces: list[tuple[bytes, int]]
    decode_only: list[tuple[bytes, int]]
    has_begin_marker: bool
    has_end_marker: bool
    drops_unknown: Literal["bytes", "characters"] | None
    template: tuple[list[int], list[int]]

def use_numpy() -> None:
    """Let few ids of a feed be arrays, since numpy is imported."""

@final
class Ids:
    """Ids in a writable buffer of native 32-bit numbers."""

    def __len__(self) -> int:
        """Number of ids."""

    def __buffer__(self, flags: int, /) -> memoryview:
        """View the ids as bytes."""

@final
class SpecialSet:
    """Special tokens that a call honours, and strings that it refuses."""

    def __new__(cls, allowed: list[tuple[str, int]], forbidden: list[str], /) -> SpecialSet: ...

BUILD: str
"""The version of the package and a number that tells its builds apart."""

def checksum(data: bytes, /) -> int:
    """Number below 2**64 that other data hardly has (XXH3; no protection against malice)."""

@final
class Prepared:
    """A prepared file, mapped; see `tokstream.prepared`.

    Args:
        path: the file.
        owner: the user id that it must belong to; None where files have none.

    Raises:
        VocabularyError: there is no such file, or it is not to be used: damaged, of another build,
            of another user, or others may write it.
    """

    def __new__(cls, path: str, owner: int | None, /) -> Prepared: ...
    def section(self, index: int, /) -> bytes:
        """Bytes that were given as `sections[index]`.

        Raises:
            VocabularyError: there are none, or they are damaged.
        """

    def core(self, automaton: bytes | None, spec: Spec | None = None, /) -> Core:
        """Tables, in place.

        Args:
            automaton: as for `Core`.
            spec: as for `Core`; `rules`, `whole_pieces` and `decode_only` are in the file.

        Raises:
            VocabularyError: the file is damaged.
        """

@final
class Core:
    """Tables of one tokenizer; immutable.

    Args:
        blob: token bytes in merge-rank order.
        lengths: bytes per token, a buffer of uint32.
        ids: id per token, a buffer of uint32.
        specials: (text, id) of special tokens.
        automaton: `tokstream.patterns.Automaton.to_bytes`; None if there are levels in its place,
            or if the whole text is one pretoken.
        spec: what there is beyond that.

    Raises:
        VocabularyError: tables that do not fit together or cannot be used exactly.
    """

    def __new__(
        cls,
        blob: bytes,
        lengths: Buffer,
        ids: Buffer,
        specials: list[tuple[str, int]],
        automaton: bytes | None,
        spec: Spec | None = None,
        /,
    ) -> Core: ...
    def write(self, path: str, sections: list[bytes], /) -> None:
        """Write the tables to a new file, with `sections` before them; see `Prepared`.

        Raises:
            OSError: the file is there already, or cannot be written; it may be there in part.
        """

    def with_specials(self, dropped: set[int], specials: list[tuple[str, int]], /) -> Core:
        """The same tables with other special tokens.

        Args:
            dropped: the ids of its own special tokens.
            specials: (text, id).
        """

    def special_set(self, allowed: list[str] | None, forbidden: list[str], /) -> SpecialSet:
        """Set of the spec's added tokens.

        Args:
            allowed: those of the special ones that are honoured, None for all; added tokens that
                are not special always are.
            forbidden: strings that are an error.
        """

    def encode(
        self,
        text: str | Buffer,
        specials: SpecialSet,
        replace: bool = False,
        as_array: bool = False,
        with_template: bool = False,
        n_threads: int | None = None,
        /,
    ) -> list[int] | Ids:
        """Ids as a list, or as the bytes of an array of native uint32.

        A long text is encoded on several threads, if need be `verbs.threads` says how many.
        """

    def encode_in_parts(
        self,
        text: str | Buffer,
        specials: SpecialSet,
        replace: bool,
        with_template: bool,
        n_threads: int,
        size: int,
        /,
    ) -> list[int]:
        """Ids of a text that is cut into parts of about `size` bytes or characters; for tests."""

    def encode_with_spans(
        self, text: str | Buffer, specials: SpecialSet, replace: bool, with_template: bool, /
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """Ids, and for each (begin, end) in bytes of the text (a `str` counts as its UTF-8)."""

    def find_added(self, text: str | Buffer, specials: SpecialSet, /) -> list[bool]:
        """Whether each id of the text is an added token that was found in it."""

    def count(
        self,
        text: str | Buffer,
        specials: SpecialSet,
        replace: bool = False,
        limit: int | None = None,
        n_threads: int | None = None,
        /,
    ) -> int:
        """Number of ids, at most limit + 1."""

    def encode_batch(
        self,
        texts: list[str | Buffer],
        specials: SpecialSet,
        replace: bool,
        as_array: bool,
        n_threads: int | None = None,
        with_template: bool = False,
        size: int | None = None,
        /,
    ) -> list[list[int] | Ids]:
        """`encode` of each text; an error has the attribute `index`.

        With `size`, texts are cut into parts of so many bytes, on as many threads as said.
        """

    def decode(self, ids: Iterable[int] | Buffer, /) -> bytes:
        """Bytes of tokens, joined."""

    def decode_or_fault(self, ids: Iterable[int] | Buffer, /) -> bytes | tuple[int, int]:
        """The same; if no token has one of the ids, that id and its index."""

    def each_token(self, ids: list[int], /) -> list[bytes]:
        """Bytes of each token."""

    def token_lengths(self, ids: list[int], /) -> list[int]:
        """Bytes per token."""

    def token_bytes(self, id: int, /) -> bytes | None:
        """Bytes of one token."""

    def token_id(self, bytes: bytes, /) -> int | None:
        """Id of the entry with these bytes; special tokens do not count."""

    def merge(self, piece: bytes, as_whole: bool, /) -> list[int]:
        """Ids of any bytes merged as one pretoken; for tables without a spec.

        Args:
            piece: bytes; need not be UTF-8.
            as_whole: an entry that merging does not produce is its token.
        """

    @property
    def longest_token(self) -> int:
        """Bytes of the longest token that merging produces."""

    @property
    def takes_source_apart(self) -> bool | None:
        """If text is one pretoken that is taken apart: before it is normalized? Else None."""

    @property
    def reads_by(self) -> Literal["plain", "scalar", "avx2", "avx512"]:
        """How the pattern reads text: plainly, or in blocks by the instructions named."""

    @property
    def unreachable_ids(self) -> list[int]:
        """Ids of entries that merging never produces."""

@final
class Stream:
    """The native side of `tokstream.EncodeStream`."""

    def __new__(
        cls,
        core: Core,
        specials: SpecialSet,
        replace: bool,
        max_pending: int | None,
        is_optimal: bool,
        with_template: bool = False,
        /,
    ) -> Stream: ...
    def feed(self, chunk: str | Buffer, specials: SpecialSet | None = None, /) -> list[int]:
        """Ids that became stable; special tokens are those of the stream unless given."""

    def feed_array(self, chunk: str | Buffer, specials: SpecialSet | None = None, /) -> IdArray:
        """Do as `feed`, but return an array; its own few ids if `use_numpy` was called."""

    def feed_buffer(self, chunk: str | Buffer, /) -> Ids:
        """Do as `feed`, but return a buffer of native uint32."""

    def advance(self, chunk: str | Buffer, specials: SpecialSet | None = None, /) -> int:
        """Number of ids that became stable."""

    def feed_special(self, id: int, /) -> list[int]:
        """Remaining ids of the text before, then `id`."""

    def finish(self, as_array: bool = False, /) -> list[int] | Ids:
        """Remaining ids; the stream is closed afterwards."""

    def peek(self, as_array: bool = False, /) -> list[int] | Ids:
        """Ids that `finish` would give, none after it; nothing changes."""

    def copy(self) -> Stream:
        """An independent stream in the same state."""

    def reset(self) -> None:
        """Begin anew."""

    @property
    def is_finished(self) -> bool:
        """Whether `finish` was called."""

    def held(self) -> tuple[int, int, int, int, int]:
        """Bytes that wait in each stage, those fed last first.

        In an unfinished character; for an added token; in the normalizer; for an added token in
        normalized text; for the end of a pretoken.
        """

    def counters(self) -> tuple[int, int, int]:
        """(ids given out, source bytes fed, bytes fed that no id covers yet)."""

@final
class Chunks:
    """Stage 1 alone: chunks in, complete code points (UTF-8) out."""

    def __new__(cls, replace: bool, /) -> Chunks: ...
    def push(self, chunk: str | Buffer, /) -> bytes:
        """Characters that became complete."""

    def finish(self) -> bytes:
        """What an unfinished character is read as."""

    @property
    def n_held(self) -> int:
        """Bytes held back."""

    @property
    def n_bytes(self) -> int:
        """Source bytes pushed."""

    def copy(self) -> Chunks:
        """An independent stage in the same state."""

@final
class Segments:
    """Stage 2 alone: text in, runs of text (UTF-8) and ids of special tokens out."""

    def __new__(cls, specials: SpecialSet, /) -> Segments: ...
    def push(self, text: str, /) -> list[bytes | int]:
        """Segments that are certain."""

    def finish(self) -> list[bytes | int]:
        """The rest."""

    def set_specials(self, specials: SpecialSet, /) -> list[bytes | int]:
        """Change the set; returns what was held under the old one."""

    @property
    def n_held(self) -> int:
        """Bytes held back."""

    def copy(self) -> Segments:
        """An independent stage in the same state."""

@final
class Levels:
    """The cascade of pre-tokenizer levels alone: text in; out text of the current pretoken.

    Levels are tuples: ("split", automaton, behaviour, invert), ("fixed_length", n),
    ("prefix_space",), ("metaspace", replacement, scheme, split), ("byte_level",),
    ("from_byte_level",). `is_first`: the segment begins where the source begins.
    """

    def __new__(cls, levels: list[tuple[Any, ...]], /, *, is_first: bool = True) -> Levels: ...
    def push(self, text: str, /) -> list[tuple[bytes, int] | None]:
        """What became certain: text with the number of source bytes it came from; None is an end.

        Empty text is source that was dropped; it belongs to no pretoken.
        """

    def finish(self) -> list[tuple[bytes, int] | None]:
        """The rest."""

    @property
    def n_held(self) -> int:
        """Source bytes held back."""

    def copy(self) -> Levels:
        """An independent stage in the same state."""

@final
class Pretokens:
    """Stage 3 alone: text in; out text of the live pretoken (UTF-8), and None where it ends."""

    def __new__(cls, automaton: bytes, /) -> Pretokens: ...
    def push(self, text: str, /) -> list[bytes | None]:
        """What became certain."""

    def finish(self) -> list[bytes | None]:
        """The rest."""

    @property
    def n_held(self) -> int:
        """Bytes held back."""

    def copy(self) -> Pretokens:
        """An independent stage in the same state."""

@final
class Normalize:
    """Normalizer alone: text of segments in, normalized text out.

    Args:
        spec: one tuple per step: ("nfc",) ("nfd",) ("nfkc",) ("nfkd",) ("lowercase",)
            ("strip_accents",) ("nmt",) ("byte_level",) ("bert_clean",) ("bert_ideographs",)
            ("bert_strip_marks",) ("strip", left, right) ("prepend", text)
            ("prepend_unless", text, first_only) ("replace", literal, content)
            ("replace_pattern", automaton, content), the automaton in bytes and compiled as
            `partial`; ("precompiled", charsmap); ("sp_normalize", charsmap, symbols,
            [add_dummy_prefix, remove_extra_whitespaces, escape_whitespaces,
            treat_whitespace_as_suffix]), all that a SentencePiece model does to a text, with its
            user-defined symbols.

    Raises:
        ValueError: no such step.
        VocabularyError: arguments that a step cannot use.
    """

    def __new__(cls, spec: list[tuple[object, ...]], /) -> Normalize: ...
    def push(self, text: str, /) -> list[tuple[bytes, int]]:
        """Parts that are certain: text, and the source bytes that it accounts for."""

    def finish(self) -> list[tuple[bytes, int]]:
        """The rest of the segment."""

    def leave_start(self) -> None:
        """Go on as if the next segment were not the first."""

    @property
    def n_held(self) -> int:
        """Source bytes held back."""

    @property
    def unbounded(self) -> list[str]:
        """What makes a step wait without limit, for each such step."""

    def copy(self) -> Normalize:
        """An independent stage in the same state."""

def token_places(core: Core, ids: list[int], text: str, /) -> list[tuple[int, int]] | None:
    """What each id of a text stands for in characters, from the lengths of its tokens alone.

    Args:
        core: the tables.
        ids: the ids of the text.
        text: a text without lone surrogates.

    Returns:
        For each id begin and end in characters, a token inside a character standing for all of it;
        None where the tokens' bytes, joined, are not the text.

    Cost: O(n), some 10 ns a token.
    """

def token_words(core: Core, ids: list[int], text: str, specials: SpecialSet, /) -> list[int] | None:
    """The index of each id's pretoken, where that takes no more than to cut the text.

    Args:
        core: the tables.
        ids: the ids of the text, none of them an added token.
        text: a text without lone surrogates.
        specials: the special tokens to honour.

    Returns:
        None where text does not go through one pattern only, or its tokens' bytes are not the text.
    """

def encode_unstable(
    core: Core, text: str | Buffer, specials: SpecialSet, /
) -> tuple[list[int], bytes]:
    """Ids of a text but for its unstable end, and that end; for tables without a spec.

    Unstable is the last pretoken of a text that does not end with a special token; if its first
    token is blank (spaces, newlines and tabs), blank tokens before it, too.

    Raises:
        InvalidUtf8Error, DisallowedSpecialTokenError: as `Core.encode`.
        VocabularyError: tables with a spec.

    Cost: O(n).
    """

def completions(core: Core, unstable: bytes, /) -> list[list[int]]:
    """What the unstable end of a text may turn into: sequences of ids, in increasing order.

    For each suffix of the end, each token that begins with it: the ids of the end with that token
    in place of the suffix, as many as it takes to cover the end.

    Args:
        core: the tables.
        unstable: the end, in UTF-8.

    Raises:
        UnicodeDecodeError: the end is not UTF-8.

    Cost: O(b) for each such token with b bytes behind the suffix, and O(ids) for what it makes of
        the end. Other threads run meanwhile, and signals are looked at.
    """

def encode_with_words(
    core: Core, text: str, specials: SpecialSet, /
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """What each id of a text stands for in characters, its pretoken, and which are added tokens.

    Added tokens in the text count as one pretoken each, as in `tokenizers`.

    Args:
        core: the tables.
        text: a text without lone surrogates.
        specials: the special tokens to honour.

    Returns:
        For each id begin and end in characters, and the index of its pretoken; and the indices of
        ids that are added tokens.

    Cost: O(n).
    """
