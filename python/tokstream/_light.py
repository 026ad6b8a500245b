"""What annotations need at run time, without importing `typing`, which costs every start some 5 ms.

Enters: nothing. Leaves: `TYPE_CHECKING`, which type checkers read as true, and stand-ins that do
as those of `typing` do at run time: nothing.
"""

from __future__ import annotations

__all__ = ["TYPE_CHECKING", "cast", "final", "overload"]

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import cast, final, overload
else:

    def cast(_type: object, value: object) -> object:
        """Return the value as it is."""
        return value

    def final(cls: type) -> type:
        """Return the class as it is."""
        return cls

    def overload(function: object) -> object:
        """Return the function as it is; the next definition of its name takes its place."""
        return function
