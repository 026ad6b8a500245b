"""The examples of docs/compat in fresh environments, each with the real package.

    python scripts/check_integrations.py [PAGE ...] [--tests] [--suite] [--vllm] [--wheel PATH]

For each page (langchain, llama-index, tiktoken, vllm, ...) a new virtual environment is made, the
wheel and what the page needs are installed into it, and its Python blocks run there, each in a
process of its own; what they print must be what the page says. Without `--wheel` one is built.
Pages that need nothing but tokstream's own extras need no list here.

`--tests` runs, in one more environment with all packages, the tests that a plain `pytest` skips for
want of them; `--suite` runs tiktoken's own tests, out of its source distribution, with tokstream in
its place; `--vllm` runs the tests that need vLLM (9 GB of packages; a quarter of an hour), those of
engines where it has a device. With one of these and without pages nothing else is run.

Exit code 1: a block differs, or a test fails, or is skipped (with `--tests` and `--suite`).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from doc_blocks import python_blocks  # noqa: E402 - the tests' helper

PAGES = ROOT / "docs" / "compat"
# what a page's own examples need besides the wheel; pinned where results are compared with it
PACKAGES = {
    "langchain": ["langchain-text-splitters==1.1.3"],
    "litellm": ["litellm==1.110.2"],
    "llama-index": ["llama-index-core"],
    "tiktoken": ["tiktoken==0.14.0"],
    "tokenizers": ["tokenizers==0.23.3"],
    "transformers": ["transformers"],
    # not vLLM itself, which brings torch: its tests are `--vllm`, the page needs none
    "vllm": ["transformers"],
}

# what `--tests` runs and installs: an extra's name, or a package
TESTS = [
    "tests/compat/test_transformers.py",
    "tests/compat/test_transformers_flows.py",
    "tests/compat/test_llama_index.py",
    "tests/compat/test_langchain.py",
    "tests/compat/test_litellm_installed.py",
    "tests/compat/test_vllm.py",
    "tests/compat/test_vllm_protocol.py",
    "tests/compat/test_hub.py",
    "tests/compat/test_pairs_installed.py",
    "tests/compat/test_snippets.py",
    "tests/docs/test_examples.py",
]
TEST_EXTRAS = "hub,langchain,llama-index,test,transformers"
TEST_PACKAGES = ["datasets", "jinja2", "litellm"]

# what `--vllm` installs: results are compared within it, so any version will do. Not the extra
# "test": what vLLM needs forbids its numpy, and pip would fetch one vLLM after the other for it
VLLM = ["hypothesis", "pytest", "pytest-timeout", "vllm"]
VLLM_TESTS = "tests/compat/test_vllm_installed.py"
# what `--suite` runs
SUITE = "tiktoken==0.14.0"
SUITE_START = "import tokstream.compat.tiktoken\n\ntokstream.compat.tiktoken.install()\n"


def run(*command: str | Path) -> None:
    """Run a command; its output is shown only if it fails."""
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def build(folder: Path) -> Path:
    """Build the wheel."""
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, ROOT)
    return next(folder.glob("*.whl"))


def check(page: str, wheel: Path, folder: Path) -> int:
    """Run the blocks of a page; return how many fail."""
    begin = time.monotonic()
    python, installed = environment(folder, wheel, *PACKAGES.get(page, []))
    blocks = python_blocks(PAGES / f"{page}.md")
    n_faults = 0
    for block in blocks:
        done = subprocess.run(
            [str(python), "-c", block.code],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        fault = block.fault(done.stdout) if done.returncode == 0 else done.stderr
        if fault is not None:
            n_faults += 1
            print(f"{block.place}: {fault}", file=sys.stderr)
    print(
        f"{page}: {len(blocks) - n_faults} of {len(blocks)} examples as they stand; installed in "
        f"{installed - begin:.0f} s, run in {time.monotonic() - installed:.0f} s",
        flush=True,
    )
    return n_faults


def environment(folder: Path, *packages: str | Path) -> tuple[Path, float]:
    """Make an environment with packages; return its Python, and when it was ready."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    run(python, "-m", "pip", "install", "--quiet", *packages)
    return python, time.monotonic()


