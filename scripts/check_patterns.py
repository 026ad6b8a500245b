"""Compare every published pattern with its reference engine, and record the result.

In: the installed tiktoken and tokenizers. Out: a Markdown record with versions, counts and
differences; exit status 1 if there is any difference. Takes about a minute and a half per pattern.

    python scripts/check_patterns.py [--strings N] [--step N] [--only NAME ...] [--record FILE]
"""

from __future__ import annotations

import argparse
import datetime as dt
import importlib.metadata
import platform
import sys
import time
from pathlib import Path

_TESTS = Path(__file__).resolve().parent.parent / "tests" / "patterns"
sys.path.insert(0, str(_TESTS))

from pattern_check import Check, check  # noqa: E402
from published import PUBLISHED  # noqa: E402

_TITLE = """\
# Patterns compared with their reference engines

Written by `scripts/check_patterns.py`; do not edit. Each pattern is compiled and cuts texts, and so
does the engine it was published for: tiktoken (whose cuts are made visible by two vocabularies, see
`tests/patterns/pattern_oracles.py`) or a `Split` of tokenizers. The texts: every code point in nine
places (alone, doubled, beside letters, digits, blanks, line ends, apostrophes and punctuation);
every short sequence of the classes of code points the pattern can tell apart; random texts of 1 to
24 code points, half of them over an adversarial alphabet, half class by class.
"""


_HEADINGS = (
    "| pattern | dialect | states | classes | compile ms | code points | class sequences "
    "| random texts | differences |"
)


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strings", type=int, default=1_000_000, help="random texts per pattern")
    parser.add_argument("--step", type=int, default=1, help="compare every STEP-th code point")
    parser.add_argument("--only", nargs="*", choices=sorted(PUBLISHED), help="these patterns")
    parser.add_argument("--record", type=Path, help="file to write the record to")
    options = parser.parse_args()
    results: list[Check] = []
    for name in options.only or PUBLISHED:
        began = time.perf_counter()
        result = check(PUBLISHED[name], strings=options.strings, step=options.step)
        results.append(result)
        seconds = time.perf_counter() - began
        print(f"{name}: {len(result.differences)} differences, {seconds:.0f} s", flush=True)
        for text in result.differences[:5]:
            print(f"  {text!r}")
    if options.record is not None:
        options.record.parent.mkdir(parents=True, exist_ok=True)
        options.record.write_text(_record(results), encoding="utf-8")
    return int(any(result.differences for result in results))


def _record(results: list[Check]) -> str:
    versions = ", ".join(
        f"{package} {importlib.metadata.version(package)}"
        for package in ("tokstream", "tiktoken", "tokenizers")
    )
    today = dt.datetime.now(tz=dt.UTC).date().isoformat()
    lines = [
        _TITLE,
        f"Date: {today}. Versions: {versions}, Python {platform.python_version()}.\n",
        _HEADINGS,
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines.extend(
        f"| {r.name} | {r.dialect} | {r.n_states} | {r.n_classes} | {r.compile_ms:.0f} "
        f"| {r.n_code_points:,} | {r.n_class_texts:,} | {r.n_random_texts:,} "
        f"| {len(r.differences)} |"
        for r in results
    )
    lines.extend(
        f"\nDifference in {r.name}: `{text!r}`" for r in results for text in r.differences[:20]
    )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
