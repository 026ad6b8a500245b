"""The ways between characters, words and tokens of an `Encoding`.

Enters: an index. Leaves: another, or None. Held back: nothing; columns that were read are kept
until the encoding changes, since who looks up one index looks up many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokstream.compat.huggingface.arguments import index_of

if TYPE_CHECKING:
    from tokstream.compat.huggingface.runs import Offsets, Run

__all__ = ["LookUps"]


class LookUps:
    """`char_to_token` and its kin, for a class with the columns."""

    __slots__ = ("_places", "_pretokens")

    _places: tuple[list[Run], list[Offsets]] | None
    _pretokens: tuple[list[Run], list[int | None]] | None

    if TYPE_CHECKING:
        # what `Encoding` has

        def __len__(self) -> int: ...
        @property
        def offsets(self) -> list[Offsets]:
            """(start, end) in characters of the text."""

        @property
        def word_ids(self) -> list[int | None]:
            """Index of the pretoken."""

        @property
        def runs(self) -> list[Run]:
            """Where the tokens come from."""

        @property
        def ranges(self) -> dict[int, range]:
            """Which tokens belong to which text."""

    def char_to_token(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """Return the index of the token that a character belongs to."""
        char_pos = index_of("char_pos", char_pos)
        tokens = self.range_of(sequence_index)
        offsets = self._offsets_to_look_up()
        for at in tokens:
            start, end = offsets[at]
            if start <= char_pos < end:
                return at
        return None

    def char_to_word(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """Return the index of the word that a character belongs to."""
        token = self.char_to_token(char_pos, sequence_index)
        return None if token is None else self.token_to_word(token)

    def token_to_chars(self, token_index: int) -> Offsets | None:
        """Return the characters that a token stands for; None for what is in no text."""
        if self.token_to_sequence(token_index) is None or token_index >= len(self):
            return None
        return self._offsets_to_look_up()[token_index]

    def token_to_word(self, token_index: int) -> int | None:
        """Return the index of the word that a token belongs to; None for what is in no text."""
        if self.token_to_sequence(token_index) is None or token_index >= len(self):
            return None
        return self._words_to_look_up()[token_index]

    def token_to_sequence(self, token_index: int) -> int | None:
        """Return the index of the text that a token comes from; None for what comes from none."""
        token_index = index_of("token_index", token_index)
        if token_index > len(self):
            return None
        if not self.ranges:
            return 0
        return next((s for s, tokens in self.ranges.items() if token_index in tokens), None)

    def word_to_tokens(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        """Return the first and one more than the last token of a word."""
        word_index = index_of("word_index", word_index, n_bits=32)
        words = self._words_to_look_up()
        found: tuple[int, int] | None = None
        for at in self.range_of(sequence_index):
            word = words[at]
            if word is not None and word > word_index:
                break
            if word == word_index:
                found = (at if found is None else found[0], at + 1)
        return found

    def word_to_chars(self, word_index: int, sequence_index: int = 0) -> Offsets | None:
        """Return the characters of a word."""
        tokens = self.word_to_tokens(word_index, sequence_index)
        if tokens is None:
            return None
        offsets = self._offsets_to_look_up()
        return offsets[tokens[0]][0], offsets[tokens[1] - 1][1]

    def _offsets_to_look_up(self) -> list[Offsets]:
        """The offsets, kept until the encoding changes: who looks up one looks up many."""
        runs, kept = self.runs, self._places
        if kept is None or kept[0] is not runs:
            self._places = kept = runs, self.offsets
        return kept[1]

    def _words_to_look_up(self) -> list[int | None]:
        runs, kept = self.runs, self._pretokens
        if kept is None or kept[0] is not runs:
            self._pretokens = kept = runs, self.word_ids
        return kept[1]

    def range_of(self, sequence: int) -> range:
        """Return which tokens belong to a text; all, if there is one only."""
        return self.ranges.get(index_of("sequence_index", sequence), range(len(self)))
