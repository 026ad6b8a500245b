"""tokstream: BPE token ids while the text is still arriving.

For every way of cutting the input, the concatenated `feed` results plus `finish` equal
`encode(whole)`, which is exactly what the reference tokenizer gives for the whole text.
"""

from __future__ import annotations

from tokstream._light import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    from tokstream.formats import Source
    from tokstream.splitting import Part
    from tokstream.streaming import DecodeStream, EncodeStream
    from tokstream.tokenizer import Tokenizer
    from tokstream.truncation import Truncated

__all__ = [
    "ConfigurationError",
    "DecodeStream",
    "DisallowedSpecialTokenError",
    "EncodeStream",
    "InputError",
    "InvalidTokenIdError",
    "InvalidUtf8Error",
    "MissingDependencyError",
    "Part",
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
    "from_hub",
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
    merges: Source | None = None,
    tokenizer_class: str | None = None,
) -> Tokenizer:
    """Load a tokenizer from a file, its content, or a model's directory; never from the network.

    What a file is, is told by its content: tokenizer.json with a BPE model, a SentencePiece model
    of type BPE, tekken.json, a rank file (`.tiktoken`), or vocab.json with merges.txt. The ids are
    exactly those of the format's reference implementation; what cannot be honoured exactly is
    refused by name.

    Args:
        source: a path, or the content as a bytes-like object. In a directory, tokenizer.json comes
            first, then tekken.json, a rank file, a SentencePiece model, vocab.json with merges.txt.
        pattern: the pretokenization pattern, in tiktoken's dialect; for rank files, which hold
            none. In a directory it is known if tokenizer_config.json names a known model.
        special_tokens: text to id, for rank files; none if left out.
        name: what to call the tokenizer; by default the file's name without its ending, or the
            directory's.
        merges: the merge list that belongs to a vocab.json, as a path or its content; by default
            the merges.txt beside it.
        tokenizer_class: how a vocab.json with its merges splits text, as the name of a class of
            `transformers`, such as "GPT2Tokenizer"; by default as the files beside it say.

    Returns:
        The tokenizer, ready to use. Special tokens in a text are what they are to the format's
        reference: an error for rank files, their ids for tokenizer.json, text for SentencePiece
        and tekken.json; `allowed_special` and `disallowed_special` say otherwise.

    Raises:
        ConfigurationError: no pattern was given for a rank file, nothing says how a vocab.json
            splits text, or the path is empty.
        VocabularyError: the file or the special tokens are damaged or incomplete; the message
            names path and line, JSON path or byte.
        UnsupportedTokenizerError: a part of the file cannot be honoured exactly, such as a model
            that is not BPE; the message names it and says why.
        PatternError: the pattern cannot be honoured exactly; the message names the construct.
        OSError: the file cannot be read.

    Cost: about a second for 100,000 tokens, about two for 260,000.
    """
    if isinstance(source, str) and not source:
        from tokstream.errors import ConfigurationError  # noqa: PLC0415 - see `_MODULES`

        raise ConfigurationError("the path is empty; give the path of a file or directory")

    from tokstream.prepared.sources import load_source  # noqa: PLC0415 - see `_MODULES`

    return load_source(source, pattern, special_tokens, name, merges, tokenizer_class)


def from_hub(
    repo_id: str,
    *,
    revision: str | None = None,
    name: str | None = None,
    tokenizer_class: str | None = None,
) -> Tokenizer:
    """Load the tokenizer of a model on the Hugging Face hub.

    The files are fetched, or found in its cache, by `huggingface_hub`, whose settings are
    respected: cache folder, token, offline mode (`HF_HUB_OFFLINE=1`).

    Args:
        repo_id: the model, such as "Qwen/Qwen3-8B".
        revision: a branch, tag or commit; the main branch by default.
        name: what to call the tokenizer; by default `repo_id`.
        tokenizer_class: as in `load`, for models that have vocab.json and merges.txt only.

    Returns:
        The tokenizer, as `load` gives it for the model's directory.

    Raises:
        MissingDependencyError: `huggingface_hub` is not installed.
        TokstreamError: as in `load`.
        Exception: what `huggingface_hub` raises, for a model that does not exist, that needs a
            token, or that cannot be reached.
    """
    from tokstream.formats.hub import download  # noqa: PLC0415 - nothing else fetches anything

    return load(
        download(repo_id, revision),
        name=name if name is not None else repo_id,
        tokenizer_class=tokenizer_class,
    )


# Names by the module they come from, imported when first asked for: what a start needs is little.
_MODULES = {
    "encodings": ("encoding_for_model", "get_encoding", "list_encoding_names"),
    "splitting": ("Part",),
    "streaming": ("DecodeStream", "EncodeStream"),
    "tokenizer": ("Tokenizer",),
    "truncation": ("Truncated",),
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - slow, and seldom asked for

        return version("tokstream")
    if name not in __all__:
        raise AttributeError(f"module 'tokstream' has no attribute {name!r}")
    module = next((module for module, names in _MODULES.items() if name in names), "errors")
    value = getattr(__import__(f"tokstream.{module}", fromlist=(name,)), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
