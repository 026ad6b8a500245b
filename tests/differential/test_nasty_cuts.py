"""Nasty texts, cut everywhere, give the reference's ids in every encoding (promises 1 and 2)."""

from __future__ import annotations

import random
import zlib
from functools import partial
from typing import TYPE_CHECKING

import pytest

from cutting import (
    check_single_cuts,
    check_unit_by_unit,
    feed_all,
    random_parts,
    sample_cuts,
)
from data import tiktoken_encoding
from nasty import LONG_TEXTS, TEXTS
from tokstream import get_encoding, list_encoding_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokstream import EncodeStream

# Every single cut in these; they have different patterns. Elsewhere a sample.
CUT_EVERYWHERE = ("gpt2", "cl100k_base", "o200k_base")
N_SAMPLED = 24
N_RANDOM_WAYS = 6


def _both_ways(name: str, text: str) -> list[tuple[Callable[[], EncodeStream], list[int]]]:
    """Streams and the ids they must give: special tokens as plain text, and honoured."""
    tokenizer, reference = get_encoding(name), tiktoken_encoding(name)
    ways: list[tuple[Callable[[], EncodeStream], list[int]]] = [
        (lambda: tokenizer.stream(disallowed_special=()), reference.encode_ordinary(text))
    ]
    if "<" in text:
        ways.append(
            (
                lambda: tokenizer.stream(allowed_special="all"),
                reference.encode(text, allowed_special="all"),
            )
        )
    return ways


def _rng(*key: str) -> random.Random:
    return random.Random(zlib.crc32("/".join(key).encode()))


@pytest.mark.parametrize("name", list_encoding_names())
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_every_cut(name: str, text: str) -> None:
    rng = _rng(name, text[:50])
    n_cuts = 1 << 20 if name in CUT_EVERYWHERE else N_SAMPLED
    for make, expected in _both_ways(name, text):
        assert feed_all(make(), [text]) == expected
        for whole in (text, text.encode()):
            check_single_cuts(make, whole, sample_cuts(rng, len(whole), n_cuts), expected)
            check_unit_by_unit(make, whole, expected)
            for _ in range(N_RANDOM_WAYS):
                parts = random_parts(rng, whole, rng.randint(2, 40))
                assert feed_all(make(), parts) == expected, [len(part) for part in parts]
    held_longer = partial(get_encoding(name).stream, allowed_special="all", delay="composition")
    check_single_cuts(held_longer, text, sample_cuts(rng, len(text), N_SAMPLED), expected)
    check_unit_by_unit(held_longer, text.encode(), expected)


@pytest.mark.parametrize("name", list_encoding_names())
@pytest.mark.parametrize("text", LONG_TEXTS.values(), ids=LONG_TEXTS)
def test_sampled_cuts_of_long_texts(name: str, text: str) -> None:
    rng = _rng(name, text[:50])
    for make, expected in _both_ways(name, text):
        assert feed_all(make(), [text]) == expected
        data = text.encode()
        cuts = sorted({0, 1, 4095, 4096, 4097, *(rng.randint(0, len(data)) for _ in range(20))})
        for cut in cuts:
            assert feed_all(make(), [data[:cut], data[cut:]]) == expected, cut
        check_unit_by_unit(make, data, expected)
        for n_cuts in (3, 30, 300, 3000):
            for whole in (text, data):
                parts = random_parts(rng, whole, n_cuts)
                assert feed_all(make(), parts) == expected, [len(part) for part in parts][:50]


@pytest.mark.parametrize("name", list_encoding_names())
def test_one_shot_verbs_agree_on_all_texts(name: str) -> None:
    tokenizer, reference = get_encoding(name), tiktoken_encoding(name)
    texts = [*TEXTS.values(), *LONG_TEXTS.values()]
    for text in texts:
        expected = reference.encode_ordinary(text)
        assert tokenizer.encode_ordinary(text) == expected, text[:80]
        assert tokenizer.encode(text, disallowed_special=()) == expected
        assert tokenizer.encode_ordinary(text.encode()) == expected
        assert tokenizer.count(text, disallowed_special=()) == len(expected)
        assert tokenizer.decode(expected) == text
    joined = "".join(texts)
    assert tokenizer.encode_ordinary(joined) == reference.encode_ordinary(joined)
    assert tokenizer.encode_batch(texts, allowed_special="all") == [
        reference.encode(text, allowed_special="all") for text in texts
    ]
