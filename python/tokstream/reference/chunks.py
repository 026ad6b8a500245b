"""Stage 1, chunks: from `str` or bytes, cut anywhere, to complete characters.

Enters: chunks, each a `str` or a bytes-like object; kinds may be mixed between characters.
Leaves: text, as `str` without surrogates.
Held back: at most 3 bytes of an unfinished UTF-8 sequence, or one high surrogate that ended a
`str` and may still meet its low half.
"""

from __future__ import annotations

import re
from codecs import utf_8_decode
from typing import TYPE_CHECKING

from tokstream.errors import (
    ConfigurationError,
    InputError,
    InvalidUtf8Error,
    UnfinishedCharacterError,
)
from tokstream.reference.offsets import Offsets

if TYPE_CHECKING:
    from typing import TypeAlias

    Buffer: TypeAlias = bytes | bytearray | memoryview

__all__ = ["Chunks"]

REPLACEMENT = "\ufffd"
SURROGATES = re.compile("[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]")
SURROGATE_BYTES = 3
HALF_SURROGATE = re.compile(rb"\xed[\xa0-\xbf]")


class Chunks:
    r"""Incremental decoder with tiktoken's treatment of surrogates.

    Invalid UTF-8 is an error, or with `errors="replace"` one U+FFFD per maximal invalid part,
    exactly as `bytes.decode("utf-8", "replace")` of the whole input. Two surrogates that form a
    pair are the character they stand for, also when a chunk ends between them; a lone one is
    U+FFFD.

    >>> chunks = Chunks()
    >>> chunks.push(b"na\xc3"), chunks.n_held
    ('na', 1)
    >>> chunks.push(b"\xaf") + chunks.push("ve \ud83d") + chunks.push("\ude00")
    'ïve 😀'
    >>> Chunks().push(b"caf\xe9 noir")
    Traceback (most recent call last):
    tokstream.errors.InvalidUtf8Error: invalid UTF-8 at byte 3 (invalid continuation byte); ...

    Args:
        errors: "strict" or "replace".

    Cost: O(n) time, O(1) memory.
    """

    def __init__(self, errors: str = "strict") -> None:
        if errors not in {"strict", "replace"}:
            raise ConfigurationError(f'errors is {errors!r}; it must be "strict" or "replace"')
        self._strict = errors == "strict"
        self._unfinished = b""  # the beginning of a UTF-8 sequence, valid so far
        self._high = ""  # a high surrogate, the last character of a `str`
        self.n_bytes = 0
        """Source bytes fed: UTF-8 bytes of a `str`, a surrogate counting 3."""
        self.offsets = Offsets()

    @property
    def n_held(self) -> int:
        """Source bytes held back, 0 to 3."""
        return len(self._unfinished) + SURROGATE_BYTES * len(self._high)

    def push(self, chunk: str | Buffer) -> str:
        """Take a chunk, return the characters that are complete.

        Raises:
            InvalidUtf8Error: not UTF-8; `offset` is the first byte of the invalid sequence.
            UnfinishedCharacterError: a `str` where the rest of a UTF-8 sequence should come, or
                bytes behind a high surrogate; `offset` is where that character begins.
        """
        return _text_or_raise(*self.read(chunk))

    def finish(self) -> str:
        """End the input, return what an unfinished character becomes.

        Raises:
            InvalidUtf8Error: the input ends inside a UTF-8 sequence.
        """
        return _text_or_raise(*self.read_end())

    def read(self, chunk: str | Buffer) -> tuple[str, InputError | None]:
        """Do what `push` does, but return the text before a fault together with the fault."""
        if isinstance(chunk, str):
            return self._read_str(chunk) if chunk else ("", None)
        data = memoryview(chunk).tobytes()
        return self._read_bytes(data) if data else ("", None)

    def read_end(self) -> tuple[str, InputError | None]:
        """Do what `finish` does, but return the fault."""
        if self._unfinished and self._strict:
            return "", InvalidUtf8Error(
                f"the input ends inside the character that begins at byte {self._place}; "
                'feed its other bytes, or use errors="replace"',
                self._place,
            )
        return self._give_up(), None

    @property
    def _place(self) -> int:
        """Source offset of the first byte not yet given out."""
        return self.n_bytes - self.n_held

    def _give_up(self) -> str:
        """Turn what is held into U+FFFD."""
        n_held = self.n_held
        self._unfinished, self._high = b"", ""
        if not n_held:
            return ""
        self.offsets.append(len(REPLACEMENT.encode()), n_held)
        return REPLACEMENT

    def _read_bytes(self, data: bytes) -> tuple[str, InputError | None]:
        text: list[str] = []
        if self._high:
            if self._strict:
                return "", UnfinishedCharacterError(
                    f"bytes were fed behind the high surrogate at byte {self._place}; feed its "
                    'low surrogate first, or use errors="replace"',
                    self._place,
                )
            text.append(self._give_up())
        place = self._place
        self.n_bytes += len(data)
        data = self._unfinished + data
        self._unfinished = b""
        view = memoryview(data)
        done = 0  # bytes of `data` that are decoded
        while True:
            try:
                good, n_good = utf_8_decode(view[done:], "strict", False)  # noqa: FBT003
            except UnicodeDecodeError as error:
                # `error` spans the maximal part that cannot be the beginning of a character
                n_good, n_bad, reason = error.start, error.end - error.start, error.reason
                good = utf_8_decode(view[done : done + n_good])[0]
            else:
                # Python keeps half a surrogate for its "surrogatepass"; it is invalid already
                n_bad = int(HALF_SURROGATE.match(view[done + n_good :]) is not None)
                reason = "surrogates are not UTF-8"
            text.append(good)
            self.offsets.append(n_good, n_good)
            done += n_good
            if n_bad == 0:
                self._unfinished = data[done:]
                return "".join(text), None
            if self._strict:
                return "".join(text), InvalidUtf8Error(
                    f"invalid UTF-8 at byte {place + done} ({reason}); decode the input with its "
                    'real encoding first, or use errors="replace"',
                    place + done,
                )
            text.append(REPLACEMENT)
            self.offsets.append(len(REPLACEMENT.encode()), n_bad)
            done += n_bad

    def _read_str(self, chunk: str) -> tuple[str, InputError | None]:
        text: list[str] = []
        if self._unfinished:
            if self._strict:
                return "", UnfinishedCharacterError(
                    f"a str was fed inside the character that begins at byte {self._place}; feed "
                    'its other bytes first, or use errors="replace"',
                    self._place,
                )
            text.append(self._give_up())
        self.n_bytes += len(chunk.encode("utf-8", "surrogatepass"))
        chunk = self._high + chunk
        self._high = ""
        if "\ud800" <= chunk[-1] <= "\udbff":
            chunk, self._high = chunk[:-1], chunk[-1]
        done = 0
        for odd in SURROGATES.finditer(chunk):
            text.append(self._copy(chunk[done : odd.start()]))
            done = odd.end()
            character = odd.group()
            n_source = SURROGATE_BYTES * len(character)
            character = character.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            self.offsets.append(len(character.encode()), n_source)
            text.append(character)
        text.append(self._copy(chunk[done:]))
        return "".join(text), None

    def _copy(self, text: str) -> str:
        """Note that `text` is the source itself."""
        n_bytes = len(text.encode())
        self.offsets.append(n_bytes, n_bytes)
        return text

    def copy(self) -> Chunks:
        """Return an independent copy."""
        twin = Chunks("strict" if self._strict else "replace")
        twin._unfinished, twin._high = self._unfinished, self._high
        twin.n_bytes, twin.offsets = self.n_bytes, self.offsets.copy()
        return twin


def _text_or_raise(text: str, fault: InputError | None) -> str:
    if fault is not None:
        raise fault
    return text
