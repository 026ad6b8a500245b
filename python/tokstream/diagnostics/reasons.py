"""Why text waits to be merged: continuations are tried on copies of a stream.

Enters: a stream and the bytes that no id covers. Leaves: a sentence about what would make the next
token another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokstream.diagnostics.continuations import Continuations, Spelling, unfinished_bytes
from tokstream.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tokstream import EncodeStream, Tokenizer

__all__ = ["Reasons", "listing", "show", "why_chunks"]

MAX_EXAMPLES: Final = 3
MAX_TRIED: Final = 240
MAX_LENGTH_SHOWN: Final = 24


class Reasons:
    """Finds what a continuation would change.

    Args:
        tokenizer: what the stream encodes with.
        stream: the stream itself.
        specials: texts of added tokens that may follow.
    """

    def __init__(self, tokenizer: Tokenizer, stream: EncodeStream, specials: Iterable[str]) -> None:
        self.stream = stream
        self.spelling = Spelling.of_tokenizer(tokenizer)
        self.continuations = Continuations(tokenizer, specials)

    def why_tokens(self, held: bytes, *, waits_before: bool) -> str:
        """What would make the next token another one."""
        may_end = not unfinished_bytes(held)
        now = self.first(self.stream, b"") if may_end else None
        longer: dict[int, int] = {}
        other: tuple[bytes, int] | None = None
        for k, rest in enumerate(self._likely_first(held)):
            if k >= MAX_TRIED or len(longer) >= MAX_EXAMPLES:
                break
            first = self.first(self.stream, rest) if rest else now
            if first is None or first == now:
                continue
            if len(self.spelling.of(first)) > len(held):
                longer.setdefault(first, k)
            elif now is None:
                now = first
            elif other is None:
                other = rest, first
        if longer:
            return f"a longer token may still begin here: {', '.join(map(self.token, longer))}"
        if other is not None and now is not None:
            rest, first = other
            return (
                f"the next token would be {self.token(now)}, but {self.token(first)} "
                f"before {show(rest)}"
            )
        if waits_before:
            return (
                "no continuation tried changes the next token; it waits because this stage has not "
                "been given all of the text"
            )
        return "no continuation tried changes the next token; the stream waits all the same"

    def _likely_first(self, held: bytes) -> Iterator[bytes]:
        """Continuations, tokens that begin where the held text begins in front."""
        if not unfinished_bytes(held):
            spelled = self.spelling.normalized(held)
            for token in self.continuations.tokens_from(spelled):
                yield token[len(spelled) :]
        yield from self.continuations.of(held, may_end=False)

    def first(self, stream: EncodeStream, rest: bytes) -> int | None:
        """The next id if the text went on with `rest` and ended there."""
        fork = stream.copy()
        try:
            ids = fork.feed(rest) or fork.finish()
        except InputError:
            return None
        return ids[0] if ids else None

    def token(self, token_id: int) -> str:
        """Quote a token."""
        return show(self.spelling.of(token_id))


def why_chunks(held: bytes) -> str:
    """Word an unfinished character."""
    first = held[0]
    length = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    return f"the character is not complete: {len(held)} of {length} bytes"


def listing(names: list[str]) -> str:
    """Word a few names."""
    shown = ", ".join(names[:MAX_EXAMPLES])
    return f"{shown}, …" if len(names) > MAX_EXAMPLES else shown


def show(data: bytes) -> str:
    """Quote text as Python would; runs are counted, long text is cut in the middle."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return repr(data if len(data) <= 8 else data[:4]) + ("…" if len(data) > 8 else "")
    if len(text) > 4 and len(set(text)) == 1:
        return f"{text[0]!r} × {len(text)}"
    if len(text) > MAX_LENGTH_SHOWN:
        return f"{text[:12] + '…' + text[-8:]!r}"
    return repr(text)
