"""Ids as numpy arrays; numpy is imported at first use."""

from __future__ import annotations

from tokstream._light import TYPE_CHECKING
from tokstream.errors import MissingDependencyError

if TYPE_CHECKING:
    from tokstream._types import IdArray

__all__ = ["as_array"]


def as_array(data: object) -> IdArray:
    """View a buffer of native 32-bit ids as an array of uint32, shape (n,), writable.

    Raises:
        MissingDependencyError: numpy is not installed.
    """
    try:
        import numpy as np  # noqa: PLC0415 - an extra, and slow to import
    except ImportError:
        raise MissingDependencyError(
            'arrays need numpy: pip install "tokstream[numpy]", or use the verb without _array'
        ) from None
    return np.frombuffer(data, dtype=np.uint32)  # type: ignore[call-overload,no-any-return]
