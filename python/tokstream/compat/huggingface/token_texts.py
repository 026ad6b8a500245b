"""What each token adds to a text, where the decoder goes token by token.

Enters: ids. Leaves: their text. Held back: the last run of byte tokens, since one odd byte turns
all of it into U+FFFD.

Such are the decoders of Llama 2, Mistral and Gemma, and `Metaspace`: a token that is no byte says
the same everywhere but at the beginning of a text.
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, final

from tokstream.decoding.stages import ByteFallback, Metaspace, Strip, byte_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from tokstream.decoding.tokens import TokenDecoder

__all__ = ["UNFINISHED", "Tail", "TokenTexts", "texts_of"]

UNFINISHED = "\ufffd"
"""What odd bytes are decoded to, and characters that are not complete."""


@final
class TokenTexts:
    """The tokens, and what becomes of them; immutable.

    Attributes:
        spellings: what each id is written as.
        left_out: ids that say nothing.
        has_bytes: whether tokens such as `<0xE2>` are bytes.
        blank: what becomes a space in each token; "" if nothing does.
        removes_first: whether it becomes nothing in the first token.
        stripped: the character that is taken away where the text begins with it; "" if none is.
    """

    __slots__ = ("blank", "has_bytes", "left_out", "removes_first", "spellings", "stripped")

    def __init__(
        self,
        spellings: Mapping[int, str],
        left_out: Container[int],
        between: ByteFallback | Metaspace | None,
        behind: Strip | None,
    ) -> None:
        self.spellings = spellings
        self.left_out = left_out
        self.has_bytes = isinstance(between, ByteFallback)
        self.blank, self.removes_first = "", False
        if isinstance(between, Metaspace):
            self.blank, self.removes_first = between.replacement, between.removes_first
        self.stripped = "" if behind is None else behind.content

    def byte(self, token: str) -> int | None:
        """Return the byte that a token is, None if it is none."""
        # nearly all tokens begin otherwise
        return byte_of(token) if self.has_bytes and token.startswith("<0x") else None


def texts_of(decoder: TokenDecoder, left_out: Container[int]) -> TokenTexts | None:
    """Return the texts of a decoder's tokens, None if it does not go token by token.

    Args:
        decoder: the decoder.
        left_out: ids that say nothing.

    Cost: O(vocabulary) the first time for a decoder.
    """
    spellings, ready = decoder.prepared()
    stages = list(ready)
    at = stages.index("fuse") if "fuse" in stages else len(stages)
    between: ByteFallback | Metaspace | None = None
    behind: Strip | None = None
    match stages[:at], [stage for stage in stages[at:] if stage != "fuse"]:
        case [], []:
            pass
        case [ByteFallback() | Metaspace() as between], []:
            pass
        # others take what only the next token uncovers, or brings
        case [], [Strip(start=1, stop=0) as behind] if behind.content != UNFINISHED:
            pass
        case [ByteFallback() as between], [Strip(start=1, stop=0) as behind] if (
            behind.content != UNFINISHED
        ):
            pass
        case _:
            return None
    return TokenTexts(spellings, left_out, between, behind)


@final
class Tail:
    """The text of ids to which more are added, each at the same cost.

    Args:
        texts: the tokens.
        is_begin: whether the text begins here; else it is the rest of one.
        n_bytes_before: how many bytes stand before, of which an odd byte would make U+FFFD, too.
    """

    __slots__ = ("_bytes", "_parts", "_space", "_stripped", "texts")

    def __init__(
        self, texts: TokenTexts, *, is_begin: bool = False, n_bytes_before: int = 0
    ) -> None:
        self.texts = texts
        self._parts: list[str] = []
        """The text but for the bytes at its end; no part is empty."""
        self._bytes = _Bytes(n_bytes_before) if n_bytes_before else None
        self._stripped = texts.stripped if is_begin else ""
        """What the next text loses at its beginning."""
        self._space = "" if is_begin and texts.removes_first else " "

    def add(self, ids: Iterable[int]) -> bool:
        """Add ids; those that are no token, and those left out, say nothing.

        Returns:
            Whether they can have changed the text.
        """
        texts = self.texts
        spellings, left_out = texts.spellings, texts.left_out
        is_changed = False
        for token_id in ids:
            token = spellings.get(token_id)
            if token is None or token_id in left_out:
                continue
            byte = texts.byte(token)
            if byte is not None:
                if self._bytes is None:
                    self._bytes = _Bytes()
                self._bytes.add(byte)
                is_changed = True
                continue
            if self._bytes is not None:
                self._add_text(self._bytes.text())
                self._bytes = None
            if texts.blank:
                token = token.replace(texts.blank, self._space)
                self._space = " "
            if token:
                self._add_text(token)
                is_changed = True
        return is_changed

    def _add_text(self, text: str) -> None:
        if self._stripped:
            text, self._stripped = text.removeprefix(self._stripped), ""
        if text:
            self._parts.append(text)

    def text(self) -> str:
        """Return the text of all ids; O(its length)."""
        text = "".join(self._parts)
        if self._bytes is None:
            return text
        return text + self._bytes.text().removeprefix(self._stripped)

    @property
    def ends_in_bytes(self) -> bool:
        """Whether it ends in bytes, so that one more may turn them into U+FFFD."""
        return self._bytes is not None

    @property
    def is_unfinished(self) -> bool:
        """Whether the text ends in U+FFFD, be it bytes that are no character, or not yet."""
        if self._bytes is not None:
            return self._bytes.is_unfinished
        return bool(self._parts) and self._parts[-1].endswith(UNFINISHED)

    @property
    def is_begun(self) -> bool:
        """Whether the next token that is no byte says what it says in the middle of a text."""
        return self._bytes is not None or bool(self._space and not self._stripped)

    def copy(self) -> Tail:
        """Return a tail that goes on by itself."""
        twin = Tail(self.texts)
        twin._parts, twin._bytes = self._parts[:], self._bytes and self._bytes.copy()
        twin._stripped, twin._space = self._stripped, self._space
        return twin


@final
class _Bytes:
    """A run of bytes: a text, or one U+FFFD for each."""

    __slots__ = ("_n", "_parts", "_rest")

    def __init__(self, n_before: int = 0) -> None:
        self._n = n_before
        self._parts: list[str] | None = []
        """The complete characters, None if there is an odd byte."""
        self._rest = b""
        """The bytes behind them."""

    def add(self, byte: int) -> None:
        self._n += 1
        if self._parts is None:
            return
        data = self._rest + bytes((byte,))
        try:
            text, n_read = codecs.utf_8_decode(data, "strict", False)  # noqa: FBT003 - no keyword
        except UnicodeDecodeError:
            self._parts = None
            return
        self._rest = data[n_read:]
        if text:
            self._parts.append(text)

    @property
    def is_unfinished(self) -> bool:
        return not self._parts or bool(self._rest) or self._parts[-1] == UNFINISHED

    def text(self) -> str:
        if self._parts is None or self._rest:
            return UNFINISHED * self._n
        return "".join(self._parts)

    def copy(self) -> _Bytes:
        twin = _Bytes(self._n)
        twin._rest = self._rest
        twin._parts = None if self._parts is None else self._parts[:]
        return twin
