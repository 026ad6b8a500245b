"""Precompiled character maps for tests: built from rules, or taken from a SentencePiece model.

Enters: rules (key to replacement), or the bytes of a model. Leaves: the bytes of a map.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_N_CHILDREN = 256


def charsmap(rules: Mapping[str, str]) -> bytes:
    """Double-array trie of the keys, with a block of 256 units per node, and the replacements."""
    places: dict[str, int] = {}
    text = b""
    for content in dict.fromkeys(rules.values()):
        places[content] = len(text)
        text += content.encode() + b"\0"
    prefixes = {key.encode()[:n] for key in rules for n in range(len(key.encode()) + 1)} | {b""}
    bases = {prefix: (i + 1) * _N_CHILDREN for i, prefix in enumerate(sorted(prefixes))}
    units = [0] * (_N_CHILDREN * (len(prefixes) + 1))
    values = {key.encode(): places[content] for key, content in rules.items()}
    for prefix, base in bases.items():
        label = prefix[-1] if prefix else 0
        at = (bases[prefix[:-1]] ^ label) if prefix else 0
        units[at] = label | (at ^ base) << 10 | (prefix in values) << 8
        if prefix in values:
            units[base] = 1 << 31 | values[prefix]
    trie = struct.pack(f"<{len(units)}I", *units)
    return struct.pack("<I", len(trie)) + trie + text


def charsmap_of_model(model: bytes) -> bytes:
    """The map in a SentencePiece model (empty if it has none)."""
    normalizer = next(value for number, value in _fields(model) if number == 3)
    return next((bytes(value) for number, value in _fields(normalizer) if number == 2), b"")


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """Fields of a protobuf message: numbers with integers or bytes."""
    at = 0

    def varint() -> int:
        nonlocal at
        number = shift = 0
        while True:
            byte = data[at]
            at += 1
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, varint()
            continue
        n = varint() if kind == 2 else {1: 8, 5: 4}[kind]
        yield key >> 3, data[at : at + n]
        at += n
