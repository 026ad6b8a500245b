"""Compare every tokenizer of a folder with its reference, and write a record.

Enters: a folder with one folder per tokenizer, and corpora. Leaves: docs/records/formats.md, with
versions, counts and differences; exit code 1 if there is any difference. Held back: nothing.

    python scripts/check_formats.py FOLDER [--names NAME ...] [--max-bytes N] [--texts N]
                                    [--seed N] [--output PATH]

Each corpus is encoded by the reference, by one call, and by a stream in random chunks cut anywhere.
Generated texts, rich in special tokens, blanks, marks, controls, emoji and rare scripts, are
encoded both ways, too, and decoded by both, whole and id by id; so are random ids.
"""

from __future__ import annotations

import argparse
import datetime as dt
import platform
import random
import sys
import time
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

_ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(_ROOT / "tests"))

import tokstream  # noqa: E402 - below the line above
from commit import commit  # noqa: E402 - beside this script
from data import CORPUS_NAMES, corpus  # noqa: E402
from format_references import Reference, references  # noqa: E402
from format_texts import generated_texts, random_cuts  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokstream import Tokenizer

_MOST_SHOWN = 3
_DELAY_BYTES = 1 << 16


@dataclass
class Row:
    """What was found for one tokenizer."""

    name: str
    reference: str
    load_seconds: float = 0.0
    n_bytes: int = 0
    n_texts: int = 0
    encoded: int = 0
    streamed: int = 0
    decoded: int = 0
    path: str = ""
    memory: str = ""
    delays: list[int] = field(default_factory=list)
    refused: str = ""

    @property
    def n_different(self) -> int:
        """Differences of all kinds."""
        return self.encoded + self.streamed + self.decoded


class Comparison:
    """One tokenizer beside its reference."""

    def __init__(self, row: Row, tokenizer: Tokenizer, reference: Reference, seed: int) -> None:
        self.row = row
        self.tokenizer = tokenizer
        self.reference = reference
        self.rng = random.Random(seed)

    def corpus(self, text: str) -> None:
        """Compare one long text: one call, and a stream whose delay is noted."""
        data = text.encode()
        expected = self.reference.encode(text)
        self.row.n_bytes += len(data)
        self.row.n_texts += 1
        if self.tokenizer.encode(data) != expected:
            self._different("encoded", text)
        if self._streamed(data, 1 << 14) != expected:
            self._different("streamed", text)
        stream = self.tokenizer.stream()
        for chunk in random_cuts(self.rng, data[:_DELAY_BYTES], 8):
            stream.advance(chunk)
            self.row.delays.append(stream.delay_bytes)

    def short(self, text: str) -> None:
        """Compare one short text in every way."""
        data = text.encode()
        expected = self.reference.encode(text)
        self.row.n_bytes += len(data)
        self.row.n_texts += 1
        if self.tokenizer.encode(text) != expected:
            self._different("encoded", text)
        if self._streamed(data, self.rng.choice((1, 3, 12))) != expected:
            self._different("streamed", text)
        self.ids(expected)

    def ids(self, ids: Sequence[int]) -> None:
        """Compare what ids are decoded to."""
        expected = self.reference.decode(list(ids))
        stream = self.tokenizer.decode_stream()
        piecewise = "".join([stream.feed(token_id) for token_id in ids]) + stream.finish()
        if self.tokenizer.decode(ids) != expected or piecewise != expected:
            self._different("decoded", repr(list(ids)[:20]))

    def _streamed(self, data: bytes, longest: int) -> list[int]:
        stream = self.tokenizer.stream()
        ids: list[int] = []
        for chunk in random_cuts(self.rng, data, longest):
            ids += stream.feed(chunk)
        return ids + stream.finish()

    def _different(self, what: str, text: str) -> None:
        n = getattr(self.row, what) + 1
        setattr(self.row, what, n)
        if n <= _MOST_SHOWN:
            print(f"{self.row.name}: {what} otherwise: {text[:200]!r}", file=sys.stderr)


