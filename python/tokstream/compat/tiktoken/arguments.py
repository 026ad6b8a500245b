"""What callers pass: checked, with errors of the kinds that tiktoken raises.

Enters: arguments as they come. Leaves: what the engine takes.
"""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any

from tokstream.compat.tiktoken.errors import (
    ArgumentTypeError,
    VocabularyRangeError,
    VocabularyTypeError,
)
from tokstream.errors import ConfigurationError, VocabularyError
from tokstream.tokenizer import Tokenizer
from tokstream.verbs.threads import checked_number
from tokstream.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["checked_threads", "special_fault", "tokenizer_of", "without_empty"]

_MAX_ID = 2**32 - 1


def tokenizer_of(
    name: str, pattern: str, ranks: Mapping[bytes, int], special_tokens: Mapping[str, int]
) -> Tokenizer:
    """Return the tokenizer that an encoding is made of; ids may be numpy's integers.

    Raises:
        ConfigurationError: pattern or vocabulary cannot be honoured exactly; a `TypeError` or
            an `OverflowError`, too, where tiktoken raises such.
    """
    if not isinstance(pattern, str):
        raise ArgumentTypeError(f"pat_str is {type(pattern).__name__}; a pattern is a str")
    try:
        try:
            vocabulary = Vocabulary.from_ranks(ranks)
        except VocabularyError:
            vocabulary = Vocabulary.from_ranks(_plain(ranks))
        return Tokenizer(name, vocabulary, pattern, _plain(special_tokens))
    except VocabularyError as error:
        kind = _kind(ranks, bytes) or _kind(special_tokens, str)
        if kind is None:
            raise
        raise kind(str(error)) from None


def checked_threads(num_threads: int | None) -> int | None:
    """Return a number of threads.

    Raises:
        ConfigurationError: less than 1; a `TypeError`, too, if it is no integer.
    """
    try:
        return checked_number(num_threads)
    except ConfigurationError as error:
        if hasattr(num_threads, "__index__"):
            raise
        raise ArgumentTypeError(str(error)) from None


def special_fault(error: ConfigurationError, *choices: Any) -> ConfigurationError:  # noqa: ANN401
    """Return `error`, for which choices of special tokens were refused, as tiktoken's kind."""
    for choice in choices:
        if choice is None or choice == "all":
            continue
        if isinstance(choice, str) or not hasattr(choice, "__iter__"):
            return ArgumentTypeError(str(error))
        if not all(isinstance(name, str) for name in choice):
            return ArgumentTypeError(str(error))
    return error


def without_empty(allowed: Any) -> frozenset[Any] | None:  # noqa: ANN401
    """Return a choice of allowed special tokens without the empty text, which no text spells.

    Returns:
        The others; None if it is not among them, or this is no choice of several.
    """
    if isinstance(allowed, str):
        return None
    try:
        names = frozenset(allowed)
    except TypeError:
        return None
    return names - {""} if "" in names else None


def _plain(table: Any) -> Any:  # noqa: ANN401 - what a caller passed
    """Return a table with its ids as `int`, where they are integers of another kind."""
    if not table or all(type(token_id) is int for token_id in table.values()):
        return table
    try:
        return {token: index(token_id) for token, token_id in table.items()}
    except TypeError:
        return table


def _kind(table: Mapping[Any, Any], of: type) -> type[VocabularyError] | None:
    """Return what tiktoken raises for a table; None if it has nothing against it."""
    for token, token_id in (table or {}).items():
        if not isinstance(token, of) or not hasattr(token_id, "__index__"):
            return VocabularyTypeError
        if not 0 <= token_id <= _MAX_ID:
            return VocabularyRangeError
    return None
