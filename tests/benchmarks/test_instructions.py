"""What `benchmarks/instructions.py` makes of counts; counting itself is a stage of `.ci/run`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import instructions

EXPECTED = {"rustc": "this one", "scalar": {"first": 1000, "again": 500}, "avx2": {"first": 900}}


@pytest.mark.parametrize(
    ("counts", "rustc", "code"),
    [
        ({"first": 1000, "again": 500}, "this one", 0),
        ({"first": 1029, "again": 400}, "this one", 0),
        ({"first": 1031, "again": 500}, "this one", 1),
        ({"first": 1031, "again": 500}, "another", 0),
        ({"first": 1000, "again": 500, "new": 1}, "this one", 1),
        ({"first": 1000}, "this one", 1),
        ({"first": 1000}, "another", 1),
    ],
    ids=["same", "little", "more", "other compiler", "new work", "work is gone", "gone, other"],
)
def test_what_is_a_failure(
    counts: dict[str, int], rustc: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another compiler may count otherwise; work that is not counted any more never passes."""
    monkeypatch.setattr(instructions, "rustc", lambda: rustc)
    assert instructions.compare({"scalar": counts}, EXPECTED) == code
