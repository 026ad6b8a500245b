"""The examples of docs/compat in fresh environments, each with the real package.

    python scripts/check_integrations.py [PAGE ...] [--wheel PATH]

For each page (langchain, llama-index, tiktoken, vllm, ...) a new virtual environment is made, the
wheel and what the page needs are installed into it, and its Python blocks run there, each in a
process of its own; what they print must be what the page says. Without `--wheel` one is built.
Pages that need nothing but tokstream's own extras need no list here. Exit code 1: a block differs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
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
    "huggingface": ["tokenizers==0.23.3", "transformers"],
    "langchain": ["langchain-text-splitters==1.1.3"],
    "llama-index": ["llama-index-core"],
    "tiktoken": ["tiktoken==0.14.0"],
    "tokenizers": ["tokenizers==0.23.3"],
    "transformers": ["transformers"],
    # not vLLM itself, which brings torch and needs no more of tokstream than its protocol
    "vllm": ["transformers"],
}


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
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    run(python, "-m", "pip", "install", "--quiet", wheel, *PACKAGES.get(page, []))
    installed = time.monotonic()
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


def main() -> int:
    """Read the arguments, and check."""
    pages = sorted(path.stem for path in PAGES.glob("*.md"))
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("page", nargs="*", choices=[*pages, []], help=", ".join(pages))
    parser.add_argument("--wheel", type=Path, help="what to install; built if left out")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        wheel = arguments.wheel or build(Path(scratch))
        faults = [
            check(page, wheel.resolve(), Path(scratch) / page) for page in arguments.page or pages
        ]
    return int(any(faults))


if __name__ == "__main__":
    sys.exit(main())
