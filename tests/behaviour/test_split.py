"""`split`: parts that fit when they are encoded alone, cut no character, and miss nothing."""

from __future__ import annotations

import json
import random
import time
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from data import corpus, tiktoken_encoding
from drawing import texts
from nasty import SURROGATE_TEXTS, TEXTS
from tokstream import ConfigurationError, Part, Tokenizer, get_encoding, load
from tokstream.splitting import split

if TYPE_CHECKING:
    from collections.abc import Sequence

NAMES = ["gpt2", "cl100k_base", "o200k_base"]
PLAIN: dict[str, Any] = {"allowed_special": (), "disallowed_special": ()}
# enough for any character
MOST_FOR_A_CHARACTER = 4


def check(tokenizer: Tokenizer, text: str, max_tokens: int, overlap: int) -> list[Part]:
    parts = tokenizer.split(text, max_tokens, overlap=overlap, **PLAIN)
    reached = 0
    starts = [part.start for part in parts]
    assert sorted(set(starts)) == starts
    for part in parts:
        assert part.text == text[part.start : part.end]
        assert part.n_tokens == tokenizer.count(part.text, **PLAIN)
        assert 0 < part.n_tokens <= max_tokens or not part.n_tokens
        assert part.start <= reached < part.end
        assert overlap or part.start == reached
        reached = part.end
    assert reached == len(text)
    return parts


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=60)
def test_random_texts(name: str, data: st.DataObject) -> None:
    text = data.draw(texts(name))
    max_tokens = data.draw(st.integers(MOST_FOR_A_CHARACTER, 12))
    check(get_encoding(name), text, max_tokens, data.draw(st.integers(0, max_tokens - 1)))


@pytest.mark.parametrize("text", [*TEXTS, *SURROGATE_TEXTS], ids=lambda text: ascii(text[:20]))
def test_nasty_texts(text: str) -> None:
    for max_tokens, overlap in ((4, 0), (4, 3), (7, 2), (50, 10)):
        check(get_encoding("cl100k_base"), text[:2000], max_tokens, overlap)


def at_tokens(name: str, text: str, max_tokens: int, overlap: int) -> list[str]:
    """Parts as a list of ids is cut, without a look at characters or what a part is alone."""
    reference = tiktoken_encoding(name)
    ids = reference.encode(text, disallowed_special=())
    parts = []
    for begin in range(0, len(ids), max_tokens - overlap):
        parts.append(reference.decode(ids[begin : begin + max_tokens]))
        if begin + max_tokens >= len(ids):
            break
    return parts


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["english", "code"])
def test_ordinary_text_is_cut_every_so_many_tokens(name: str, text: str) -> None:
    whole = corpus(text)[:40_000].encode("ascii", "ignore").decode()
    for max_tokens, overlap in ((100, 0), (64, 16), (9, 8)):
        expected = at_tokens(name, whole, max_tokens, overlap)
        parts = check(get_encoding(name), whole, max_tokens, overlap)
        if all(get_encoding(name).count(part, **PLAIN) <= max_tokens for part in expected):
            assert [part.text for part in parts] == expected
    assert [p.text for p in get_encoding(name).split(whole, 100, **PLAIN)] == at_tokens(
        name, whole, 100, 0
    )


def test_a_part_that_has_more_ids_alone_ends_earlier() -> None:
    """A quote that belongs to what precedes it begins a contraction where the part begins with it."""
    tokenizer = get_encoding("gpt2")
    rng = random.Random(1)
    words = ["season", "velcro", "metric", "release", "llama", "dance", " the", "  ", "\n"]
    marks = ["!", "?", "(", ";", "'", "''", "-", "{'"]
    n_longer = 0
    for _ in range(200):
        text = "".join(rng.choice(words) + rng.choice(marks) for _ in range(12))
        n_longer += sum(tokenizer.count(part) > 6 for part in at_tokens("gpt2", text, 6, 0))
        check(tokenizer, text, 6, 0)
        check(tokenizer, text, 6, 4)
    assert n_longer > 0


