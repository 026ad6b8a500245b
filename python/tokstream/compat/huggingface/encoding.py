"""`Encoding`: the tokens of a text or a pair of texts, as `tokenizers.Encoding` shows them.

Enters: whole texts, or runs of tokens. Leaves: an object that is read (`columns`, `look_ups`) and
changed: `truncate`, `pad` and `set_sequence_id`, as in the reference, and what the stages behind do
with parts of it. Held back: nothing; what overflows is made when it is asked for.
"""

from __future__ import annotations

from array import array
from itertools import chain, groupby
from typing import TYPE_CHECKING, final

from tokstream.compat.huggingface.arguments import checked_flag, index_of
from tokstream.compat.huggingface.columns import Columns
from tokstream.compat.huggingface.runs import FixedSource, Run
from tokstream.compat.huggingface.settings import Padding, checked_direction, cuts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tokstream.compat.huggingface.plan import Frame
    from tokstream.compat.huggingface.runs import Reader, Source

__all__ = ["Encoding"]

_NOTHING: list[Encoding] = []
"""Nothing was cut off; never changed."""


@final
class Encoding(Columns):
    """Tokens and all that is known of them.

    Columns are new lists. An encoding holds its text, for what needs a second pass over it.
    """

    __slots__ = ("_overflowing",)

    def __init__(self, runs: Iterable[Run] = (), ranges: dict[int, range] | None = None) -> None:
        self._frame: Frame | None = None
        self._runs: list[Run] = list(runs)
        self._ranges: dict[int, range] = {} if ranges is None else ranges
        self._overflowing: list[Encoding] | Callable[[], list[Encoding]] = _NOTHING

    @classmethod
    def framed(cls, frame: Frame, source: Source) -> Encoding:
        """Return the encoding of a whole text, with what is put around it."""
        encoding = cls.__new__(cls)
        encoding._frame = frame  # noqa: SLF001 - of this class
        encoding._ids = source.ids  # noqa: SLF001 - as above
        encoding._source = source  # noqa: SLF001 - as above
        encoding._overflowing = _NOTHING  # noqa: SLF001 - as above
        return encoding

    @classmethod
    def of_text(cls, frame: Frame, reader: Reader, text: str, ids: list[int]) -> Encoding:
        """Return the encoding of a whole text; see `of_texts`."""
        encoding = cls.__new__(cls)
        encoding._frame = frame  # noqa: SLF001 - of this class
        encoding._ids = ids  # noqa: SLF001 - as above
        encoding._reader = reader  # noqa: SLF001 - as above
        encoding._text = text  # noqa: SLF001 - as above
        encoding._source = None  # noqa: SLF001 - as above
        encoding._overflowing = _NOTHING  # noqa: SLF001 - as above
        return encoding

    @classmethod
    def of_texts(
        cls, frame: Frame, reader: Reader, texts: Iterable[str], ids: Iterable[list[int]]
    ) -> list[Encoding]:
        """Return the encodings of whole texts; what of them needs the text is made when asked for.

        Args:
            frame: what is put around each.
            reader: how they were read.
            texts: the texts.
            ids: the ids of each.
        """
        pairs = zip(texts, ids, strict=True)
        return [cls.of_text(frame, reader, text, ids_of_text) for text, ids_of_text in pairs]

    @property
    def overflowing(self) -> list[Encoding]:
        """What truncation cut off, in encodings of the same length; new objects."""
        if not isinstance(self._overflowing, list):
            self._overflowing = self._overflowing()
        return [part.copy() for part in self._overflowing]

    def __repr__(self) -> str:
        return (
            f"Encoding(num_tokens={len(self)}, attributes=[ids, type_ids, tokens, offsets, "
            "attention_mask, special_tokens_mask, overflowing])"
        )

    # --- changes ---------------------------------------------------------------------------------

    def set_sequence_id(self, sequence_id: int) -> None:
        """Say that all tokens come from one text.

        Raises:
            OverflowError: a negative index, or one above 64 bits.
            TypeError: no whole number.
        """
        sequence_id = index_of("sequence_id", sequence_id)
        self._ranges = {**self._ranges, sequence_id: range(len(self))}

    def truncate(self, max_length: int, stride: int = 0, direction: str = "right") -> None:
        """Keep at most `max_length` tokens; the others go to `overflowing`.

        Args:
            max_length: how many tokens stay, 0 or more.
            stride: how many tokens an overflowing part shares with the one before it.
            direction: "right" keeps the beginning, "left" the end.

        Raises:
            ConfigurationError: a stride that leaves no room, or another direction.
            OverflowError: a number below 0, or above 64 bits.
            TypeError: a direction that is no text, or a number that is none.
        """
        max_length, stride = index_of("max_length", max_length), index_of("stride", stride)
        direction = checked_direction(direction)
        parts = cuts(len(self), max_length, stride, direction)
        if parts is None:
            return
        whole = self.copy()
        first, *others = parts
        self._runs = whole.part(*first).runs
        self._ranges = {}
        if max_length == 0:
            self._overflowing = [whole]
        else:
            self._overflowing = lambda: [whole.part(begin, end) for begin, end in others]

    def pad(
        self,
        length: int,
        *,
        direction: str = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",  # noqa: S107 - a token of a vocabulary
    ) -> None:
        """Add padding up to a length, also to what is overflowing.

        Args:
            length: how many tokens there are to be; more stay as they are.
            direction: on which side, "right" or "left".
            pad_id: id of the padding.
            pad_type_id: its type.
            pad_token: its text.

        Raises:
            ConfigurationError: another direction.
            OverflowError: a number below 0 or above 64 bits, or an id or type above 32.
            TypeError: a number or a text that is none.
        """
        padding = Padding.of(
            {
                "length": index_of("length", length),
                "direction": direction,
                "pad_id": pad_id,
                "pad_type_id": pad_type_id,
                "pad_token": pad_token,
            }
        )
        self.pad_by(index_of("length", length), padding)

    def pad_by(self, length: int, padding: Padding) -> None:
        """Do as `pad`, with what was checked; its own length does not count."""
        frame = self._frame
        if frame is not None and frame.padding is None:
            n = length - len(self)
            if n > 0:
                self._frame = frame.plan.padded(frame, n, padding)
            return
        before = self._overflowing
        if before:

            def padded() -> list[Encoding]:
                parts = before if isinstance(before, list) else before()
                for part in parts:
                    part.pad_by(length, padding)
                return parts

            self._overflowing = padded() if isinstance(before, list) else padded
        n = length - len(self)
        if n <= 0:
            return
        source = FixedSource([padding.pad_id] * n, [padding.pad_token] * n)
        filler = Run(source, 0, n, padding.pad_type_id, 1, 0)
        if padding.direction == "right":
            self._runs = [*self._runs, filler]
        else:
            self._runs = [filler, *self._runs]
            self._ranges = {s: _shifted(tokens, n) for s, tokens in self._ranges.items()}

    # --- for the stages behind -------------------------------------------------------------------

    @property
    def runs(self) -> list[Run]:
        """Where the tokens come from; not to be changed."""
        return self._runs

    @property
    def ranges(self) -> dict[int, range]:
        """Which tokens belong to which text; not to be changed."""
        return self._ranges

    @staticmethod
    def merge(encodings: Sequence[Encoding], growing_offsets: bool = True) -> Encoding:
        """Return one encoding of several.

        Args:
            encodings: what to join, in order.
            growing_offsets: offsets go on where those before end, instead of beginning anew.

        Raises:
            TypeError: something that is no encoding.
        """
        merged, grows = Encoding(), checked_flag("growing_offsets", growing_offsets)
        for k, encoding in enumerate(encodings):
            if not isinstance(encoding, Encoding):
                raise TypeError(f"encoding {k} is {type(encoding).__name__}; give an Encoding")
            # a copy: what overflows is made later, and a caller may change the encoding until then
            merged = merged.joined(encoding.copy(), growing_offsets=grows)
        return merged

    def joined(self, other: Encoding, *, growing_offsets: bool = False) -> Encoding:
        """Return this encoding and another; each part that overflows is joined with all of it.

        Args:
            other: what follows.
            growing_offsets: as in `merge`.
        """
        runs = other._runs
        if growing_offsets and self._runs:
            offsets = self.offsets
            shift = offsets[-1][1] if offsets else 0
            runs = [run._replace(shift=run.shift + shift) for run in runs]
        n = len(self)
        ranges = dict(self._ranges)
        ranges |= {s: _shifted(tokens, n) for s, tokens in other._ranges.items()}
        merged = Encoding([*self._runs, *runs], ranges)
        mine, theirs = self._overflowing, other._overflowing
        if mine or theirs:

            def overflowing() -> list[Encoding]:
                left, right = self.overflowing, other.overflowing
                found = []
                for part in left:
                    found.append(part.joined(other, growing_offsets=growing_offsets))
                    found += [part.joined(o, growing_offsets=growing_offsets) for o in right]
                found += [self.joined(o, growing_offsets=growing_offsets) for o in right]
                return found

            merged._overflowing = overflowing
        return merged

    def copy(self) -> Encoding:
        """Return an encoding that changes by itself."""
        twin = Encoding(self._runs, self._ranges)
        twin._overflowing = (
            [part.copy() for part in self._overflowing]
            if isinstance(self._overflowing, list)
            else self._overflowing
        )
        return twin

    def part(self, begin: int, end: int) -> Encoding:
        """Return some of the tokens, without what is overflowing."""
        runs, at = [], 0
        for run in self._runs:
            first, last = max(begin - at, 0), min(end - at, run.end - run.begin)
            if first < last:
                runs.append(run._replace(begin=run.begin + first, end=run.begin + last))
            at += run.end - run.begin
        return Encoding(runs)

    def with_type(self, type_id: int) -> Encoding:
        """Return the encoding with one type for all; what overflows keeps its own."""
        twin = Encoding([run._replace(type_id=type_id) for run in self._runs], self._ranges)
        twin.take_overflowing(self, Encoding.copy)
        return twin

    def trim(self, *, keeps_prefix: bool) -> None:
        """Leave out the blanks at the ends of tokens from offsets, see `runs.trimmed`."""
        runs, is_first = [], True
        for run in self._runs:
            first = run.begin if is_first else -1
            runs.append(run._replace(trims=(*run.trims, (keeps_prefix, first))))
            is_first = False
        self._runs = runs

    @property
    def has_overflowing(self) -> bool:
        """Whether anything may have been cut off."""
        return bool(self._overflowing)

    def overflow(self, parts: Callable[[], list[Encoding]]) -> None:
        """Say what was cut off, in a function that is called when it is asked for."""
        self._overflowing = parts

    def take_overflowing(self, other: Encoding, change: Callable[[Encoding], Encoding]) -> None:
        """Take over what overflows of another encoding, changed."""
        if other.has_overflowing:
            self._overflowing = lambda: [change(part) for part in other.overflowing]

    def change_overflowing(self, change: Callable[[Encoding], Encoding]) -> None:
        """Replace every part that overflows by what `change` makes of it."""
        before = self._overflowing
        if isinstance(before, list):
            self._overflowing = [change(part) for part in before]
        else:
            self._overflowing = lambda: [change(part) for part in before()]

    def __reduce__(self) -> tuple[object, ...]:
        offsets = array("Q", chain.from_iterable(self.offsets))
        words = array("q", [-1 if word is None else word for word in self.word_ids])
        flags: list[tuple[int, int, int, int]] = []
        columns = zip(self.type_ids, self.special_tokens_mask, self.attention_mask, strict=True)
        for values, group in groupby(columns):
            flags.append((sum(1 for _ in group), *values))
        given = (array("I", self.ids), self.tokens, offsets, words)
        return _restored, (given, flags, self._ranges, self.overflowing)


def _restored(
    given: tuple[array[int], list[str], array[int], array[int]],
    flags: list[tuple[int, int, int, int]],
    ranges: dict[int, range],
    overflowing: list[Encoding],
) -> Encoding:
    ids, tokens, offsets, words = given
    numbers = iter(offsets)
    source = FixedSource(
        ids.tolist(),
        tokens,
        list(zip(numbers, numbers, strict=True)),
        [None if word < 0 else word for word in words],
    )
    runs, at = [], 0
    for n, type_id, special, attention in flags:
        runs.append(Run(source, at, at + n, type_id, special, attention))
        at += n
    encoding = Encoding(runs, ranges)
    encoding._overflowing = overflowing  # noqa: SLF001 - of this module
    return encoding


def _shifted(tokens: range, n: int) -> range:
    return range(tokens.start + n, tokens.stop + n)
