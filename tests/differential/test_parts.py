"""One text on several threads: however it is cut into parts, ids and errors are those of one.

The parts are made tiny by a private argument of the native core; public calls cut texts of 1 MiB
and more only.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as Reference
from tokenizers import models, normalizers, pre_tokenizers

from drawing import texts
from nasty import LONG_TEXTS, TEXTS
from tokstream import InputError, Tokenizer, get_encoding, load

# allowed and disallowed special tokens
SPECIALS: tuple[dict[str, Any], ...] = ({}, {"allowed": "all"}, {"disallowed": "all"})
ENCODINGS = ("gpt2", "cl100k_base", "o200k_base")


def in_parts(
    tokenizer: Tokenizer,
    text: str | bytes | bytearray,
    n_threads: int,
    size: int,
    *,
    allowed: Any = None,
    disallowed: Any = (),
    errors: Any = "strict",
) -> list[int] | tuple[object, ...]:
    """Return ids, or the error's class, message, offset and ids."""
    specials = tokenizer._special.resolve(allowed, disallowed)
    try:
        return tokenizer._core.encode_in_parts(
            text,
            specials,
            errors == "replace",
            False,  # noqa: FBT003
            n_threads,
            size,
        )
    except InputError as error:
        return type(error), str(error), error.offset, error.ids


def in_one(
    tokenizer: Tokenizer,
    text: str | bytes | bytearray,
    *,
    allowed: Any = None,
    disallowed: Any = (),
    errors: Any = "strict",
) -> list[int] | tuple[object, ...]:
    """Do the same on one thread."""
    try:
        return tokenizer.encode(
            text,
            allowed_special=allowed,
            disallowed_special=disallowed,
            errors=errors,
            num_threads=1,
        )
    except InputError as error:
        return type(error), str(error), error.offset, error.ids


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("text", [*TEXTS.values(), *LONG_TEXTS.values()], ids=[*TEXTS, *LONG_TEXTS])
def test_nasty_texts(name: str, text: str) -> None:
    tokenizer = get_encoding(name)
    data = text.encode()
    for special in SPECIALS:
        expected = in_one(tokenizer, data, **special)
        for n_threads, size in ((1, 37), (2, 90), (2, 301), (3, 1400)):
            for kind in (data, text, bytearray(data)):
                assert in_parts(tokenizer, kind, n_threads, size, **special) == expected


@pytest.mark.parametrize("name", ENCODINGS)
def test_random_texts(name: str) -> None:
    tokenizer = get_encoding(name)

    @settings(max_examples=60)
    @given(
        texts(name, surrogates=True),
        st.integers(1, 3),
        st.integers(2, 200),
        st.sampled_from(SPECIALS),
    )
    def check(text: str, n_threads: int, size: int, special: dict[str, Any]) -> None:
        text *= 3
        expected = in_one(tokenizer, text, **special)
        assert in_parts(tokenizer, text, n_threads, size, **special) == expected

    check()


@pytest.mark.parametrize("errors", ["strict", "replace"])
def test_invalid_bytes_near_cuts(errors: str) -> None:
    tokenizer = get_encoding("o200k_base")
    rng = random.Random(1)
    base = "Ein Text, 漢字文字列 with words\nand <|endoftext|> 12 ".encode() * 6
    for invalid in (b"\xff", b"\xe6\xbc", b"\xf0\x9f\x99", b"\x80", b"\xed\xa0\x80"):
        for _ in range(40):
            at = rng.randrange(len(base))
            data = base[:at] + invalid + base[at:]
            for special in SPECIALS[:2]:
                expected = in_one(tokenizer, data, errors=errors, **special)
                size = rng.randrange(20, 150)
                assert in_parts(tokenizer, data, 2, size, errors=errors, **special) == expected


def test_surrogates_across_slices() -> None:
    tokenizer = get_encoding("cl100k_base")
    for unit in ("\ud83d\udc4d", "a \ud83d\udc4d", "é\udc4d\ud83d", "x\ud83d "):
        text = unit * 100
        expected = in_one(tokenizer, text)
        for size in (1, 2, 3, 7, 64):
            assert in_parts(tokenizer, text, 2, size) == expected


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_batches_of_texts_in_parts(n_threads: int) -> None:
    tokenizer = get_encoding("cl100k_base")
    rng = random.Random(n_threads)
    all_texts = [*TEXTS.values(), *LONG_TEXTS.values(), "", "a"]
    for size in (50, 1000):
        batch: list[Any] = [rng.choice(all_texts) for _ in range(40)]
        plain, no = tokenizer._special.plain, False
        found = tokenizer._core.encode_batch(batch, plain, no, no, n_threads, no, size)
        assert found == [tokenizer.encode_ordinary(text) for text in batch]


def _normalizing(form: str) -> Tokenizer:
    """Return a tokenizer of single bytes and a few tokens, behind a normalizer."""
    document = Reference(models.BPE(vocab={}, merges=[]))
    document.normalizer = getattr(normalizers, form)()
    document.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made = json.loads(document.to_str())
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokens = [*alphabet, "th", "the", "Ġthe", "ä¸", "ä¸Ń"]
    made["model"]["vocab"] = {token: k for k, token in enumerate(tokens)}
    made["model"]["merges"] = ["t h", "th e", "Ġ the", "ä ¸", "ä¸ Ń"]
    return load(json.dumps(made).encode())


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_behind_a_normalizer(form: str) -> None:
    tokenizer = _normalizing(form)
    units = [
        "e",
        "the ",
        " ",
        "\n",
        "1",
        "中",
        "中文",
        "。",
        "，",
        "、",
        "\u3099",
        "か",
        "\u0301",
        "\u0323",
    ]
    units += [
        "\u1100",
        "\u1161",
        "\u11a8",
        "가",
        "é",
        "ﬁ",
        "①",
        "\u3000",
        "\ufa0e",
        "豈",
        "Å",
        "\u00a0",
        ".",
    ]
    rng = random.Random(form)
    for _ in range(300):
        text = "".join(rng.choice(units) for _ in range(rng.randrange(1, 200)))
        size = rng.randrange(10, 200)
        expected = tokenizer.encode(text, num_threads=1)
        assert in_parts(tokenizer, text, 2, size) == expected
        assert in_parts(tokenizer, text.encode(), 1, size) == expected
