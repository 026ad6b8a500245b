"""Decoding by pieces, as SentencePiece does it.

Enters: ids. Leaves: text. Held back: the bytes of a character that is not complete.

The blank that was put before the text vanishes again, control pieces say nothing, the unknown piece
has a text of its own. Bytes that are not UTF-8 become one U+FFFD each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, final

from tokstream.decoding import Decoder, Decoding, unknown_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Leading", "PieceDecoder"]

Leading = Literal["kept", "one", "all"]
"""How many pieces at the beginning lose their first blank: none, one, or all that are blank."""

_BLANK = "\u2581"

# what may follow these first bytes: no overlong forms, no surrogates, nothing above U+10FFFF
_SECOND_BYTES = {0xE0: (0xA0, 0xBF), 0xED: (0x80, 0x9F), 0xF0: (0x90, 0xBF), 0xF4: (0x80, 0x8F)}


@final
class PieceDecoder(Decoder):
    """The texts of pieces, and the bytes of byte pieces; immutable.

    Attributes:
        texts: the text of each piece; of control pieces nothing, of the unknown one its surface.
        byte_ids: ids of the byte pieces, with their bytes.
        fixed: ids of pieces whose text is what is written, control and unknown pieces.
        leading: which blanks at the beginning vanish.
    """

    __slots__ = ("byte_ids", "fixed", "leading", "texts")

    def __init__(
        self,
        texts: Sequence[str],
        byte_ids: dict[int, int],
        fixed: frozenset[int],
        leading: Leading,
    ) -> None:
        self.texts = texts
        self.byte_ids = byte_ids
        self.fixed = fixed
        self.leading = leading

    def begin(self, *, raw: bool = False) -> Decoding:
        """Return the state at the beginning."""
        return _PieceDecoding(self, raw=raw)

    def __reduce__(self) -> tuple[object, ...]:
        return PieceDecoder, (self.texts, self.byte_ids, self.fixed, self.leading)

    def __repr__(self) -> str:
        shown = {self.texts[k] for k in self.fixed} - {""}
        return f"<PieceDecoder of {len(self.texts)} pieces, {self.leading}, {sorted(shown)}>"


@final
class _PieceDecoding(Decoding):
    def __init__(self, decoder: PieceDecoder, *, raw: bool) -> None:
        self._decoder = decoder
        self._raw = raw
        self._bytes = bytearray()
        self._is_beginning = decoder.leading != "kept"

    def push(self, ids: Iterable[int]) -> str:
        decoder = self._decoder
        if not isinstance(ids, list | tuple):
            ids = list(ids)
        n_pieces = len(decoder.texts)
        if ids and (min(ids) < 0 or max(ids) >= n_pieces):
            raise unknown_id(ids, dict.fromkeys(range(n_pieces)))
        parts: list[str] = []
        for piece in ids:
            byte = decoder.byte_ids.get(piece)
            if byte is not None:
                self._is_beginning = False
                self._bytes.append(byte)
                parts.append(self._complete())
                continue
            if self._bytes:
                parts.append(self._flush())
            text = decoder.texts[piece]
            if piece in decoder.fixed:
                self._is_beginning &= not text
            else:
                if self._is_beginning:
                    text = self._without_blank(text)
                text = text.replace(_BLANK, " ")
            parts.append(text)
        return "".join(parts)

    def finish(self) -> str:
        return self._flush()

    def _without_blank(self, text: str) -> str:
        """Take the blank from the text of a piece at the beginning, and say if it goes on."""
        without = text.removeprefix(_BLANK)
        if without or self._decoder.leading == "one":
            self._is_beginning = False
        return without

    def _complete(self) -> str:
        """Return the characters that are complete, and U+FFFD for bytes that cannot be in one."""
        text = ""
        while self._bytes:
            need = _length(self._bytes)
            if need > len(self._bytes):
                break
            text += _text(bytes(self._bytes[: need or 1]), raw=self._raw or bool(need))
            del self._bytes[: need or 1]
        return text

    def _flush(self) -> str:
        text = "".join([_text(bytes((byte,)), raw=self._raw) for byte in self._bytes])
        self._bytes.clear()
        return text


def _text(data: bytes, *, raw: bool) -> str:
    if raw:
        return data.decode("utf-8", "surrogateescape")
    return data.decode() if data.isascii() else "\ufffd"


def _length(data: bytearray) -> int:
    """Bytes of the character that `data` begins with or may begin with; 0 if there is none."""
    first = data[0]
    if first < 0x80:
        return 1
    need = 2 if 0xC2 <= first < 0xE0 else 3 if first < 0xF0 else 4 if first < 0xF5 else 0
    if first < 0xC2 or not need:
        return 0
    least, most = _SECOND_BYTES.get(first, (0x80, 0xBF))
    for k, byte in enumerate(data[1:need]):
        if not (least if k == 0 else 0x80) <= byte <= (most if k == 0 else 0xBF):
            return 0
    return need
