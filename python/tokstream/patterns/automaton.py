"""The compiled pattern: one small deterministic automaton over code-point classes.

In: code-point classes, one at a time, then the end of the input. Out: flags that say where a
match ends. Held back: one symbol at most, because lookahead on one code point and end anchors are
resolved while the next symbol is read. The last flagged position before the automaton dies is the
end of the leftmost-first match, that is, of the pretoken.
"""

from __future__ import annotations

import struct
import sys
from array import array
from dataclasses import dataclass

__all__ = ["DEAD", "FLAG", "MAX_CLASSES", "MAX_STATES", "START", "STATE_MASK", "Automaton"]

DEAD, START = 0, 1
FLAG = 0x8000  # a match ends before the symbol just read
STATE_MASK = 0x7FFF
MAX_STATES = 4_096
MAX_CLASSES = 255

_MAGIC = b"TKSA"
_VERSION = 1
_HEADER = struct.Struct("<4s4I")
_INDEX_LENGTH = 0x110000 >> 6


def _little(values: array[int]) -> bytes:
    if sys.byteorder == "big":
        values = array(values.typecode, values)
        values.byteswap()
    return values.tobytes()


def _from_little(typecode: str, data: bytes) -> array[int]:
    values: array[int] = array(typecode)
    values.frombytes(data)
    if sys.byteorder == "big":
        values.byteswap()
    return values


@dataclass(frozen=True, slots=True, eq=False)
class Automaton:
    """Deterministic automaton with the semantics of a leftmost-first pattern.

    State 0 is dead, state 1 is the start; the others are numbered breadth first from there, so
    equal patterns have equal tables. Symbols are the classes and, as number `n_classes`, the end.

    Attributes:
        n_states: number of states, dead and start included.
        n_classes: number of code-point classes, at most 255.
        class_index: 17,408 block numbers, one per 64 code points.
        class_blocks: 64 classes per block; surrogates have the class of U+0000.
        transitions: n_states rows of n_classes + 1 entries: next state, plus `FLAG` if a match
            ends before the symbol. After the end of the input the next state is dead.
        covers: per state 1 if, whatever follows, a match will end here or later.
        ends: per state 1 if, whatever follows, the match ends exactly here.
    """

    n_states: int
    n_classes: int
    class_index: array[int]
    class_blocks: array[int]
    transitions: array[int]
    covers: bytes
    ends: bytes

    @property
    def end_symbol(self) -> int:
        """Number of the symbol that stands for the end of the input."""
        return self.n_classes

    def class_of(self, code_point: int) -> int:
        """Class of a code point, 0..n_classes-1."""
        block = self.class_index[code_point >> 6]
        return self.class_blocks[block << 6 | code_point & 63]

    def step(self, state: int, symbol: int) -> tuple[int, bool]:
        """Read one symbol.

        Returns:
            The next state, and whether a match ends before the symbol.
        """
        entry = self.transitions[state * (self.n_classes + 1) + symbol]
        return entry & STATE_MASK, entry >= FLAG

    def split(self, text: str) -> list[str]:
        """Cut `text` into pretokens: plain reference scan, which starts again at each match end.

        Raises:
            ValueError: no match at some position; impossible for what `compile_pattern` returns.
        Cost: O(n k), k the longest stretch read beyond a match end.
        """
        index, blocks = self.class_index, self.class_blocks
        symbols = [blocks[index[cp >> 6] << 6 | cp & 63] for cp in map(ord, text)]
        symbols.append(self.n_classes)
        width, transitions = self.n_classes + 1, self.transitions
        pretokens: list[str] = []
        begin = 0
        while begin < len(text):
            state, end = START, -1
            for position in range(begin, len(symbols)):
                entry = transitions[state * width + symbols[position]]
                if entry >= FLAG:
                    end = position
                    entry &= STATE_MASK
                if not entry:
                    break
                state = entry
            if end <= begin:
                raise ValueError(f"no pretoken begins at character {begin}: damaged automaton")
            pretokens.append(text[begin:end])
            begin = end
        return pretokens

    def to_bytes(self) -> bytes:
        """Serialize; little-endian.

        Layout: ``TKSA``, u32 version, n_states, n_classes, n_blocks; then class_index (u16),
        class_blocks (u8), transitions (u16), covers (u8), ends (u8).
        """
        n_blocks = len(self.class_blocks) >> 6
        return b"".join(
            (
                _HEADER.pack(_MAGIC, _VERSION, self.n_states, self.n_classes, n_blocks),
                _little(self.class_index),
                self.class_blocks.tobytes(),
                _little(self.transitions),
                self.covers,
                self.ends,
            )
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> Automaton:
        """Read what `to_bytes` wrote.

        Raises:
            ValueError: not an automaton, another version, a wrong length, or table entries that
                point outside the tables.
        """
        if len(data) < _HEADER.size or data[:4] != _MAGIC:
            raise ValueError(
                "not a compiled pattern: it does not begin with TKSA; compile it again"
            )
        _, version, n_states, n_classes, n_blocks = _HEADER.unpack_from(data)
        if version != _VERSION:
            raise ValueError(
                f"compiled pattern has version {version}, expected {_VERSION}; compile it again"
            )
        sizes = (
            2 * _INDEX_LENGTH,
            64 * n_blocks,
            2 * n_states * (n_classes + 1),
            n_states,
            n_states,
        )
        expected = _HEADER.size + sum(sizes)
        if len(data) != expected:
            raise ValueError(
                f"compiled pattern has {len(data)} bytes, expected {expected}; compile it again"
            )
        parts: list[bytes] = []
        at = _HEADER.size
        for size in sizes:
            parts.append(data[at : at + size])
            at += size
        loaded = cls(
            n_states,
            n_classes,
            _from_little("H", parts[0]),
            _from_little("B", parts[1]),
            _from_little("H", parts[2]),
            parts[3],
            parts[4],
        )
        loaded._check()
        return loaded

    def _check(self) -> None:
        """Raise unless every table entry points into the tables."""
        fine = (
            START < self.n_states <= STATE_MASK
            and 1 <= self.n_classes <= MAX_CLASSES
            and max(self.class_index) < len(self.class_blocks) >> 6
            and max(self.class_blocks) < self.n_classes
            and all(entry & STATE_MASK < self.n_states for entry in self.transitions)
            and not any(self.transitions[: self.n_classes + 1])
        )
        if not fine:
            raise ValueError(
                "compiled pattern is damaged: an entry points outside; compile it again"
            )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Automaton):
            return NotImplemented
        return self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash((self.n_states, self.n_classes, self.transitions.tobytes()))

    def __repr__(self) -> str:
        return f"<Automaton: {self.n_states} states, {self.n_classes} classes>"
