"""Measure the delay on the tests' corpora with `tokstream bench delay`, and write a record.

Enters: the corpora of the tests (`tests/data.py`). Leaves: docs/records/delay.md, and one picture
for each encoding in docs/pictures. Held back: nothing.

    python scripts/record_delay.py [--max-bytes N] [--samples N] [--seed N] [ENCODING ...]
"""

from __future__ import annotations

import argparse
import datetime as dt
import platform
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from data import CORPUS_NAMES, corpus  # noqa: E402 - found by the line above

HEAD = """\
# Delay on real text

Made by `python scripts/record_delay.py`, which runs `tokstream bench delay` on the beginnings of
the test corpora. Each text is fed byte by byte to a stream with `delay="composition"` and to one
with `delay="optimal"`. At sampled places the ids of many continuations are compared: no stream
whose ids are final can emit more than their common beginning, which gives a lower bound of the
delay for every algorithm. More continuations could only raise it.

- date: {date}
- machine: {machine}
- {n_bytes:,} bytes of each corpus, {n_samples:,} sampled places each
- text that spells a special token, as between documents, is that token
- the texts named `hard` are {n_hard:,} random pieces each of what patterns wait for:
  blanks and line breaks; capitals behind letters without case, marks and contractions; punctuation
"""

HARD = {
    "hard-blanks": (" ", "\n", "a", "  ", "\n\n", "\t", " " * 8),
    "hard-capitals": ("漢", "A", "B", "a", "ª", "\u0301", "'s", " "),
    "hard-punctuation": ("!", "/", "\n", "'", "-", "=", ".", "a", " ", "1"),
}
N_HARD = 50_000

TAIL = """\
## What the sampled places show

Between characters the stream has emitted all that the continuations agree on, except where a
special token may be forming: in a line break and `<`, the text from `<` on is kept from the
pattern, though it would end the pretoken in front of it either way. That is the delay of stages one
after another, at most the longest special token.

Inside a character a stream hands on nothing until the character is complete, though its first bytes
may already exclude what the tokens in front of it wait for. That is no matter for `str` chunks, nor
for bytes cut between characters; otherwise it costs at most three bytes and the tokens in front.
"""


def cpu() -> str:
    """Name the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next(
        (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")),
        platform.machine(),
    )


def main() -> int:
    """Run the command for each encoding; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("encodings", nargs="*", default=["cl100k_base", "o200k_base"])
    parser.add_argument("--max-bytes", type=int, default=1_000_000)
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="where to write")
    options = parser.parse_args()
    pictures = options.docs / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    (options.docs / "records").mkdir(exist_ok=True)
    head = HEAD.format(
        date=dt.datetime.now(dt.UTC).date(),
        machine=f"{cpu()}, {platform.system()} {platform.machine()}",
        n_bytes=options.max_bytes,
        n_samples=options.samples,
        n_hard=N_HARD,
    )
    parts = [head]
    with tempfile.TemporaryDirectory() as folder:
        for name in CORPUS_NAMES:
            Path(folder, name).write_text(corpus(name, options.max_bytes), "utf-8")
        for name, pieces in HARD.items():
            rng = random.Random(f"{options.seed} {name}")
            Path(folder, name).write_text("".join(rng.choices(pieces, k=N_HARD)), "utf-8")
        for encoding in options.encodings:
            picture = f"delay-{encoding}.svg"
            arguments = ["bench", "delay", "--markdown", "-e", encoding, "--special-text", "token"]
            arguments += ["--max-bytes", str(options.max_bytes), "--seed", str(options.seed)]
            arguments += ["--samples", str(options.samples), "--plot", str(pictures / picture)]
            done = subprocess.run(
                [sys.executable, "-m", "tokstream", *arguments, *CORPUS_NAMES, *HARD],
                cwd=folder,
                check=True,
                stdout=subprocess.PIPE,
                encoding="utf-8",
            )
            parts.append(f"{done.stdout}![distributions](../pictures/{picture})\n")
            print(f"measured {encoding}", flush=True)
    parts.append(TAIL)
    record = options.docs / "records" / "delay.md"
    record.write_text("\n".join(parts), "utf-8")
    print(f"wrote {record}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
