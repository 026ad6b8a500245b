"""Which part of the text each id stands for.

Enters: a text, its ids, and the byte length of each. Leaves: spans in bytes or characters.
"""

from __future__ import annotations

from array import array
from itertools import accumulate, pairwise

from tokstream._light import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["byte_spans", "char_spans", "chars_of", "repair_surrogates", "source_positions"]

_CONTINUATION = bytes(range(0x80, 0xC0))


def byte_spans(lengths: Iterable[int]) -> list[tuple[int, int]]:
    """Return (start, end) in bytes for tokens of the given byte lengths, one after another."""
    return list(pairwise(accumulate(lengths, initial=0)))


def char_spans(text: bytes, lengths: Iterable[int]) -> list[tuple[int, int]]:
    """Return (start, end) in characters of the UTF-8 `text`.

    A token that begins or ends inside a character spans that character.

    Cost: O(tokens + bytes).
    """
    spans = []
    n_chars = 0  # characters that begin before the current byte
    for start, end in byte_spans(lengths):
        inside = start < len(text) and text[start] & 0xC0 == 0x80
        first = n_chars - inside
        n_chars += len(text[start:end].translate(None, _CONTINUATION))
        spans.append((first, n_chars))
    return spans


def chars_of(text: bytes, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Turn (start, end) in bytes of the UTF-8 `text` into characters.

    A span that begins or ends inside a character spans that character.

    Cost: O(spans + bytes).
    """
    before = array("Q", [0])  # characters that begin before each byte
    before.extend(accumulate(byte & 0xC0 != 0x80 for byte in text))

    def first(at: int) -> int:
        is_inside = at < len(text) and text[at] & 0xC0 == 0x80
        return before[at] - is_inside

    return [(first(start), max(before[end], first(start))) for start, end in spans]


def repair_surrogates(text: str) -> str:
    """Join surrogate pairs and replace lone surrogates by U+FFFD, as encoding does."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def source_positions(text: str) -> list[int]:
    """Return, for each character of the repaired text and its end, the index in `text`.

    Only surrogate pairs make a difference: two characters of `text` become one.
    """
    positions = []
    at = 0
    while at < len(text):
        positions.append(at)
        is_pair = "\ud800" <= text[at] <= "\udbff" and "\udc00" <= text[at + 1 : at + 2] <= "\udfff"
        at += 2 if is_pair else 1
    return [*positions, len(text)]
