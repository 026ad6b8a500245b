"""What callers pass for flags, numbers and names: checked; errors are of the reference's kinds.

Enters: arguments as they come. Leaves: what the verbs take. Held back: nothing.
"""

from __future__ import annotations

from operator import index

from tokstream._buffers import plain

__all__ = ["checked_flag", "checked_text", "index_of"]


def checked_flag(name: str, value: object) -> bool:
    """Return a flag.

    Args:
        name: what the argument is called.
        value: a `bool`, or numpy's.

    Raises:
        TypeError: something else; the reference does not ask what is true of it either.
    """
    if value is True or value is False:
        return value
    kind = type(value)
    if kind.__module__ == "numpy" and kind.__name__ in ("bool", "bool_"):
        return bool(value)
    raise TypeError(f"{name} is {kind.__name__}; give True or False")


def checked_text(name: str, value: object) -> str:
    """Return a text, as an exact `str`.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} is {type(value).__name__}; give a str")
    return plain(value)


def index_of(name: str, value: object, *, n_bits: int = 64) -> int:
    """Return an argument as a number.

    Args:
        name: what the argument is called.
        value: a whole number.
        n_bits: how many bits it may have, as in the reference.

    Raises:
        TypeError: it is no whole number.
        OverflowError: it is negative, or too large.
    """
    try:
        number = index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} is {type(value).__name__}; give a whole number") from None
    if number < 0:
        raise OverflowError(f"{name} is {number}; give a whole number, 0 or more")
    if number >> n_bits:
        raise OverflowError(f"{name} is {number}; it must be less than 2**{n_bits}")
    return number
