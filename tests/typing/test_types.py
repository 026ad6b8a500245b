"""Type checkers see the public API as documented, and refuse wrong calls."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]

pytest.importorskip("mypy")


def _mypy(*arguments: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", *arguments]
    done = subprocess.run(
        command, cwd=_ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_types_of_the_public_api() -> None:
    code, out = _mypy(str(Path(__file__).with_name("reveal_api.py")))
    assert code == 0, out


def test_the_check_can_fail(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "from typing import assert_type\n"
        "import tokstream\n"
        "assert_type(tokstream.get_encoding('gpt2').encode('x'), list[str])\n"
        "tokstream.get_encoding(5)\n"
    )
    code, out = _mypy(str(wrong))
    assert code == 1
    assert "wrong.py:3" in out
    assert "wrong.py:4" in out


def test_marker_and_stub_are_installed() -> None:
    import tokstream  # noqa: PLC0415

    package = Path(tokstream.__file__).parent
    assert (package / "py.typed").is_file()
    assert (package / "_core.pyi").is_file()


def test_the_stub_names_what_the_native_module_has(tmp_path: Path) -> None:
    allowed = tmp_path / "allowed"
    # made by the binding generator; not visible at run time before Python 3.12; a type only
    names = ("tokstream._core.__all__", r"tokstream._core\..*\.__buffer__", "tokstream._core.Spec")
    allowed.write_text("\n".join(names))
    command = [sys.executable, "-m", "mypy.stubtest", "--concise", "tokstream._core"]
    command += ["--mypy-config-file", str(_ROOT / "pyproject.toml")]
    command += ["--allowlist", str(allowed), "--ignore-unused-allowlist"]
    done = subprocess.run(
        command, cwd=_ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
