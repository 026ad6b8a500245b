"""What the tests of the command share: a process in, its exit code and output out."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import tokstream

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = [sys.executable, "-m", "tokstream"]


class Process:
    """Runs `tokstream` in one directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}

    def __call__(
        self, *arguments: str, stdin: bytes = b"", **options
    ) -> subprocess.CompletedProcess:
        options = {"stdout": subprocess.PIPE} | options
        return subprocess.run(
            [*COMMAND, *arguments],
            input=None if "stdin_file" in options else stdin,
            stdin=options.pop("stdin_file", None),
            stderr=subprocess.PIPE,
            cwd=self.directory,
            env=self.environment,
            timeout=120,
            check=False,
            **options,
        )

    def start(self, *arguments: str, **options) -> subprocess.Popen:
        pipe = subprocess.PIPE
        options = {"stdin": pipe, "stdout": pipe, "stderr": pipe} | options
        return subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=self.directory,
            env=self.environment,
            bufsize=0,
            **options,
        )

    def ok(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Run, insist on success and silence on stderr, give stdout."""
        done = self(*arguments, stdin=stdin)
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout

    def fails(self, code: int, *arguments: str, stdin: bytes = b"", **options) -> str:
        """Run, insist on `code` and one line on stderr, give that line."""
        done = self(*arguments, stdin=stdin, **options)
        message = done.stderr.decode()
        assert done.returncode == code, message
        assert message.count("\n") == 1, message
        assert "error: " in message
        assert "Traceback" not in message
        return message

    def names(self) -> list[str]:
        """List everything in the directory, hidden names too."""
        return sorted(path.name for path in self.directory.iterdir())


@pytest.fixture
def command(tmp_path: Path) -> Process:
    return Process(tmp_path)


@pytest.fixture(scope="session")
def tokenizer():
    """The command's default."""
    return tokstream.get_encoding("o200k_base")


@pytest.fixture(scope="session")
def gpt2():
    """A vocabulary that fits u16."""
    return tokstream.get_encoding("gpt2")
