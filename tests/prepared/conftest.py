"""Fixtures: a directory of prepared files that belongs to one test."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tokstream.prepared import VARIABLE, sources

# for `small_files`
_FORMATS = str(Path(__file__).parents[1] / "formats")
if _FORMATS not in sys.path:
    sys.path.insert(0, _FORMATS)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory that is not there yet; files of any size and age are kept in it.

    Tokenizers of equal content do not share tables, so that each is made or mapped.
    """
    folder = tmp_path / "cache"
    monkeypatch.setenv(VARIABLE, str(folder))
    monkeypatch.setattr(sources, "MIN_BYTES", 0)
    monkeypatch.setattr(sources, "_TICK_NS", 0)
    monkeypatch.setattr("tokstream.tokenizer.shared_tables", lambda _, build: build())
    return folder
