"""The columns of an `Encoding`: what is known of its tokens, one entry each.

Enters: a whole text, its ids and what is put around them; or runs of tokens. Leaves: lists, made
when they are asked for. Held back: nothing. Offsets, words and sometimes tokens need a second pass
over the text, which is made once, when one of them is asked for.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from tokstream.compat.huggingface.look_ups import LookUps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokstream.compat.huggingface.plan import Frame
    from tokstream.compat.huggingface.runs import Offsets, Reader, Run, Source

__all__ = ["Columns"]

_FEW = 64
"""Places of fewer tokens are as soon made anew as kept."""


class Columns(LookUps):
    """What of an encoding is read.

    It is one of two: a whole text in a frame, as it comes from `encode`, or runs, which are made of
    that as soon as more than columns is wanted.
    """

    _frame: Frame | None
    _ids: list[int]
    _reader: Reader
    _source: Source | None
    _text: str
    _runs: list[Run]
    _ranges: dict[int, range]

    __slots__ = ("_frame", "_ids", "_ranges", "_reader", "_runs", "_source", "_text")

    def __getattr__(self, name: str) -> object:
        # a slot that is not filled: nothing was looked up yet, or it is a framed encoding, of which
        # more than columns is wanted
        if name in ("_places", "_pretokens"):
            return None
        if name not in ("_runs", "_ranges"):
            raise AttributeError(f"Encoding has no attribute {name!r}")
        frame = self._frame
        if frame is None:  # another thread has just made them
            return object.__getattribute__(self, name)
        made = frame.plan.make_one(self._tokens_of_text())
        if frame.padding is not None:
            n, padding = frame.padding
            made.pad_by(len(made) + n, padding)
        self._runs, self._ranges = made.runs, made.ranges
        self._frame = None
        return getattr(self, name)

    def _tokens_of_text(self) -> Source:
        source = self._source
        if source is None:
            self._source = source = self._reader.source(self._text, self._ids)
        return source

    @property
    def ids(self) -> list[int]:
        """Ids of the tokens."""
        frame = self._frame
        if frame is not None:
            if not frame.n_around:
                return self._ids[:]
            return frame.before.ids + self._ids + frame.after.ids
        runs = self._runs
        if len(runs) == 1:
            source, begin, end = runs[0][:3]
            return source.ids[begin:end]
        found: list[int] = []
        for run in runs:
            found += run.source.ids[run.begin : run.end]
        return found

    @property
    def type_ids(self) -> list[int]:
        """Which kind of text each belongs to, as the template says."""
        frame = self._frame
        if frame is not None:
            types = [frame.type_id] * len(self._ids)
            if not frame.n_around:
                return types
            return frame.before.type_ids + types + frame.after.type_ids
        found: list[int] = []
        for run in self._runs:
            found += [run.type_id] * (run.end - run.begin)
        return found

    @property
    def tokens(self) -> list[str]:
        """Texts of the tokens, as the vocabulary spells them."""
        frame = self._frame
        if frame is not None:
            if self._source is None and not self._reader.has_odd:
                spelled = list(map(self._reader.state.spell, self._ids))
                if not frame.n_around:
                    return spelled
                tokens: Sequence[str] = spelled
            else:
                tokens = self._tokens_of_text().tokens()
            return [*frame.before.tokens, *tokens, *frame.after.tokens]
        found: list[str] = []
        for run in self._runs:
            found += run.source.tokens()[run.begin : run.end]
        return found

    @property
    def offsets(self) -> list[Offsets]:
        """(start, end) in characters of the text; (0, 0) for what is not in it."""
        frame = self._frame
        if frame is not None and not frame.trims:
            if self._source is None and len(self._ids) < _FEW:
                places = self._reader.places(self._text, self._ids)
                if places is not None and not frame.n_around:
                    return places
                offsets: Sequence[Offsets] = places or self._tokens_of_text().offsets()
            else:
                offsets = self._tokens_of_text().offsets()
            return [*frame.before.offsets, *offsets, *frame.after.offsets]
        found: list[Offsets] = []
        for run in self._runs:
            found += run.offsets()
        return found

    @property
    def word_ids(self) -> list[int | None]:
        """Index of the pretoken, or of the word that was given; None for what is in no text."""
        frame = self._frame
        if frame is not None:
            words = self._tokens_of_text().words()
            return [*frame.before.word_ids, *words, *frame.after.word_ids]
        found: list[int | None] = []
        for run in self._runs:
            found += run.source.words()[run.begin : run.end]
        return found

    @property
    def words(self) -> list[int | None]:
        """`word_ids` by its old name; warns of that, as the reference does."""
        warnings.warn(
            "Encoding.words is the old name of word_ids", DeprecationWarning, stacklevel=2
        )
        return self.word_ids

    @property
    def special_tokens_mask(self) -> list[int]:
        """1 for tokens that the template or padding added."""
        frame = self._frame
        if frame is not None:
            special = [0] * len(self._ids)
            if not frame.n_around:
                return special
            return frame.before.special + special + frame.after.special
        found: list[int] = []
        for run in self._runs:
            found += [run.special] * (run.end - run.begin)
        return found

    @property
    def attention_mask(self) -> list[int]:
        """0 for padding."""
        frame = self._frame
        if frame is not None:
            attention = [1] * len(self._ids)
            if not frame.n_around:
                return attention
            return frame.before.attention + attention + frame.after.attention
        found: list[int] = []
        for run in self._runs:
            found += [run.attention] * (run.end - run.begin)
        return found

    @property
    def sequence_ids(self) -> list[int | None]:
        """Which of the texts each token comes from; None for what comes from none."""
        found: list[int | None] = [None] * len(self)
        for sequence in range(self.n_sequences):
            for at in self.range_of(sequence):
                found[at] = sequence
        return found

    @property
    def n_sequences(self) -> int:
        """Number of texts."""
        frame = self._frame
        return (len(self._ranges) or 1) if frame is None else frame.plan.n_sequences

    def __len__(self) -> int:
        frame = self._frame
        if frame is not None:
            return frame.n_around + len(self._ids)
        n = 0
        for run in self._runs:
            n += run[2] - run[1]
        return n
