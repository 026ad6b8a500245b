"""`encode_with_unstable` gives what tiktoken gives, wherever a text is cut, and sooner.

Lists are compared in order: tiktoken's come from a set, so that a sequence twice would differ.
"""

from __future__ import annotations

import random
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest
import tiktoken

import tokstream.compat.tiktoken as ours
from data import tiktoken_encoding
from tokstream import _core

if TYPE_CHECKING:
    from collections.abc import Callable

    AnyEncoding = tiktoken.Encoding | ours.Encoding

NAMES = ["gpt2", "cl100k_base", "o200k_base"]
TEXTS = [
    "It's 12:45, said the unbelievable international",
    "def f(x):\n\treturn x_1[0] != '\\n'\r\n\r\n",
    "他说:“今天天气很好。” 그리고 नमस्ते",
    "naïve café — 👍🏽\u3000x\x85\x1c",
    "a<|endoftext|> b<|endoftext|>c<|endoftext|>",
    "\n \n\t\n",
    "----====aaaaaaaaaaaa00000",
]
# Each single token that begins with a blank: once is enough, since it takes tiktoken long.
SLOW = (" ", "\n ", "\t ")


def same(theirs: tiktoken.Encoding, mine: ours.Encoding, text: str) -> None:
    ids, completions = theirs.encode_with_unstable(text, allowed_special="all")
    found = mine.encode_with_unstable(text, allowed_special="all")
    assert found == (ids, sorted(completions)), text


@pytest.mark.parametrize("name", NAMES)
def test_every_cut(name: str) -> None:
    theirs, mine = tiktoken_encoding(name), ours.get_encoding(name)
    for text in TEXTS:
        for end in range(1, len(text) + 1):
            if not text[:end].endswith(SLOW):
                same(theirs, mine, text[:end])


@pytest.mark.parametrize("text", ["the end. ", "x" + " " * 9], ids=["blank", "blanks"])
def test_tokens_that_begin_with_a_blank(text: str) -> None:
    theirs, mine = tiktoken_encoding("gpt2"), ours.get_encoding("gpt2")
    same(theirs, mine, text)


@pytest.mark.parametrize("unit", ["漢", "-", "a", "\n", "\u3000"])
def test_long_runs(unit: str) -> None:
    theirs, mine = tiktoken_encoding("gpt2"), ours.get_encoding("gpt2")
    for n in (17, 130):
        same(theirs, mine, unit * n)


def test_texts_of_several_blocks() -> None:
    """What is remembered of pretokens is forgotten with each block, and at each special token."""
    theirs, mine = tiktoken_encoding("cl100k_base"), ours.get_encoding("cl100k_base")
    long = "It was so. Über allen Gipfeln! " * 50_000
    for end in ("<|endoftext|>", "<|endoftext|>In 1984", "Ruh'", "\n\n\n"):
        same(theirs, mine, long + end)


UNITS = ["a", "b", "c", " ", "\n", "\t", "é", "漢", "!", "1", "\u3000", "\x85"]
PATTERNS = [
    r"\s+(?!\S)|\s+|[^\s]+",
    r" ?[a-z]+|\s*[\r\n]+|\s+(?!\S)|\s+|.",
    r"[a-b]{1,3}|(?s:.)+?",
    r"(?s:.+)",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_other_vocabularies(pattern: str) -> None:
    """Some entries no merge makes, some special tokens are blank, some tokens are no characters."""
    rng = random.Random(pattern)
    for k in range(5):
        tokens = [bytes((byte,)) for byte in range(256)]
        for _ in range(12 * k):
            token = b"".join(
                rng.choice((rng.choice(tokens), rng.choice(UNITS).encode())) for _ in range(2)
            )
            if rng.random() < 0.25:
                token = "".join(rng.choices(UNITS, k=4)).encode()[rng.randint(0, 1) :]
            if token not in tokens and len(token) < 20:
                tokens.append(token)
        ranks = {token: rank for rank, token in enumerate(tokens)}
        special = {"<|x|>": 1000, "  ": 1001} if k % 2 else {"<|x|>": 1000, "\n": 1001}
        parts: dict[str, Any] = {
            "pat_str": pattern,
            "mergeable_ranks": ranks,
            "special_tokens": special,
        }
        theirs, mine = tiktoken.Encoding("own", **parts), ours.Encoding("own", **parts)
        for _ in range(200):
            text = "".join(rng.choices([*UNITS, "<|x|>"], k=rng.randint(0, 9)))
            same(theirs, mine, text)
            data = text.encode() + rng.choice((b"\x80", b"\xe6\xbc", b"\xff", b" \xe6"))
            assert mine._encode_bytes(data) == theirs._encode_bytes(data), data


def seconds(encoding: AnyEncoding, texts: list[str]) -> float:
    begin = time.process_time()
    for _ in range(20):
        for text in texts:
            encoding.encode_with_unstable(text, allowed_special="all")
    return time.process_time() - begin


@pytest.mark.parametrize(
    "texts",
    [["In 1984", "3.14"], ["café", "他说漢"], ["so.", "f(x"], ["the intern", "unbelievable"]],
    ids=["digits", "characters", "signs", "words"],
)
def test_no_slower_than_tiktoken(texts: list[str]) -> None:
    """Measured: a quarter to a half of the time."""
    theirs, mine = tiktoken_encoding("gpt2"), ours.get_encoding("gpt2")
    best_theirs = best_mine = float("inf")
    for _ in range(30):
        best_theirs = min(best_theirs, seconds(theirs, texts))
        best_mine = min(best_mine, seconds(mine, texts))
        if best_mine < 0.8 * best_theirs:
            return
    raise AssertionError(f"{best_mine} s, tiktoken {best_theirs} s")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer that sends signals")
def test_a_long_search_is_interrupted() -> None:
    class InterruptedByTimerError(Exception):
        pass

    def stop(*_: object) -> None:
        raise InterruptedByTimerError

    mine = ours.get_encoding("gpt2")
    before: Callable[..., object] | int | None = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        begin = time.process_time()
        with pytest.raises(InterruptedByTimerError):
            mine.encode_with_unstable("a" * 200_000)
        assert time.process_time() - begin < 1  # the whole of it takes three seconds
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_an_end_that_is_no_text() -> None:
    core = ours.get_encoding("gpt2")._core
    assert _core.completions(core, b"") == []
    with pytest.raises(UnicodeDecodeError, match="position 2"):
        _core.completions(core, b"ab\xff")
