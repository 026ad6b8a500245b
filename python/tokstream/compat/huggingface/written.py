"""A tokenizer as text: to save, to print, to pickle.

Enters: a state and settings. Leaves: the content of a tokenizer.json, or a file with it.
"""

from __future__ import annotations

import json
import os
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    """Write a file.

    A regular file is replaced once all of the new one is written. What is something else (a device,
    a pipe), has other names, or stands where no file can be made is written to in its place; a link
    is followed.

    Raises:
        OSError: it cannot be written; the error names `path`.
    """
    target = os.path.realpath(path)
    try:
        status = os.stat(target)  # noqa: PTH116
    except OSError:  # to open it says why, if there is a reason
        status = None
    if status is None or (stat.S_ISREG(status.st_mode) and status.st_nlink == 1):
        temporary = f"{target}.{os.urandom(8).hex()}.part"
        try:
            file = _opened(temporary, "x")
        except OSError:
            pass  # of a name that is too long, of a folder that takes no files or is not there
        else:
            with _naming(path):
                _write_and_rename(file, text, temporary, target, status)
            return
    with _naming(path), _opened(path, "w") as file:
        file.write(text)


@contextmanager
def _naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let errors of the body name the path that was asked for."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = os.fspath(path), None
        raise


def _opened(path: str | os.PathLike[str], mode: str) -> TextIO:
    return cast("TextIO", open(path, mode, encoding="utf-8", newline="\n"))  # noqa: PTH123


def _write_and_rename(
    file: TextIO, text: str, temporary: str, target: str, status: os.stat_result | None
) -> None:
    try:
        with file:
            file.write(text)
        if status is not None:
            os.chmod(temporary, stat.S_IMODE(status.st_mode))  # noqa: PTH101 - paths are strings
        os.replace(temporary, target)  # noqa: PTH105
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108
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


def unpickled(kind: type[Tokenizer], text: bytes, splits_special: bool) -> Tokenizer:
    """Return a tokenizer from what `Tokenizer.__reduce__` gives."""
    from tokstream.compat.huggingface.load import load_document  # noqa: PLC0415 - a cycle

    tokenizer = kind._of(load_document(text, "<pickle>"))  # noqa: SLF001 - of the same package
    if splits_special:
        tokenizer.encode_special_tokens = True
    return tokenizer
