"""Ids as numpy arrays; numpy is imported at first use."""

from __future__ import annotations

from tokstream import _core
from tokstream._light import TYPE_CHECKING
from tokstream.errors import MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tokstream._types import IdArray

__all__ = ["as_array"]


class _Numpy:
    """What arrays are made with, once numpy is imported.

    To find both anew takes a third of the time of a small feed.
    """

    view: Callable[[Any, Any], IdArray] | None = None
    dtype: Any = None

    @classmethod
    def load(cls) -> Callable[[Any, Any], IdArray]:
        try:
            import numpy as np  # noqa: PLC0415 - an extra, and slow to import
        except ImportError:
            raise MissingDependencyError(
                'arrays need numpy: pip install "tokstream[numpy]", or use the verb without _array'
            ) from None
        cls.dtype = np.dtype(np.uint32)
        _core.use_numpy()
        cls.view = np.frombuffer
        return np.frombuffer


def as_array(data: object) -> IdArray:
    """View a buffer of native 32-bit ids as an array of uint32, shape (n,), writable.

    Raises:
        MissingDependencyError: numpy is not installed.
    """
    view = _Numpy.view or _Numpy.load()
    return view(data, _Numpy.dtype)
