"""Model names: the name of a model enters, the name of its encoding leaves.

The names are those that tiktoken 0.14 knows, so that a change of package changes no answer.
A full name is looked up first, then the prefixes in order; a prefix also answers for models that
do not exist (yet), which keeps dated and fine-tuned names working.
"""

from __future__ import annotations

from types import MappingProxyType

from tokstream._light import TYPE_CHECKING
from tokstream.encodings.registry import ENCODING_NAMES
from tokstream.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MODELS", "MODEL_PREFIXES", "encoding_name_for_model"]

_MODELS_BY_ENCODING = {
    "o200k_base": ("o1", "o3", "o4-mini", "gpt-5", "gpt-4.1", "gpt-4o"),
    "cl100k_base": (
        "gpt-4",
        "gpt-3.5-turbo",
        "gpt-3.5",
        "gpt-35-turbo",
        "davinci-002",
        "babbage-002",
        "text-embedding-ada-002",
        "text-embedding-3-small",
        "text-embedding-3-large",
    ),
    "p50k_base": (
        "text-davinci-003",
        "text-davinci-002",
        "code-davinci-002",
        "code-davinci-001",
        "code-cushman-002",
        "code-cushman-001",
        "davinci-codex",
        "cushman-codex",
    ),
    "p50k_edit": ("text-davinci-edit-001", "code-davinci-edit-001"),
    "r50k_base": (
        "text-davinci-001",
        "text-curie-001",
        "text-babbage-001",
        "text-ada-001",
        "davinci",
        "curie",
        "babbage",
        "ada",
        "text-similarity-davinci-001",
        "text-similarity-curie-001",
        "text-similarity-babbage-001",
        "text-similarity-ada-001",
        "text-search-davinci-doc-001",
        "text-search-curie-doc-001",
        "text-search-babbage-doc-001",
        "text-search-ada-doc-001",
        "code-search-babbage-code-001",
        "code-search-ada-code-001",
    ),
    "gpt2": ("gpt2", "gpt-2"),
}

MODELS: Mapping[str, str] = MappingProxyType(
    {model: encoding for encoding, models in _MODELS_BY_ENCODING.items() for model in models}
)
"""Full model name to encoding name."""

MODEL_PREFIXES: Mapping[str, str] = MappingProxyType(
    {
        "o1-": "o200k_base",
        "o3-": "o200k_base",
        "o4-mini-": "o200k_base",
        "gpt-5": "o200k_base",
        "gpt-4.5-": "o200k_base",
        "gpt-4.1-": "o200k_base",
        "chatgpt-4o-": "o200k_base",
        "gpt-4o-": "o200k_base",
        "gpt-4-": "cl100k_base",
        "gpt-3.5-turbo-": "cl100k_base",
        "gpt-35-turbo-": "cl100k_base",
        "gpt-oss-": "o200k_harmony",
        "ft:gpt-4o": "o200k_base",
        "ft:gpt-4": "cl100k_base",
        "ft:gpt-3.5-turbo": "cl100k_base",
        "ft:davinci-002": "cl100k_base",
        "ft:babbage-002": "cl100k_base",
    }
)
"""Beginning of a model name to encoding name; the first that fits counts."""


def encoding_name_for_model(model: str) -> str:
    """Return the name of the encoding that a model uses.

    Args:
        model: a model name, full or beginning with a known prefix.

    Returns:
        One of the embedded encodings' names.

    Raises:
        UnknownNameError: the name is not known; the message lists close matches.
    """
    if isinstance(model, str):
        if (name := MODELS.get(model)) is not None:
            return name
        for prefix, name in MODEL_PREFIXES.items():
            if model.startswith(prefix):
                return name
    raise UnknownNameError(_unknown_model(model))


def _unknown_model(model: object) -> str:
    import difflib  # noqa: PLC0415 - only for this message

    name = str(model)
    if name in ENCODING_NAMES:
        return (
            f"{model!r} is the name of an encoding, not of a model; "
            f"write tokstream.get_encoding({model!r})"
        )
    known = [*MODELS, *(prefix.rstrip("-") for prefix in MODEL_PREFIXES)]
    close = difflib.get_close_matches(name.lower(), dict.fromkeys(known), n=3, cutoff=0.6)
    meant = f"did you mean {' or '.join(map(repr, close))}? " if close else ""
    return (
        f"the encoding of model {model!r} is not known; {meant}if you know its encoding, pass it "
        f"to tokstream.get_encoding: {', '.join(ENCODING_NAMES)}. for an open model, load its "
        "vocabulary file with tokstream.load"
    )
