"""What is measured: TOML files in `workloads/` come in, checked descriptions go out."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Expected", "Workload", "load"]

FOLDER = Path(__file__).parent / "workloads"


@dataclass(frozen=True)
class Expected:
    """Ids of a text, known from the reference: how many, and their digest (`digests.of_ids`)."""

    n_tokens: int
    ids: str


@dataclass(frozen=True)
class Workload:
    """One text and the encodings to run it through.

    Attributes:
        name: unique in its file.
        n_bytes: UTF-8 bytes of text, at most.
        encodings: names that `made` knows.
        analysis: what this text is good for.
        corpus: name of real text (`texts.corpus`), or
        run: kind of generated text (`texts.run`).
        chunk: bytes per chunk, where a stream is fed and the workload says how.
        corpora: names of several texts, where one process takes them all.
        sizes: bytes of text, where one process takes several.
        engines: who is measured (`engines/peers.py`).
        measures: what of it, where there is a choice.
        rounds: by engine, at most so many of the rounds.
        limits: by engine, the most bytes it is given.
        expected: by text digest, then encoding.
    """

    name: str
    n_bytes: int
    encodings: list[str]
    analysis: str
    corpus: str = ""
    run: str = ""
    chunk: int = 0
    corpora: list[str] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    engines: list[str] = field(default_factory=list)
    measures: list[str] = field(default_factory=list)
    rounds: dict[str, int] = field(default_factory=dict)
    limits: dict[str, int] = field(default_factory=dict)
    expected: dict[str, dict[str, Expected]] = field(default_factory=dict)


def load(benchmark: str, n_bytes: int | None = None) -> list[Workload]:
    """Read `workloads/BENCHMARK.toml`; `n_bytes` limits every size, to try things out."""
    with (FOLDER / f"{benchmark}.toml").open("rb") as file:
        entries = tomllib.load(file)["workload"]
    workloads = []
    for entry in entries:
        known = {
            text: {encoding: Expected(**ids) for encoding, ids in encodings.items()}
            for text, encodings in entry.pop("expected", {}).items()
        }
        if n_bytes is not None:
            entry["n_bytes"] = min(n_bytes, entry["n_bytes"])
            if "sizes" in entry:
                entry["sizes"] = sorted({min(n_bytes, size) for size in entry["sizes"]})
        workloads.append(Workload(**entry, expected=known))
    return workloads
