"""Normalizers to compare: the native stage, and `tokenizers`, with the source of each character.

Enters: a spec (the tuples that the engine takes), or the reference's normalizers, and a text.
Leaves: the normalized text as characters, each with the source character that it comes from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from tokenizers import NormalizedString

from tokstream import _core

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Sequence

Spec: TypeAlias = "list[tuple[Any, ...]]"
Mapped: TypeAlias = "list[tuple[str, int | None]]"
Parts: TypeAlias = "list[tuple[bytes, int]]"


def run(spec: Spec | _core.Normalize, parts: Iterable[str]) -> Parts:
    """Parts given for a segment that arrives in `parts`; a stage that is given stays as it is."""
    stage = spec.copy() if isinstance(spec, _core.Normalize) else _core.Normalize(spec)
    given: Parts = []
    n_fed = 0
    for part in parts:
        n_fed += len(part.encode())
        given += stage.push(part)
        assert stage.n_held == n_fed - sum(n for _, n in given)
    given += stage.finish()
    assert stage.n_held == 0
    assert sum(n for _, n in given) == n_fed
    return given


def text_of(given: Parts) -> str:
    return b"".join(text for text, _ in given).decode()


def normalized(spec: Spec | _core.Normalize, text: str) -> str:
    return text_of(run(spec, [text]))


def mapped(given: Parts, source: str) -> Mapped:
    """Characters with the index of their source character, as `normalize/mod.rs` reads parts."""
    index = [i for i, c in enumerate(source) for _ in c.encode()]
    sources: list[int | None] = []
    at = 0
    for text, n_source in given:
        if n_source == len(text):
            sources += index[at : at + n_source]
        elif n_source:
            sources += [index[at]] * len(text)
        else:
            sources += [index[at - 1] if at else None] * len(text)
        at += n_source
    characters = []
    offset = 0
    for c in text_of(given):
        characters.append((c, sources[offset]))
        offset += len(c.encode())
    return characters


def reference_mapped(normalizers: Sequence[Any], source: str) -> list[tuple[str, str]]:
    """Characters with their source characters, from `tokenizers`; before all of them, none."""
    string = NormalizedString(source)
    for normalizer in normalizers:
        normalizer.normalize(string)
    parts = [string.slice((i, i + 1)) for i in range(len(string.normalized))]
    return [(part.normalized, part.original) for part in parts if part is not None]


def random_text(rng: random.Random, pools: Sequence[Sequence[str]], n: int) -> str:
    return "".join(rng.choice(rng.choice(pools)) for _ in range(n))
