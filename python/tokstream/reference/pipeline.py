r"""The stages of a tokenizer with added tokens, normalizer, levels and merge list, joined.

Enters: text, cut anywhere between characters.
Leaves: token ids, as each stage becomes certain.
Held back: what each stage holds back.

`stream` is this for rank files, with bytes, trust and errors. Here it is about the order of the
stages, and where their state begins anew:

    text → added tokens → normalizer → added tokens → levels → merging → expansion
           per text       per run      per run        per run  per pretoken
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokstream.reference.added import AddedToken, NormalizedSegments
from tokstream.reference.cascade import Cascade, Level
from tokstream.reference.expansion import CharacterVocabulary, Expansion
from tokstream.reference.normalize import Normalizer, Step
from tokstream.reference.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokstream.reference.pretokens import Pretoken
    from tokstream.reference.segments import Segment

__all__ = ["Pipeline"]


class Pipeline:
    r"""Ids of a text that is still arriving.

    For every way of cutting the text, the concatenated `push` results plus `finish` are the ids of
    the whole.

    >>> from tokstream.reference.normalize import Prepend, Replace
    >>> ids = {token: k for k, token in enumerate(["<s>", "▁", "a", "b", "▁a", "▁ab"])}
    >>> vocabulary = CharacterVocabulary(
    ...     ids, [("▁", "a"), ("▁a", "b")], byte_ids=range(1000, 1256)
    ... )
    >>> pipeline = Pipeline(
    ...     vocabulary,
    ...     added=[AddedToken("<s>", 0)],
    ...     steps=[Prepend("▁"), Replace(" ", "▁")],
    ... )
    >>> pipeline.push("<s>a"), pipeline.push("b a"), pipeline.push("é a"), pipeline.finish()
    ([0], [5], [4, 1195, 1169], [4])

    Args:
        vocabulary: tokens, merges, and what stands for characters that they lack.
        added: added tokens.
        steps: of the normalizer, each at the beginning of a segment.
        levels: of the pre-tokenizer; without any, a run is one pretoken.
        fuses_unknown: whether neighbouring unknown tokens become one.

    Cost: the sum of the stages'.
    """

    def __init__(
        self,
        vocabulary: CharacterVocabulary,
        *,
        added: Iterable[AddedToken] = (),
        steps: Iterable[Step] = (),
        levels: Iterable[Level] = (),
        fuses_unknown: bool = False,
    ) -> None:
        self._vocabulary = vocabulary
        self._segments = NormalizedSegments(added, Normalizer(steps))
        self._levels = Cascade(levels)
        self._tokens = Tokens(vocabulary.rules)
        self._expansion = Expansion(vocabulary, fuses_unknown=fuses_unknown)

    def push(self, text: str) -> list[int]:
        """Take text, return the ids that are certain."""
        return self._from_segments(self._segments.push(text))

    def finish(self) -> list[int]:
        """End the text, return the remaining ids. Ready for another text."""
        return self._from_segments(self._segments.finish()) + self._end_run()

    def _from_segments(self, segments: Iterable[Segment]) -> list[int]:
        out: list[int] = []
        for segment in segments:
            if isinstance(segment, str):
                out += self._from_levels(self._levels.push(segment))
            else:
                out += [*self._end_run(), segment.id]
        return out

    def _end_run(self) -> list[int]:
        return self._from_levels(self._levels.finish())

    def _from_levels(self, marked: Iterable[Pretoken]) -> list[int]:
        out: list[int] = []
        for part in marked:
            if isinstance(part, str):
                out += self._expansion.push(self._tokens.push(self._vocabulary.known(part)))
            else:
                out += self._expansion.push(self._tokens.cut())
                self._expansion.cut()
        return out
