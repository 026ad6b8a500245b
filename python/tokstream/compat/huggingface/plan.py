"""What a post-processor does to texts that need not be cut, worked out once.

Enters: a post-processor. Leaves: a plan, which makes the encoding of one text or a pair in a few
steps; the same as `processing.combined` makes. Held back: nothing; immutable.

The post-processor is given texts of one token each. What it makes of them says all: which special
tokens stand where, the types, how offsets are trimmed, and which tokens belong to which text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokstream.compat.huggingface.encoding import Encoding
from tokstream.compat.huggingface.processing import combined
from tokstream.compat.huggingface.runs import FixedSource, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokstream.compat.huggingface.processing import Processor
    from tokstream.compat.huggingface.runs import Source

__all__ = ["Part", "Plan"]

Boundary = tuple[int, int, int]
"""A number of tokens: a constant, and how often the length of each text counts."""


class Part(NamedTuple):
    """The tokens of a text that stay."""

    source: Source
    begin: int
    end: int


class Plan:
    """The encoding of one text or of a pair, as a list of runs.

    Args:
        processor: what is put around; None for nothing.
        n_texts: one or two.
        adds: whether special tokens are added.
        second_type: type of the second text before the post-processor.
    """

    __slots__ = ("_ranges", "_runs")

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
