"""Real text, one call and random chunks, gives the reference's ids in every encoding.

A slice of what `scripts/check_corpora.py` does with whole corpora.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cutting import feed_all
from data import CORPUS_NAMES, corpus, tiktoken_encoding
from tokstream import get_encoding, list_encoding_names

if TYPE_CHECKING:
    from types import ModuleType

pytestmark = [
    pytest.mark.parametrize("name", list_encoding_names()),
    pytest.mark.parametrize("kind", CORPUS_NAMES),
]


@pytest.fixture(scope="module")
def check_corpora() -> ModuleType:
    folder = str(Path(__file__).resolve().parents[2] / "scripts")
    sys.path.insert(0, folder)
    try:
        import check_corpora  # noqa: PLC0415 - it is no package
    finally:
        sys.path.remove(folder)
    return check_corpora


def test_plain(name: str, kind: str, check_corpora: ModuleType) -> None:
    text = corpus(kind)
    expected = tiktoken_encoding(name).encode_ordinary(text)
    tokenizer = get_encoding(name)
    assert tokenizer.encode_ordinary(text) == expected
    data = text.encode()
    chunks = check_corpora.random_chunks(data, random.Random(name + kind))
    assert feed_all(tokenizer.stream(disallowed_special=()), chunks) == expected


def test_special_tokens_honoured(name: str, kind: str, check_corpora: ModuleType) -> None:
    text = corpus(kind, 1 << 18)
    expected = tiktoken_encoding(name).encode(text, allowed_special="all")
    tokenizer = get_encoding(name)
    assert tokenizer.encode_array(text, allowed_special="all").tolist() == expected
    chunks = check_corpora.random_chunks(text, random.Random(kind + name), longest=500)
    assert feed_all(tokenizer.stream(allowed_special="all"), chunks) == expected
