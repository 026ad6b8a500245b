"""Long runs in chunks of 4 KB: the reference's ids, small delay, linear time, small memory.

The reference gives up at about a million blanks, so it is compared with below 900,000 characters;
beyond that a stream is compared with one call, and both with the text.
"""

from __future__ import annotations

import random
import time
from array import array
from typing import TYPE_CHECKING

import pytest

from data import tiktoken_encoding
from memory import needs_proc, run_child
from tokstream import Tokenizer, get_encoding

if TYPE_CHECKING:
    from tokstream._types import DelayMode

NAMES = ("gpt2", "cl100k_base", "o200k_base")
CHUNK_BYTES = 4096
MAX_DELAY_BYTES = 1024
N_BYTES = 400_000

_HAN = "".join(map(chr, range(0x4E00, 0x9FA6)))
_LOWER = "abcdefghijklmnopqrstuvwxyz"
_BASE64 = _LOWER.upper() + _LOWER + "0123456789+/"


def _drawn(alphabet: str, n_bytes: int) -> str:
    n = n_bytes // len(alphabet[-1].encode())
    return "".join(random.Random(n_bytes).choices(alphabet, k=n))


def _run(kind: str, n_bytes: int) -> str:
    """Text of a kind, about `n_bytes` of UTF-8."""
    if kind in _ALPHABETS:
        return _drawn(_ALPHABETS[kind], n_bytes)
    begin, unit = _UNITS[kind]
    return begin + unit * (n_bytes // len(unit.encode()))


_ALPHABETS = {
    "base64": _BASE64,
    "random letters": _LOWER,
    "random blanks": " \n\t\r",
    "chinese": _HAN,
    "upper and lower": "abcABC",
}
_UNITS = {
    "a": ("", "a"),
    "A": ("", "A"),
    "space": ("", " "),
    "tab": ("", "\t"),
    "newline": ("", "\n"),
    "CR LF": ("", "\r\n"),
    "digit": ("", "7"),
    "caret": ("", "^"),
    "dash": ("", "-"),
    "apostrophe": ("", "'"),
    "NUL": ("", "\0"),
    "han": ("", "漢"),
    "ideographic space": ("", "\u3000"),
    "combining acute": ("", "\u0301"),
    "e and combining acute": ("", "e\u0301"),
    "joiner": ("", "\u200d"),
    "family": ("", "\U0001f468\u200d\U0001f469\u200d"),
    "letters then blanks": ("foo", " "),
    "newline then blanks": ("\n", " "),
}
KINDS = (*_UNITS, *_ALPHABETS)
# A line break behind it would make one pretoken of all the blanks: where they are cut is undecided
# to the end, and with delay="composition" they are held.
UNDECIDED = "newline then blanks"


def _feed(
    tokenizer: Tokenizer, data: bytes, delay_mode: DelayMode = "optimal"
) -> tuple[array[int], int]:
    """Feed in chunks; return the ids and the largest delay."""
    stream = tokenizer.stream(disallowed_special=(), delay=delay_mode)
    ids, delay = array("I"), 0
    for i in range(0, len(data), CHUNK_BYTES):
        ids.extend(stream.feed(data[i : i + CHUNK_BYTES]))
        delay = max(delay, stream.delay_bytes)
    ids.extend(stream.finish())
    assert stream.delay_bytes == 0
    return ids, delay


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_ids_and_delay(name: str, kind: str) -> None:
    text = _run(kind, N_BYTES)
    assert len(text) < 900_000
    expected = tiktoken_encoding(name).encode_ordinary(text)
    ids, delay = _feed(get_encoding(name), text.encode())
    assert ids.tolist() == expected
    assert delay <= MAX_DELAY_BYTES
    ids, delay = _feed(get_encoding(name), text.encode(), "composition")
    assert ids.tolist() == expected
    assert delay <= (len(text) if kind == UNDECIDED else MAX_DELAY_BYTES)


@pytest.mark.parametrize("kind", KINDS)
def test_ids_beyond_the_reference(kind: str) -> None:
    text = _run(kind, 3_000_000)
    tokenizer = get_encoding("o200k_base")
    ids, delay = _feed(tokenizer, text.encode())
    assert ids == array("I", tokenizer.encode_ordinary(text))
    assert tokenizer.decode(ids) == text
    assert delay <= MAX_DELAY_BYTES


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("unit", ["a", " ", "-", "漢"])
def test_one_pretoken_of_a_million_bytes(name: str, unit: str) -> None:
    # the reference merges one pretoken of any length; only its pattern matching gives up
    text = unit * (1_200_000 // len(unit.encode()))
    expected = tiktoken_encoding(name)._encode_single_piece(text)
    ids, _ = _feed(get_encoding(name), text.encode())
    assert ids.tolist() == expected


@pytest.mark.parametrize("size", [1, 7, 64])
@pytest.mark.parametrize("kind", KINDS)
def test_ids_and_delay_in_tiny_chunks(kind: str, size: int) -> None:
    text = _run(kind, 30_000)
    data = text.encode()
    for name in NAMES:
        stream = get_encoding(name).stream(disallowed_special=())
        ids, delay = [], 0
        for i in range(0, len(data), size):
            ids += stream.feed(data[i : i + size])
            delay = max(delay, stream.delay_bytes)
        assert ids + stream.finish() == tiktoken_encoding(name).encode_ordinary(text)
        assert delay <= MAX_DELAY_BYTES


@pytest.mark.parametrize("verb", ["feed", "feed, composition", "encode"])
@pytest.mark.parametrize("kind", KINDS)
def test_linear_time(kind: str, verb: str) -> None:
    tokenizer = get_encoding("cl100k_base")
    small, large = _run(kind, 300_000).encode(), _run(kind, 600_000).encode()

    def seconds(data: bytes) -> float:
        begin = time.process_time()
        if verb.startswith("feed"):
            mode: DelayMode = "composition" if "composition" in verb else "optimal"
            stream = tokenizer.stream(disallowed_special=(), delay=mode)
            for i in range(0, len(data), CHUNK_BYTES):
                stream.advance(data[i : i + CHUNK_BYTES])
        else:
            tokenizer.count(data, disallowed_special=())
        return time.process_time() - begin

    # the least of several interleaved runs: noise only adds
    ratio = float("inf")
    least_small = least_large = float("inf")
    for _ in range(40):
        least_small = min(least_small, seconds(small))
        least_large = min(least_large, seconds(large))
        ratio = least_large / least_small
        if ratio < 2.2:
            break
    assert ratio < 2.3, f"{least_small:.4f} s, then {least_large:.4f} s"


_MEMORY = """
import sys
from tokstream import get_encoding
begin, unit, delay = (text.encode().decode("unicode_escape") for text in sys.argv[1:])
stream = get_encoding("cl100k_base").stream(disallowed_special=(), delay=delay)
chunk = unit * (65536 // len(unit.encode()))
stream.advance(begin)
def feed(n_bytes):
    for _ in range(n_bytes // len(chunk.encode())):
        stream.advance(chunk)
    return peak_bytes()
feed(1 << 20)
forget_peak()
few = feed(1 << 20)
many = feed(1 << 24)
print(many - few, stream.delay_bytes)
"""


@needs_proc
@pytest.mark.parametrize(
    ("begin", "unit"),
    [("", "a"), ("foo", " "), ("\\n", " "), ("", "\\n"), ("", "\\u6f22"), ("", "e\\u0301")],
)
def test_memory_does_not_grow_with_the_input(begin: str, unit: str) -> None:
    grown_bytes, delay = run_child(_MEMORY, begin, unit, "optimal")
    assert delay <= MAX_DELAY_BYTES
    assert grown_bytes < 2 << 20


@needs_proc
def test_the_measure_of_memory_can_fail() -> None:
    # held blanks are memory
    grown_bytes, delay = run_child(_MEMORY, "\\n", " ", "composition")
    assert delay > 1 << 24
    assert grown_bytes > 1 << 23
