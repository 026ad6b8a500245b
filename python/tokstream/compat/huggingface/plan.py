"""What a post-processor does to texts that need not be cut, worked out once.

Enters: a post-processor. Leaves: a plan, which makes the encoding of one text or a pair in a few
steps; the same as `processing.combined` makes. Held back: nothing; immutable.

The post-processor is given texts of one token each. What it makes of them says all: which special
tokens stand where, the types, how offsets are trimmed, and which tokens belong to which text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from tokstream.compat.huggingface.encoding import Encoding
from tokstream.compat.huggingface.processing import combined
from tokstream.compat.huggingface.runs import FixedSource, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokstream.compat.huggingface.processing import Processor
    from tokstream.compat.huggingface.runs import Source
    from tokstream.compat.huggingface.settings import Padding

__all__ = ["Frame", "Part", "Plan"]

_MOST_PADDED = 256

Boundary = tuple[int, int, int]
"""A number of tokens: a constant, and how often the length of each text counts."""


class Part(NamedTuple):
    """The tokens of a text that stay."""

    source: Source
    begin: int
    end: int


class Columns(NamedTuple):
    """Columns of the tokens on one side of a text; not to be changed."""

    ids: list[int]
    type_ids: list[int]
    tokens: list[str]
    offsets: list[tuple[int, int]]
    word_ids: list[int | None]
    special: list[int]
    attention: list[int]

    def joined(self, other: Columns) -> Columns:
        """Return these tokens and others behind them."""
        return Columns(
            self.ids + other.ids,
            self.type_ids + other.type_ids,
            self.tokens + other.tokens,
            self.offsets + other.offsets,
            self.word_ids + other.word_ids,
            self.special + other.special,
            self.attention + other.attention,
        )


class Frame(NamedTuple):
    """What is put around one text.

    Attributes:
        plan: the plan that says so.
        before: what stands before the text.
        after: what stands behind it.
        n_around: how many tokens that is.
        type_id: the type of the text.
        trims: whether offsets are trimmed.
        padding: how many tokens of it are padding, and how.
    """

    plan: Plan
    before: Columns
    after: Columns
    n_around: int
    type_id: int
    trims: bool
    padding: tuple[int, Padding] | None = None


class Plan:
    """The encoding of one text or of a pair, as a list of runs.

    Args:
        processor: what is put around; None for nothing.
        n_texts: one or two.
        adds: whether special tokens are added.
        second_type: type of the second text before the post-processor.
    """

    __slots__ = ("_padded", "_ranges", "_runs", "frame", "n_sequences")

    def __init__(
        self, processor: Processor | None, n_texts: int, *, adds: bool, second_type: int
    ) -> None:
        texts = [FixedSource([0], ["x"]) for _ in range(n_texts)]
        types = (0, second_type)
        probes = [Encoding([Run(text, 0, 1, types[k])]) for k, text in enumerate(texts)]
        probe = combined(probes, processor, adds=adds)
        self._runs: list[Run | tuple[int, int, tuple[bool, ...]]] = []
        boundaries: list[Boundary] = [(0, 0, 0)]
        for run in probe.runs:
            which = next((k for k, text in enumerate(texts) if run.source is text), None)
            constant, first, second = boundaries[-1]
            if which is None:
                self._runs.append(run)
                boundaries += [(constant + k + 1, first, second) for k in range(run.end)]
            else:
                keeps = tuple(keeps_prefix for keeps_prefix, _ in run.trims)
                self._runs.append((which, run.type_id, keeps))
                boundaries.append((constant, first + (which == 0), second + (which == 1)))
        self._ranges = [
            (sequence, boundaries[tokens.start], boundaries[tokens.stop])
            for sequence, tokens in probe.ranges.items()
        ]
        self.n_sequences = len(self._ranges) or 1
        """How many texts an encoding says it has."""
        self._padded: dict[tuple[object, ...], Frame] = {}
        self.frame = self._framed()
        """What one text is put into; None for pairs, and where the text stands twice."""

    def _framed(self) -> Frame | None:
        at = [k for k, run in enumerate(self._runs) if not isinstance(run, Run)]
        if len(at) != 1:
            return None
        _, type_id, keeps = cast("tuple[int, int, tuple[bool, ...]]", self._runs[at[0]])
        before, after = self._columns(self._runs[: at[0]]), self._columns(self._runs[at[0] + 1 :])
        n_around = len(before.ids) + len(after.ids)
        return Frame(self, before, after, n_around, type_id, bool(keeps))

    @staticmethod
    def _columns(runs: Sequence[object]) -> Columns:
        side = Encoding([run for run in runs if isinstance(run, Run)])
        return Columns(
            side.ids,
            side.type_ids,
            side.tokens,
            side.offsets,
            side.word_ids,
            side.special_tokens_mask,
            side.attention_mask,
        )

    def padded(self, frame: Frame, n: int, padding: Padding) -> Frame:
        """Return a frame with `n` of padding on one side; kept for the next text of that length."""
        direction, pad_id = padding.direction, padding.pad_id
        pad_type_id, pad_token = padding.pad_type_id, padding.pad_token
        key = n, direction, pad_id, pad_type_id, pad_token
        found = self._padded.get(key)
        if found is None:
            nowhere: list[int | None] = [None] * n
            places = [(0, 0)] * n
            types, tokens = [pad_type_id] * n, [pad_token] * n
            blank = Columns([pad_id] * n, types, tokens, places, nowhere, [1] * n, [0] * n)
            before, after = frame.before, frame.after
            if direction == "right":
                after = after.joined(blank)
            else:
                before = blank.joined(before)
            found = frame._replace(
                before=before, after=after, n_around=frame.n_around + n, padding=(n, padding)
            )
            if len(self._padded) >= _MOST_PADDED:
                self._padded.clear()
            self._padded[key] = found
        return found

    def make_one(self, source: Source) -> Encoding:
        """Return the encoding of one whole text."""
        return self.make([Part(source, 0, len(source.ids))])

    def make(self, parts: Sequence[Part]) -> Encoding:
        """Return the encoding of as many texts as the plan is for."""
        runs = []
        for piece in self._runs:
            if isinstance(piece, Run):
                runs.append(piece)
                continue
            which, type_id, keeps = piece
            source, begin, end = parts[which]
            if begin < end:
                trims = tuple([(k, begin) for k in keeps]) if keeps else ()
                runs.append(Run(source, begin, end, type_id, 0, 1, 0, trims))
        n1 = parts[0][2] - parts[0][1]
        n2 = parts[1][2] - parts[1][1] if len(parts) > 1 else 0
        ranges = {
            sequence: range(c + a * n1 + b * n2, d + e * n1 + f * n2)
            for sequence, (c, a, b), (d, e, f) in self._ranges
        }
        return Encoding(runs, ranges)
