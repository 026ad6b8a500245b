"""The joined stages against tiktoken, on its own vocabularies and patterns."""

from __future__ import annotations

import itertools
import random
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from data import corpus, tiktoken_encoding
from tokstream.errors import DisallowedSpecialTokenError
from tokstream.patterns import compile_pattern

if TYPE_CHECKING:
    from types import ModuleType

ENCODINGS = ["r50k_base", "cl100k_base"]
PIECES = ["a", "A", "é", "中文", " ", "  ", "\n", "\r\n", "\t", "'s", "'LL", "123", "4", ".", "!?"]
PIECES += ["hello", " world", "<|endoftext|>", "<|endo", "ſ", "🙂", "\u0301", "\ud800", "\u00a0"]


@cache
def make(implementation: ModuleType, name: str, **options: Any) -> Any:
    encoding = tiktoken_encoding(name)
    rules = implementation.MergeRules.from_ranks(encoding._mergeable_ranks)
    pattern = compile_pattern(encoding._pat_str)
    return implementation.Stream(rules, pattern, encoding._special_tokens, **options)


def random_chunks(rng: random.Random, text: str) -> list[str]:
    places = sorted(rng.choices(range(len(text) + 1), k=rng.randint(0, 6)))
    ends = [0, *places, len(text)]
    return [text[i:j] for i, j in itertools.pairwise(ends)]


@pytest.mark.parametrize("name", ENCODINGS)
def test_random_text(implementation: ModuleType, name: str) -> None:
    encoding = tiktoken_encoding(name)
    stream = make(implementation, name, allowed=("<|endoftext|>",))
    rng = random.Random(1)
    for _ in range(300):
        text = "".join(rng.choices(PIECES, k=rng.randint(0, 20)))
        expected = encoding.encode(text, allowed_special={"<|endoftext|>"}, disallowed_special=())
        for chunks in [[text], random_chunks(rng, text), list(text)]:
            stream.reset()
            out = [token for chunk in chunks for token in stream.feed(chunk)]
            assert out + stream.finish() == expected, chunks


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("source", ["english", "code", "chinese", "multi"])
def test_corpora(implementation: ModuleType, name: str, source: str) -> None:
    text = corpus(source)[:20_000]
    stream = make(implementation, name)
    expected = tiktoken_encoding(name).encode_ordinary(text)
    assert stream.encode(text) == expected
    rng = random.Random(2)
    stream.reset()
    out, i = [], 0
    while i < len(text):
        n = rng.randint(1, 60)
        out += stream.feed(text[i : i + n])
        i += n
    assert out + stream.finish() == expected


@pytest.mark.parametrize("unit", ["a", " ", "\n", "中", "-", "1", "ab", "\n ", "Éa"])
def test_runs(implementation: ModuleType, unit: str) -> None:
    text = unit * 2_000
    stream = make(implementation, "cl100k_base")
    assert stream.encode(text) == tiktoken_encoding("cl100k_base").encode_ordinary(text)


def test_disallowed_special_tokens(implementation: ModuleType) -> None:
    encoding = tiktoken_encoding("cl100k_base")
    disallowed = frozenset(encoding.special_tokens_set)
    stream = make(implementation, "cl100k_base", disallowed=disallowed)
    with pytest.raises(ValueError, match="endoftext"):
        encoding.encode("a b<|endoftext|>")
    with pytest.raises(DisallowedSpecialTokenError) as caught:
        stream.encode("a b<|endoftext|>")
    assert (caught.value.offset, caught.value.token) == (3, "<|endoftext|>")
