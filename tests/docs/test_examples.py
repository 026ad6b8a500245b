"""Everything that the documentation shows runs and prints what it says.

Python blocks run in an empty directory, those marked `alone` in a process of their own; those that
need a package are skipped where it is missing. What stands as a comment behind a `print`, or in the text
block behind the Python block, is what must come out. Shell blocks run where their files are.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib
import importlib.util
import io
import os
import pkgutil
import re
import runpy
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import tokstream
from doc_blocks import python_blocks
from tokstream.errors import MissingDependencyError

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SHELL = re.compile(r"(?P<before>[^\n]*)\n```sh\n(?P<code>.*?)^```\n", re.DOTALL | re.MULTILINE)


def shell_blocks() -> dict[str, re.Match[str]]:
    """Find the shell blocks of all documents, by document and line."""
    found = {}
    for path in DOCUMENTS:
        text = path.read_text("utf-8")
        for match in SHELL.finditer(text):
            if "command:" not in match["before"]:
                line = text.count("\n", 0, match.start()) + 1
                found[f"{path.name}:{line}"] = match
    return found


PYTHON_BLOCKS = {block.place: block for path in DOCUMENTS for block in python_blocks(path)}
SHELL_BLOCKS = shell_blocks()


@pytest.mark.parametrize("place", PYTHON_BLOCKS)
def test_python_blocks(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    block = PYTHON_BLOCKS[place]
    for package in block.needs:
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "example.py"
    script.write_text(block.code, "utf-8")
    if block.is_alone:
        command = [sys.executable, "-W", "error", str(script)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        printed = done.stdout
    else:
        with contextlib.redirect_stdout(io.StringIO()) as stdout:
            runpy.run_path(str(script), run_name="__main__")
        printed = stdout.getvalue()
    assert block.fault(printed) is None


@pytest.mark.parametrize("place", SHELL_BLOCKS)
def test_shell_blocks(place: str, tmp_path: Path) -> None:
    """Every line that calls `tokstream`; what it reads is there."""
    block = SHELL_BLOCKS[place]
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "some-program"
    program.write_text("#!/bin/sh\necho text that arrives\n")
    program.chmod(0o755)
    for name in ("big.txt", "prompt.txt", "src/one.txt", "docs/two.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("Some text of a few words.\n")
    lines = [line for line in block["code"].splitlines() if re.search(r"\btokstream\b", line)]
    assert lines
    search = [str(tmp_path / "bin"), sysconfig.get_path("scripts"), os.environ["PATH"]]
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", "\n".join(lines)],
        cwd=tmp_path,
        env={**os.environ, "PATH": os.pathsep.join(search)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", ["run", "test"])
def test_the_commands_of_the_readme_are_found(name: str) -> None:
    """CI runs them; here it matters that it can find them."""
    script = ROOT / "scripts" / "readme_command.py"
    done = subprocess.run(
        [sys.executable, script, name], capture_output=True, text=True, check=True
    )
    assert ".venv/bin/" in done.stdout


def test_links_lead_somewhere() -> None:
    for path in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text("utf-8")):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


def test_tables_are_up_to_date() -> None:
    script = ROOT / "benchmarks" / "report.py"
    done = subprocess.run(
        [sys.executable, script, "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def modules_with_examples() -> list[str]:
    """All modules of the installed package whose source has a prompt."""
    found = []
    for module in pkgutil.walk_packages(tokstream.__path__, "tokstream."):
        spec = importlib.util.find_spec(module.name)
        origin = spec.origin if spec is not None else None
        if origin and origin.endswith(".py") and ">>> " in Path(origin).read_text("utf-8"):
            found.append(module.name)
    return found


@pytest.mark.parametrize("name", modules_with_examples())
def test_docstring_examples(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except MissingDependencyError as error:
        pytest.skip(str(error))
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 0
    assert result.failed == 0
