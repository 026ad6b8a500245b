"""Bytes-like objects as the native core accepts them, for what is done with them in Python.

Enters: any object. Leaves: a view of its bytes, or the refusal that the core gives too.
"""

from __future__ import annotations

from tokstream._light import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from typing import TypeVar

    _Given = TypeVar("_Given")

__all__ = ["is_buffer", "plain", "plain_if_text", "view_of"]


def is_buffer(source: object) -> bool:
    """Tell an object with a buffer, of whatever kind, from others."""
    try:
        memoryview(source)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


def plain(text: str) -> str:
    """Return the characters of a `str`, whatever a class made of it says they are."""
    return text if type(text) is str else str.__str__(text)


def plain_if_text(given: _Given) -> _Given:
    """Return a `str` as `plain` has it, all else as it is: bytes, a path that is an object.

    Names of files, too: `pathlib` takes what the class of a `str` says it is.
    """
    return cast("_Given", plain(given)) if isinstance(given, str) else given


def view_of(source: object) -> memoryview:
    """Return the bytes of a contiguous buffer of bytes, one-dimensional.

    Raises:
        TypeError: no buffer, items that are not single bytes, or gaps between them.
    """
    cause = None
    try:
        view = memoryview(source)  # type: ignore[arg-type]
        if view.format in ("B", "c") and view.c_contiguous:
            return view.cast("B")
    except TypeError as error:
        cause = error
    raise TypeError(
        f"expected str or a contiguous bytes-like object, got {type(source)}; "
        "call .encode() or bytes() on it, or feed its parts one by one"
    ) from cause
