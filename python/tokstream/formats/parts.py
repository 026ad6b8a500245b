"""What a tokenizer is made of, whatever file it came from: the hand-over from formats to engine.

Enters: what a format's reader found. Leaves: one frozen record; `Tokenizer` is built from it and
pickles as it. Everything in it is plain: numbers, text, bytes, tuples.
"""

from __future__ import annotations

import hashlib
from array import array
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokstream import _core
    from tokstream.decoding import Decoder
    from tokstream.vocabulary import Vocabulary

__all__ = ["AddedToken", "SpecialDefault", "Step", "Template", "TokenizerParts", "Units"]

SpecialDefault = Literal["refuse", "recognise", "plain"]
"""What special tokens in a text are if the caller does not say: an error, their ids, or text."""

Units = Literal["bytes", "characters"]
"""What merging starts from."""

Step = tuple[Any, ...]
"""A normalizer step or a level: its name, then its arguments."""


class AddedToken(NamedTuple):
    """A token that is found in the text before it is cut into pretokens; as the engine reads it.

    Attributes:
        content: its text.
        id: its id.
        special: whether it is one that `allowed_special` and `disallowed_special` speak of.
        normalized: whether it is looked for behind the normalizer rather than before it.
        lstrip: whether it takes the blanks before it.
        rstrip: whether it takes the blanks behind it.
        single_word: whether it is only found with no word character next to it.
    """

    content: str
    id: int
    special: bool = True
    normalized: bool = False
    lstrip: bool = False
    rstrip: bool = False
    single_word: bool = False


