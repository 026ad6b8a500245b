"""The notes below measured tables name every engine that is compared, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PEERS = {"gigatoken", "tiktoken", "tokenizers", "sentencepiece"}


@pytest.mark.parametrize(
    ("document", "name", "engines"),
    [
        ("README.md", "ratios", PEERS),
        ("docs/measurements.md", "loading", PEERS),
        ("docs/measurements.md", "memory", PEERS - {"sentencepiece"}),
    ],
)
def test_the_versions_below_a_table(document: str, name: str, engines: set[str]) -> None:
    text = (ROOT / document).read_text("utf-8")
    _, _, rest = text.partition(f"<!-- table: {name} -->\n")
    note = rest.partition("<!-- end -->")[0].strip().rpartition("\n")[2]
    assert re.search(r"commit \w+", note)
    versions = re.findall(r"([\w-]+) (?:\d+\.\d+\.\d+)", note)
    assert set(versions) == engines | {"Python", "tokstream"}
