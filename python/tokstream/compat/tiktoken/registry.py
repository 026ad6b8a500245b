"""Encodings by name: the embedded ones, and those of `tiktoken_ext` plug-ins.

Enters: a name. Leaves: its `Encoding`, the same object at every call.
Held back: plug-ins are looked for once, when a name is not embedded or all names are asked for.

A plug-in is a module of the namespace package `tiktoken_ext` that defines `ENCODING_CONSTRUCTORS`:
name to a function that returns the keyword arguments of `Encoding`. tiktoken's own plug-in, which
downloads, is not asked: its encodings are embedded.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tokstream._locks import Lock
from tokstream.compat.tiktoken.core import Encoding
from tokstream.compat.tiktoken.takeover import standing_in
from tokstream.encodings import ENCODING_NAMES
from tokstream.encodings import get_encoding as get_tokenizer
from tokstream.errors import ConfigurationError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["get_encoding", "list_encoding_names"]

ENCODINGS: dict[str, Encoding] = {}
ENCODING_CONSTRUCTORS: dict[str, Callable[[], dict[str, Any]]] | None = None

_OWN_PLUGIN = "tiktoken_ext.openai_public"
# a plug-in may ask for an encoding while it is asked for one
_lock = Lock(is_reentrant=True)


def get_encoding(encoding_name: str) -> Encoding:
    """Return an encoding by name; the same object at every call, in every thread.

    Raises:
        UnknownNameError: a `ValueError`: no such encoding.
        ConfigurationError: a `ValueError`: the name is not `str`, or a plug-in is at fault.
    """
    if not isinstance(encoding_name, str):
        raise ConfigurationError(
            f"an encoding is named by a str, got {type(encoding_name).__name__}"
        )
    if (known := ENCODINGS.get(encoding_name)) is not None:
        return known
    with _lock:
        if encoding_name not in ENCODINGS:
            ENCODINGS[encoding_name] = _make(encoding_name)
        return ENCODINGS[encoding_name]


def list_encoding_names() -> list[str]:
    """Return the names of the embedded encodings and of those of plug-ins."""
    return [*ENCODING_NAMES, *_plugin_constructors()]


def _make(name: str) -> Encoding:
    if name in ENCODING_NAMES:
        return Encoding.from_tokenizer(get_tokenizer(name))
    constructors = _plugin_constructors()
    if name not in constructors:
        raise UnknownNameError(
            f"unknown encoding {name!r}; the embedded ones are {', '.join(ENCODING_NAMES)}; "
            f"plug-ins found: {list(_available_plugin_modules())}"
        )
    with standing_in():
        arguments = constructors[name]()
    return Encoding(**arguments)


@lru_cache
def _available_plugin_modules() -> Sequence[str]:
    try:
        package = importlib.import_module("tiktoken_ext")
    except ModuleNotFoundError:
        return ()
    found = pkgutil.iter_modules(package.__path__, "tiktoken_ext.")
    return tuple(module.name for module in found if module.name != _OWN_PLUGIN)


def _plugin_constructors() -> dict[str, Callable[[], dict[str, Any]]]:
    global ENCODING_CONSTRUCTORS  # noqa: PLW0603 - tiktoken's name for it, which some code reads
    if (known := ENCODING_CONSTRUCTORS) is not None:
        return known
    with _lock:
        if ENCODING_CONSTRUCTORS is None:
            with standing_in():
                ENCODING_CONSTRUCTORS = _find_constructors()
        return ENCODING_CONSTRUCTORS


def _find_constructors() -> dict[str, Callable[[], dict[str, Any]]]:
    constructors: dict[str, Callable[[], dict[str, Any]]] = {}
    for module_name in _available_plugin_modules():
        module = importlib.import_module(module_name)
        own = getattr(module, "ENCODING_CONSTRUCTORS", None)
        if own is None:
            raise ConfigurationError(
                f"the tiktoken plug-in {module_name} does not define ENCODING_CONSTRUCTORS; "
                "correct it or uninstall it"
            )
        for name, constructor in own.items():
            if name in constructors or name in ENCODING_NAMES:
                raise ConfigurationError(
                    f"the tiktoken plug-in {module_name} defines the encoding {name!r}, which is "
                    "there already; rename it or uninstall the plug-in"
                )
            constructors[name] = constructor
    return constructors
