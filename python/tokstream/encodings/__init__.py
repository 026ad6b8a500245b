"""Embedded encodings: names enter, ready tokenizers leave; nothing is ever downloaded.

A tokenizer is built at first use and then shared by the whole process.
"""

from __future__ import annotations

import os
from _thread import allocate_lock  # `threading` costs a start some milliseconds

from tokstream._light import TYPE_CHECKING
from tokstream.encodings.registry import (
    ENCODING_NAMES,
    EncodingSpec,
    load_automaton_bytes,
    spec,
    vocabulary,
)

if TYPE_CHECKING:
    from tokstream.tokenizer import Tokenizer

__all__ = [
    "ENCODING_NAMES",
    "EncodingSpec",
    "encoding_for_model",
    "get_encoding",
    "list_encoding_names",
    "load_automaton_bytes",
    "spec",
    "vocabulary",
]

_tokenizers: dict[str, Tokenizer] = {}
_lock = allocate_lock()


def _new_lock() -> None:
    global _lock  # noqa: PLW0603 - the old one may be held by a thread that the fork left behind
    _lock = allocate_lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_lock)


def get_encoding(name: str) -> Tokenizer:
    """Return an embedded encoding by name; the same object at every call, in every thread.

    Args:
        name: one of `list_encoding_names`, such as "o200k_base".

    Returns:
        The tokenizer, built at the first call.

    Raises:
        UnknownNameError: no such encoding; the message lists close matches.
    """
    name = spec(name).name
    if (known := _tokenizers.get(name)) is not None:
        return known
    with _lock:
        if name not in _tokenizers:
            from tokstream.tokenizer import Tokenizer  # noqa: PLC0415 - it imports this package

            _tokenizers[name] = Tokenizer._embedded(name)  # noqa: SLF001 - made for this call
        return _tokenizers[name]


def encoding_for_model(model: str) -> Tokenizer:
    """Return the embedded encoding that a model uses.

    Args:
        model: the name of a model, such as "gpt-4o" or "gpt-4o-2024-08-06".

    Returns:
        The tokenizer, as from `get_encoding`.

    Raises:
        UnknownNameError: the model is not known; the message lists close matches.
    """
    from tokstream.encodings.models import encoding_name_for_model  # noqa: PLC0415 - large

    return get_encoding(encoding_name_for_model(model))


def list_encoding_names() -> list[str]:
    """Return the names of the embedded encodings."""
    return list(ENCODING_NAMES)
