"""The account of a stream that has more stages than a pattern: what waits where, and why.

Enters: a tokenizer read from a tokenizer.json or the like, a text, its tokens. Leaves: segments,
pretokens, and steps, as `explanation` puts them together. What is held is what the stream itself
says of its stages; the normalizer and the pre-tokenizer also run beside it, on the whole text, to
show where they cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from tokstream import _core
from tokstream.diagnostics.continuations import LONGER, SINGLES
from tokstream.diagnostics.explanation import Held, Span, Stage, Step
from tokstream.diagnostics.reasons import Reasons, listing, show, why_chunks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokstream import Tokenizer
    from tokstream._types import DelayMode, SpecialChoice
    from tokstream.formats.parts import TokenizerParts

__all__ = ["StagedAccount"]

CONTEXT: Final = 200  # bytes before held text that are cut again for each continuation

# For each byte of a normalized text, begin and end of the source that it comes from.
Places = list[tuple[int, int]]


@final
class StagedAccount:
    """A stream, and the stages beside it."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        text: bytes,
        tokens: list[Span],
        delay: DelayMode,
        choice: tuple[SpecialChoice, SpecialChoice],
    ) -> None:
        parts = tokenizer._parts  # noqa: SLF001 - the package's own
        if parts is None:
            raise TypeError("this account is for tokenizers with stages of their own")
        allowed, disallowed = choice
        self.parts: TokenizerParts = parts
        self.text = text
        self.tokens = iter(tokens)
        self.stream = tokenizer.stream(
            allowed_special=allowed, disallowed_special=disallowed, delay=delay
        )
        policy = tokenizer._special  # noqa: SLF001
        honoured, refused = policy.names(allowed, disallowed)
        names = [t.content for t in parts.added_tokens if not t.special or t.content in honoured]
        self.names = {*names, *refused}
        self.refused = refused
        self.reasons = Reasons(tokenizer, self.stream, names)
        core = tokenizer._core  # noqa: SLF001
        are_added = core.find_added(text, policy.resolve(allowed, disallowed))
        added = [token for token, is_added in zip(tokens, are_added, strict=True) if is_added]
        self.segments = list(segments(added, len(text)))
        self.pretokens = list(self._pretokens(added))

    def step(self, begin: int, end: int) -> Step:
        """Feed `text[begin:end]`."""
        ids = self.stream.feed(self.text[begin:end])
        waiting = self.stream._core.held()  # noqa: SLF001
        return Step(
            begin,
            end,
            tuple(next(self.tokens) for _ in ids),
            tuple(self._held(end, waiting)),
            max(0, sum(waiting) - self.stream.delay_bytes),
        )

    def finish(self) -> Step:
        """End the text."""
        end = len(self.text)
        ids = self.stream.finish()
        return Step(end, end, tuple(next(self.tokens) for _ in ids), (), 0)

    # --- the cuts of the whole text ----------------------------------------------------------

    def _pretokens(self, added: list[Span]) -> Iterator[Span]:
        """Cut the runs of text between the added tokens as the stages do."""
        normalizer = _core.Normalize(list(self.parts.normalizer))
        late = {token.id for token in self.parts.added_tokens if token.normalized}
        if not self.parts.normalizer:
            late = set()
        begin = 0
        has_begun = False
        for first in [*(token for token in added if token.id not in late), None]:
            end = len(self.text) if first is None else first.begin
            if begin < end:
                inside = [token for token in added if begin <= token.begin < end]
                yield from self._cut_segment(normalizer, begin, end, inside)
            elif not has_begun:
                normalizer.leave_start()
            has_begun = True
            begin = end if first is None else first.end

    def _cut_segment(
        self, normalizer: _core.Normalize, begin: int, end: int, inside: list[Span]
    ) -> Iterator[Span]:
        """Normalize what lies between added tokens; cut it between those of the second pass."""
        given = normalizer.push(self.text[begin:end].decode()) + normalizer.finish()
        text, places = placed(given, begin)
        at = 0
        for token in [*inside, None]:
            until = len(text) if token is None else at
            if token is not None:
                while until < len(text) and places[until][0] < token.begin:
                    until += 1
            yield from cut(self.parts, text[at:until], places[at:until], is_first=begin + at == 0)
            at = until
            while token is not None and at < len(text) and places[at][0] < token.end:
                at += 1

    # --- what is held --------------------------------------------------------------------------

    def _held(self, end: int, waiting: tuple[int, int, int, int, int]) -> Iterator[Held]:
        """Lay each held byte at a stage, in text order."""
        start = end - self.stream.delay_bytes
        ends = [end]
        for n in waiting:
            ends.append(max(start, ends[-1] - n))
        chunks, first, normalizer, late, pretokens = (
            (ends[k + 1], ends[k]) for k in range(len(waiting))
        )
        if late[1] == first[0]:  # no normalizer holds text between the two
            first, late = (late[0], first[1]), (late[0], late[0])
        layers: list[tuple[Stage, tuple[int, int]]] = [
            ("tokens", (start, pretokens[0])),
            ("pretokens", pretokens),
            ("segments", late),
            ("normalizer", normalizer),
            ("segments", first),
            ("chunks", chunks),
        ]
        for stage, place in layers:
            if place[0] < place[1]:
                yield Held(stage, *place, self._why(stage, *place, end, pretokens[1] < end))

    def _why(self, stage: Stage, begin: int, seen: int, end: int, waits_before: bool) -> str:
        """Word why a stage holds `text[begin:seen]`."""
        held = self.text[begin:seen]
        match stage:
            case "tokens":
                held = self.text[begin:end]
                return self.reasons.why_tokens(held, waits_before=waits_before)
            case "pretokens":
                return self._why_pretokens(begin, seen, end)
            case "segments":
                return self._why_segments(held)
            case "normalizer":
                return self._why_normalizer(begin, seen)
        return why_chunks(held)

    def _why_segments(self, held: bytes) -> str:
        """Added tokens that the text may still become, or that may take it in."""
        text = held.decode(errors="ignore")
        for at in range(len(text)):
            longer = sorted(n for n in self.names if n.startswith(text[at:]) and n != text[at:])
            if longer:
                words = "an added token may still form"
                if all(name in self.refused for name in longer):
                    words = "an added token, which is refused here, may still form"
                return f"{words}: {listing(longer)}"
        if not text.strip():
            takers = sorted(t.content for t in self.parts.added_tokens if t.lstrip)
            if takers:
                return f"blanks belong to an added token that follows them: {listing(takers)}"
        single = sorted(
            t.content for t in self.parts.added_tokens if t.single_word and text.endswith(t.content)
        )
        if single:
            return f"{show(single[-1].encode())} counts only if no letter follows"
        return "an added token may still form, or take blanks in"

    def _why_normalizer(self, begin: int, end: int) -> str:
        """A continuation behind which the text becomes something else."""
        held = self.text[begin:end].decode(errors="ignore")
        alone = self._normalized("x" + held)
        for rest in SINGLES:
            both = self._normalized("x" + held + rest)
            if not both.startswith(alone):
                return (
                    f"what it is normalized to is not decided: {show(alone[1:])} at the end, but "
                    f"{show(both[1:])} with {show(rest.encode())} behind it"
                )
        for wait in _core.Normalize(list(self.parts.normalizer)).unbounded:
            return f"the normalizer waits for {wait}"
        return "the normalizer has not decided what it becomes"

    def _normalized(self, text: str) -> bytes:
        normalizer = _core.Normalize(list(self.parts.normalizer))
        given = normalizer.push(text) + normalizer.finish()
        return b"".join(part for part, _ in given)

    def _why_pretokens(self, begin: int, seen: int, end: int) -> str:
        """Two continuations that would decide differently where the pretoken ends."""
        growing = ending = None
        base = max(
            (part.end for part in self.segments if part.id is not None and part.end <= begin),
            default=0,
        )
        base = max(base, begin - CONTEXT)
        while base < begin and self.text[base] & 0xC0 == 0x80:
            base += 1
        before = self.text[base:seen].decode(errors="ignore")
        for rest in (*SINGLES, *LONGER):
            given = _core.Normalize(list(self.parts.normalizer))
            parts = given.push(before + rest)
            parts += given.finish()
            text, places = placed(parts, base)
            ends = [part.end for part in cut(self.parts, text, places, is_first=base == 0)]
            if any(begin <= e <= seen for e in ends):
                ending = ending or rest.encode()
            else:
                growing = growing or rest.encode()
            if growing and ending:
                break
        if growing is None or ending is None:
            return "the pre-tokenizer has not decided to which pretoken it belongs"
        undecided = show(self.text[begin:seen])
        why = (
            f"the pre-tokenizer has not decided: before {show(ending)} a pretoken ends at or in "
            f"{undecided}, before {show(growing)} it goes on"
        )
        if seen == end:
            firsts = [self.reasons.first(self.stream, rest) for rest in (ending, growing)]
            if None not in firsts and firsts[0] != firsts[1]:
                one, other = (self.reasons.token(first) for first in firsts if first is not None)
                why += f"; the next token would be {one} or {other}"
        return why


