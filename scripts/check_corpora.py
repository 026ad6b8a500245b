"""Compare whole corpora with the reference, in every encoding, and write a record.

Enters: the corpora of the tests (`tests/data.py`). Leaves: docs/records/corpora.md, with versions,
counts and differences; exit code 1 if there is any difference. Held back: nothing.

    python scripts/check_corpora.py [--max-bytes N] [--seed N] [--output PATH]

Each corpus is encoded by the reference, by one call, and by a stream in random chunks of
1 byte to 64 KB that are cut anywhere, also inside characters.
"""

from __future__ import annotations

import argparse
import datetime as dt
import hashlib
import platform
import random
import sys
import time
from array import array
from dataclasses import dataclass
from importlib.metadata import version
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

_ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(_ROOT / "tests"))

from commit import commit  # noqa: E402 - beside this script
from data import CORPUS_NAMES, corpus, tiktoken_encoding  # noqa: E402 - found by the line above
from tokstream import get_encoding, list_encoding_names  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LONGEST_CHUNK = 1 << 16

Text = TypeVar("Text", str, bytes)


def random_chunks(text: Text, rng: random.Random, longest: int = LONGEST_CHUNK) -> Iterator[Text]:
    """Yield chunks of 1 to `longest` units, every order of magnitude equally often."""
    begin = 0
    while begin < len(text):
        n = max(1, round(2.0 ** rng.uniform(0, log2(longest))))
        yield text[begin : begin + n]
        begin += n


@dataclass
class Result:
    """One corpus in one encoding."""

    encoding: str
    corpus: str
    n_bytes: int
    n_tokens: int
    n_chunks: int
    largest_delay: int
    digest: str
    first_difference: dict[str, int | None]

    @property
    def is_equal(self) -> bool:
        """Did both ways of encoding give the reference's ids?"""
        return not any(place is not None for place in self.first_difference.values())


def first_difference(found: Sequence[int], expected: Sequence[int]) -> int | None:
    """Return the index of the first id that differs, None if all are equal."""
    if found == expected:
        return None
    both = min(len(found), len(expected))
    return next((k for k in range(both) if found[k] != expected[k]), both)


def check(encoding: str, kind: str, text: str, rng: random.Random) -> Result:
    """Encode one corpus in the three ways and compare."""
    data = text.encode()
    expected = array("I", tiktoken_encoding(encoding).encode_ordinary(text))
    tokenizer = get_encoding(encoding)
    one_call = array("I", tokenizer.encode_ordinary(data))
    stream = tokenizer.stream(disallowed_special=())
    streamed = array("I")
    n_chunks = largest_delay = 0
    for chunk in random_chunks(data, rng):
        streamed.extend(stream.feed(chunk))
        n_chunks += 1
        largest_delay = max(largest_delay, stream.delay_bytes)
    streamed.extend(stream.finish())
    if sys.byteorder == "big":
        expected.byteswap()
    digest = hashlib.sha256(expected.tobytes()).hexdigest()[:16]
    if sys.byteorder == "big":
        expected.byteswap()
    differences = {
        "one call": first_difference(one_call, expected),
        "chunks": first_difference(streamed, expected),
    }
    n_bytes = len(data)
    return Result(
        encoding, kind, n_bytes, len(expected), n_chunks, largest_delay, digest, differences
    )


def report(results: list[Result], seed: int, seconds: float) -> str:
    """Return the record as Markdown."""
    n_different = sum(not result.is_equal for result in results)
    n_bytes = sum(result.n_bytes for result in results)
    versions = f"tokstream {version('tokstream')}, tiktoken {version('tiktoken')}"
    machine = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    head = ["encoding", "corpus", "bytes", "tokens", "chunks", "largest delay, bytes"]
    head += ["sha256 of the ids, little-endian 32 bits", "one call", "chunks"]
    lines = [
        "# Whole corpora against the reference",
        "",
        "Made by `python scripts/check_corpora.py`. Ids of whole corpora, plain text, by one call",
        "and by a stream in random chunks of 1 byte to 64 KB, compared with the reference's.",
        "",
        f"- date: {dt.datetime.now(dt.UTC).date()}",
        f"- {versions}, {machine}; commit {commit(_ROOT)}",
        f"- seed of the chunks: {seed}",
        f"- {len(results)} comparisons, {n_bytes:,} bytes in all, each two ways, {seconds:.0f} s",
        f"- **different: {n_different}**",
        "",
        f"| {' | '.join(head)} |",
        "|---|---|---:|---:|---:|---:|---|---|---|",
    ]
    for r in results:
        ways = ["equal" if k is None else f"**id {k}**" for k in r.first_difference.values()]
        lines.append(
            f"| {r.encoding} | {r.corpus} | {r.n_bytes:,} | {r.n_tokens:,} | {r.n_chunks:,} | "
            f"{r.largest_delay} | `{r.digest}` | {' | '.join(ways)} |"
        )
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--max-bytes", type=int, default=8 << 20, help="of each corpus")
    parser.add_argument("--seed", type=int, default=1, help="of the random chunks")
    parser.add_argument("--output", type=Path, default=_ROOT / "docs" / "records" / "corpora.md")
    options = parser.parse_args()
    begin = time.monotonic()
    results = []
    for kind in CORPUS_NAMES:
        text = corpus(kind, options.max_bytes)
        for encoding in list_encoding_names():
            rng = random.Random(f"{options.seed} {encoding} {kind}")
            result = check(encoding, kind, text, rng)
            results.append(result)
            state = "equal" if result.is_equal else f"DIFFERENT {result.first_difference}"
            print(f"{encoding:14} {kind:8} {result.n_tokens:9,} tokens  {state}", flush=True)
    results.sort(key=lambda result: list_encoding_names().index(result.encoding))
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(report(results, options.seed, time.monotonic() - begin))
    print(f"wrote {options.output}")
    return int(not all(result.is_equal for result in results))


if __name__ == "__main__":
    sys.exit(main())
