"""Model names: the name of a model enters, its encoding leaves.

`MODEL_TO_ENCODING` and `MODEL_PREFIX_TO_ENCODING` are plain dictionaries, as in tiktoken; what a
program adds to them counts.
"""

from __future__ import annotations

from tokstream.compat.tiktoken.core import Encoding
from tokstream.compat.tiktoken.errors import UnknownModelError
from tokstream.compat.tiktoken.registry import get_encoding
from tokstream.encodings import models

__all__ = ["Encoding", "encoding_for_model", "encoding_name_for_model"]

MODEL_PREFIX_TO_ENCODING: dict[str, str] = dict(models.MODEL_PREFIXES)
MODEL_TO_ENCODING: dict[str, str] = dict(models.MODELS)


_MAX_KEPT = 1024
# the prefixes that there were, and the first of them that a name begins with
_kept: tuple[tuple[str, ...], dict[str, str | None]] = ((), {})


def encoding_name_for_model(model_name: str) -> str:
    """Return the name of the encoding that a model uses.

    Raises:
        UnknownNameError: a `KeyError`: the model is not known.
    """
    if (name := MODEL_TO_ENCODING.get(model_name)) is not None:
        return name
    if (prefix := _prefix_of(model_name)) is not None:
        return MODEL_PREFIX_TO_ENCODING[prefix]
    raise UnknownModelError(model_name)


def _prefix_of(model_name: str) -> str | None:
    global _kept  # noqa: PLW0603 - programs may change the prefixes at any time
    prefixes, found = _kept
    if prefixes != (now := tuple(MODEL_PREFIX_TO_ENCODING)) or len(found) >= _MAX_KEPT:
        prefixes, found = _kept = now, {}
    try:
        return found[model_name]
    except KeyError:
        prefix = next(filter(model_name.startswith, prefixes), None)
        return found.setdefault(model_name, prefix)


def encoding_for_model(model_name: str) -> Encoding:
    """Return the encoding that a model uses.

    Raises:
        UnknownNameError: a `KeyError`: the model is not known.
    """
    return get_encoding(encoding_name_for_model(model_name))