def segments(added: list[Span], n_bytes: int) -> Iterator[Span]:
    """Yield added tokens and the runs of text between them."""
    at = 0
    for token in added:
        if at < token.begin:
            yield Span(at, token.begin)
        if token.begin < token.end:
            yield token
        at = max(at, token.end)
    if at < n_bytes:
        yield Span(at, n_bytes)


def placed(given: list[tuple[bytes, int]], begin: int) -> tuple[bytes, Places]:
    """Join what a normalizer gave, and say of each byte where it comes from.

    Args:
        given: parts of text, each with the number of source bytes it accounts for.
        begin: offset of the source.
    """
    text = bytearray()
    places: Places = []
    last: tuple[int, int] | None = None
    for part, n_source in given:
        text += part
        if not n_source:  # from the character before; at the beginning from the one behind
            places += [last or (begin, begin)] * len(part)
            continue
        end = begin + n_source
        if len(part) == n_source:
            places += [(at, at + 1) for at in range(begin, end)]
            last = (end - 1, end)
        elif part:
            last = (begin, end)
            places += [last] * len(part)
        begin = end
    return bytes(text), places


def cut(parts: TokenizerParts, text: bytes, places: Places, *, is_first: bool) -> Iterator[Span]:
    """Yield the pretokens of a normalized text, as parts of the source."""
    if not text:
        return
    given: list[tuple[bytes, int] | None]
    if parts.levels:
        levels = _core.Levels(list(parts.levels), is_first=is_first)
        given = levels.push(text.decode()) + levels.finish()
    elif parts.automaton is not None:
        automaton = _core.Pretokens(parts.automaton)
        found = automaton.push(text.decode()) + automaton.finish()
        given = [None if part is None else (part, len(part)) for part in found]
    else:
        given = [(text, len(text)), None]
    at = begin = 0
    for part in given:
        if part is not None:
            if at == begin and not part[0]:
                begin += part[1]  # dropped before the pretoken begins
            at += part[1]
            continue
        if begin < at:
            span = Span(places[begin][0], places[at - 1][1])
            if span.begin < span.end:
                yield span
        begin = at
