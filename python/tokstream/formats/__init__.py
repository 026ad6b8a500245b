"""Vocabulary formats: a file in, the parts of a tokenizer out.

Enters: a source, told apart by content, and what its format cannot say (pattern, special tokens).
Leaves: the checked parts that a `Tokenizer` is made of. Nothing is guessed and nothing is fetched.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tokstream._buffers import plain_if_text
from tokstream._checks import check_special_tokens
from tokstream.encodings.registry import ENCODING_NAMES, RANK_FILE_SHA256
from tokstream.errors import ConfigurationError, VocabularyError
from tokstream.formats.detect import HEAD_BYTES, Detected, detect_content, document_kind
from tokstream.formats.directory import (
    MERGES,
    VOCAB,
    end_of_text,
    read_config,
    refuse_options,
    vocabulary_file,
)
from tokstream.formats.document import collector_paused, parse_document
from tokstream.formats.known import known_model, special_tokens_of
from tokstream.formats.parts import AddedToken, Template, TokenizerParts
from tokstream.formats.source import Source, open_source
from tokstream.formats.tiktoken import read_rank_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokstream.formats.document import Node
    from tokstream.vocabulary import Vocabulary

__all__ = ["Detected", "Source", "TokenizerParts", "detect", "load_parts", "read_rank_file"]

_GENERIC_STEMS = ("tokenizer", "tekken", "tiktoken", "vocab", "vocabulary")


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
    *,
    merges: Source | None = None,
    tokenizer_class: str | None = None,
) -> TokenizerParts:
    """Read a tokenizer, and join it with what its file does not say.

    Args:
        source: a file, the content of one as a bytes-like object, or a directory with one.
        pattern: the pretokenization pattern; for rank files, which have none.
        special_tokens: text to id; for rank files.
        name: what to call the tokenizer; by default the file's name without its ending.
        merges: the merge list, if the source is a vocab.json; by default merges.txt beside it.
        tokenizer_class: whose recipe that pair has; by default as the files beside it say.

    Returns:
        The parts.

    Raises:
        ConfigurationError: no pattern for a rank file, no class for a vocab.json, or one of them
            for another file.
        VocabularyError: the file or the special tokens are not sound.
        UnsupportedTokenizerError: a part of the file that cannot be honoured exactly.
        OSError: the file cannot be read.
    """
    source, merges = plain_if_text(source), plain_if_text(merges)
    directory: Path | None = None
    if not isinstance(source, bytes | bytearray | memoryview) and Path(source).is_dir():
        directory = Path(source)
        source = vocabulary_file(directory)
        if name is None:
            name = directory.resolve().name
    if merges is None and _is_pair(source):
        merges = Path(source).with_name(MERGES)  # type: ignore[arg-type]
    if merges is not None:
        return _read_pair(source, merges, tokenizer_class, name, pattern, special_tokens)
    with collector_paused():
        parts = _read(source, pattern, special_tokens, name, tokenizer_class)
    config = None if directory is None else read_config(Path(source))  # type: ignore[arg-type]
    if parts is None:
        return _rank_file_parts(source, pattern, special_tokens, name, config)
    end = end_of_text(config)
    return replace(parts, eos=end) if end in parts.special_tokens else parts


def _read(
    source: Source,
    pattern: str | None,
    special_tokens: Mapping[str, int] | None,
    name: str | None,
    tokenizer_class: str | None,
) -> TokenizerParts | None:
    """Read a file that says all of a tokenizer; None for others, which may be rank files."""
    file, path, label = open_source(source)
    with file:
        found = detect_content(file.peek(HEAD_BYTES)[:HEAD_BYTES])
        refuse_options(found.what, f"{VOCAB} with {MERGES}", tokenizer_class=tokenizer_class)
        if found.kind not in ("sentencepiece", "json"):
            return None
        data = file.read()
    what = "a JSON file" if found.kind == "json" else found.what
    refuse_options(what, pattern=pattern, special_tokens=special_tokens)
    name = name or _name_of(source, data)
    if found.kind == "json":
        parts = _read_document(parse_document(data, label, path), name)
    else:
        from tokstream.formats.sentencepiece import read_sentencepiece  # noqa: PLC0415

        parts = read_sentencepiece(data, name, label, path)
    if parts.format == "tekken.json":  # the parts say all that it says
        return parts
    origin = data if path is None else str(Path(path).absolute())
    return replace(parts, origin=(origin, hashlib.sha256(data).digest()))


def _is_pair(source: Source) -> bool:
    """Tell whether a source is a vocab.json that has its merges beside it."""
    if isinstance(source, bytes | bytearray | memoryview):
        return False
    path = Path(source)
    return path.name == VOCAB and path.is_file() and path.with_name(MERGES).is_file()


def _read_pair(
    source: Source,
    merges: Source,
    tokenizer_class: str | None,
    name: str | None,
    pattern: str | None,
    special_tokens: Mapping[str, int] | None,
) -> TokenizerParts:
    from tokstream.formats.pair import read_pair  # noqa: PLC0415 - seldom needed

    refuse_options(f"the class of a {VOCAB}", pattern=pattern, special_tokens=special_tokens)
    if name is None and not isinstance(source, bytes | bytearray | memoryview):
        name = _stem(Path(source))
    with collector_paused():
        return read_pair(source, merges, tokenizer_class, name)


def _read_document(document: Node, name: str) -> TokenizerParts:
    found = document_kind(document.value)
    if found.kind == "tokenizer.json":
        from tokstream.formats.huggingface import read_tokenizer_json  # noqa: PLC0415

        return read_tokenizer_json(document, name)
    if found.kind == "tekken.json":
        from tokstream.formats.tekken import read_tekken  # noqa: PLC0415

        return read_tekken(document, name)
    raise VocabularyError(f"{document.label} is {found.what}; {found.remedy}", document.path)


def _rank_file_parts(
    source: Source,
    pattern: str | None,
    special_tokens: Mapping[str, int] | None,
    name: str | None,
    config: Node | None,
) -> TokenizerParts:
    vocabulary = read_rank_file(source)
    known = None if pattern is not None or config is None else known_model(config)
    if known is not None and config is not None:
        pattern = known.pattern
        if special_tokens is None:
            special_tokens = special_tokens_of(known, config, vocabulary.n_vocab)
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
    bos = checked.get(known.bos) if known is not None else None
    end = known.eos if known is not None else None
    return TokenizerParts(
        name=name if name is not None else _rank_file_name(source, vocabulary),
        format="rank-file",
        vocabulary=vocabulary,
        n_vocab=max(vocabulary.n_vocab, 1 + max(checked.values(), default=-1)),
        normalizer=() if known is None else known.normalizer,
        automaton=_compiled(pattern),
        pattern=pattern,
        dialect="tiktoken",
        added_tokens=tuple(AddedToken(text, token_id) for text, token_id in checked.items()),
        special_tokens=checked,
        template=Template(() if bos is None else (bos,)),
        special_default="refuse" if known is None else "recognise",
        eos=end if end in checked else None,
    )


def _compiled(pattern: str) -> bytes:
    from tokstream.patterns import compile_pattern  # noqa: PLC0415 - it brings the compiler

    return compile_pattern(pattern).to_bytes()


def _no_pattern(source: Source, vocabulary: Vocabulary) -> str:
    shown_source = (
        "data" if isinstance(source, bytes | bytearray | memoryview) else repr(str(source))
    )
    message = (
        "a rank file holds neither the pretokenization pattern nor the special tokens, and "
        f'tokstream does not guess them. pass both: tokstream.load({shown_source}, pattern=r"...", '
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


def _rank_file_name(source: Source, vocabulary: Vocabulary) -> str:
    if isinstance(source, bytes | bytearray | memoryview):
        return f"vocabulary-{vocabulary.content_digest()[:12]}"
    return _stem(Path(source))


def _name_of(source: Source, data: bytes) -> str:
    if isinstance(source, bytes | bytearray | memoryview):
        return f"tokenizer-{hashlib.sha256(data).hexdigest()[:12]}"
    return _stem(Path(source))


def _stem(path: Path) -> str:
    """A file's name without its ending; the directory's where that says nothing."""
    stem = path.name.split(".", 1)[0] if path.name.startswith("tokenizer.") else path.stem
    if stem in _GENERIC_STEMS and (parent := path.resolve().parent.name):
        return parent
    return stem