@dataclass(frozen=True, slots=True)
class Template:
    """Ids around one text, for `add_special_tokens=True`.

    Attributes:
        opening: ids before it.
        closing: ids behind it.
    """

    opening: tuple[int, ...] = ()
    closing: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TokenizerParts:
    """All of a tokenizer.

    Attributes:
        name: what to call it.
        format: the kind of file, as `tokstream.formats.detect` names it.
        vocabulary: tokens in canonical order with their internal ids; those of hidden tokens are
            `n_vocab` and up.
        n_vocab: one more than the largest id of a token.
        rules: how each token comes into being. None: the rank of a merge is that of its result,
            and a pretoken that is an entry is its token in any case, as in tiktoken.
        decoder: from ids to text; None if the text is the tokens' bytes, joined.
        expansions: internal id of each hidden token to the ids it is written as.
        whole_pieces: pretokens that are one token although merging does not make it.
        decode_only: (bytes, id) of tokens that no text becomes.
        unk_id: the id of the unknown token, None if there is none.
        fuse_unk: whether several unknown tokens in a row in a pretoken become one.
        drops_unknown: what vanishes before merging if it is no token.
        has_begin_marker: whether a byte FE stands before each pretoken.
        has_end_marker: whether a byte FF stands behind each pretoken.
        normalizer: steps in order.
        levels: levels in order; empty where one automaton does all.
        automaton: the one automaton, if it suffices. Neither levels nor automaton: the text
            between added tokens is one pretoken.
        pattern: the pattern of that automaton, for people; None if there is none.
        dialect: whose notation the pattern is in.
        added_tokens: tokens found in the text, special or not.
        keeps_added: whether added tokens that are looked for behind the normalizer are taken as
            they are written, rather than normalized.
        special_tokens: special tokens by their text; of two with one id the first is decoded.
        template: ids around a text.
        special_default: what special tokens in a text are if the caller does not say.
        eos: the text of the token that ends a text, None if unknown.
        tokenizer_class: the class by whose recipe vocab.json and merges.txt were read.
        origin: the tokenizer.json or SentencePiece model, as its path or its content, or the paths
            of vocab.json and merges.txt, and the SHA-256.
    """

    name: str
    format: str
    vocabulary: Vocabulary
    n_vocab: int
    rules: bytes | None = None
    decoder: Decoder | None = None
    expansions: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    whole_pieces: tuple[tuple[bytes, int], ...] = ()
    decode_only: tuple[tuple[bytes, int], ...] = ()
    unk_id: int | None = None
    fuse_unk: bool = False
    drops_unknown: Units | None = None
    has_begin_marker: bool = False
    has_end_marker: bool = False
    normalizer: tuple[Step, ...] = ()
    levels: tuple[Step, ...] = ()
    automaton: bytes | None = None
    pattern: str | None = None
    dialect: Literal["tiktoken", "tokenizers"] = "tokenizers"
    added_tokens: tuple[AddedToken, ...] = ()
    keeps_added: bool = False
    special_tokens: Mapping[str, int] = field(default_factory=dict)
    template: Template = Template()
    special_default: SpecialDefault = "recognise"
    eos: str | None = None
    tokenizer_class: str | None = None
    origin: tuple[str | bytes | tuple[str, str], bytes] | None = field(
        default=None, repr=False, compare=False
    )

    def is_plain(self) -> bool:
        """Tell a rank file that is treated as tiktoken would."""
        return (
            self.format == "rank-file" and not self.normalizer and self.special_default == "refuse"
        )

    def key(self) -> tuple[object, ...]:
        """Return what tells the content from any other; small.

        Cost: O(content).
        """
        digest = hashlib.sha256(self.rules or b"")
        for part in (
            self.automaton,
            *self.engine_items(),
            sorted(self.special_tokens.items()),
            self.special_default,
            self.eos,
            self.decoder,
        ):
            digest.update(repr(part).encode("utf-8", "surrogatepass"))
        return self.format, self.vocabulary.content_digest(), digest.hexdigest()

    def engine_items(self) -> list[tuple[str, object]]:
        """Return the parts of `engine_spec` but the rules."""
        return [(name, part) for name, part in self.engine_spec().items() if name != "rules"]

    def build(self) -> _core.Core:
        """Return the native tables.

        Raises:
            VocabularyError: parts that cannot be used exactly.
        """
        from tokstream import _core  # noqa: PLC0415 - only this needs more than its types

        vocabulary = self.vocabulary
        return _core.Core(
            vocabulary.blob,
            vocabulary.lengths,
            vocabulary.ids,
            [],
            self.automaton,
            self.engine_spec(),
        )

    def path(self) -> str:
        """Return which way text goes through the engine, in a few words."""
        ways = []
        if self.normalizer:
            ways.append("normalizer")
        if any(token.lstrip or token.rstrip or token.single_word for token in self.added_tokens):
            ways.append("added tokens with conditions")
        if self.levels:
            n_levels = len(self.levels)
            ways.append("1 level" if n_levels == 1 else f"{n_levels} levels")
        elif self.automaton is None:
            ways.append("one pretoken")
        else:
            ways.append("one automaton")
        if self.expansions:
            ways.append("expansions")
        return ", ".join(ways)

    def with_n_vocab(self, n_vocab: int) -> TokenizerParts:
        """Return the same with room for more ids; hidden tokens move out of their way.

        Cost: O(tokens) if there are hidden ones.
        """
        moved = n_vocab - self.n_vocab
        if moved == 0 or not self.expansions:
            return replace(self, n_vocab=n_vocab)
        table = self.vocabulary
        ids = [k + moved if k in self.expansions else k for k in table.ids]
        vocabulary = type(table)._from_checked(  # noqa: SLF001 - of this package
            table.blob, table.lengths, array("I", ids)
        )
        expansions = {k + moved: written for k, written in self.expansions.items()}
        return replace(self, n_vocab=n_vocab, vocabulary=vocabulary, expansions=expansions)

    def waits_for(self) -> list[str]:
        """Return what may make a stream hold any amount of text, apart from the one automaton."""
        from tokstream import _core  # noqa: PLC0415 - only this needs more than its types

        found = list(_core.Normalize(list(self.normalizer)).unbounded)
        if self.levels:
            from tokstream.patterns.search import held_by_levels  # noqa: PLC0415 - it analyses

            if held_by_levels(self.levels) is None:
                found.append("a match that may go on")
        found += [f"blanks before {t.content!r}" for t in self.added_tokens if t.lstrip][:1]
        found += [f"blanks behind {t.content!r}" for t in self.added_tokens if t.rstrip][:1]
        return found

    def id_of(self, token: bytes) -> int | None:
        """Return the id of a token that no text becomes, or of an added one, by its bytes."""
        for added in self.added_tokens:
            if added.content.encode() == token:
                return added.id
        for known, token_id in (*self.whole_pieces, *self.decode_only):
            if known == token:
                return token_id
        return None

    def engine_spec(self) -> _core.Spec:
        """Return what the engine takes beside vocabulary and automaton."""
        spec: _core.Spec = {
            "normalizer": list(self.normalizer),
            "levels": list(self.levels),
            "added_tokens": [token[:] for token in self.added_tokens],
            "keeps_added": self.keeps_added,
            "expansions": dict(self.expansions),
            "unk_id": self.unk_id,
            "fuse_unk": self.fuse_unk,
            "whole_pieces": list(self.whole_pieces),
            "decode_only": list(self.decode_only),
            "has_begin_marker": self.has_begin_marker,
            "has_end_marker": self.has_end_marker,
            "drops_unknown": self.drops_unknown,
            "template": (list(self.template.opening), list(self.template.closing)),
        }
        if self.rules is not None:
            spec["rules"] = self.rules
        return spec
