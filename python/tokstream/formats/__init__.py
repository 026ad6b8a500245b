"""Vocabulary formats: a file in, the parts of a tokenizer out.

Enters: a source, told apart by content, and what its format cannot say (pattern, special tokens).
Leaves: the checked parts that a `Tokenizer` is made of. Nothing is guessed and nothing is fetched.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from tokstream.encodings.registry import ENCODING_NAMES, RANK_FILE_SHA256
from tokstream.errors import ConfigurationError
from tokstream.formats.detect import HEAD_BYTES, Detected, detect_content
from tokstream.formats.source import Source, open_source
from tokstream.formats.tiktoken import read_rank_file
from tokstream.vocabulary import check_special_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokstream.vocabulary import Vocabulary

__all__ = ["Detected", "Source", "detect", "load_parts", "read_rank_file"]


def detect(source: Source) -> Detected:
    """Say what a file is, by its content.

    Args:
        source: a path, or the content as a bytes-like object.

    Returns:
        Kind, wording and remedy; the remedy is empty for what `load_parts` reads.

    Raises:
        VocabularyError: a directory.
        OSError: the file cannot be read.
    """
    file, _, _ = open_source(source)
    with file:
        return detect_content(file.read(HEAD_BYTES), file)


def load_parts(
    source: Source,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    name: str | None = None,
) -> tuple[Vocabulary, str, dict[str, int], str]:
    """Read a vocabulary file and join it with what the file does not say.

    Args:
        source: a rank file: a path, or the content as a bytes-like object.
        pattern: the pretokenization pattern; a rank file has none, so it must be given.
        special_tokens: text to id; none if left out.
        name: what to call the tokenizer; by default the file's name without its ending.

    Returns:
        Vocabulary, pattern, special tokens, name.

    Raises:
        ConfigurationError: no pattern, or the name of an encoding in its place.
        VocabularyError: the file or the special tokens are not sound.
        OSError: the file cannot be read.
    """
    vocabulary = read_rank_file(source)
    if pattern is None:
        raise ConfigurationError(_no_pattern(source, vocabulary))
    if not isinstance(pattern, str):
        raise ConfigurationError(
            f"pattern is {type(pattern).__name__}, not str; give the text of the pattern"
        )
    if pattern in ENCODING_NAMES:
        raise ConfigurationError(
            f"pattern {pattern!r} is the name of an encoding; for its pattern write "
            f"pattern=tokstream.get_encoding({pattern!r}).pattern"
        )
    checked = check_special_tokens({} if special_tokens is None else special_tokens, vocabulary)
    return vocabulary, pattern, checked, name if name is not None else _name_of(source, vocabulary)


def _no_pattern(source: Source, vocabulary: Vocabulary) -> str:
    shown = "data" if isinstance(source, bytes | bytearray | memoryview) else repr(str(source))
    message = (
        "a rank file holds neither the pretokenization pattern nor the special tokens, and "
        f'tokstream does not guess them. pass both: tokstream.load({shown}, pattern=r"...", '
        f'special_tokens={{"<|endoftext|>": {vocabulary.n_vocab}}})'
    )
    known = hashlib.sha256(vocabulary.to_rank_file()).hexdigest()
    for name, digest in RANK_FILE_SHA256.items():
        if digest == known:
            return (
                f"{message}. these are the ranks of {name}, which is embedded with its pattern: "
                f"tokstream.get_encoding({name!r})"
            )
    return message


def _name_of(source: Source, vocabulary: Vocabulary) -> str:
    if isinstance(source, bytes | bytearray | memoryview):
        return f"vocabulary-{vocabulary.content_digest()[:12]}"
    return Path(source).stem
