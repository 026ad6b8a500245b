"""A tokenizer from a file or directory: from its prepared file, or read and kept.

Enters: what `tokstream.load` is given. Leaves: the tokenizer.

A prepared file is good as long as the files that were read are the same: size, times and inode. Of
a directory all files count but those of weights, since which of them is read depends on the others.
"""

from __future__ import annotations

import os
import stat
from time import time_ns

from tokstream._light import TYPE_CHECKING
from tokstream.prepared import MIN_BYTES, Place
from tokstream.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tokstream.formats import Source

__all__ = ["load_source"]

_MAX_ENTRIES = 1000
"""A directory of more is no model's."""

_TICK_NS = 50_000_000
"""Two changes of a file within this time may carry the same one."""

_WEIGHTS = (".safetensors", ".bin", ".pt", ".pth", ".gguf", ".onnx", ".h5", ".msgpack", ".npz")


def load_source(
    source: Source,
    pattern: str | None,
    special_tokens: Mapping[str, int] | None,
    name: str | None,
    merges: Source | None = None,
    tokenizer_class: str | None = None,
) -> Tokenizer:
    """Return the tokenizer; arguments and errors are those of `tokstream.load`."""
    is_sound = special_tokens is None or hasattr(special_tokens, "items")
    states = _what_is_read(source, merges, tokenizer_class)
    state = _state_of(states) if is_sound else None  # or reading says what is wrong
    place = None
    if state is not None:
        path = os.path.abspath(os.fsdecode(source))  # type: ignore[arg-type]  # noqa: PTH100
        items = None if special_tokens is None else list(special_tokens.items())
        pair = None if merges is None else os.path.abspath(os.fsdecode(merges))  # type: ignore[arg-type]  # noqa: PTH100
        asked = (path, pattern, items, name, pair, tokenizer_class, _code())
        identity = "\n".join(map(repr, asked))
        label = name if isinstance(name, str) else os.path.basename(path)  # noqa: PTH119
        place = Place(label, f"source {identity}", state)
        if (known := _from_file(place)) is not None:
            return known
    from tokstream.formats import load_parts  # noqa: PLC0415 - what is prepared needs it not

    parts = load_parts(
        source, pattern, special_tokens, name, merges=merges, tokenizer_class=tokenizer_class
    )
    if place is not None and _state_of(states, settled=True) != state:
        place = None
    return Tokenizer._from_parts(parts, place)  # noqa: SLF001 - made for it


def _from_file(place: Place) -> Tokenizer | None:
    if (file := place.open()) is None:
        return None
    from tokstream.prepared.parts import StoredParts  # noqa: PLC0415 - it reads JSON

    try:
        return Tokenizer._from_file(StoredParts(file), place.path)  # noqa: SLF001 - made for it
    except ValueError:  # damaged: another one will be made
        return None


def _what_is_read(
    source: Source, merges: Source | None, tokenizer_class: str | None
) -> tuple[Source, ...]:
    """Return the files and directories that are read; content stands for itself.

    Beside a vocab.json other files say what it is: its directory is read.
    """
    if isinstance(source, str | os.PathLike) and not os.path.isdir(source):  # noqa: PTH112
        folder, name = os.path.split(os.path.abspath(os.fsdecode(source)))  # noqa: PTH100
        if name == "vocab.json" or merges is not None or tokenizer_class is not None:
            source = folder
    return (source,) if merges is None else (source, merges)


def _state_of(sources: tuple[Source, ...], *, settled: bool = False) -> str | None:
    """Return the state of the files that paths stand for; None if nothing is to be kept.

    Args:
        sources: what is read.
        settled: also None if a file was changed so lately that another change might not show.
    """
    states: list[tuple[str, os.stat_result]] = []
    try:
        for source in sources:
            if not isinstance(source, str | os.PathLike):
                return None
            states += _states(os.fsdecode(source))
    except (OSError, TypeError, ValueError):  # reading it will say what is wrong
        return None
    if len(states) > _MAX_ENTRIES or sum(state.st_size for _, state in states) < MIN_BYTES:
        return None
    latest = max(max(state.st_mtime_ns, state.st_ctime_ns) for _, state in states)
    if settled and latest > time_ns() - _TICK_NS:
        return None
    return "\n".join(
        f"{name!r} {state.st_size} {state.st_mtime_ns} {state.st_ctime_ns} {state.st_ino}"
        for name, state in states
    )


def _states(path: str) -> Iterator[tuple[str, os.stat_result]]:
    state = os.stat(path)  # noqa: PTH116 - paths are strings here
    if not stat.S_ISDIR(state.st_mode):
        if stat.S_ISREG(state.st_mode):
            yield "", state
        return
    with os.scandir(path) as entries:
        names = [entry.name for entry, _ in zip(entries, range(_MAX_ENTRIES + 1), strict=False)]
    for name in sorted(names):
        if not name.endswith(_WEIGHTS):
            state = os.stat(os.path.join(path, name))  # noqa: PTH116, PTH118
            if stat.S_ISREG(state.st_mode):
                yield name, state


def _code() -> str:
    """Return the state of the code that reads formats, where it may change without a version."""
    package = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120
    if os.path.basename(os.path.dirname(package)).endswith("-packages"):  # noqa: PTH119, PTH120
        return ""
    newest = 0
    for folder, _, names in os.walk(package):
        for name in names:
            if name.endswith(".py"):
                newest = max(newest, os.stat(os.path.join(folder, name)).st_mtime_ns)  # noqa: PTH116, PTH118
    return str(newest)
