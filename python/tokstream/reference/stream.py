"""The stream: the four stages joined. All of what happens between them is in this file.

Enters: chunks, cut anywhere, and special tokens by name.
Leaves: token ids, as soon as they are stable.
Held back: what each stage holds back; `delay_bytes` is the sum of it.
"""

from __future__ import annotations

from copy import copy
from difflib import get_close_matches
from typing import TYPE_CHECKING

from tokstream.errors import (
    ConfigurationError,
    InputError,
    StreamClosedError,
    StreamError,
    TokstreamError,
    UnknownNameError,
)
from tokstream.reference.adaptive import Adaptive
from tokstream.reference.chunks import Chunks
from tokstream.reference.composition import Composition
from tokstream.reference.segments import Segment, Segments

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from tokstream.reference.chunks import Buffer
    from tokstream.reference.cutq import Automaton
    from tokstream.reference.merges import MergeRules

__all__ = ["Stream"]


class Stream:
    """Tok = Merge of Split of Seg, one chunk at a time.

    For every way of cutting the input, the concatenated `feed` results plus `finish` equal
    `encode(whole)`.

    With `delay="composition"`, what is given out is Merge⪯ of Split⪯ of Seg⪯, each stage's maximum
    stable prefix fed to the next (Theorem 1.2). It is stable. It is not everything that is stable:
    text behind a match end that may still move waits, even if its tokens are the same either way.
    With `delay="optimal"` it does not wait: see `Adaptive`, here at its level "alive". The delay
    does not depend on the pattern's lookback (Theorem 1.7). What is stable is asked at the end of
    each feed; the ids are the same in the end.

    >>> from tokstream.patterns import compile_pattern
    >>> from tokstream.reference import MergeRules, Stream
    >>> rules = MergeRules([bytes((byte,)) for byte in range(256)] + [b"ab", b"aba"])
    >>> stream = Stream(rules, compile_pattern(r"[a-z]+|[^a-z]"), {"<s>": 300}, allowed={"<s>"})
    >>> stream.feed("ab"), stream.feed("ab"), stream.feed(" <s"), stream.delay_bytes
    ([], [256], [256, 32], 2)
    >>> stream.feed(b">a"), stream.finish(), stream.n_tokens, stream.n_bytes
    ([300], [97], 5, 9)
    >>> stream.encode("abab <s>a")
    [256, 256, 32, 300, 97]

    Args:
        rules: the vocabulary.
        automaton: the compiled pattern.
        special_tokens: all special tokens with their ids.
        allowed: names that are special tokens where they occur in the text.
        disallowed: names that must not occur in the text. The others are plain text.
        errors: "strict" or "replace", for input that is not UTF-8.
        delay: "composition" or "optimal".

    Cost: O(n (|Q| + t + L)) for n bytes, |Q| states of the automaton, t bytes in the longest
        token, L lengths of special tokens.
    Source: Dalirrooyfard and Ye, arXiv:2610.19139, Theorems 1.2 and 1.7.
    """

    def __init__(
        self,
        rules: MergeRules,
        automaton: Automaton,
        special_tokens: Mapping[str, int] | None = None,
        *,
        allowed: Collection[str] = (),
        disallowed: Collection[str] = (),
        errors: str = "strict",
        delay: str = "composition",
    ) -> None:
        if delay not in {"composition", "optimal"}:
            raise ConfigurationError(f'delay is {delay!r}; it must be "composition" or "optimal"')
        self._delay = delay
        self._rules = rules
        self._automaton = automaton
        self._special_tokens = dict(special_tokens or {})
        self._allowed = frozenset(allowed)
        self._disallowed = frozenset(disallowed)
        for name in sorted(self._allowed | self._disallowed):
            self._id_of(name)
        self._errors = errors
        self.reset()

    def reset(self) -> None:
        """Begin anew, also after `finish` or an error."""
        self._chunks = Chunks(self._errors)
        self._segments = Segments(
            self._ids_of(self._allowed), self._disallowed, source=self._chunks.offsets.source
        )
        self._text: Adaptive | Composition = (
            Adaptive(self._rules, self._automaton, level="alive")
            if self._delay == "optimal"
            else Composition(self._rules, self._automaton)
        )
        self._closed = False
        self._failure: TokstreamError | None = None
        self.n_tokens = 0
        """Ids given out, those in an error included."""

    @property
    def n_bytes(self) -> int:
        """Source bytes fed: UTF-8 bytes of a `str`, a surrogate counting 3."""
        return self._chunks.n_bytes

    @property
    def delay_bytes(self) -> int:
        """Source bytes fed that no id given out covers."""
        return self.n_bytes - self._chunks.offsets.source(self._n_covered)

    @property
    def _n_covered(self) -> int:
        """Bytes of text covered by the ids given out: all that no stage holds back."""
        held = self._segments.n_held + self._text.n_held
        return self._chunks.offsets.n_text - held

    def feed(
        self,
        chunk: str | Buffer,
        *,
        allowed: Collection[str] | None = None,
        disallowed: Collection[str] | None = None,
    ) -> list[int]:
        """Take a chunk, return the ids that became stable.

        Args:
            chunk: `str` or bytes-like, cut anywhere.
            allowed: for this chunk only, if given. No special token forms across a change; a
                character that the change cuts belongs to the later chunk.
            disallowed: the same.

        Raises:
            InvalidUtf8Error: not UTF-8, with `errors="strict"`.
            UnfinishedCharacterError: `str` and bytes mixed inside a character.
            DisallowedSpecialTokenError: the text spells a disallowed special token.
            StreamClosedError: after `finish`.
        After an `InputError` the stream has failed: its `ids` are those that became stable before
        the fault, and every further call raises the same error, without ids.
        """
        if not isinstance(chunk, str):
            chunk = memoryview(chunk).tobytes()
        allowed = self._ids_of(self._allowed if allowed is None else allowed)
        disallowed = self._disallowed if disallowed is None else disallowed

        def steps() -> Iterator[list[int]]:
            if chunk and not self._segments.trusts(allowed, disallowed):
                yield from self._from_text("", final=True)
                self._segments.set_trust(allowed, disallowed)
            text, fault = self._chunks.read(chunk)
            yield from self._from_text(text, final=False)
            if fault is not None:
                raise fault

        return self._run(steps)

    def feed_special(self, name: str) -> list[int]:
        """Take a special token by name, allowed in text or not; the text before it ends here.

        It adds nothing to `n_bytes`.

        Raises:
            UnknownNameError: there is no such special token; the stream stays as it is.
            InvalidUtf8Error: the text before it ends inside a character.
            StreamClosedError: after `finish`.
        """
        special = self._id_of(name)

        def steps() -> Iterator[list[int]]:
            yield from self._to_the_end()
            yield [special]

        return self._run(steps)

    def finish(self) -> list[int]:
        """End the input, return the remaining ids. Only `reset` opens the stream again.

        Raises:
            InvalidUtf8Error: the input ends inside a character, with `errors="strict"`.
            DisallowedSpecialTokenError: as `feed`.
            StreamClosedError: finished before.
        """
        ids = self._run(self._to_the_end)
        self._closed = True
        return ids

    def peek(self) -> list[int]:
        """Return what `finish` would return now, or raise what it would raise; change nothing."""
        return self.copy().finish()

    def encode(self, text: str | Buffer) -> list[int]:
        """Return the ids of a whole text, by a new stream with the settings of this one."""
        fresh = self.copy()
        fresh.reset()
        return fresh.feed(text) + fresh.finish()

    def copy(self) -> Stream:
        """Return an independent stream in the same state. Cost: O(held)."""
        twin = Stream(
            self._rules,
            self._automaton,
            self._special_tokens,
            allowed=self._allowed,
            disallowed=self._disallowed,
            errors=self._errors,
            delay=self._delay,
        )
        twin._closed, twin._failure, twin.n_tokens = self._closed, self._failure, self.n_tokens
        twin._chunks = self._chunks.copy()
        twin._segments = self._segments.copy()
        twin._segments.report_offsets_of(twin._chunks.offsets.source)
        twin._text = self._text.copy()
        return twin

    def _run(self, steps: Callable[[], Iterator[list[int]]]) -> list[int]:
        """Collect the ids of all steps; if one fails, the stream fails."""
        if self._failure is not None:
            raise copy(self._failure)
        if self._closed:
            raise StreamClosedError("the stream is finished; call reset() to start again")
        ids: list[int] = []
        try:
            for more in steps():
                ids += more
        except InputError as error:
            self._failure = copy(error)
            error.ids = ids
            raise
        except BaseException:
            self._failure = StreamError("the stream was interrupted; call reset() to start again")
            raise
        finally:
            self.n_tokens += len(ids)
            self._chunks.offsets.forget(self._n_covered)
        return ids

    def _to_the_end(self) -> Iterator[list[int]]:
        """Chunks end, so segments end, so their text ends."""
        text, fault = self._chunks.read_end()
        if fault is not None:
            raise fault
        yield from self._from_text(text, final=True)
        yield self._text.finish()

    def _from_text(self, text: str, *, final: bool) -> Iterator[list[int]]:
        """Characters → segments → ids. Final: no special token goes on behind this text."""
        segments, fault = self._segments.read(text, final=final)
        for segment in segments:
            yield self._from_segment(segment)
        if fault is not None:
            raise fault

    def _from_segment(self, segment: Segment) -> list[int]:
        """Segment → ids. A special token ends the text before it."""
        if isinstance(segment, str):
            return self._text.push(segment)
        return [*self._text.finish(), segment.id]

    def _ids_of(self, names: Collection[str]) -> dict[str, int]:
        return {name: self._id_of(name) for name in names}

    def _id_of(self, name: str) -> int:
        if name not in self._special_tokens:
            near = get_close_matches(name, self._special_tokens, 3)
            hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "check its spelling"
            raise UnknownNameError(f"there is no special token {name!r}; {hint}")
        return self._special_tokens[name]
