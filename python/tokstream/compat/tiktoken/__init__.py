"""tiktoken's names and behaviour on tokstream's engine.

    import tokstream.compat.tiktoken as tiktoken

is the one line that changes. What enters, leaves and is raised is what tiktoken 0.14 documents and
does; `install` also serves the libraries that import tiktoken themselves, `share_type` the code
that asks `isinstance(x, tiktoken.Encoding)`. docs/compat/tiktoken.md names the differences.
"""

from __future__ import annotations

from tokstream.compat.tiktoken.core import Encoding
from tokstream.compat.tiktoken.model import encoding_for_model, encoding_name_for_model
from tokstream.compat.tiktoken.registry import get_encoding, list_encoding_names
from tokstream.compat.tiktoken.takeover import install, share_type, uninstall

__all__ = [
    "Encoding",
    "encoding_for_model",
    "encoding_name_for_model",
    "get_encoding",
    "install",
    "list_encoding_names",
    "share_type",
    "uninstall",
]

__version__ = "0.14.0"
"""The version of tiktoken whose names and behaviour these are."""
