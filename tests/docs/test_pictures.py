"""The pictures in docs/ are what the engine draws today."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).resolve().parents[2]
PICTURES = sorted((ROOT / "docs" / "pictures").glob("*.svg"))


def test_the_pictures_of_the_theory_are_up_to_date() -> None:
    script = ROOT / "scripts" / "draw_theory.py"
    done = subprocess.run(
        [sys.executable, script, "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.name)
def test_every_picture_is_drawn_and_shown(path: Path) -> None:
    root = ET.fromstring(path.read_text("utf-8"))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    documents = [p.read_text("utf-8") for p in (ROOT / "docs").rglob("*.md")]
    assert any(f"pictures/{path.name})" in text for text in documents)
