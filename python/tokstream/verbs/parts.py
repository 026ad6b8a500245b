"""What the verbs use of the tokenizer they belong to.

Enters: nothing; `Tokenizer` sets the attributes. Leaves: their names and types, for the families.
"""

from __future__ import annotations

import sys
from operator import index

from tokstream._light import TYPE_CHECKING
from tokstream.errors import ConfigurationError

if TYPE_CHECKING:
    from tokstream._core import Core
    from tokstream.decoding import Decoder
    from tokstream.formats.parts import TokenizerParts
    from tokstream.special import SpecialPolicy

__all__ = ["Parts", "limit_of", "replaces"]


class Parts:
    """The parts of a tokenizer that its verbs share."""

    __slots__ = ()

    _has_parts: bool
    """Text may be changed before it is merged; not so for rank files and embedded encodings."""
    _core: Core
    """The native tables."""
    _special: SpecialPolicy
    """What a call's choice of special tokens means."""
    _shared_ids: dict[int, list[bytes]]
    """The spellings of ids that several special tokens share."""
    _special_tokens: dict[str, int]
    """Special tokens by their text."""
    _name: str
    """What the tokenizer is called."""
    _n_vocab: int
    """One more than the largest id."""

    if TYPE_CHECKING:

        @property
        def _parts(self) -> TokenizerParts | None: ...

        @property
        def _decoder(self) -> Decoder | None: ...

    @property
    def _n_template(self) -> int:
        """How many ids the template puts around a text."""
        return len(self._core.encode("", self._special.plain, False, False, True))  # noqa: FBT003


def replaces(errors: str) -> bool:
    """Tell whether bytes that are not UTF-8 are read as U+FFFD.

    Raises:
        ConfigurationError: neither "strict" nor "replace".
    """
    if errors not in ("strict", "replace"):
        raise ConfigurationError(f'errors is {errors!r}; it must be "strict" or "replace"')
    return errors == "replace"


def limit_of(name: str, value: int) -> int:
    """Return a number that a caller set as a limit, at most what the core can take.

    Raises:
        TypeError: no whole number.
        ConfigurationError: less than 0.
    """
    try:
        limit = index(value)
    except TypeError:
        raise TypeError(
            f"{name} is {type(value).__name__}; give a whole number, 0 or more"
        ) from None
    if limit < 0:
        raise ConfigurationError(f"{name} is {limit}; it must be 0 or more")
    return min(limit, sys.maxsize)
