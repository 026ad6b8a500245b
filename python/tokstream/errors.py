"""All exceptions of tokstream, used by Python and raised by the native core too.

Every message says what was wrong, where, and what to do. The place is also an attribute:
byte offsets count from the first byte fed (UTF-8 bytes for `str`).
"""

from __future__ import annotations

from tokstream._light import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "ConfigurationError",
    "DisallowedSpecialTokenError",
    "InputError",
    "InvalidTokenIdError",
    "InvalidUtf8Error",
    "MissingDependencyError",
    "PatternError",
    "PendingLimitError",
    "StreamBusyError",
    "StreamClosedError",
    "StreamError",
    "TokstreamError",
    "UnfinishedCharacterError",
    "UnfinishedStreamWarning",
    "UnknownNameError",
    "UnsupportedTokenizerError",
    "VocabularyError",
]


class TokstreamError(Exception):
    """Root of every error that tokstream raises on purpose."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ConfigurationError(TokstreamError, ValueError):
    """A tokenizer cannot be built, or not exactly, from what was given."""


class PatternError(ConfigurationError):
    """A pretokenization pattern that cannot be honoured exactly.

    Attributes:
        offset: where in the pattern, in characters; None if it concerns the whole.
    """

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message, offset)
        self.offset = offset


class VocabularyError(ConfigurationError):
    """A vocabulary file or table that is damaged, incomplete or not usable exactly.

    Attributes:
        path: the file, if there is one.
        line: 1-based line in that file, if it has lines.
    """

    def __init__(self, message: str, path: str | None = None, line: int | None = None) -> None:
        super().__init__(message, path, line)
        self.path = path
        self.line = line


class UnsupportedTokenizerError(ConfigurationError):
    """A sound tokenizer file with a part that cannot be honoured exactly; nothing is approximated.

    Attributes:
        component: the part's name, such as "WordPiece" or "CTC".
        place: where it stands, such as "$.decoder" in a JSON document; None if it is the whole.
        path: the file, if there is one.
    """

    def __init__(
        self,
        message: str,
        component: str = "",
        place: str | None = None,
        path: str | None = None,
    ) -> None:
        super().__init__(message, component, place, path)
        self.component = component
        self.place = place
        self.path = path


class UnknownNameError(TokstreamError, ValueError, KeyError):
    """An encoding, model or token name that does not exist; the message lists close matches."""

    __str__ = TokstreamError.__str__


class InvalidTokenIdError(TokstreamError, ValueError):
    """A token id outside the vocabulary.

    Attributes:
        token_id: the offending id.
        index: its index in the sequence, if it came in one.
    """

    def __init__(self, message: str, token_id: int | None = None, index: int | None = None) -> None:
        super().__init__(message, token_id, index)
        self.token_id = token_id
        self.index = index


class InputError(TokstreamError, ValueError):
    """Input text that cannot be tokenized as asked.

    Attributes:
        offset: byte offset of the fault, counted from the first byte fed.
        ids: the ids that became stable in the failing call, before the fault.
    """

    def __init__(self, message: str, offset: int | None = None, ids: Sequence[int] = ()) -> None:
        super().__init__(message, offset, ids)
        self.offset = offset
        self.ids = list(ids)


class InvalidUtf8Error(InputError):
    """Bytes that are not UTF-8, with `errors="strict"`."""


class UnfinishedCharacterError(InputError):
    """A `str` fed inside a byte sequence that is not finished, or bytes after a high surrogate."""


class DisallowedSpecialTokenError(InputError):
    """Text that spells a special token which is not allowed.

    Attributes:
        token: the special token's text.
    """

    def __init__(
        self,
        message: str,
        offset: int | None = None,
        ids: Sequence[int] = (),
        token: str = "",
    ) -> None:
        # all that the classes above do, in a third of the time: refusing a text is not seldom
        self.args = (message, offset, list(ids), token)
        self.offset = offset
        self.ids = list(ids)
        self.token = token


class PendingLimitError(InputError):
    """More undecided text than `max_pending_bytes` allows."""


class StreamError(TokstreamError, RuntimeError):
    """A stream used in a way its state does not allow."""


class StreamClosedError(StreamError):
    """`feed` or `finish` after `finish`; call `reset` to start again."""


class StreamBusyError(StreamError):
    """Two threads used one stream at the same time."""


class MissingDependencyError(TokstreamError, ImportError):
    """An optional package is needed; the message says which and how to install it."""


class UnfinishedStreamWarning(UserWarning):
    """A stream was left without `finish` while text was still pending: ids are missing."""