def check(reference: Reference, texts: list[str], n_generated: int, seed: int) -> Row:
    """Compare one tokenizer; `texts` are the corpora."""
    row = Row(reference.name, reference.what)
    start = time.process_time()
    try:
        tokenizer = reference.load()
    except tokstream.TokstreamError as error:
        row.refused = str(error)
        return row
    row.load_seconds = time.process_time() - start
    info = tokenizer.info()
    row.path = str(info.get("path", "one automaton"))
    streaming = info["streaming"]
    row.memory = str(streaming.get("memory", "")) if isinstance(streaming, dict) else ""
    comparison = Comparison(row, tokenizer, reference, seed)
    for text in texts:
        comparison.corpus(text)
    for text in generated_texts(comparison.rng, n_generated, reference.added):
        comparison.short(text)
    ids = reference.ids
    for _ in range(n_generated // 4):
        comparison.ids([comparison.rng.choice(ids) for _ in range(comparison.rng.randint(0, 12))])
    return row


def report(rows: list[Row], seed: int, seconds: float) -> str:
    """Return the record as Markdown."""
    names = ("tokenizers", "sentencepiece", "tiktoken")
    versions = ", ".join(f"{name} {version(name)}" for name in ("tokstream", *names))
    machine = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    head = ["tokenizer", "reference", "texts", "bytes", "one call", "chunks", "decoded"]
    head += ["engine", "memory", "delay mean", "max", "load, s of CPU"]
    lines = [
        "# Tokenizers of all formats against their references",
        "",
        "Made by `python scripts/check_formats.py`. Ids of corpora and of generated texts,",
        "by one call and by a stream in random chunks; what the reference's ids and random ids",
        "are decoded to, whole and one by one. Under *one call*, *chunks* and *decoded*: texts",
        "that came out otherwise than from the reference. Delay in bytes, on the corpora in",
        f"chunks of 1 to 8 bytes, {_DELAY_BYTES // 1024} KB of each.",
        "",
        f"- date: {dt.datetime.now(dt.UTC).date()}",
        f"- {versions}, {machine}; commit {commit(_ROOT)}",
        f"- seed: {seed}; {seconds:.0f} s",
        f"- **different: {sum(row.n_different for row in rows)}**",
        "",
        f"| {' | '.join(head)} |",
        "|---|---|---:|---:|---:|---:|---:|---|---|---:|---:|---:|",
    ]
    for row in rows:
        if row.refused:
            lines.append(f"| {row.name} | {row.reference} | refused: {row.refused} |")
            continue
        mean = sum(row.delays) / max(len(row.delays), 1)
        lines.append(
            f"| {row.name} | {row.reference} | {row.n_texts:,} | {row.n_bytes:,} | {row.encoded} | "
            f"{row.streamed} | {row.decoded} | {row.path} | {row.memory} | {mean:.1f} | "
            f"{max(row.delays, default=0)} | {row.load_seconds:.2f} |"
        )
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="one folder per tokenizer in it")
    parser.add_argument("--names", nargs="*", help="only these tokenizers")
    parser.add_argument("--max-bytes", type=int, default=8 << 20, help="of each corpus")
    parser.add_argument("--texts", type=int, default=20_000, help="generated texts per tokenizer")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=_ROOT / "docs/records/formats.md")
    options = parser.parse_args()
    texts = [corpus(name, options.max_bytes) for name in CORPUS_NAMES]
    start = time.perf_counter()
    rows = []
    for reference in references(options.folder, options.names or ()):
        rows.append(check(reference, texts, options.texts, options.seed))
        print(f"{rows[-1].name}: {rows[-1].refused or rows[-1].n_different}", file=sys.stderr)
    options.output.write_text(
        report(rows, options.seed, time.perf_counter() - start), encoding="utf-8"
    )
    return int(any(row.n_different for row in rows))


if __name__ == "__main__":
    sys.exit(main())
