"""Where the tokens of an `Encoding` come from: parts of texts, special tokens, padding.

Enters: texts with their ids. Leaves: columns, each made when it is asked for. Held back: places in
the text (offsets and pretokens), which cost a second pass over it, until somebody wants them.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, Protocol

from tokstream._core import encode_with_words, token_places, token_words
from tokstream.compat.huggingface.added import WHITE_SPACE
from tokstream.compat.huggingface.overlaps import Overlaps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokstream._core import SpecialSet
    from tokstream.compat.huggingface.state import State

__all__ = [
    "FastSource",
    "FixedSource",
    "Reader",
    "Run",
    "Source",
    "TextSource",
    "WordsSource",
    "trimmed",
]

Offsets = tuple[int, int]


class Source(Protocol):
    """Tokens that came into being together."""

    @property
    def ids(self) -> list[int]:
        """Their ids."""

    def tokens(self) -> Sequence[str]:
        """Their texts."""

    def offsets(self) -> Sequence[Offsets]:
        """Which characters they stand for."""

    def words(self) -> Sequence[int | None]:
        """Which word each belongs to."""


class Reader:
    """How texts were read: by which tokenizer, and which added tokens were looked for."""

    __slots__ = ("_added", "_overlaps", "core", "has_odd", "keeps_all", "specials", "state")

    def __init__(self, state: State, specials: SpecialSet) -> None:
        self.state = state
        self.specials = specials
        self.core = state.core
        self.keeps_all = state.keeps_all
        self._added = state.added.by_id.keys()
        self.has_odd = bool(state.added.odd_ids)
        """Whether a token's text may differ from what was found."""
        overlaps = Overlaps(state.added.by_id, state.looked_for)
        self._overlaps = overlaps or None

    def places(self, text: str, ids: list[int]) -> list[Offsets] | None:
        """Return a text's offsets as the lengths of its tokens say them, if they do."""
        if not self.keeps_all or (self._overlaps is not None and self._overlaps.occur(ids)):
            return None
        return token_places(self.core, ids, text)

    def read(self, text: str, ids: list[int]) -> tuple[list[Offsets], list[int], list[int]]:
        """Read a text again: offsets, indices of pretokens, and which ids are added tokens."""
        offsets, words, added = encode_with_words(self.core, text, self.specials)
        if self._overlaps is not None and added:
            self._overlaps.put(text, ids, offsets, added)
        return offsets, words, added

    def words(self, text: str, ids: list[int]) -> list[int] | None:
        """Return the indices of a text's pretokens, if to cut it says them."""
        if not self.keeps_all or not self._added.isdisjoint(ids):
            return None
        if len(ids) == 1:
            return [0]
        return token_words(self.core, ids, text, self.specials)

    def source(self, text: str, ids: list[int]) -> TextSource:
        """Return a text's tokens."""
        return TextSource(self, text, ids)


class TextSource:
    """The tokens of one text, and the text itself."""

    __slots__ = ("_offsets", "_placed", "_reader", "_text", "_tokens", "_words", "ids")

    def __init__(self, reader: Reader, text: str, ids: list[int]) -> None:
        """Hold a text.

        Args:
            reader: how it was read.
            text: the text.
            ids: its ids, without a template.
        """
        self.ids = ids
        self._reader = reader
        self._text = text
        self._tokens: list[str] | None = None
        self._offsets: list[Offsets] | None = None
        self._words: list[int] | None = None
        self._placed: tuple[list[Offsets], list[int], list[int]] | None = None

    def tokens(self) -> Sequence[str]:
        """The tokens' texts; of added tokens what was found, blanks around them included."""
        if self._tokens is None:
            state, ids = self._reader.state, self.ids
            tokens = state.spelled(ids)
            odd = state.added.odd_ids
            if odd and not odd.isdisjoint(ids):
                self._name_added(tokens)
            self._tokens = tokens
        return self._tokens

    def _name_added(self, tokens: list[str]) -> None:
        """Put what was found in place of the texts of added tokens."""
        text, ids, state = self._text, self.ids, self._reader.state
        offsets, _, added = self._places()
        tokens_of = state.added.by_id
        alone = 0  # where the last token ended that was found before text is normalized
        for at in added:
            begin, end = offsets[at]
            follows, goes_on = begin > alone, end < len(text)
            tokens[at] = state.as_found(text[begin:end], ids[at], follows=follows, goes_on=goes_on)
            if not tokens_of[ids[at]].normalized:
                alone = end

    def offsets(self) -> Sequence[Offsets]:
        """Characters of the text; a token inside a character stands for all of it."""
        found = self._offsets
        if found is None:
            found = self._reader.places(self._text, self.ids)
            self._offsets = found = self._places()[0] if found is None else found
        return found

    def words(self) -> Sequence[int | None]:
        """Index of the pretoken; an added token counts as one."""
        found = self._words
        if found is None:
            found = self._reader.words(self._text, self.ids) if self._placed is None else None
            self._words = found = self._places()[1] if found is None else found
        return found

    def _places(self) -> tuple[list[Offsets], list[int], list[int]]:
        if self._placed is None:
            self._placed = self._reader.read(self._text, self.ids)
        return self._placed


