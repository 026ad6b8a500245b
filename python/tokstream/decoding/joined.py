"""Decoder stages behind one that joined all tokens: pieces of one text in, pieces of it out.

Enters: the text, in pieces. Leaves: the text as the stage changes it, which is what the reference
makes of the whole. Held back: what the next piece may complete.
"""

from __future__ import annotations

import codecs
from typing import Protocol

from tokstream.decoding.stages import byte_of, text_of_bytes
from tokstream.formats.alphabet import BYTE_OF, bytes_of

__all__ = [
    "JoinedByteFallback",
    "JoinedReplace",
    "JoinedStrip",
    "JoinedWork",
    "Joining",
    "JoiningBytes",
    "JoiningWithSpaces",
    "Whole",
    "WholeBytes",
]


class JoinedWork(Protocol):
    """The state of a stage on one text."""

    def push(self, text: str) -> str:
        """Read more; return what is certain."""

    def finish(self) -> str:
        """Return the rest."""


class Whole:
    """Leave the text as it is."""

    def push(self, text: str) -> str:
        """Return it."""
        return text

    def finish(self) -> str:
        """Return nothing more."""
        return ""


class JoinedReplace:
    """Replace a string, also where two pieces meet."""

    def __init__(self, string: str, content: str) -> None:
        self._string = string
        self._content = content
        self._held = ""

    def push(self, text: str) -> str:
        """Read more; an end that may begin the string is held."""
        parts = (self._held + text).split(self._string)
        rest = parts[-1]
        keep = next(
            (
                k
                for k in range(min(len(self._string) - 1, len(rest)), 0, -1)
                if self._string.startswith(rest[len(rest) - k :])
            ),
            0,
        )
        self._held = rest[len(rest) - keep :]
        parts[-1] = rest[: len(rest) - keep]
        return self._content.join(parts)

    def finish(self) -> str:
        """Return the held end."""
        held, self._held = self._held, ""
        return held


class JoinedStrip:
    """Remove at most `start` characters at the beginning and `stop` at the end."""

    def __init__(self, content: str, start: int, stop: int) -> None:
        self._content = content
        self._start = start
        self._stop = stop
        self._held = ""

    def push(self, text: str) -> str:
        """Read more; as many characters at the end as may be removed are held."""
        while self._start and text:
            if text[0] != self._content:
                self._start = 0
                break
            text = text[1:]
            self._start -= 1
        text = self._held + text
        right = len(text) - len(text.rstrip(self._content)) if self._stop else 0
        keep = min(right, self._stop)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep]

    def finish(self) -> str:
        """Drop what is held."""
        self._held = ""
        return ""


class JoinedByteFallback:
    """Turn the text into a character if all of it is one byte token."""

    def __init__(self, *, raw: bool) -> None:
        self._raw = raw
        self._held: str | None = ""

    def push(self, text: str) -> str:
        """Read more; up to six characters are held."""
        if self._held is None:
            return text
        self._held += text
        if len(self._held) <= 6:
            return ""
        text, self._held = self._held, None
        return text

    def finish(self) -> str:
        """Return the held text, or its character."""
        text, self._held = self._held or "", None
        byte = byte_of(text)
        return text if byte is None else text_of_bytes(bytes((byte,)), raw=self._raw)


class WholeBytes:
    """Read one text in the byte-level alphabet; only its end says whether all of it is."""

    def __init__(self, *, raw: bool) -> None:
        self._raw = raw
        self._parts: list[str] = []

    def push(self, text: str) -> str:
        """Read more; all of it is held."""
        self._parts.append(text)
        return ""

    def finish(self) -> str:
        """Return the text of its bytes, or itself if it leaves the alphabet."""
        text = "".join(self._parts)
        spelled = bytes_of(text)
        return text if spelled is None else spelled.decode("utf-8", _handler(raw=self._raw))


class Joining:
    """Join tokens into one text."""

    def push_tokens(self, tokens: list[str]) -> str:
        """Return their text."""
        return "".join(tokens)

    def finish_tokens(self) -> str:
        """Return nothing more."""
        return ""


class JoiningWithSpaces(Joining):
    """Join tokens with a space between them, as a tokenizer without a decoder does."""

    def __init__(self) -> None:
        self._is_first = True

    def push_tokens(self, tokens: list[str]) -> str:
        """Return their text."""
        if not tokens:
            return ""
        text = " ".join(tokens) if self._is_first else " " + " ".join(tokens)
        self._is_first = False
        return text


class JoiningBytes(Joining):
    """Join the bytes of tokens in the byte-level alphabet; others are their own UTF-8."""

    def __init__(self, *, raw: bool) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(_handler(raw=raw))

    def push_tokens(self, tokens: list[str]) -> str:
        """Return the characters that are complete."""
        return self._decoder.decode(b"".join(map(_token_bytes, tokens)))

    def finish_tokens(self) -> str:
        """Return what an unfinished character is read as."""
        return self._decoder.decode(b"", final=True)


def _token_bytes(token: str) -> bytes:
    if all(c in BYTE_OF for c in token):
        return bytes([BYTE_OF[c] for c in token])
    return token.encode()


def _handler(*, raw: bool) -> str:
    return "surrogateescape" if raw else "replace"
