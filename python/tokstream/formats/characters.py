"""What a byte of text becomes where the vocabulary has no token for it.

Enters: the hidden tokens that merging may leave, as bytes, and what the format has for unknown
text: byte tokens, an unknown token, or nothing. Leaves: for each, the ids it is written as.
Held back: nothing.

Merging starts from bytes; those of a character that is a token become it before anything else. So
what is left over belongs to an unknown character: it is spelled byte by byte (`<0xE2>`), or its
first byte stands for the unknown token and the others for nothing. FE and FF, which UTF-8 never
has, mark the beginning and the end of a pretoken where tokens differ there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

__all__ = ["BEGIN_MARKER", "END_MARKER", "IN_UTF_8", "expansion", "missing_bytes"]

BEGIN_MARKER = b"\xfe"
END_MARKER = b"\xff"

IN_UTF_8 = frozenset(range(0x80)) | frozenset(range(0x80, 0xC0)) | frozenset(range(0xC2, 0xF5))
"""The bytes that UTF-8 text can have."""


def missing_bytes(byte_ids: Sequence[int | None], characters: Container[str]) -> list[int]:
    """Return the bytes that unknown text can have but no byte token spells.

    Args:
        byte_ids: the id of the token for each byte, or None.
        characters: what is a token by itself, so that an ASCII byte need not be spelled.
    """
    return [
        byte
        for byte in sorted(IN_UTF_8)
        if byte_ids[byte] is None and not (byte < 0x80 and chr(byte) in characters)
    ]


def expansion(
    hidden: bytes,
    *,
    byte_ids: Sequence[int] | None,
    unk_id: int | None,
    is_byte_level: bool,
) -> tuple[int, ...]:
    """Return the ids that a hidden token is written as.

    Args:
        hidden: its bytes, markers included.
        byte_ids: id of the token for each byte, if the format spells unknown text by bytes.
        unk_id: id of the unknown token, if there is one.
        is_byte_level: whether units are bytes, so that each unknown byte counts by itself.
    """
    body = hidden.removeprefix(BEGIN_MARKER).removesuffix(END_MARKER)
    if not body:
        return ()
    if byte_ids is not None:
        return tuple([byte_ids[byte] for byte in body])
    if unk_id is None or not IN_UTF_8.issuperset(body):
        return ()
    # a byte inside a character: the first one stands for the whole
    is_inside = not is_byte_level and 0x80 <= body[0] < 0xC0
    return () if is_inside else (unk_id,)
