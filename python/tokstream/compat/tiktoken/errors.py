"""Errors that are of tokstream's kinds and of the built-in kinds that tiktoken raises.

So code written for tiktoken catches them, and so does code written for tokstream.
"""

from __future__ import annotations

from tokstream.errors import (
    InvalidTokenIdError,
    TokstreamError,
    UnknownNameError,
    VocabularyError,
)

__all__ = ["TokenCountError", "TokenIdRangeError", "UnknownTokenError", "named"]


class UnknownTokenError(InvalidTokenIdError, KeyError):
    """A token id that the encoding does not have: a `KeyError`, as in tiktoken."""

    __str__ = TokstreamError.__str__


class TokenIdRangeError(UnknownTokenError, OverflowError):
    """A token id below zero, or of more than 32 bits: an `OverflowError`, as in tiktoken."""


class TokenCountError(VocabularyError, AssertionError):
    """`explicit_n_vocab` is not what was given: an `AssertionError`, as in tiktoken."""


def named(error: InvalidTokenIdError) -> UnknownTokenError:
    """Return `error` as the kind that tiktoken raises for it."""
    token_id = error.token_id
    is_id = token_id is not None and 0 <= token_id < 2**32
    kind = UnknownTokenError if is_id else TokenIdRangeError
    return kind(str(error), token_id, error.index)


def unknown_token(token: bytes, name: str) -> UnknownNameError:
    """Return the error for bytes that are no token of the encoding `name`: a `KeyError`."""
    return UnknownNameError(
        f"{token!r} is not a token of {name}; encode gives the tokens of any text"
    )
