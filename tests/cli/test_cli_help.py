"""docs/cli.md shows the help texts as they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tokstream.cli.program import COMMANDS

ROOT = Path(__file__).parent.parent.parent


def test_the_documentation_shows_the_help():
    script = ROOT / "scripts" / "cli_help.py"
    done = subprocess.run(
        [sys.executable, script, "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_every_command_is_documented():
    text = (ROOT / "docs" / "cli.md").read_text("utf-8")
    for name in COMMANDS:
        assert f"$ tokstream {name} --help\nusage: tokstream {name}" in text
