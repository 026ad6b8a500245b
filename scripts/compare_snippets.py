"""Ordinary code with and without tokstream: equal results, and what it costs.

    python scripts/compare_snippets.py [LIBRARY ...] [--rounds N] [--seconds S] [--write]

Every file `snippets/with_LIBRARY.py` holds functions without arguments: the snippets. It is run as
it is, and again behind its own `PRELUDE`, the line that puts tokstream in. Processes of both kinds
take turns; of a snippet's times the least counts. A library that is not installed is left out, by
name. `--write` puts the table into docs/records/snippets.md. Exit code 1: a result differs.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import inspect
import json
import math
import os
import platform
import subprocess
import sys
import time
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from commit import commit

ROOT = Path(__file__).resolve().parents[1]
SNIPPETS = ROOT / "scripts" / "snippets"
RECORD = ROOT / "docs" / "records" / "snippets.md"
PACKAGES = {
    "langchain": "langchain-text-splitters",
    "llama_index": "llama-index-core",
}


@dataclass
class Found:
    """What a snippet gave, without tokstream and with it."""

    results: dict[str, set[str]] = field(default_factory=lambda: {"without": set(), "with": set()})
    seconds: dict[str, float] = field(
        default_factory=lambda: {"without": math.inf, "with": math.inf}
    )

    @property
    def is_equal(self) -> bool:
        """Every run gave the same."""
        return len(self.results["without"] | self.results["with"]) == 1

    @property
    def ratio(self) -> float:
        """How many times as long it takes without tokstream."""
        return self.seconds["without"] / self.seconds["with"]


def libraries() -> list[str]:
    """Return the libraries that have snippets."""
    return sorted(path.stem.removeprefix("with_") for path in SNIPPETS.glob("with_*.py"))


def run_here(library: str, seconds: float, *, has_tokstream: bool) -> None:
    """Run the snippets of a library in this process, and print what each gave and took."""
    sys.path.insert(0, str(SNIPPETS))
    path = SNIPPETS / f"with_{library}.py"
    if has_tokstream:
        lines = path.read_text("utf-8").splitlines()
        prelude = next(line for line in lines if line.startswith("PRELUDE = "))
        exec(json.loads(prelude.removeprefix("PRELUDE = ")), {})  # a line of our own file
    spec = importlib.util.spec_from_file_location(f"with_{library}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = {}
    for name, snippet in vars(module).items():
        if inspect.isfunction(snippet) and snippet.__module__ == module.__name__:
            result = snippet()
            digest = hashlib.sha256(repr(result).encode("utf-8", "surrogatepass")).hexdigest()
            found[name] = (digest, fastest(snippet, seconds))
    print(json.dumps(found))


def fastest(snippet: object, seconds: float) -> float:
    """Return the least time of a call, of as many as fit into so many seconds, one at least."""
    assert callable(snippet)
    least, begin = math.inf, time.perf_counter()
    while True:
        before = time.perf_counter()
        snippet()
        after = time.perf_counter()
        least = min(least, after - before)
        if after - begin > seconds:
            return least


def compare(library: str, rounds: int, seconds: float) -> dict[str, Found]:
    """Run a library's snippets in processes of both kinds."""
    sys.path.insert(0, str(ROOT / "tests"))
    from data import tiktoken_cache_dir  # noqa: PLC0415 - the tests' helper, without the network

    environment = {**os.environ, "TIKTOKEN_CACHE_DIR": str(tiktoken_cache_dir())}
    found: dict[str, Found] = {}
    for _ in range(rounds):
        for kind in ("without", "with"):
            command = [sys.executable, __file__, library, "--here", kind, "--seconds", str(seconds)]
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, env=environment
            )
            if done.returncode:
                raise SystemExit(f"{library}, {kind} tokstream:\n{done.stderr}")
            for name, (digest, took) in json.loads(done.stdout.splitlines()[-1]).items():
                entry = found.setdefault(name, Found())
                entry.results[kind].add(digest)
                entry.seconds[kind] = min(entry.seconds[kind], took)
    return found


def package_version(library: str) -> str | None:
    """Return the version of what a library's snippets use, None if it is not installed."""
    try:
        return version(PACKAGES.get(library, library))
    except PackageNotFoundError:
        return None


def table(found: dict[str, dict[str, Found]], rounds: int) -> str:
    """Write what was found as a table, with a line about how."""
    lines = [
        "| library | snippet | equal | without, µs | with, µs | ratio |",
        "|---|---|---|---|---|---|",
    ]
    for library, snippets in found.items():
        for name, entry in snippets.items():
            times = (f"{entry.seconds[kind] * 1e6:,.1f}" for kind in ("without", "with"))
            equal = "yes" if entry.is_equal else "**no**"
            lines.append(
                f"| {library} | {name.replace('_', ' ')} | {equal} | {' | '.join(times)} "
                f"| {entry.ratio:.1f} |"
            )
    all_found = [entry for snippets in found.values() for entry in snippets.values()]
    mean = math.exp(sum(math.log(entry.ratio) for entry in all_found) / len(all_found))
    versions = ", ".join(f"{library} {package_version(library)}" for library in found)
    n_equal = sum(entry.is_equal for entry in all_found)
    least = min(entry.ratio for entry in all_found)
    lines.append(
        f"\n{len(all_found)} snippets, {n_equal} with equal results; geometric mean of the ratios "
        f"{mean:.1f}, least {least:.1f}. Least of {rounds} processes each, in turns; {versions}, "
        f"tokstream {version('tokstream')} (commit {commit(ROOT)}), Python "
        f"{platform.python_version()}, {time.strftime('%Y-%m-%d')}."
    )
    return "\n".join(lines) + "\n"


def write(text: str) -> None:
    """Put the table into the record."""
    head = (
        "# Ordinary snippets, with and without tokstream\n\n"
        "The files in [scripts/snippets](../../scripts/snippets) as they are, and behind the one "
        "line at\nthe head of each that puts tokstream in. Written by\n"
        "`python scripts/compare_snippets.py --write`.\n\n"
    )
    RECORD.write_text(head + text, "utf-8")


def main() -> int:
    """Read the arguments, and compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("library", nargs="*", help="one of: " + ", ".join(libraries()))
    parser.add_argument("--rounds", type=int, default=3, help="processes of each kind")
    parser.add_argument("--seconds", type=float, default=0.2, help="for each snippet and process")
    parser.add_argument("--write", action="store_true", help="write the record")
    parser.add_argument("--here", choices=("without", "with"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.here:
        run_here(arguments.library[0], arguments.seconds, has_tokstream=arguments.here == "with")
        return 0
    found = {}
    for library in arguments.library or libraries():
        if package_version(library) is None:
            print(f"{library} is not installed, so its snippets are left out", file=sys.stderr)
            continue
        found[library] = compare(library, arguments.rounds, arguments.seconds)
    if not found:
        return 0
    text = table(found, arguments.rounds)
    print(text, end="")
    if arguments.write:
        write(text)
    return int(not all(e.is_equal for snippets in found.values() for e in snippets.values()))


if __name__ == "__main__":
    sys.exit(main())
