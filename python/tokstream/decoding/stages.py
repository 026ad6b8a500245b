"""Decoder stages between tokens: a list of token texts in, a list of token texts out.

Enters: texts of tokens. Leaves: texts of tokens, as the decoder of the same name in Hugging Face
tokenizers gives them. Held back: by `ByteFallback` the bytes of a run of byte tokens, since one bad
byte turns the whole run into U+FFFD; by `Suffixed` the last token, whose suffix becomes no space.

Each stage is a frozen description; `begin` gives its state.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tokstream.decoding.joined import JoinedWork

__all__ = [
    "ByteFallback",
    "Metaspace",
    "Replace",
    "Stage",
    "StageWork",
    "Strip",
    "Suffixed",
]

_BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2}|\+[0-9A-Fa-f])>\Z")


def byte_of(token: str) -> int | None:
    """Return the byte that a token such as `<0xE2>` stands for, None for other tokens."""
    found = _BYTE_TOKEN.match(token) if len(token) == 6 else None
    return int(found[1], 16) if found else None


def text_of_bytes(run: bytes, *, raw: bool) -> str:
    """Return the text of a run of byte tokens: all of it, or one U+FFFD for each byte."""
    if raw:
        return run.decode("utf-8", "surrogateescape")
    try:
        return run.decode()
    except UnicodeDecodeError:
        return "\ufffd" * len(run)


class StageWork(Protocol):
    """The state of a stage."""

    def push(self, tokens: list[str]) -> list[str]:
        """Read more tokens; return those that are certain."""

    def finish(self) -> list[str]:
        """Return the rest."""


class Stage(Protocol):
    """A stage between tokens."""

    def begin(self, *, raw: bool) -> StageWork:
        """Return the state before the first token."""

    def joined(self, *, raw: bool) -> JoinedWork:
        """Return the state of the same stage behind one that joined all tokens into one."""


class _Mapping:
    """A stage that does the same to every token."""

    def begin(self, *, raw: bool) -> StageWork:  # noqa: ARG002 - bytes are not its business
        """Return the state, which is none."""
        return _MappingWork(self)

    def change(self, token: str) -> str:
        """Return what becomes of one token."""
        raise NotImplementedError


class _MappingWork:
    def __init__(self, stage: _Mapping) -> None:
        self._change = stage.change

    def push(self, tokens: list[str]) -> list[str]:
        return [self._change(token) for token in tokens]

    def finish(self) -> list[str]:
        return []


@dataclass(frozen=True, slots=True)
class Replace(_Mapping):
    """Replace a string in each token."""

    string: str
    content: str

    def change(self, token: str) -> str:
        """Return the token with all occurrences replaced."""
        return token.replace(self.string, self.content)

    def joined(self, *, raw: bool) -> JoinedWork:  # noqa: ARG002
        """Return the state behind a joining stage."""
        from tokstream.decoding.joined import JoinedReplace  # noqa: PLC0415 - it imports this module

        return JoinedReplace(self.string, self.content)


@dataclass(frozen=True, slots=True)
class Strip(_Mapping):
    """Remove at most `start` characters `content` before each token and `stop` behind it."""

    content: str
    start: int
    stop: int

    def change(self, token: str) -> str:
        """Return the token without them."""
        left = len(token) - len(token.lstrip(self.content))
        token = token[min(left, self.start) :]
        right = len(token) - len(token.rstrip(self.content))
        return token[: len(token) - min(right, self.stop)]

    def joined(self, *, raw: bool) -> JoinedWork:  # noqa: ARG002
        """Return the state behind a joining stage."""
        from tokstream.decoding.joined import JoinedStrip  # noqa: PLC0415 - it imports this module

        return JoinedStrip(self.content, self.start, self.stop)


@dataclass(frozen=True, slots=True)
class Metaspace:
    """Turn a character back into a space; in the first token remove it, if one was prepended."""

    replacement: str
    removes_first: bool

    def begin(self, *, raw: bool) -> StageWork:  # noqa: ARG002
        """Return the state before the first token."""
        return _MetaspaceWork(self)

    def joined(self, *, raw: bool) -> JoinedWork:  # noqa: ARG002
        """Return the state behind a joining stage: all is one token, the first."""
        from tokstream.decoding.joined import JoinedReplace  # noqa: PLC0415 - it imports this module

        return JoinedReplace(self.replacement, "" if self.removes_first else " ")


class _MetaspaceWork:
    def __init__(self, stage: Metaspace) -> None:
        self._replacement = stage.replacement
        self._first = "" if stage.removes_first else " "

    def push(self, tokens: list[str]) -> list[str]:
        if not tokens:
            return []
        changed = [token.replace(self._replacement, " ") for token in tokens]
        changed[0] = tokens[0].replace(self._replacement, self._first)
        self._first = " "
        return changed

    def finish(self) -> list[str]:
        return []


@dataclass(frozen=True, slots=True)
class Suffixed:
    """Turn a suffix that ends words into a space, but in the last token into nothing."""

    suffix: str

    def begin(self, *, raw: bool) -> StageWork:  # noqa: ARG002
        """Return the state before the first token."""
        return _SuffixedWork(self.suffix)

    def joined(self, *, raw: bool) -> JoinedWork:  # noqa: ARG002
        """Return the state behind a joining stage: all is one token, the last."""
        from tokstream.decoding.joined import JoinedReplace  # noqa: PLC0415 - it imports this module

        return JoinedReplace(self.suffix, "")


class _SuffixedWork:
    def __init__(self, suffix: str) -> None:
        self._suffix = suffix
        self._last: list[str] = []

    def push(self, tokens: list[str]) -> list[str]:
        waiting = self._last + tokens
        self._last = waiting[-1:]
        return [token.replace(self._suffix, " ") for token in waiting[:-1]]

    def finish(self) -> list[str]:
        last, self._last = self._last, []
        return [token.replace(self._suffix, "") for token in last]


@dataclass(frozen=True, slots=True)
class ByteFallback:
    """Turn runs of byte tokens such as `<0xE2>` into their characters."""

    def begin(self, *, raw: bool) -> StageWork:
        """Return the state before the first token."""
        return _ByteFallbackWork(raw=raw)

    def joined(self, *, raw: bool) -> JoinedWork:
        """Return the state behind a joining stage."""
        from tokstream.decoding.joined import JoinedByteFallback  # noqa: PLC0415 - it imports this module

        return JoinedByteFallback(raw=raw)


class _ByteFallbackWork:
    def __init__(self, *, raw: bool) -> None:
        self._raw = raw
        self._run = bytearray()

    def push(self, tokens: list[str]) -> list[str]:
        done: list[str] = []
        for token in tokens:
            # nearly all tokens begin otherwise
            byte = byte_of(token) if token.startswith("<0x") else None
            if byte is not None:
                self._run.append(byte)
                continue
            if self._run:
                done.append(text_of_bytes(bytes(self._run), raw=self._raw))
                self._run.clear()
            done.append(token)
        return done

    def finish(self) -> list[str]:
        if not self._run:
            return []
        text = text_of_bytes(bytes(self._run), raw=self._raw)
        self._run.clear()
        return [text]
