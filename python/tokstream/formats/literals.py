"""Literal text as a pattern.

Enters: a string. Leaves: a pattern, in either dialect, that matches it and nothing else.
"""

from __future__ import annotations

__all__ = ["escaped"]

_META = frozenset(r"\.+*?()|[]{}^$#&-~/")


def escaped(text: str) -> str:
    """Return `text` with the characters escaped that mean something in a pattern."""
    return "".join("\\" + c if c in _META else c for c in text)
