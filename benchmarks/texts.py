"""Texts by name: real corpora, and generated runs that are the same on every machine.

Enters: a name and a size. Leaves: UTF-8 that ends with a whole character.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["blocks", "corpus", "generated_blocks", "long", "plain", "prose", "run", "windows"]

PERIODS = {"letter": b"a", "ab": b"ab", "pairs": b"aabb"}
"""What such a run repeats, by its kind."""
AROUND_BLANKS = {
    "blanks": (b"foo", b""),
    "line break": (b"foo\n", b""),
    "line break, letter": (b"foo\n", b"x"),
    "line break, line break": (b"foo\n", b"\n"),
}
"""Kinds of runs of blanks: what stands before and behind."""
WINDOW_BYTES = 7_800_000
"""Less than every corpus has."""
TESTS = Path(__file__).resolve().parents[1] / "tests"


def corpus(name: str, n_bytes: int) -> bytes:
    """Return real text of a kind, or the substitute that the tests use too."""
    if str(TESTS) not in sys.path:
        sys.path.insert(0, str(TESTS))
    from data import corpus as from_tests  # noqa: PLC0415 - it needs the test extra

    text: str = from_tests(name, n_bytes)
    return text.encode()


def plain(name: str, n_bytes: int) -> bytes:
    """Return real text without special tokens: a line break stands where documents meet.

    Not every engine can take the text of a special token for text.
    """
    return corpus(name, n_bytes).replace(b"<|endoftext|>", b"\n")


def windows(name: str, n_bytes: int, n_windows: int) -> Iterator[bytes]:
    """Yield texts of a kind that have no more in common than texts of that kind have.

    The first is the corpus. In the others, every run of letters that occurs once in the corpus is
    replaced by the first half of itself and the second half of another such run: what occurs once
    in a text is what a further text has others of (Good and Turing's estimate). It is a quarter
    of the different words of English, and nearly all clauses of Chinese.

    Args:
        name: of a corpus.
        n_bytes: of each window, about.
        n_windows: how many.
    """
    text = plain(name, n_bytes).decode()
    yield text.encode()
    parts = re.split(r"([^\W\d_]+)", text)  # letters have the odd places
    counts = Counter(parts[1::2])
    places = [k for k in range(1, len(parts), 2) if counts[parts[k]] == 1 and len(parts[k]) > 1]
    once = [parts[k] for k in places]
    for number in range(1, n_windows):
        # A stride without a divisor in common pairs all with all, a window after another.
        for at, k in enumerate(places):
            head, tail = once[at], once[(at + number * 7919) % len(once)]
            parts[k] = head[: -(-len(head) // 2)] + tail[-(-len(tail) // 2) :]
        yield "".join(parts).encode()


def long(name: str, n_bytes: int) -> Iterator[bytes]:
    """Yield a text of a kind that may be longer than its corpus, in windows."""
    n_windows = -(-n_bytes // WINDOW_BYTES)
    yield from windows(name, n_bytes // n_windows, n_windows)


def run(kind: str, n_bytes: int) -> bytes:
    """Return text without a place to cut, by the kind of run."""
    if kind in AROUND_BLANKS:
        before, after = AROUND_BLANKS[kind]
        return before + b" " * (n_bytes - len(before) - len(after)) + after
    if kind in PERIODS:
        period = PERIODS[kind]
        return period * (n_bytes // len(period))
    if kind == "fibonacci":
        shorter, longer = b"a", b"ab"
        while len(longer) < n_bytes:
            shorter, longer = longer, longer + shorter
        return longer[:n_bytes]
    if kind == "base64":
        n_digests = n_bytes // 40 + 1  # 32 bytes become more than 40 characters
        raw = b"".join(itertools.islice(_noise(b"base64"), n_digests))
        return base64.b64encode(raw)[:n_bytes]
    if kind == "chinese":
        return _whole_characters(_words(_han_tokens(), b"chinese", n_bytes), n_bytes)
    raise ValueError(f"no run is called {kind!r}")


@cache
def generated_blocks(n_blocks: int, n_bytes: int) -> list[bytes]:
    """Return blocks of words of many scripts; each begins with a letter and ends with a line.

    Every encoding cuts between a line break and a letter, so that the ids of any sequence of
    blocks are the ids of the blocks, one after another.
    """
    from tokstream.encodings.registry import vocabulary  # noqa: PLC0415 - a parent stays small

    texts = (token.decode(errors="ignore") for token in vocabulary("o200k_base").tokens())
    words = [text.encode() for text in texts if text.strip().isalpha()]
    blocks = []
    for k in range(n_blocks):
        text = _words(words, b"block %d" % k, n_bytes - 8)
        body = text[: n_bytes - 8].decode(errors="ignore").encode()
        blocks.append(b"Block " + body[: n_bytes - 8] + b".\n")
    return blocks


def prose(n_bytes: int) -> bytes:
    """Return text like English, the same on every machine: words by frequency, sentences, lines."""
    from tokstream.encodings.registry import vocabulary  # noqa: PLC0415 - a parent stays small

    tokens = vocabulary("o200k_base").tokens()
    words = [token for token in tokens if token[:1] == b" " and token[1:].isalpha()]
    parts: list[bytes] = []
    for digest in itertools.islice(_noise(b"prose"), n_bytes // 8):
        for k in range(0, 32, 4):
            share = int.from_bytes(digest[k : k + 4], "little") / (1 << 32)
            parts.append(words[int(len(words) * share**4)])  # early tokens are frequent words
        parts.append((b".", b",", b".\n\n", b" (1999)")[digest[0] % 4])
    return b"".join(parts)[:n_bytes].decode(errors="ignore").encode()


def blocks(name: str, n_blocks: int, n_bytes: int) -> list[bytes]:
    """Return blocks of real text, or of `generated_blocks` if there is no name, to be joined.

    They begin with a letter and end with a line, as those do.
    """
    if not name:
        return generated_blocks(n_blocks, n_bytes)
    text = plain(name, n_blocks * n_bytes)
    size = len(text) // n_blocks
    parts = (text[k * size : (k + 1) * size] for k in range(n_blocks))
    return [
        b"Block " + _whole_characters(part.decode(errors="ignore").encode(), n_bytes - 8) + b".\n"
        for part in parts
    ]


def _noise(seed: bytes) -> Iterator[bytes]:
    """Yield 32 bytes at a time, the same everywhere."""
    for k in itertools.count():
        yield hashlib.sha256(b"%s %d" % (seed, k)).digest()


def _words(words: list[bytes], seed: bytes, n_bytes: int) -> bytes:
    """Join words drawn by noise until there is enough."""
    parts: list[bytes] = []
    total = 0
    for digest in _noise(seed):
        for k in range(0, 32, 4):
            word = words[int.from_bytes(digest[k : k + 4], "little") % len(words)]
            parts.append(word)
            total += len(word)
        if total >= n_bytes:
            return b"".join(parts)
    raise AssertionError("noise never ends")


def _han_tokens() -> list[bytes]:
    from tokstream.encodings.registry import vocabulary  # noqa: PLC0415 - a parent stays small

    texts = (token.decode(errors="ignore") for token in vocabulary("o200k_base").tokens())
    return [text.encode() for text in texts if text and all("一" <= c <= "鿿" for c in text)]


def _whole_characters(text: bytes, n_bytes: int) -> bytes:
    return text[:n_bytes].decode(errors="ignore").encode()