def run_tests(
    name: str, python: Path, where: Path, *tests: str, may_skip: bool = False, seconds: float = 0
) -> int:
    """Run tests in an environment; return how many fail, or are skipped all the same."""
    begin = time.monotonic()
    # examples of the shell call the command
    path = os.pathsep.join((str(python.parent), os.environ.get("PATH", "")))
    done = subprocess.run(
        [str(python), "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *tests],
        cwd=where,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        # LiteLLM fetches a list of prices while it is imported, if it is not told otherwise
        env={**os.environ, "PATH": path, "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
    )
    lines = done.stdout.splitlines()
    skipped = [line for line in lines if line.startswith("SKIPPED")]
    if done.returncode or skipped:
        print(done.stdout, done.stderr, file=sys.stderr)
    print(
        f"{name}: {lines[-1] if lines else 'none'}; installed in {seconds:.0f} s, run in "
        f"{time.monotonic() - begin:.0f} s",
        flush=True,
    )
    return int(done.returncode != 0) + (0 if may_skip else len(skipped))


def check_tests(wheel: Path, folder: Path) -> int:
    """Run the tests that need other packages."""
    begin = time.monotonic()
    python, ready = environment(folder, f"{wheel}[{TEST_EXTRAS}]", *TEST_PACKAGES)
    return run_tests("tests", python, ROOT, *TESTS, seconds=ready - begin)


def check_suite(wheel: Path, folder: Path) -> int:
    """Run tiktoken's own tests on tokstream; the package itself is not even installed."""
    begin = time.monotonic()
    python, ready = environment(folder, f"{wheel}[numpy]", "pytest", "hypothesis", "regex")
    source = folder / "source"
    run(
        *(python, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"),
        *("--dest", source, SUITE),
    )
    with tarfile.open(next(source.glob("*.tar.gz"))) as archive:
        archive.extractall(source, filter="data")
    # beside the tests alone, without the package; some start processes of their own
    suite = folder / "suite"
    suite.mkdir()
    next(source.glob("*/tests")).rename(suite / "tests")
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    where = subprocess.check_output([str(python), "-c", code], text=True).strip()
    (Path(where) / "sitecustomize.py").write_text(SUITE_START)
    return run_tests("suite of tiktoken", python, suite, "tests", seconds=ready - begin)


def check_vllm(wheel: Path, folder: Path) -> int:
    """Run the tests that need vLLM; those of engines are skipped where it has no device."""
    begin = time.monotonic()
    python, ready = environment(folder, f"{wheel}[transformers]", *VLLM)
    return run_tests("vllm", python, ROOT, VLLM_TESTS, may_skip=True, seconds=ready - begin)


def main() -> int:
    """Read the arguments, and check."""
    pages = sorted(path.stem for path in PAGES.glob("*.md"))
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("page", nargs="*", choices=[*pages, []], help=", ".join(pages))
    parser.add_argument("--wheel", type=Path, help="what to install; built if left out")
    parser.add_argument("--tests", action="store_true", help="run tests that need the packages")
    parser.add_argument("--suite", action="store_true", help="run tiktoken's own tests")
    parser.add_argument("--vllm", action="store_true", help="run the tests that need vLLM")
    arguments = parser.parse_args()
    if not (arguments.tests or arguments.suite or arguments.vllm):
        arguments.page = arguments.page or pages
    with tempfile.TemporaryDirectory() as scratch:
        wheel = arguments.wheel or build(Path(scratch))
        wheel = wheel.resolve()
        faults = [check(page, wheel, Path(scratch) / page) for page in arguments.page]
        for name, chosen in (
            (check_tests, arguments.tests),
            (check_suite, arguments.suite),
            (check_vllm, arguments.vllm),
        ):
            if chosen:
                faults.append(name(wheel, Path(scratch) / name.__name__))
    return int(any(faults))


if __name__ == "__main__":
    sys.exit(main())
