"""Errors that are of tokstream's kinds and of the built-in kinds that tiktoken raises.

So code written for tiktoken catches them, and so does code written for tokstream. Some programs ask
for tokens only to see whether they exist: those errors write their message when it is read.
"""

from __future__ import annotations

from tokstream.errors import (
    ConfigurationError,
    InvalidTokenIdError,
    TokstreamError,
    UnknownNameError,
    VocabularyError,
)

__all__ = [
    "ArgumentTypeError",
    "MissingIdError",
    "MissingIdRangeError",
    "MissingListedIdError",
    "MissingTokenError",
    "NoTokenIdError",
    "TokenCountError",
    "TokenIdRangeError",
    "UnknownModelError",
    "UnknownTokenError",
    "VocabularyRangeError",
    "VocabularyTypeError",
    "named",
]


class UnknownTokenError(InvalidTokenIdError, KeyError):
    """A token id that the encoding does not have: a `KeyError`, as in tiktoken."""

    __str__ = TokstreamError.__str__


class TokenIdRangeError(UnknownTokenError, OverflowError):
    """A token id below zero, or of more than 32 bits: an `OverflowError`, as in tiktoken."""


class MissingIdError(UnknownTokenError):
    """A single id that the encoding does not have."""

    __init__ = Exception.__init__
    index = None

    @property
    def token_id(self) -> int:  # type: ignore[override]
        """The offending id."""
        token_id: int = self.args[0]
        return token_id

    def __str__(self) -> str:
        token_id, name = self.args
        return f"no token of {name} has the id {token_id}"


class MissingIdRangeError(MissingIdError, TokenIdRangeError):
    """A single id below zero, or of more than 32 bits."""


class MissingListedIdError(UnknownTokenError):
    """An id in a list that the encoding does not have."""

    __init__ = Exception.__init__

    @property
    def token_id(self) -> int:  # type: ignore[override]
        """The offending id."""
        token_id: int = self.args[0]
        return token_id

    @property
    def index(self) -> int:  # type: ignore[override]
        """Its index."""
        index: int = self.args[1]
        return index

    def __str__(self) -> str:
        return (
            f"no token has the id {self.token_id} (index {self.index}); check that the ids come "
            "from this tokenizer"
        )


class MissingTokenError(UnknownNameError):
    """Bytes that are no token of the encoding; they are the first argument, as in tiktoken."""

    def __str__(self) -> str:
        token, name = self.args
        return f"{token!r} is not a token of {name}; encode gives the tokens of any text"


class UnknownModelError(UnknownNameError):
    """A model whose encoding is not known; its name is the first argument."""

    def __str__(self) -> str:
        (name,) = self.args
        return (
            f"the encoding of model {name!r} is not known; if you know it, pass its name to "
            "get_encoding"
        )


class ArgumentTypeError(ConfigurationError, TypeError):
    """An argument of a kind that it cannot be: a `TypeError`, as in tiktoken."""


class NoTokenIdError(TypeError, AssertionError):
    """What was asked about is no token id: an `AssertionError`, as in tiktoken."""


class VocabularyTypeError(VocabularyError, TypeError):
    """Tokens that are not bytes, or ids that are no numbers: a `TypeError`, as in tiktoken."""


class VocabularyRangeError(VocabularyError, OverflowError):
    """An id below zero, or of more than 32 bits: an `OverflowError`, as in tiktoken."""


class TokenCountError(VocabularyError, AssertionError):
    """`explicit_n_vocab` is not what was given: an `AssertionError`, as in tiktoken."""


def named(error: InvalidTokenIdError) -> UnknownTokenError:
    """Return `error` as the kind that tiktoken raises for it."""
    token_id = error.token_id
    is_id = token_id is not None and 0 <= token_id < 2**32
    kind = UnknownTokenError if is_id else TokenIdRangeError
    return kind(str(error), token_id, error.index)
