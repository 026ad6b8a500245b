"""tokenizer.json, or a tokenizer of tokstream → the state of a `Tokenizer` as in `tokenizers`.

Enters: bytes of a file, a model on the hub, a native tokenizer. Leaves: state and settings.
Refused, by name: what cannot be written exactly as a tokenizer.json.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from tokstream._buffers import plain_if_text
from tokstream.compat.huggingface.added import AddedToken, AddedVocabulary
from tokstream.compat.huggingface.components import BPE
from tokstream.compat.huggingface.definition import Definition
from tokstream.compat.huggingface.settings import Padding, Settings, Truncation
from tokstream.compat.huggingface.state import State
from tokstream.errors import (
    ConfigurationError,
    MissingDependencyError,
    VocabularyError,
)
from tokstream.formats.document import Node, collector_paused, parse_document
from tokstream.formats.huggingface import read_with_model
from tokstream.formats.huggingface.model import read_model

if TYPE_CHECKING:
    from tokstream.formats.parts import TokenizerParts
    from tokstream.tokenizer import Tokenizer

__all__ = ["load_document", "load_hub", "read_document", "state_of", "state_of_model"]

Loaded = tuple[State, Settings]

_known: WeakValueDictionary[bytes, State] = WeakValueDictionary()


def load_document(data: bytes, label: str) -> Loaded:
    """Read a tokenizer.json.

    Args:
        data: its content.
        label: how to call it in messages.

    Raises:
        VocabularyError: it is damaged; the message says where.
        UnsupportedTokenizerError: a part that cannot be honoured exactly, by name.

    Cost: a second for 100,000 tokens; equal content that is in use is read once per process.
    """
    with collector_paused():
        return _read(data, label, None)


def _read(data: bytes, label: str, native: Tokenizer | None) -> Loaded:
    key = hashlib.sha256(data).digest()
    known = _known.get(key)
    document = parse_document(data, label, None)
    settings = _settings(document)
    if known is None:
        name = native.name if native is not None else f"tokenizer-{key.hex()[:12]}"
        known = read_document(document, name, native)
        _known[key] = known
    return known, settings


def read_document(document: Node, name: str, native: Tokenizer | None = None) -> State:
    """Return the state of a parsed document.

    Args:
        document: the document.
        name: what to call the tokenizer.
        native: its native tokenizer, if there is one already.
    """
    parts = None if native is None else native._parts  # noqa: SLF001 - of the same package
    if parts is None:
        parts, model = read_with_model(document, name)
    else:
        model = read_model(document["model"])
    return State(Definition.of(document, model), parts, _added(parts), native=native)


def _added(parts: TokenizerParts) -> AddedVocabulary:
    by_id = {
        token.id: AddedToken(
            token.content,
            single_word=token.single_word,
            lstrip=token.lstrip,
            rstrip=token.rstrip,
            normalized=token.normalized,
            special=token.special,
        )
        for token in parts.added_tokens
    }
    ids = {token.content: token.id for token in parts.added_tokens}
    specials = frozenset({token.content for token in parts.added_tokens if token.special})
    return AddedVocabulary(by_id, ids, specials)


def _settings(document: Node) -> Settings:
    truncation, padding = document.get("truncation"), document.get("padding")
    found: list[Any] = []
    for node, kind in ((truncation, Truncation), (padding, Padding)):
        if node is None:
            found.append(None)
            continue
        try:
            found.append(kind.read(node.members()))
        except (KeyError, TypeError) as error:
            raise node.wrong(f"is damaged ({error!r})") from None
    return Settings(found[0], found[1])


def load_hub(identifier: str, revision: str | None, token: str | None) -> Loaded:
    """Read the tokenizer.json of a model on the hub.

    Raises:
        MissingDependencyError: `huggingface_hub` is not installed.
    """
    try:
        from huggingface_hub import hf_hub_download  # noqa: PLC0415 - optional
    except ImportError as error:
        raise MissingDependencyError(
            "from_pretrained needs the package huggingface_hub; install it with "
            "`pip install tokstream[hub]`, or download the model's tokenizer.json and use from_file"
        ) from error
    identifier, revision = plain_if_text(identifier), plain_if_text(revision)
    path = hf_hub_download(identifier, "tokenizer.json", revision=revision, token=token)
    return load_document(Path(path).read_bytes(), f"{identifier}/tokenizer.json")


def state_of(native: Tokenizer) -> Loaded:
    """Return the state of a native tokenizer.

    A tokenizer.json or a SentencePiece model is read again, since it says more than the engine
    needs. What is no tokenizer.json is written as the one that it is usually converted to.

    Raises:
        UnsupportedTokenizerError: a part that a tokenizer.json cannot say exactly.
        ConfigurationError: the file it was loaded from is gone or has changed.
    """
    parts = native._parts  # noqa: SLF001 - of the same package
    if parts is None or parts.format in ("rank-file", "tekken.json"):
        from tokstream.compat.huggingface.converted import converted  # noqa: PLC0415

        return converted(native), Settings()
    if parts.origin is None:
        raise ConfigurationError(
            f"as_hf needs the {parts.format} file, which this tokenizer does not know; load it "
            "with tokstream.load"
        )
    place, digest = parts.origin
    with collector_paused():
        if isinstance(place, tuple):
            return _read_pair(native, place, digest, parts.tokenizer_class), Settings()
        data = _content(place, digest)
        if parts.format in ("tokenizer.json", "vocab.json"):
            return _read(data, native.name, native)
        return _read_pieces(data, native.name, place), Settings()


def _read_pair(
    native: Tokenizer, files: tuple[str, str], digest: bytes, tokenizer_class: str | None
) -> State:
    """Read vocab.json and merges.txt again: they, and what stands beside them, say it all."""
    from tokstream.formats.pair import convert  # noqa: PLC0415 - seldom needed

    known = _known.get(digest)
    if known is None:
        try:
            again = convert(*files, tokenizer_class)
        except OSError as error:
            raise ConfigurationError(_unreadable(files[0], error)) from error
        if again.digest != digest:
            raise VocabularyError(_changed(files[0]), files[0])
        known = read_document(again.document, native.name, native)
        _known[digest] = known
    return known


def _read_pieces(data: bytes, name: str, origin: str | bytes) -> State:
    from tokstream.compat.huggingface.pieces import document_of  # noqa: PLC0415 - seldom needed
    from tokstream.formats.sentencepiece.model import read_model as read_pieces  # noqa: PLC0415

    key = hashlib.sha256(data).digest()
    known = _known.get(key)
    if known is None:
        label = "<bytes>" if isinstance(origin, bytes) else origin
        document = document_of(read_pieces(data, label))
        known = read_document(Node(document, "$", label, None), name)
        _known[key] = known
    return known


def _content(path: str | bytes, digest: bytes) -> bytes:
    if isinstance(path, bytes):
        return path
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ConfigurationError(_unreadable(path, error)) from error
    if hashlib.sha256(data).digest() != digest:
        raise VocabularyError(_changed(path), path)
    return data


def _unreadable(path: str, error: OSError) -> str:
    return (
        f"as_hf reads {path} again, which cannot be read ({error}); keep the file, or use "
        "Tokenizer.from_str of tokstream.compat.huggingface"
    )


def _changed(path: str) -> str:
    return (
        f"as_hf reads {path} again, which has changed since it was loaded, or what stands beside "
        "it has; load it anew"
    )


def state_of_model(model: object) -> State:
    """Return the state of a tokenizer that is a model and nothing else.

    Args:
        model: a `BPE` of `tokenizers`, or one of ours.

    Raises:
        TypeError: something else.
        UnsupportedTokenizerError: a model that cannot be honoured exactly, by name.
    """
    names = [kind.__name__ for kind in type(model).__mro__]
    if "Model" not in names:
        raise TypeError(
            f"the model is {type(model).__name__}; give a BPE of tokenizers, or use from_file"
        )
    return _state_of_data(model.__getstate__(), names[0])


def unpickled_model(data: bytes) -> BPE:
    """Return a model from what `BPE.__reduce__` gives."""
    return BPE(_state_of_data(data, "pickle"))


def _state_of_data(data: Any, name: str) -> State:  # noqa: ANN401 - what a model's class gives
    data = data.decode() if isinstance(data, bytes) else data
    text = f'{{"version":"1.0","added_tokens":[],"model":{data}}}'
    return load_document(text.encode(), f"<{name}>")[0]
