"""A model's directory → the file in it that says most about its tokenizer.

Enters: a path. Leaves: the parts. Held back: nothing; no file outside the directory is read.

The order is: tokenizer.json, which says everything; tekken.json; a rank file, whose pattern and
special tokens are known if tokenizer_config.json says which model it is; a SentencePiece model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokstream.errors import ConfigurationError, VocabularyError
from tokstream.formats.document import parse_document

if TYPE_CHECKING:
    from pathlib import Path

    from tokstream.formats.document import Node

__all__ = ["end_of_text", "read_config", "refuse_options", "vocabulary_file"]

_NAMES = (
    "tokenizer.json",
    "tekken.json",
    "tekken*.json",
    "*.tiktoken",
    "tiktoken.model",
    "tokenizer.model",
    "tokenizer.model.v*",
    "*.model",
    "*.model.v*",
)
_CONFIG = "tokenizer_config.json"


def vocabulary_file(directory: Path) -> Path:
    """Return the file to load.

    Raises:
        VocabularyError: there is none, or there are several of the same kind.
    """
    for pattern in _NAMES:
        found = sorted(path for path in directory.glob(pattern) if path.is_file())
        if len(found) > 1:
            listed = ", ".join(path.name for path in found)
            raise VocabularyError(
                f"{directory} holds {listed}; give the path of the one you mean, such as "
                f"{str(found[-1])!r}",
                str(directory),
            )
        if found:
            return found[0]
    raise VocabularyError(_nothing(directory), str(directory))


def _nothing(directory: Path) -> str:
    inside = {path.name for path in directory.iterdir()}
    if {"vocab.json", "merges.txt"} <= inside:
        return (
            f"{directory} holds vocab.json and merges.txt, which do not say how text is split; "
            "save the tokenizer as tokenizer.json (`save_pretrained` of a fast tokenizer does)"
        )
    if inside & {"vocab.txt", "spiece.model"}:
        return f"{directory} holds no BPE tokenizer; tokstream is for byte-pair encoding"
    return (
        f"{directory} holds no vocabulary file; looked for {', '.join(_NAMES)}. give the path of "
        "the file itself"
    )


def read_config(file: Path) -> Node | None:
    """Return the tokenizer_config.json beside a vocabulary file, None if there is none.

    Raises:
        VocabularyError: it is no JSON object.
    """
    path = file.with_name(_CONFIG)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    config = parse_document(data, str(path), str(path))
    config.members()
    return config


def end_of_text(config: Node | None) -> str | None:
    """Return the text of the token that ends a text, as a tokenizer_config.json names it."""
    if config is None:
        return None
    token = config.members().get("eos_token")
    if isinstance(token, dict):
        token = token.get("content")
    return token if isinstance(token, str) else None


def refuse_options(what: str, **options: object) -> None:
    """Refuse arguments that only rank files need.

    Raises:
        ConfigurationError: one of them is given.
    """
    for name, value in options.items():
        if value is not None:
            raise ConfigurationError(
                f"{name} is for rank files; {what} says for itself what it is. leave {name} out"
            )
