"""Decoding by the texts of tokens: a chain of stages, as a tokenizer.json describes it.

Enters: ids. Leaves: text. Held back: what the stages hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, final

from tokstream.decoding import Decoder, Decoding, unknown_id
from tokstream.decoding.joined import (
    JoinedWork,
    Joining,
    JoiningBytes,
    JoiningWithSpaces,
    Whole,
    WholeBytes,
)
from tokstream.decoding.stages import Replace, Strip

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tokstream.decoding.stages import Stage, StageWork

__all__ = ["Join", "TokenDecoder"]

Join = Literal["fuse", "byte_level", "spaces"]
"""Stages that make one text of all tokens: by joining, by joining their bytes, with spaces."""


@final
class TokenDecoder(Decoder):
    """A chain of stages; immutable.

    Attributes:
        spellings: the text of each id.
        stages: what happens to the tokens, in order. The first joining stage makes one text of
            them; a chain without one joins at the end.
    """

    __slots__ = ("_ready", "spellings", "stages")

    def __init__(self, spellings: Mapping[int, str], stages: tuple[Stage | Join, ...]) -> None:
        self.spellings = spellings
        self.stages = stages
        self._ready: tuple[Mapping[int, str], tuple[Stage | Join, ...]] | None = None

    def begin(self, *, raw: bool = False) -> Decoding:
        """Return the state at the beginning."""
        return _TokenDecoding(*self.prepared(), raw=raw)

    def prepared(self) -> tuple[Mapping[int, str], tuple[Stage | Join, ...]]:
        """Apply the first stages to all tokens once, as far as tokens do not matter to each other.

        Cost: O(vocabulary) the first time.
        """
        if self._ready is None:
            spellings, stages = self.spellings, self.stages
            while stages and isinstance(stages[0], Replace | Strip):
                change = stages[0].change
                spellings = {k: change(token) for k, token in spellings.items()}
                stages = stages[1:]
            self._ready = spellings, stages
        return self._ready

    def __reduce__(self) -> tuple[object, ...]:
        return TokenDecoder, (self.spellings, self.stages)

    def __repr__(self) -> str:
        return f"<TokenDecoder {self.stages!r}>"


@final
class _TokenDecoding(Decoding):
    def __init__(
        self, spellings: Mapping[int, str], stages: tuple[Stage | Join, ...], *, raw: bool
    ) -> None:
        self._spellings = spellings
        at = next((k for k, stage in enumerate(stages) if isinstance(stage, str)), len(stages))
        self._between: list[StageWork] = [
            stage.begin(raw=raw) for stage in stages[:at] if not isinstance(stage, str)
        ]
        self._join = _joining(stages[at] if at < len(stages) else "fuse", raw=raw)
        self._behind = [_joined(stage, raw=raw) for stage in stages[at + 1 :]]

    def push(self, ids: Iterable[int]) -> str:
        if not isinstance(ids, list | tuple):
            ids = list(ids)
        spellings = self._spellings
        try:
            tokens = [spellings[token_id] for token_id in ids]
        except (KeyError, TypeError):
            raise unknown_id(ids, spellings) from None
        for stage in self._between:
            tokens = stage.push(tokens)
        text = self._join.push_tokens(tokens)
        for behind in self._behind:
            text = behind.push(text)
        return text

    def finish(self) -> str:
        tokens: list[str] = []
        for stage in self._between:
            tokens = [*stage.push(tokens), *stage.finish()]
        text = self._join.push_tokens(tokens) + self._join.finish_tokens()
        for behind in self._behind:
            text = behind.push(text) + behind.finish()
        return text


def _joining(name: object, *, raw: bool) -> Joining:
    if name == "byte_level":
        return JoiningBytes(raw=raw)
    return JoiningWithSpaces() if name == "spaces" else Joining()


def _joined(stage: Stage | Join, *, raw: bool) -> JoinedWork:
    if isinstance(stage, str):
        return WholeBytes(raw=raw) if stage == "byte_level" else Whole()
    return stage.joined(raw=raw)
