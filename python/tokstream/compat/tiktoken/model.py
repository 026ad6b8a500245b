"""Model names: the name of a model enters, its encoding leaves.

`MODEL_TO_ENCODING` and `MODEL_PREFIX_TO_ENCODING` are plain dictionaries, as in tiktoken; what a
program adds to them counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokstream.compat.tiktoken.registry import get_encoding
from tokstream.encodings import models
from tokstream.errors import UnknownNameError

if TYPE_CHECKING:
    from tokstream.compat.tiktoken.core import Encoding

__all__ = ["encoding_for_model", "encoding_name_for_model"]

MODEL_PREFIX_TO_ENCODING: dict[str, str] = dict(models.MODEL_PREFIXES)
MODEL_TO_ENCODING: dict[str, str] = dict(models.MODELS)


def encoding_name_for_model(model_name: str) -> str:
    """Return the name of the encoding that a model uses.

    Raises:
        UnknownNameError: a `KeyError`: the model is not known.
    """
    if (name := MODEL_TO_ENCODING.get(model_name)) is not None:
        return name
    prefix = next(filter(model_name.startswith, MODEL_PREFIX_TO_ENCODING), None)
    if prefix is not None:
        return MODEL_PREFIX_TO_ENCODING[prefix]
    raise UnknownNameError(
        f"the encoding of model {model_name!r} is not known; if you know it, pass its name to "
        "get_encoding"
    )


def encoding_for_model(model_name: str) -> Encoding:
    """Return the encoding that a model uses.

    Raises:
        UnknownNameError: a `KeyError`: the model is not known.
    """
    return get_encoding(encoding_name_for_model(model_name))
