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
        expected: by text digest, then encoding.
    """

    name: str
    n_bytes: int
    encodings: list[str]
    analysis: str
    corpus: str = ""
    run: str = ""
    chunk: int = 0
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
        workloads.append(Workload(**entry, expected=known))
    return workloads
