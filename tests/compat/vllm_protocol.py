"""The members of vLLM's `TokenizerLike`, with the names of their parameters.

Read from the source of the installed vLLM where there is one, without importing it (that takes
torch); else what that of the recorded version says.
"""

from __future__ import annotations

import ast
from importlib.util import find_spec
from pathlib import Path

__all__ = ["RECORDED", "RECORDED_VERSION", "installed_members"]

RECORDED_VERSION = "0.33.0"

_TEXT = ("add_special_tokens", "truncation", "max_length")
RECORDED: dict[str, tuple[str, ...] | None] = {
    "from_pretrained": ("path_or_repo_id", "trust_remote_code", "revision", "download_dir"),
    "num_special_tokens_to_add": (),
    "all_special_tokens": None,
    "all_special_ids": None,
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": None,
    "is_fast": None,
    "vocab_size": None,
    "max_token_id": None,
    "max_chars_per_token": None,
    "truncation_side": None,
    "__hash__": (),
    "__len__": (),
    "__call__": ("text", "text_pair", *_TEXT),
    "get_vocab": (),
    "get_added_vocab": (),
    "encode": ("text", "truncation", "max_length", "add_special_tokens"),
    "apply_chat_template": ("messages", "tools"),
    "convert_tokens_to_ids": ("tokens",),
    "convert_tokens_to_string": ("tokens",),
    "decode": ("ids", "skip_special_tokens"),
    "convert_ids_to_tokens": ("ids", "skip_special_tokens"),
}
"""Member to the names of its parameters without the first; None for a property."""


def installed_members() -> dict[str, tuple[str, ...] | None] | None:
    """Return what the installed vLLM says, None if there is none."""
    found = find_spec("vllm")
    for folder in (found.submodule_search_locations or ()) if found is not None else ():
        path = Path(folder) / "tokenizers" / "protocol.py"
        if path.is_file():
            return members(path.read_text("utf-8"))
    return None


def members(source: str) -> dict[str, tuple[str, ...] | None]:
    """Return the members of the class `TokenizerLike` in a source."""
    tree = ast.parse(source)
    (protocol,) = (
        node
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name == "TokenizerLike"
    )
    found: dict[str, tuple[str, ...] | None] = {}
    for node in protocol.body:
        if isinstance(node, ast.FunctionDef):
            names = {d.id for d in node.decorator_list if isinstance(d, ast.Name)}
            parameters = (*node.args.posonlyargs, *node.args.args[1:], *node.args.kwonlyargs)
            listed = tuple(parameter.arg for parameter in parameters)
            found[node.name] = None if "property" in names else listed
    return found
