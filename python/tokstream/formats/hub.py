"""A model on the Hugging Face hub → a directory with its tokenizer's files.

Enters: the model's name. Leaves: a path in the cache of `huggingface_hub`, which does the rest:
network, tokens, offline mode. Held back: nothing; the weights are not fetched.
"""

from __future__ import annotations

from pathlib import Path

from tokstream._buffers import plain_if_text
from tokstream.errors import ConfigurationError, MissingDependencyError, VocabularyError
from tokstream.formats.directory import MERGES, PAIR_SETTINGS, VOCAB, is_vocabulary

__all__ = ["download"]

_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "tekken*.json",
    "*.tiktoken",
    "tiktoken.model",
    "tokenizer.model*",
)
_PAIR = (VOCAB, MERGES, *PAIR_SETTINGS)
"""Fetched only if nothing else says what the tokenizer is."""


def download(
    repo_id: str,
    revision: str | None = None,
    cache_dir: str | None = None,
    *,
    also: tuple[str, ...] = (),
) -> Path:
    """Return a directory with the tokenizer's files.

    Args:
        repo_id: the model, such as "Qwen/Qwen3-8B".
        revision: a branch, tag or commit.
        cache_dir: where to keep the files; by default in the package's own cache.
        also: other files to fetch.

    Raises:
        ConfigurationError: no name of a model.
        MissingDependencyError: `huggingface_hub` is not installed.
        VocabularyError: the model has no file of a tokenizer.
    """
    if not isinstance(repo_id, str) or not repo_id:
        raise ConfigurationError(
            f'repo_id is {repo_id!r}; name a model on the hub, such as "Qwen/Qwen3-8B", or use '
            "tokstream.load for a path"
        )
    repo_id, revision = plain_if_text(repo_id), plain_if_text(revision)
    try:
        from huggingface_hub import snapshot_download  # noqa: PLC0415 - optional
    except ImportError as error:
        raise MissingDependencyError(
            "from_hub needs the package huggingface_hub; install it with "
            "`pip install tokstream[hub]`, or download the model's tokenizer and use tokstream.load"
        ) from error
    for files in (_FILES, _PAIR):
        folder = Path(
            snapshot_download(
                repo_id, revision=revision, cache_dir=cache_dir, allow_patterns=[*files, *also]
            )
        )
        # no file, no folder
        if folder.is_dir() and any(map(is_vocabulary, folder.iterdir())):
            return folder
    if not folder.is_dir():
        raise VocabularyError(
            f"{repo_id} has no file of a tokenizer; looked for {', '.join((*_FILES, *_PAIR))}. "
            "name the model whose tokenizer it uses"
        )
    return folder