class WordsSource:
    """The tokens of a text that was given as words; offsets begin anew in each word."""

    __slots__ = ("_offsets", "_parts", "_reader", "_texts", "_tokens", "_words", "ids")

    def __init__(self, reader: Reader, words: Sequence[str], ids: Sequence[list[int]]) -> None:
        """Hold words.

        Args:
            reader: how they were read.
            words: the words.
            ids: the ids of each.
        """
        self.ids = list(chain.from_iterable(ids))
        self._reader = reader
        self._texts = words
        self._parts = ids
        # kept, since each part that was cut off asks for them
        self._tokens: list[str] | None = None
        self._offsets: list[Offsets] | None = None
        self._words: list[int | None] | None = None

    def tokens(self) -> Sequence[str]:
        """The tokens' texts."""
        if self._tokens is None:
            state = self._reader.state
            if state.added.odd_ids.isdisjoint(self.ids):
                self._tokens = state.spelled(self.ids)
            else:
                self._tokens = [token for word in self._sources() for token in word.tokens()]
        return self._tokens

    def offsets(self) -> Sequence[Offsets]:
        """Characters of each word."""
        if self._offsets is None:
            self._offsets = [place for word in self._sources() for place in word.offsets()]
        return self._offsets

    def words(self) -> Sequence[int | None]:
        """Index of the word."""
        if self._words is None:
            found: list[int | None] = []
            for k, ids in enumerate(self._parts):
                found += [k] * len(ids)
            self._words = found
        return self._words

    def _sources(self) -> list[TextSource]:
        return list(map(self._reader.source, self._texts, self._parts))


class FastSource:
    """Tokens of which only the ids are wanted, as `encode_batch_fast` gives them."""

    __slots__ = ("ids",)

    def __init__(self, ids: list[int]) -> None:
        self.ids = ids

    def tokens(self) -> Sequence[str]:
        """Nothing for each."""
        return [""] * len(self.ids)

    def offsets(self) -> Sequence[Offsets]:
        """Nowhere."""
        return [(0, 0)] * len(self.ids)

    def words(self) -> Sequence[int | None]:
        """None."""
        return [None] * len(self.ids)


class FixedSource:
    """Tokens with columns that are known: special ones, padding, what was pickled."""

    __slots__ = ("_offsets", "_tokens", "_words", "ids")

    def __init__(
        self,
        ids: list[int],
        tokens: list[str],
        offsets: list[Offsets] | None = None,
        words: list[int | None] | None = None,
    ) -> None:
        self.ids = ids
        self._tokens = tokens
        self._offsets = offsets
        self._words = words

    def tokens(self) -> Sequence[str]:
        """Their texts."""
        return self._tokens

    def offsets(self) -> Sequence[Offsets]:
        """Their places; by default they have none."""
        return [(0, 0)] * len(self.ids) if self._offsets is None else self._offsets

    def words(self) -> Sequence[int | None]:
        """Their words; by default they have none."""
        return [None] * len(self.ids) if self._words is None else self._words


class Run(NamedTuple):
    """Some tokens of a source, one after another, and what the post-processor says of them.

    Attributes:
        source: where they come from.
        begin: index of the first.
        end: one more than that of the last.
        type_id: the type of all.
        special: 1 if a post-processor or padding added them.
        attention: 0 for padding.
        shift: what is added to offsets.
        trims: how offsets are trimmed: for each time whether a prefix space is kept, and the index
            of the token that was the first of its encoding then, -1 if it is not here.
    """

    source: Source
    begin: int
    end: int
    type_id: int = 0
    special: int = 0
    attention: int = 1
    shift: int = 0
    trims: tuple[tuple[bool, int], ...] = ()

    def ids(self) -> list[int]:
        """Ids of the tokens; a new list."""
        return self.source.ids[self.begin : self.end]

    def offsets(self) -> list[Offsets]:
        """Offsets of the tokens; a new list."""
        offsets = list(self.source.offsets()[self.begin : self.end])
        if self.trims:
            tokens = self.source.tokens()[self.begin : self.end]
            for keeps_prefix, first in self.trims:
                offsets = trimmed(tokens, offsets, first - self.begin, keeps_prefix=keeps_prefix)
        if self.shift:
            offsets = [(start + self.shift, end + self.shift) for start, end in offsets]
        return offsets


def trimmed(
    tokens: Sequence[str], offsets: list[Offsets], first: int, *, keeps_prefix: bool
) -> list[Offsets]:
    """Return offsets without the blanks at the ends of tokens.

    Args:
        tokens: texts of tokens, blanks as in the byte-level alphabet or as they are.
        offsets: as many.
        first: index of the token that begins an encoding.
        keeps_prefix: one blank was put before the text, which has no place in it.
    """
    found = list(offsets)
    for at, token in enumerate(tokens):
        n_leading = len(token) - len(token.lstrip(_BLANKS))
        n_trailing = len(token) - len(token.rstrip(_BLANKS))
        if not n_leading and not n_trailing:
            continue
        start, end = offsets[at]
        if n_leading == 1 and keeps_prefix and (at == first or start == 0):
            n_leading = 0  # several blanks were in the text
        start = min(start + n_leading, end)
        if end >= n_trailing:
            end = max(end - n_trailing, start)
        found[at] = start, end
    return found


# with the space of the byte-level alphabet
_BLANKS = f"\u0120{WHITE_SPACE}"
