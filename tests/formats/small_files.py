"""Small files of every format, made by hand.

Enters: what should be changed. Leaves: the content of a file, sound but for that.
"""

from __future__ import annotations

import base64
import json
import struct
from typing import Any

__all__ = ["ranks", "sentencepiece", "tekken", "tokenizer_json"]


def tokenizer_json(model: dict[str, Any] | None = None, **members: Any) -> bytes:
    """Return a tokenizer.json of five tokens."""
    document: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "BPE",
            "vocab": {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4},
            "merges": ["a b", "ab c"],
            **(model or {}),
        },
    }
    return json.dumps(document | members).encode()


def added(content: str, token_id: int, **flags: Any) -> dict[str, Any]:
    """Return an added token, special unless said otherwise."""
    names = ("single_word", "lstrip", "rstrip", "normalized")
    return {
        "id": token_id,
        "content": content,
        "special": True,
        **dict.fromkeys(names, False),
    } | flags


def ranks() -> bytes:
    """Return a rank file of the 256 bytes and one token."""
    tokens = [bytes((byte,)) for byte in range(256)] + [b"ab"]
    return b"".join(b"%b %d\n" % (base64.b64encode(t), k) for k, t in enumerate(tokens))


def tekken(**members: Any) -> bytes:
    """Return a tekken.json of the 256 bytes and one token, with 4 special tokens."""
    tokens = [bytes((byte,)) for byte in range(256)] + [b"ab"]
    vocab = [
        {"rank": k, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
        for k, token in enumerate(tokens)
    ]
    config = {
        "pattern": r"[^a]+|a[^a]*",
        "num_vocab_tokens": 257,
        "default_vocab_size": 261,
        "default_num_special_tokens": 4,
        "version": "v3",
    }
    return json.dumps({"config": config, "vocab": vocab} | members).encode()


def _field(number: int, value: bytes | float | str) -> bytes:
    if isinstance(value, float):
        return bytes((number << 3 | 5,)) + struct.pack("<f", value)
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    data = bytearray()
    while value > 0x7F:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*data, value])


def sentencepiece(
    pieces: list[tuple[str, float, int]],
    *,
    trainer: dict[int, int | str] | None = None,
    normalizer: dict[int, int | bytes] | None = None,
) -> bytes:
    """Return a model of type BPE; pieces are (text, score, kind)."""
    data = b"".join(
        _field(1, _field(1, text) + _field(2, score) + _field(3, kind))
        for text, score, kind in pieces
    )
    settings = {3: 2, 35: 0} | (trainer or {})
    data += _field(2, b"".join(_field(number, value) for number, value in settings.items()))
    rules = {3: 1, 4: 0, 5: 1} | (normalizer or {})
    return data + _field(3, b"".join(_field(number, value) for number, value in rules.items()))
