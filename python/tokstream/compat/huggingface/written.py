"""A tokenizer as text: to save, to print, to pickle.

Enters: a state and settings. Leaves: the content of a tokenizer.json, or a file with it.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokstream.compat.huggingface.definition import Definition
    from tokstream.compat.huggingface.settings import Settings
    from tokstream.compat.huggingface.state import State
    from tokstream.compat.huggingface.tokenizer import Tokenizer

__all__ = ["state_as_text", "unpickled", "write_model", "write_text"]


def state_as_text(state: State, settings: Settings, *, pretty: bool) -> str:
    """Return the content of a tokenizer.json.

    Args:
        state: the tokenizer.
        settings: truncation and padding go into the file.
        pretty: indent it.
    """
    truncation, padding, _ = settings
    added: list[dict[str, Any]] = []
    for token_id, token in sorted(state.added.by_id.items()):
        added.append({"id": token_id, **token.__getstate__()})
    document = state.definition.document(
        added,
        None if truncation is None else truncation.written(),
        None if padding is None else padding.written(),
    )
    if pretty:
        return json.dumps(document, ensure_ascii=False, indent=2)
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file; it is replaced once all of it is written."""
    path = Path(path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_model(
    folder: str | os.PathLike[str], prefix: str | None, definition: Definition
) -> list[str]:
    """Write vocab.json and merges.txt; see `components.BPE.save`."""
    begin = "" if prefix is None else f"{prefix}-"
    vocab, merges = (Path(folder) / (begin + name) for name in ("vocab.json", "merges.txt"))
    model = definition.model()
    write_text(vocab, json.dumps(model["vocab"], ensure_ascii=False, separators=(",", ":")))
    lines = ["#version: 0.2", *(f"{left} {right}" for left, right in model["merges"])]
    write_text(merges, "\n".join(lines) + "\n")
    return [str(vocab), str(merges)]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def unpickled(kind: type[Tokenizer], text: bytes, splits_special: bool) -> Tokenizer:
    """Return a tokenizer from what `Tokenizer.__reduce__` gives."""
    from tokstream.compat.huggingface.load import load_document  # noqa: PLC0415 - a cycle

    tokenizer = kind._of(load_document(text, "<pickle>"))  # noqa: SLF001 - of the same package
    if splits_special:
        tokenizer.encode_special_tokens = True
    return tokenizer
