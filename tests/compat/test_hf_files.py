"""`save`: what stands at the path, and what is left of it where nothing can be written."""

from __future__ import annotations

import json
import os
import stat
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from hf_small import byte_level
from tokstream.compat.huggingface import Tokenizer

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and modes")

TOKENIZER = Tokenizer.from_str(json.dumps(byte_level()))
TEXT = TOKENIZER.to_str(pretty=True)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_and_one_that_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    plain = tmp_path / "plain"
    plain.touch()
    TOKENIZER.save(str(path))
    assert path.read_text() == TEXT
    assert mode(path) == mode(plain), "as any file that is made here"
    path.write_text("old")
    path.chmod(0o600)
    TOKENIZER.save(str(path))
    assert (path.read_text(), mode(path)) == (TEXT, 0o600)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["plain", "tokenizer.json"]


def test_links_stay_links(tmp_path: Path) -> None:
    path, soft, hard = (tmp_path / name for name in ("file", "soft", "hard"))
    path.write_text("old")
    soft.symlink_to(path)
    TOKENIZER.save(str(soft))
    assert soft.is_symlink()
    assert path.read_text() == TEXT
    path.write_text("old")
    hard.hardlink_to(path)
    TOKENIZER.save(str(path))
    assert hard.read_text() == TEXT


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(path.read_text()))
    reader.start()
    TOKENIZER.save(str(path))
    reader.join(60)
    assert read == [TEXT]
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_a_name_that_is_nearly_too_long(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 250)
    TOKENIZER.save(str(path))
    assert path.read_text() == TEXT


def test_errors_name_the_path(tmp_path: Path) -> None:
    for path, kind in (
        (tmp_path / "none" / "x.json", FileNotFoundError),
        (tmp_path, IsADirectoryError),
        (tmp_path / "file" / "x.json", NotADirectoryError),
    ):
        (tmp_path / "file").touch()
        with pytest.raises(kind) as caught:
            TOKENIZER.save(str(path))
        assert caught.value.filename == str(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may do all")
def test_a_folder_that_takes_no_files(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text("old")
    tmp_path.chmod(0o500)
    try:
        TOKENIZER.save(str(path))
    finally:
        tmp_path.chmod(0o700)
    assert path.read_text() == TEXT