def test_characters_of_several_tokens() -> None:
    tokenizer = get_encoding("cl100k_base")
    assert tokenizer.count("👍") == 3
    assert [part.text for part in tokenizer.split("👍" * 4, 4)] == ["👍"] * 4
    assert [part.text for part in tokenizer.split("👍" * 4, 6)] == ["👍👍"] * 2
    with pytest.raises(ConfigurationError, match="'👍' at byte 3 has 3 tokens alone, more than 2"):
        tokenizer.split("abc👍", 2)


def test_special_tokens_are_kept_whole() -> None:
    tokenizer = get_encoding("cl100k_base")
    text = "<|endoftext|>a<|endoftext|>b"
    parts = tokenizer.split(text, 2, allowed_special="all")
    assert [part.text for part in parts] == ["<|endoftext|>a", "<|endoftext|>b"]
    with pytest.raises(ValueError, match="endoftext"):
        tokenizer.split(text, 2)


def test_places_behind_surrogate_pairs() -> None:
    parts = get_encoding("cl100k_base").split("\ud83d\udc4d \ud83dx", 4)
    assert [part.text for part in parts] == ["\ud83d\udc4d \ud83d", "x"]
    assert [(part.start, part.end) for part in parts] == [(0, 4), (4, 5)]


def normalizing() -> Tokenizer:
    """NFC, and blanks that belong to no token."""
    vocabulary = {c: k for k, c in enumerate("abcdefghijklmnopqrstuvwxyzéà?")} | {"ab": 40}
    document = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, [("a", "b")], unk_token="?"))
    document.normalizer = tokenizers.normalizers.NFC()
    document.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    return load(json.dumps(json.loads(document.to_str())).encode())


@given(text=st.text("abe\u0301 \n漢", max_size=30), max_tokens=st.integers(1, 6), data=st.data())
def test_behind_a_normalizer(text: str, max_tokens: int, data: st.DataObject) -> None:
    check(normalizing(), text, max_tokens, data.draw(st.integers(0, max_tokens - 1)))


def test_arguments() -> None:
    tokenizer = get_encoding("gpt2")
    assert tokenizer.split("", 5) == []
    assert tokenizer.split("a b", 5) == [Part("a b", 2, 0, 3)]
    for arguments, message in (
        ({"max_tokens": 0}, "max_tokens is 0"),
        ({"max_tokens": 5, "overlap": 5}, "less than max_tokens"),
        ({"max_tokens": 5, "overlap": -1}, "overlap is -1"),
    ):
        with pytest.raises(ConfigurationError, match=message):
            tokenizer.split("a", **arguments)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="decode bytes first"):
        tokenizer.split(b"a", 5)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        tokenizer.split("a", 2.5)  # type: ignore[arg-type]


def spent(text: str, arguments: Sequence[int]) -> float:
    tokenizer = get_encoding("cl100k_base")
    begin = time.process_time()
    tokenizer.split(text, arguments[0], overlap=arguments[1])
    return time.process_time() - begin


@pytest.mark.parametrize("text", ["word and ", "漢字👍", "a", " ", "\n", "e\u0301"], ids=ascii)
@pytest.mark.parametrize("arguments", [(200, 0), (200, 50), (4, 0)], ids=str)
def test_time_is_linear(text: str, arguments: Sequence[int]) -> None:
    short = text * (20_000 // len(text))
    for _ in range(5):
        ratios = [spent(short * 8, arguments) / spent(short, arguments) for _ in range(2)]
        if min(ratios) < 20:
            return
    raise AssertionError(ratios)


def test_places_are_those_of_the_text() -> None:
    sizes = [part.end - part.start for part in get_encoding("gpt2").split("é漢 word" * 50, 7)]
    assert list(accumulate(sizes))[-1] == 350


def test_several_ids_that_begin_at_one_place() -> None:
    """As those of a character in single bytes do, beside which a part alone has one more id."""
    places = [0, 3, 4, 5, 5, 6, 6, 6, 6, 8]
    found = list(split(b"abcdefgh", places, 3, 1, lambda part: len(part) + 1))
    assert found[0][0] == 0
    assert found[-1][1] == 8
    for (begin, end, n_tokens), (following, until, _) in pairwise(found):
        assert n_tokens == end - begin + 1 <= 3
        assert begin < following <= end < until
