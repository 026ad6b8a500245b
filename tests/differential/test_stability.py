"""What a stream has given out is a beginning of the result for every continuation (promise 3).

"Every" is: blanks and line ends, letters, digits, marks, special tokens and beginnings of them,
and what completes longer tokens that begin inside the text so far.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data import tiktoken_encoding
from drawing import byte_parts, texts
from nasty import TEXTS
from tokstream import get_encoding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokstream import EncodeStream

NAMES = ("gpt2", "cl100k_base", "o200k_base")

CONTINUATIONS = ["", " ", "  ", "\n", "\n\n", " \n", "\n ", "\r\n", "\t", "\xa0", " " * 30]
CONTINUATIONS += ["\n" * 30, " \n \n x", "  \nx", "\u3000x", "a", "A", "s", "S", "ſ", "t", "ll"]
CONTINUATIONS += ["'s", "'", "'LL", "Aa", "aA", " a", " A", "ing", "tion", "the", "1", "12", "²"]
CONTINUATIONS += ["!", "!\n", "/", "//\n", ".", "é", "\u0301", "\u200d", "\ufe0f", "漢", "か", "ไ"]
CONTINUATIONS += ["😀", "\0", "<", "|>", ">", "endoftext|>", "<|endoftext|>", "ǅ", "ʰ", "x" * 40]

# the middle bytes of characters of 2, 3 and 4 bytes: lowest, highest and some between
_TAILS = [
    b"\x80",
    b"\xa9",
    b"\xbf",
    b"\x80\x80",
    b"\x9f\xbf",
    b"\xa0\x81",
    b"\xb8\x96",
    b"\xbf\xbf",
]
_TAILS += [b"\x8f\xbf\xbf", b"\x90\x80\x80", b"\x9f\x98\x80", b"\xbf\xbf\xbf"]


@cache
def _sorted_tokens(name: str) -> list[bytes]:
    return sorted(tiktoken_encoding(name)._mergeable_ranks)


def _completions(name: str, data: bytes, rng: random.Random) -> Iterator[bytes]:
    """Rests of tokens that begin inside `data` and end behind it, a few for each beginning."""
    tokens = _sorted_tokens(name)
    for n in range(1, min(len(data), 24) + 1):
        suffix = data[-n:]
        first = bisect_right(tokens, suffix)
        last = bisect_right(tokens, suffix + b"\xff" * 8)
        for k in rng.sample(range(first, last), min(3, last - first)):
            yield tokens[k][n:]


def _wholes(name: str, data: bytes, rng: random.Random) -> Iterator[str]:
    """Texts that begin with `data`, which may end inside a character."""
    endings = [y.encode() for y in CONTINUATIONS]
    try:
        data.decode()
    except UnicodeDecodeError:
        endings = [tail + rest for tail in _TAILS for rest in (b"", b"a", b" \n")]
    for ending in [*endings, *_completions(name, data, rng)]:
        try:
            yield (data + ending).decode()
        except UnicodeDecodeError:
            continue


def _check(name: str, stream: EncodeStream, chunks: list[bytes], *, honoured: bool) -> None:
    rng = random.Random(len(chunks))
    reference = tiktoken_encoding(name)
    ids: list[int] = []
    data = b""
    choice: dict[str, Any] = {"allowed_special": "all"} if honoured else {"disallowed_special": ()}
    held_longer = get_encoding(name).stream(**choice, delay="composition")
    for chunk in chunks:
        ids += stream.feed(chunk)
        data += chunk
        held_longer.advance(chunk)
        assert held_longer.n_tokens <= len(ids)  # and so it is stable too
        n_wholes = 0
        for whole in _wholes(name, data, rng):
            n_wholes += 1
            result = (
                reference.encode(whole, allowed_special="all")
                if honoured
                else reference.encode_ordinary(whole)
            )
            assert result[: len(ids)] == ids, (data, whole[len(data.decode(errors="ignore")) :])
        assert n_wholes > 0


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=100)
@given(st.data())
def test_random_texts_and_cuts(name: str, data: st.DataObject) -> None:
    chunks = data.draw(byte_parts(texts(name, max_parts=12), max_cuts=6))
    honoured = data.draw(st.booleans())
    tokenizer = get_encoding(name)
    stream = (
        tokenizer.stream(allowed_special="all")
        if honoured
        else tokenizer.stream(disallowed_special=())
    )
    _check(name, stream, chunks, honoured=honoured)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_nasty_texts_after_every_byte(name: str, text: str) -> None:
    data = text.encode()[:60]
    chunks = [data[i : i + 1] for i in range(len(data))]
    _check(name, get_encoding(name).stream(allowed_special="all"), chunks, honoured=True)


def test_something_comes_out_early() -> None:
    # a stream that holds everything would be stable too
    stream = get_encoding("cl100k_base").stream()
    assert stream.feed("hello world, how") == [15339, 1917, 11]
    assert stream.feed(" are you?\n\nFine") == [1268, 527, 499, 1980]
    assert stream.delay_bytes == len("Fine")
