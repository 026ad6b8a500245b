"""A model's directory → the file in it that says most about its tokenizer.

Enters: a path. Leaves: the parts. Held back: nothing; no file outside the directory is read.

The order is: tokenizer.json, which says everything; tekken.json; a rank file, whose pattern and
special tokens are known if tokenizer_config.json says which model it is; a SentencePiece model;
vocab.json with merges.txt, whose recipe is known if the settings name the tokenizer's class.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from tokstream.errors import ConfigurationError, VocabularyError
from tokstream.formats.document import parse_document

if TYPE_CHECKING:
    from pathlib import Path

    from tokstream.formats.document import Node

__all__ = [
    "MERGES",
    "PAIR_SETTINGS",
    "VOCAB",
    "end_of_text",
    "is_vocabulary",
    "read_config",
    "read_object",
    "refuse_options",
    "vocabulary_file",
]

VOCAB, MERGES = "vocab.json", "merges.txt"

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
PAIR_SETTINGS = (_CONFIG, "config.json", "special_tokens_map.json", "added_tokens.json")
"""Files that say what a vocab.json and a merges.txt do not: settings, the model's too, tokens."""


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
    if all((directory / name).is_file() for name in (VOCAB, MERGES)):
        return directory / VOCAB
    raise VocabularyError(_nothing(directory), str(directory))


def is_vocabulary(path: Path) -> bool:
    """Tell whether a file is named as one that `vocabulary_file` takes by itself."""
    return any(fnmatchcase(path.name, pattern) for pattern in _NAMES)


def _nothing(directory: Path) -> str:
    inside = {path.name for path in directory.iterdir()}
    for name, other in ((VOCAB, MERGES), (MERGES, VOCAB)):
        if name in inside:
            return (
                f"{directory} holds {name} without {other}, which belongs to it; get both files, "
                "or a tokenizer.json"
            )
    if {"encoder.json", "vocab.bpe"} <= inside:
        return (
            f"{directory} holds encoder.json and vocab.bpe, as vocab.json and merges.txt were "
            f"called once; write tokstream.load({str(directory / 'encoder.json')!r}, "
            f'merges={str(directory / "vocab.bpe")!r}, tokenizer_class="GPT2Tokenizer")'
        )
    if inside & {"vocab.txt", "spiece.model"}:
        return f"{directory} holds no BPE tokenizer; tokstream is for byte-pair encoding"
    return (
        f"{directory} holds no vocabulary file; looked for {', '.join(_NAMES)}, {VOCAB} with "
        f"{MERGES}. give the path of the file itself"
    )


def read_config(file: Path) -> Node | None:
    """Return the tokenizer_config.json beside a vocabulary file, None if there is none.

    Raises:
        VocabularyError: it is no JSON object.
    """
    return read_object(file.with_name(_CONFIG))


def read_object(path: Path) -> Node | None:
    """Return the JSON object in a file, None if there is no such file.

    Raises:
        VocabularyError: it is no JSON object.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    found = parse_document(data, str(path), str(path))
    found.members()
    return found


def end_of_text(config: Node | None) -> str | None:
    """Return the text of the token that ends a text, as a tokenizer_config.json names it."""
    if config is None:
        return None
    token = config.members().get("eos_token")
    if isinstance(token, dict):
        token = token.get("content")
    return token if isinstance(token, str) else None


def refuse_options(what: str, whose: str = "rank files", **options: object) -> None:
    """Refuse arguments that only other formats need.

    Args:
        what: the format at hand.
        whose: the formats that need them.
        options: the arguments.

    Raises:
        ConfigurationError: one of them is given.
    """
    for name, value in options.items():
        if value is not None:
            raise ConfigurationError(
                f"{name} is for {whose}; {what} says for itself what it is. leave {name} out"
            )
