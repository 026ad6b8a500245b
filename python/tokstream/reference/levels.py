r"""A cascade of pre-tokenizer levels, run as it is defined.

Enters: the text of one segment. Leaves: its pieces, as the last level makes them.
Held back: everything; this is what the native cascade is compared with.

A level cuts or changes the pieces of the level before it, each piece by itself: the end of a piece
is the end of the input. A piece knows the place in the source at which it begins.

>>> from tokstream.patterns.levels import char_delimiter_split, digits, metaspace
>>> pieces_of([digits(individual=True), metaspace("_", "first", split=True)], "ab 12")
['_ab', '_', '1', '2']
>>> pieces_of([char_delimiter_split("-"), metaspace("_", "first", split=True)], "-ab c-d")
['ab', '_c', 'd']
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from tokstream.patterns.automaton import Automaton

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tokstream.patterns.levels import Level

__all__ = ["ALPHABET", "items", "pieces_of"]

# A character, and the place in the source at which it begins.
Piece = list[tuple[str, int]]

_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(0x100) if byte not in _PRINTABLE]
# GPT-2's character for each byte.
ALPHABET = {byte: chr(byte) for byte in _PRINTABLE} | {
    byte: chr(0x100 + number) for number, byte in enumerate(_OTHERS)
}


def pieces_of(levels: Sequence[Level], text: str) -> list[str]:
    """Run `text` through all levels. Empty pieces do not exist."""
    places = [len(text[:at].encode()) for at in range(len(text))]
    pieces: list[Piece] = [list(zip(text, places, strict=True))] if text else []
    for level in levels:
        run = _LEVELS[str(level[0])]
        pieces = [after for piece in pieces for after in run(piece, *level[1:]) if after]
    return ["".join(character for character, _ in piece) for piece in pieces]


_automaton = lru_cache(maxsize=64)(Automaton.from_bytes)


def items(automaton: Automaton, text: str) -> Iterator[tuple[int, int, bool]]:
    """Matches and the gaps between them: (begin, end, whether it is a match).

    A match is looked for at one place after the other; behind it the search goes on.

    >>> from tokstream.patterns import compile_pattern
    >>> list(items(compile_pattern("ab|b", partial=True), "aabcb"))
    [(0, 1, False), (1, 3, True), (3, 4, False), (4, 5, True)]
    """
    symbols = [*map(automaton.class_of, map(ord, text)), automaton.n_classes]
    gap = at = 0
    while at < len(text):
        end = _match(automaton, symbols, at)
        if end > at:
            if gap < at:
                yield gap, at, False
            yield at, end, True
            gap = end
        at = max(end, at + 1)
    if gap < at:
        yield gap, at, False


def _match(automaton: Automaton, symbols: list[int], begin: int) -> int:
    """End of the match that begins at `begin`, or `begin`."""
    state, end = 1, begin
    for at in range(begin, len(symbols)):
        state, matched = automaton.step(state, symbols[at])
        if matched:
            end = at
        if not state:
            break
    return end


# Whether an item and the one behind it make one piece; each is given as "it is a match".
_JOINS: dict[str, Callable[[bool, bool], bool]] = {
    "removed": lambda _before, _behind: False,
    "isolated": lambda _before, _behind: False,
    "merged_with_previous": lambda before, behind: behind and not before,
    "merged_with_next": lambda before, behind: before and not behind,
    "contiguous": lambda before, behind: before == behind,
}


def _split(piece: Piece, automaton: bytes, behaviour: str, invert: bool) -> list[Piece]:
    text = "".join(character for character, _ in piece)
    found = [
        (begin, end, is_match != invert)
        for begin, end, is_match in items(_automaton(automaton), text)
    ]
    begins = [0]
    for (_, end, before), (_, _, behind) in pairwise(found):
        if not _JOINS[behaviour](before, behind):
            begins.append(end)
    removed = {begin for begin, _, is_match in found if is_match and behaviour == "removed"}
    spans = pairwise([*begins, len(piece)])
    return [piece[begin:end] for begin, end in spans if begin not in removed]


def _fixed_length(piece: Piece, length: int) -> list[Piece]:
    return [piece[at : at + length] for at in range(0, len(piece), length)]


def _prefix_space(piece: Piece) -> list[Piece]:
    return [_prefixed(piece, " ")]


def _prefixed(piece: Piece, character: str) -> Piece:
    first, place = piece[0]
    return piece if first == character else [(character, place), *piece]


def _metaspace(piece: Piece, replacement: str, scheme: str, split: bool) -> list[Piece]:
    marked = [(replacement if c == " " else c, place) for c, place in piece]
    if scheme == "always" or (scheme == "first" and marked[0][1] == 0):
        marked = _prefixed(marked, replacement)
    if not split:
        return [marked]
    begins = {0} | {at for at, (character, _) in enumerate(marked) if character == replacement}
    return [marked[begin:end] for begin, end in pairwise([*sorted(begins), len(marked)])]


def _byte_level(piece: Piece) -> list[Piece]:
    return [[(ALPHABET[byte], place) for c, place in piece for byte in c.encode()]]


_LEVELS: dict[str, Callable[..., list[Piece]]] = {
    "split": _split,
    "fixed_length": _fixed_length,
    "prefix_space": _prefix_space,
    "metaspace": _metaspace,
    "byte_level": _byte_level,
}
