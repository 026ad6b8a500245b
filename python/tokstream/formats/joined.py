"""Many strings in one: how they go to the native core, which splits them again.

Enters: strings. Leaves: one string, and the character between them, which none of them has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokstream.errors import VocabularyError

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["joined"]

_SEPARATORS = ("\n", "\0", "\uffff", "\ufffe", "\ufdd0", "\ufdd1", "\U0010ffff", "\U0010fffe")


def joined(*groups: Collection[str]) -> tuple[str, ...]:
    """Return each group of strings joined, and last the separator.

    Raises:
        VocabularyError: no character is left that could stand between them.
    """
    texts = ["".join(group) for group in groups]
    for separator in _SEPARATORS:
        if not any(separator in text for text in texts):
            return (*(separator.join(group) for group in groups), separator)
    raise VocabularyError(
        "the tokens have every character that could stand between them, among them "
        f"{', '.join(map(ascii, _SEPARATORS))}; remove one of those tokens"
    )
