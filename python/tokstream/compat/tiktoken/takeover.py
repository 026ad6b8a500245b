"""For code that cannot be changed: `install` answers its imports, `share_type` its `isinstance`.

Enters: nothing. Leaves: `sys.modules` or the bases of `Encoding` changed, for the whole process.
"""

from __future__ import annotations

import importlib.util
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tokstream.compat.tiktoken.core import Encoding
from tokstream.errors import ConfigurationError, MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

__all__ = ["install", "share_type", "standing_in", "uninstall"]

_OURS = __name__.rpartition(".")[0]
_SUBMODULES = ("core", "load", "model", "registry")


def install() -> None:
    """Make `import tiktoken` mean this package, in this process, from now on.

    Call it before anything imports tiktoken; then libraries such as LangChain, LlamaIndex and
    LiteLLM use tokstream unchanged. tiktoken need not be installed. A second call changes nothing.

    Raises:
        ConfigurationError: tiktoken was imported already: who did that keeps it.
    """
    current = sys.modules.get("tiktoken")
    if current is not None and current.__name__ != _OURS:
        raise ConfigurationError(
            "tiktoken was imported before install, and whoever did that keeps it; call "
            "tokstream.compat.tiktoken.install() first in the program"
        )
    for name, module in _modules().items():
        sys.modules[name] = module


def uninstall() -> None:
    """Undo `install`: later imports find the installed tiktoken, if there is one."""
    for name in _modules():
        module = sys.modules.get(name)
        if module is not None and module.__name__.startswith(_OURS):
            del sys.modules[name]


@contextmanager
def standing_in() -> Iterator[None]:
    """Answer imports of tiktoken in the body, if it is not installed: plug-ins import it."""
    if importlib.util.find_spec("tiktoken") is not None:
        yield
        return
    install()
    try:
        yield
    finally:
        uninstall()


def share_type() -> None:
    """Make encodings of this package pass `isinstance(x, tiktoken.Encoding)`, also existing ones.

    For programs in which both are used. Every verb stays tokstream's own.

    Raises:
        MissingDependencyError: tiktoken is not installed.
    """
    try:
        theirs: type = importlib.import_module("tiktoken").Encoding
    except ImportError as error:
        raise MissingDependencyError(
            "tiktoken is not installed, so nothing can ask for its type; pip install tiktoken, or "
            "call install() to take its place"
        ) from error
    if not issubclass(Encoding, theirs):
        Encoding.__bases__ = (*Encoding.__bases__, theirs)


def _modules() -> dict[str, ModuleType]:
    names = {"tiktoken": _OURS}
    names |= {f"tiktoken.{name}": f"{_OURS}.{name}" for name in _SUBMODULES}
    names["tiktoken_ext.openai_public"] = f"{_OURS}.openai_public"
    return {theirs: importlib.import_module(ours) for theirs, ours in names.items()}
