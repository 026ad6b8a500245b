"""Every kind of `str`: characters of one, two or four bytes, surrogates, subclasses, all lengths."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from itertools import chain, pairwise

import numpy as np
import pytest

from data import tiktoken_encoding
from tokstream import Tokenizer, _core, get_encoding

# The characters of each kind, the widest ones first.
KINDS = {
    "ascii": "ab 1\n",
    "one byte": "éü×ab ",
    "two bytes": "漢字のあ—é ab",
    "four bytes": "😀𝔘漢é ab",
    "surrogates": "\ud83d\ude00漢é ab",
    "surrogates, four bytes": "😀\ud800\udfff漢é ab",
}
# Around the sizes of registers, of what is encoded together, and of parts.
LENGTHS = (
    0,
    1,
    2,
    15,
    16,
    17,
    31,
    33,
    63,
    64,
    65,
    1000,
    1024,
    1025,
    65_535,
    65_536,
    65_537,
    150_000,
)


def made(kind: str, n_chars: int, seed: int = 1) -> str:
    """Mostly ASCII or mostly not, by the seed."""
    rng = random.Random(f"{kind} {n_chars} {seed}")
    alphabet = KINDS[kind]
    weights = [3 if (c < "\x80") == bool(seed % 2) else 1 for c in alphabet]
    return alphabet[:n_chars] + "".join(
        rng.choices(alphabet, weights, k=max(0, n_chars - len(alphabet)))
    )


def expected(text: str) -> list[int]:
    plain = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return tiktoken_encoding("cl100k_base").encode_ordinary(plain)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return get_encoding("cl100k_base")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_chars", LENGTHS)
def test_every_verb_reads_it(tokenizer: Tokenizer, kind: str, n_chars: int) -> None:
    for seed in (1, 2):
        text = made(kind, n_chars, seed)
        ids = expected(text)
        assert tokenizer.encode(text) == ids
        assert tokenizer.encode_array(text).tolist() == ids
        assert tokenizer.count(text) == len(ids)
        assert list(chain.from_iterable(tokenizer.encode_iter(text))) == ids
        assert [array.tolist() for array in tokenizer.encode_batch_array([text, "x", text])] == [
            ids,
            expected("x"),
            ids,
        ]


@pytest.mark.parametrize("kind", KINDS)
def test_pieces_of_it(tokenizer: Tokenizer, kind: str) -> None:
    text = made(kind, 3000)
    rng = random.Random(kind)
    stream = tokenizer.stream()
    for _ in range(30):
        cuts = sorted({0, len(text), *rng.choices(range(len(text)), k=rng.randint(0, 60))})
        found: list[int] = []
        for begin, end in pairwise(cuts):
            found += stream.feed(text[begin:end])
        assert found + stream.finish() == expected(text)
        stream.reset()


@pytest.mark.parametrize("kind", KINDS)
def test_on_two_threads(tokenizer: Tokenizer, kind: str) -> None:
    text = made(kind, 300_000) * 5
    ids = tokenizer.encode_array(text, num_threads=1)
    assert np.array_equal(tokenizer.encode_array(text, num_threads=2), ids)
    assert (
        np.array_equal(tokenizer.encode_array(text.encode("utf-8", "replace")), ids)
        or "surr" in kind
    )


def test_a_surrogate_now_and_then_on_two_threads(tokenizer: Tokenizer) -> None:
    text = ("some words and é and 漢字 " * 9000 + "\ud83d" + "\ude00" * 2) * 7
    ids = expected(text)
    assert tokenizer.encode(text, num_threads=2) == ids
    assert tokenizer.encode(text, num_threads=1) == ids


def test_strings_made_in_odd_ways(tokenizer: Tokenizer) -> None:
    class Other(str):
        __slots__ = ()

    for kind in KINDS:
        text = made(kind, 700)
        grown = ""
        for part in (text[:100], text[100:101], text[101:]):
            grown += part
        cached = "".join(text)
        hash(cached)
        for same in (grown, cached, Other(text), sys.intern("".join(text)), text[::-1][::-1]):
            assert tokenizer.encode(same) == expected(text)
            assert tokenizer.encode_batch([same]) == [expected(text)]


_KEPT = """
import sys
from tokstream import get_encoding
text = "é漢😀 word " * 20_000
before = sys.getsizeof(text)
tokenizer = get_encoding("cl100k_base")
tokenizer.encode(text), tokenizer.count(text), tokenizer.encode_batch([text]), tokenizer.stream().feed(text)
print(sys.getsizeof(text) - before)
"""


def test_the_layout_is_known() -> None:
    is_known = sys.implementation.name == "cpython" and sys.version_info < (3, 15)
    is_wanted = os.environ.get("TOKSTREAM_SIMD") != "plain"
    assert _core.strings_in_place() == (is_known and is_wanted and sys.maxsize > 2**32)


@pytest.mark.parametrize("way", ["", "plain"])
def test_nothing_is_left_in_the_string(way: str) -> None:
    """A cached UTF-8 form would stay as long as the caller's string."""
    done = subprocess.run(
        [sys.executable, "-c", _KEPT],
        env={**os.environ, "TOKSTREAM_SIMD": way},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout == "0\n"
