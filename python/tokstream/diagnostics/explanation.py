"""Why a stream holds back what it holds back: a text comes in, an account of every step goes out.

The stages that make up a stream run beside it, so that each held byte can be laid at one of them.
The reasons are found, not assumed: a continuation is tried on a copy of the stream, and what it
would change is what is reported. Memory: the account, some hundred bytes for each byte of text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, final

from tokstream import _core
from tokstream._buffers import plain
from tokstream.diagnostics.continuations import LONGER, SINGLES
from tokstream.diagnostics.delay import ends
from tokstream.diagnostics.reasons import Reasons, listing, show, why_chunks
from tokstream.patterns import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokstream import Tokenizer
    from tokstream._types import DelayMode, SpecialChoice
    from tokstream.diagnostics.staged import StagedAccount

__all__ = ["Explanation", "Held", "Span", "Stage", "Step", "explain"]

Stage = Literal["chunks", "segments", "normalizer", "pretokens", "tokens"]


@dataclass(frozen=True, slots=True)
class Span:
    """A part of the text.

    Attributes:
        begin: offset in bytes.
        end: offset in bytes; `end` > `begin`.
        id: of a token, or of a special token; None for text.
    """

    begin: int
    end: int
    id: int | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """What one stage holds back after a step, and why.

    Attributes:
        stage: which one.
        begin: offset in bytes.
        end: offset in bytes; `end` > `begin`.
        why: a sentence without a full stop.
    """

    stage: Stage
    begin: int
    end: int
    why: str


@dataclass(frozen=True, slots=True)
class Step:
    """What one character (or byte) did.

    Attributes:
        begin: offset in bytes of what was fed.
        end: bytes fed so far.
        emitted: tokens that became stable.
        held: by stage, in text order; the last ends at `end`.
        n_ahead: bytes emitted though the pattern has not decided yet to which pretoken they
            belong: what `delay="composition"` would hold in addition.
    """

    begin: int
    end: int
    emitted: tuple[Span, ...]
    held: tuple[Held, ...]
    n_ahead: int

    @property
    def delay_bytes(self) -> int:
        """Bytes fed that no emitted token covers."""
        return self.end - self.held[0].begin if self.held else 0


@dataclass(frozen=True, slots=True)
class Explanation:
    """The cuts of a whole text, and what happened step by step.

    Attributes:
        encoding: name of the tokenizer.
        delay: "optimal" or "composition".
        text: the text, UTF-8.
        segments: runs of text and special tokens.
        pretokens: of all runs of text.
        tokens: all of them; they end wherever a pretoken ends.
        steps: one for each thing fed; the last is the end of the input, which feeds nothing.
    """

    encoding: str
    delay: DelayMode
    text: bytes
    segments: tuple[Span, ...]
    pretokens: tuple[Span, ...]
    tokens: tuple[Span, ...]
    steps: tuple[Step, ...]

    def bytes_of(self, part: Span | Held) -> bytes:
        """Return the bytes of a part."""
        return self.text[part.begin : part.end]

    def as_json(self) -> dict[str, object]:
        """Give plain values. Text that is no UTF-8 by itself is shown with U+FFFD."""

        def span(part: Span) -> dict[str, object]:
            value: dict[str, object] = {"text": self.bytes_of(part).decode(errors="replace")}
            value |= {"begin": part.begin, "end": part.end}
            return value if part.id is None else {"id": part.id, **value}

        def held(part: Held) -> dict[str, object]:
            text = self.bytes_of(part).decode(errors="replace")
            return {"stage": part.stage, "text": text, "begin": part.begin, "end": part.end} | {
                "why": part.why
            }

        return {
            "encoding": self.encoding,
            "delay": self.delay,
            "n_bytes": len(self.text),
            "segments": [span(part) for part in self.segments],
            "pretokens": [span(part) for part in self.pretokens],
            "tokens": [span(part) for part in self.tokens],
            "steps": [
                {
                    "fed": self.text[step.begin : step.end].decode(errors="replace"),
                    "begin": step.begin,
                    "end": step.end,
                    "emitted": [span(part) for part in step.emitted],
                    "delay_bytes": step.delay_bytes,
                    "n_ahead_bytes": step.n_ahead,
                    "held": [held(part) for part in step.held],
                }
                for step in self.steps
            ],
        }


def explain(
    tokenizer: Tokenizer,
    text: str | bytes,
    *,
    delay: DelayMode = "optimal",
    unit: Literal["byte", "char"] = "char",
    allowed_special: SpecialChoice = None,
    disallowed_special: SpecialChoice = None,
) -> Explanation:
    r"""Encode a short text step by step and account for all that is held back.

    Args:
        tokenizer: what to encode with.
        text: text or UTF-8.
        delay: as in `Tokenizer.stream`.
        unit: what a step feeds.
        allowed_special: as in `Tokenizer.encode`.
        disallowed_special: as in `Tokenizer.encode`.

    Raises:
        InputError: as in `Tokenizer.encode`.

    Cost: up to some hundred short encodings for each step, about a millisecond.

    >>> import tokstream
    >>> found = explain(tokstream.get_encoding("cl100k_base"), "hello wor")
    >>> found.steps[-2].held[0].why
    "a longer token may still begin here: ' work', ' world', ' working'"
    """
    data = plain(text).encode() if isinstance(text, str) else text
    ids, spans = tokenizer.encode_with_offsets(
        data, unit="byte", allowed_special=allowed_special, disallowed_special=disallowed_special
    )
    tokens = [Span(*span, token_id) for token_id, span in zip(ids, spans, strict=True)]
    choice = (allowed_special, disallowed_special)
    account: _Account | StagedAccount
    if tokenizer._parts is None:  # noqa: SLF001 - the package's own
        account = _Account(tokenizer, data, tokens, delay, choice)
    else:
        from tokstream.diagnostics.staged import StagedAccount  # noqa: PLC0415 - imports this

        account = StagedAccount(tokenizer, data, tokens, delay, choice)
    begin = 0
    steps: list[Step] = []
    for end in ends(data, unit):
        steps.append(account.step(begin, end))
        begin = end
    steps.append(account.finish())
    return Explanation(
        tokenizer.name,
        delay,
        data,
        tuple(account.segments),
        tuple(account.pretokens),
        tuple(tokens),
        tuple(steps),
    )


@final
class _Account:
    """A stream, the stages beside it, and what they hold."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        text: bytes,
        tokens: list[Span],
        delay: DelayMode,
        choice: tuple[SpecialChoice, SpecialChoice],
    ) -> None:
        allowed, disallowed = choice
        self.tokenizer = tokenizer
        self.text = text
        self.tokens = iter(tokens)
        self.stream = tokenizer.stream(
            allowed_special=allowed, disallowed_special=disallowed, delay=delay
        )
        policy = tokenizer._special  # noqa: SLF001 - the package's own
        names, self.refused = policy.names(allowed, disallowed)
        self.allowed = names & set(tokenizer.special_tokens)
        self.automaton = compile_pattern(tokenizer.pattern).to_bytes()
        self.stage1 = _core.Chunks(False)  # noqa: FBT003 - native
        self.stage2 = _core.Segments(policy.resolve(allowed, disallowed))
        self.stage3 = _core.Pretokens(self.automaton)
        self.reasons = Reasons(tokenizer, self.stream, self.allowed)
        self.segments: list[Span] = []
        self.pretokens: list[Span] = []
        self.segment_begin = self.segment_end = 0
        self.pretoken_begin = self.pretoken_end = 0

    def step(self, begin: int, end: int) -> Step:
        """Feed `text[begin:end]`."""
        part = self.text[begin:end]
        ids = self.stream.feed(part)
        self._segments(self.stage2.push(self.stage1.push(part).decode()))
        held = tuple(self._held(end))
        n_undecided = self.stage1.n_held + self.stage2.n_held + self.stage3.n_held
        return Step(
            begin,
            end,
            tuple(next(self.tokens) for _ in ids),
            held,
            max(0, n_undecided - self.stream.delay_bytes),
        )

    def finish(self) -> Step:
        """End the text."""
        end = len(self.text)
        ids = self.stream.finish()
        self._segments(self.stage2.finish())
        self._end_segment()
        return Step(end, end, tuple(next(self.tokens) for _ in ids), (), 0)

    def _segments(self, found: list[bytes | int]) -> None:
        """Note segments, and hand text to the pattern."""
        for part in found:
            if isinstance(part, int):
                self._end_segment()
                name = self._special_at(part, self.segment_end)
                begin, self.segment_end = self.segment_end, self.segment_end + len(name)
                self.segments.append(Span(begin, self.segment_end, part))
                self.segment_begin = self.segment_end
                self.pretoken_begin = self.pretoken_end = self.segment_end
            elif part:
                self.segment_end += len(part)
                self._pretokens(self.stage3.push(part.decode()))

    def _special_at(self, token_id: int, at: int) -> bytes:
        """The text of a special token; two may share an id."""
        names = [n.encode() for n, k in self.tokenizer.special_tokens.items() if k == token_id]
        return max((name for name in names if self.text.startswith(name, at)), key=len)

    def _end_segment(self) -> None:
        """A run of text ends."""
        self._pretokens(self.stage3.finish())
        self.stage3 = _core.Pretokens(self.automaton)
        if self.segment_end > self.segment_begin:
            self.segments.append(Span(self.segment_begin, self.segment_end))
        self.segment_begin = self.segment_end

    def _pretokens(self, found: list[bytes | None]) -> None:
        """Note pretokens."""
        for part in found:
            if part is not None:
                self.pretoken_end += len(part)
            elif self.pretoken_end > self.pretoken_begin:
                self.pretokens.append(Span(self.pretoken_begin, self.pretoken_end))
                self.pretoken_begin = self.pretoken_end

    def _held(self, end: int) -> Iterator[Held]:
        """Lay each held byte at a stage."""
        start = end - self.stream.delay_bytes
        at_chunks = end - self.stage1.n_held
        at_segments = at_chunks - self.stage2.n_held
        at_pretokens = max(start, at_segments - self.stage3.n_held)
        if start < at_pretokens:
            why = self._why_tokens(self.text[start:end])
            yield Held("tokens", start, at_pretokens, why)
        if at_pretokens < at_segments:
            why = self._why_pretokens(
                at_pretokens, at_segments, end, is_first=start == at_pretokens
            )
            yield Held("pretokens", at_pretokens, at_segments, why)
        if at_segments < at_chunks:
            why = self._why_segments(self.text[at_segments:at_chunks].decode())
            yield Held("segments", at_segments, at_chunks, why)
        if at_chunks < end:
            yield Held("chunks", at_chunks, end, why_chunks(self.text[at_chunks:end]))

    def _why_segments(self, held: str) -> str:
        """Special tokens that the text may still become."""
        whole = sorted((n for n in self.allowed | self.refused if n == held), key=len)
        longer = sorted(n for n in self.allowed | self.refused if n.startswith(held) and n != held)
        words = "a longer special token" if whole else "a special token"
        if not longer:
            return f"{words} may still form"
        if not any(name in self.allowed for name in longer):
            words += ", which is refused here,"
        return f"{words} may still form: {listing(longer)}"

    def _why_pretokens(self, begin: int, seen: int, end: int, *, is_first: bool) -> str:
        """Two texts that would decide differently where the pretoken ends."""
        n_held = self.stage3.n_held
        undecided = show(self.text[seen - n_held : seen])
        growing, ending = self._decide(n_held)
        if growing is None or ending is None:
            return "the match may still grow past its last end"
        why = (
            f"the pattern has not decided: before {show(ending)} the pretoken ends in front of "
            f"{undecided}, before {show(growing)} it goes on"
        )
        if is_first and seen == end:
            firsts = [self.reasons.first(self.stream, rest) for rest in (ending, growing)]
            if None not in firsts and firsts[0] != firsts[1]:
                one, other = (self.reasons.token(first) for first in firsts if first is not None)
                why += f"; the next token would be {one} or {other}"
            else:
                why += f"; {self._why_tokens(self.text[begin:end])}"
        return why

    def _decide(self, n_held: int) -> tuple[bytes | None, bytes | None]:
        """Find what makes the match grow over all that is held, and what ends it before."""
        growing = ending = None
        for text in (*SINGLES, *LONGER):
            found = self.stage3.copy().push(text)
            n = sum(map(len, filter(None, found[: found.index(None)] if None in found else found)))
            if n > n_held:
                growing = growing or text.encode()
            elif n == 0 and None in found:
                ending = ending or text.encode()
            if growing and ending:
                break
        return growing, ending

    def _why_tokens(self, held: bytes) -> str:
        waits_before = bool(self.stage2.n_held or self.stage1.n_held)
        return self.reasons.why_tokens(held, waits_before=waits_before)
