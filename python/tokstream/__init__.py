"""tokstream: BPE token ids while the text is still arriving.

For every way of cutting the input, the concatenated `feed` results plus `finish` equal
`encode(whole)`, which is exactly what the reference tokenizer gives for the whole text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokstream.encodings import encoding_for_model, get_encoding, list_encoding_names
from tokstream.errors import (
    ConfigurationError,
    DisallowedSpecialTokenError,
    InputError,
    InvalidTokenIdError,
    InvalidUtf8Error,
    MissingDependencyError,
    PatternError,
    PendingLimitError,
    StreamBusyError,
    StreamClosedError,
    StreamError,
    TokstreamError,
    UnfinishedCharacterError,
    UnfinishedStreamWarning,
    UnknownNameError,
    UnsupportedTokenizerError,
    VocabularyError,
)
from tokstream.streaming import DecodeStream, EncodeStream
from tokstream.tokenizer import Tokenizer
from tokstream.truncation import Truncated

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokstream.formats import Source

__all__ = [
    "ConfigurationError",
    "DecodeStream",
    "DisallowedSpecialTokenError",
    "EncodeStream",
    "InputError",
    "InvalidTokenIdError",
    "InvalidUtf8Error",
    "MissingDependencyError",
    "PatternError",
    "PendingLimitError",
    "StreamBusyError",
    "StreamClosedError",
    "StreamError",
    "Tokenizer",
    "TokstreamError",
    "Truncated",
    "UnfinishedCharacterError",
    "UnfinishedStreamWarning",
    "UnknownNameError",
    "UnsupportedTokenizerError",
    "VocabularyError",
    "__version__",
    "encoding_for_model",
    "get_encoding",
    "list_encoding_names",
    "load",
]

__version__: str


def load(
    source: Source,
    *,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    name: str | None = None,
) -> Tokenizer:
    """Load a tokenizer from a file or its content; never from the network.

    Args:
        source: a rank file (`.tiktoken`): a path, or the content as a bytes-like object.
        pattern: the pretokenization pattern, in tiktoken's dialect. A rank file does not hold
            one, so it must be given.
        special_tokens: text to id; none if left out.
        name: what to call the tokenizer; by default the file's name without its ending.

    Returns:
        The tokenizer, ready to use.

    Raises:
        ConfigurationError: no pattern was given.
        VocabularyError: the file or the special tokens are damaged or incomplete; the message
            names path and line.
        PatternError: the pattern cannot be honoured exactly; the message names the construct.
        OSError: the file cannot be read.

    Cost: well under two seconds for 200,000 tokens.
    """
    from tokstream.formats import load_parts  # noqa: PLC0415 - embedded encodings need no formats

    vocabulary, pattern, specials, name = load_parts(source, pattern, special_tokens, name)
    return Tokenizer(name, vocabulary, pattern, specials)


def __getattr__(name: str) -> str:
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - slow, and seldom asked for

        return version("tokstream")
    raise AttributeError(f"module 'tokstream' has no attribute {name!r}")
