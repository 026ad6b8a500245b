"""Plain values as JSON and back: None, bool, int, str, bytes, tuples and lists of them.

Enters: a value. Leaves: the text of one JSON document; or the reverse. Tuples and bytes, which JSON
does not know, come back as what they were.
"""

from __future__ import annotations

import json
from binascii import a2b_base64, b2a_base64

__all__ = ["dumps", "loads"]

_BYTES, _TUPLE = "b", "t"


def dumps(value: object) -> bytes:
    """Return the text of a value.

    Raises:
        TypeError: it is of a kind that is not plain.
    """
    return json.dumps(_marked(value), separators=(",", ":")).encode()


def loads(data: bytes) -> object:
    """Return the value of a text that `dumps` wrote."""
    return json.loads(data, object_hook=_unmarked)


def _marked(value: object) -> object:
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind is list:
        return [_marked(part) for part in value]  # type: ignore[attr-defined]
    if kind is bytes:
        return {_BYTES: b2a_base64(value, newline=False).decode()}  # type: ignore[arg-type]
    if isinstance(value, tuple):
        return {_TUPLE: [_marked(part) for part in value]}
    raise TypeError(f"{kind.__name__} is not plain")


def _unmarked(marked: dict[str, object]) -> object:
    ((mark, content),) = marked.items()
    if mark == _BYTES:
        return a2b_base64(content)  # type: ignore[arg-type]
    return tuple(content)  # type: ignore[arg-type]
