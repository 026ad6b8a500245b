"""Every verb of the drop-in gives what tiktoken gives."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokstream.compat.tiktoken as ours
from data import tiktoken_encoding

if TYPE_CHECKING:
    import tiktoken

    from tokstream.compat.tiktoken import Encoding

NAMES = ["gpt2", "cl100k_base", "o200k_base"]
PARTS = [
    *("hello", " fanta", " ", "  ", "\n", "\t", "\r\n", "\u3000", "é", "漢", "字", "👍", "0", "12"),
    *("<|endoftext|>", "'s", "!", "..", "a", "ab", "\x85", "\x1c", "\u2028", "x y", "-", "\u0301"),
    *("\ud83d", "\udc4d", "<|fim_prefix|>", "<|end"),
]
EOT = "<|endoftext|>"
CHOICES: list[dict[str, Any]] = [
    {},
    {"allowed_special": "all"},
    {"disallowed_special": ()},
    {"disallowed_special": None},
    {"allowed_special": {EOT}, "disallowed_special": ()},
    {"allowed_special": {EOT}},
    {"allowed_special": set(), "disallowed_special": {"a", EOT}},
    {"disallowed_special": "xyz"},
]


def pair(name: str) -> tuple[tiktoken.Encoding, Encoding]:
    return tiktoken_encoding(name), ours.get_encoding(name)


def some_text(rng: random.Random, most: int, *, surrogates: bool = True) -> str:
    parts = PARTS if surrogates else [part for part in PARTS if part not in ("\ud83d", "\udc4d")]
    return "".join(rng.choice(parts) for _ in range(rng.randint(0, most)))


def outcome(verb: Any, *args: Any, **choice: Any) -> Any:
    """What a call gives, or what it raises."""
    try:
        return verb(*args, **choice)
    except (ValueError, KeyError) as error:
        return "refused", isinstance(error, ValueError)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_encode(name: str, choice: dict[str, Any]) -> None:
    theirs, mine = pair(name)
    rng = random.Random(name + str(choice))
    for _ in range(200):
        text = some_text(rng, 12)
        assert outcome(mine.encode, text, **choice) == outcome(theirs.encode, text, **choice)
        assert mine.encode_ordinary(text) == theirs.encode_ordinary(text)
    texts = [some_text(rng, 12) for _ in range(20)]
    if "disallowed_special" in choice and choice["disallowed_special"] is None:
        return  # tiktoken's batch takes no None
    expected = outcome(theirs.encode_batch, texts, **choice)
    assert outcome(mine.encode_batch, texts, **choice) == expected
    assert mine.encode_ordinary_batch(texts) == theirs.encode_ordinary_batch(texts)


@pytest.mark.parametrize("name", NAMES)
@given(text=st.text())
@settings(max_examples=50)
def test_any_text(name: str, text: str) -> None:
    theirs, mine = pair(name)
    ids = theirs.encode(text, disallowed_special=())
    assert mine.encode(text, disallowed_special=()) == ids
    assert mine.decode(ids) == text
    assert mine._encode_only_native_bpe(text) == ids
    array = mine.encode_to_numpy(text, disallowed_special=())
    assert array.dtype == np.uint32
    assert array.tolist() == ids


@pytest.mark.parametrize("name", NAMES)
def test_unstable(name: str) -> None:
    theirs, mine = pair(name)
    rng = random.Random(name)
    texts = [some_text(rng, 6, surrogates=False) for _ in range(40)]
    for text in [*texts, "hello fanta", "a\n\n", "  !", "x\u3000", "漢", "\x1c\x1c", EOT, ""]:
        ids, completions = theirs.encode_with_unstable(text, allowed_special="all")
        assert mine.encode_with_unstable(text, allowed_special="all") == (ids, sorted(completions))


def test_unstable_with_surrogates() -> None:
    """Where tiktoken raises: what the repaired text gives."""
    mine = ours.get_encoding("cl100k_base")
    for text in ("py\ud83d\udc4d", "py\ud83d"):
        repaired = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        assert mine.encode_with_unstable(text) == mine.encode_with_unstable(repaired)
        assert mine.encode_to_numpy(text).tolist() == mine.encode(repaired)


@pytest.mark.parametrize("name", NAMES)
def test_bytes_that_are_no_text(name: str) -> None:
    theirs, mine = pair(name)
    rng = random.Random(name)
    bad = [b"", b"\x80", b"\xe6\xbc", b"\xff\xff", b"\xed\xa0\x80", b" \xec\x8b\xa4\xed"]
    for _ in range(300):
        whole = some_text(rng, 6, surrogates=False).encode()
        data = whole[: rng.randint(0, 20)] + rng.choice(bad) + rng.choice([b"", b"ab"])
        ids = mine._encode_bytes(data)
        assert ids == theirs._encode_bytes(data)
        assert mine.decode_bytes(ids) == data
        if data:
            assert mine._encode_single_piece(data) == theirs._encode_single_piece(data)


@pytest.mark.parametrize("name", NAMES)
def test_decode(name: str) -> None:
    theirs, mine = pair(name)
    rng = random.Random(name)
    known = [*theirs._special_tokens.values(), *theirs._mergeable_ranks.values()]
    for _ in range(200):
        ids = rng.choices(known, k=rng.randint(0, 12))
        text = some_text(rng, 8, surrogates=False)
        for tokens in (ids, theirs.encode(text, allowed_special="all")[rng.randint(0, 2) :]):
            assert mine.decode_bytes(tokens) == theirs.decode_bytes(tokens)
            assert mine.decode_tokens_bytes(tokens) == theirs.decode_tokens_bytes(tokens)
            for errors in ("replace", "ignore", "strict", "backslashreplace"):
                expected = outcome(theirs.decode, tokens, errors=errors)
                assert outcome(mine.decode, tokens, errors=errors) == expected
                assert outcome(mine.decode_batch, [tokens], errors=errors) == outcome(
                    theirs.decode_batch, [tokens], errors=errors
                )
            offsets = outcome(theirs.decode_with_offsets, tokens)
            assert outcome(mine.decode_with_offsets, tokens) == offsets
    assert mine.decode_bytes_batch([[1], [2, 3]]) == theirs.decode_bytes_batch([[1], [2, 3]])


@given(text=st.text())
@settings(max_examples=50)
def test_offsets_are_where_the_text_before_ends(text: str) -> None:
    mine = ours.get_encoding("cl100k_base")
    ids = mine.encode(text, allowed_special="all")
    found, offsets = mine.decode_with_offsets(iter(ids))
    assert found == text
    before = [mine.decode(ids[:k], errors="ignore") for k in range(len(ids))]
    assert offsets == [len(part) for part in before]


@pytest.mark.parametrize("name", ours.list_encoding_names())
def test_facts(name: str) -> None:
    theirs, mine = pair(name)
    assert mine.token_byte_values() == theirs.token_byte_values()
    for attribute in (
        *("name", "n_vocab", "max_token_value", "eot_token", "special_tokens_set"),
        *("_pat_str", "_special_tokens", "_mergeable_ranks", "_special_token_values"),
    ):
        assert getattr(mine, attribute) == getattr(theirs, attribute), attribute
    assert repr(mine) == repr(theirs)
    for token_id in (0, 5, mine.eot_token, mine.n_vocab):
        assert mine.is_special_token(token_id) == theirs.is_special_token(token_id)


@pytest.mark.parametrize("name", ["r50k_base", "cl100k_base"])
def test_every_single_token(name: str) -> None:
    theirs, mine = pair(name)
    for token_id in range(mine.n_vocab):
        try:
            token = theirs.decode_single_token_bytes(token_id)
        except KeyError:
            with pytest.raises(KeyError):
                mine.decode_single_token_bytes(token_id)
            continue
        assert mine.decode_single_token_bytes(token_id) == token
        assert mine.encode_single_token(token) == token_id


@pytest.mark.parametrize("name", NAMES)
def test_repetitions(name: str) -> None:
    theirs, mine = pair(name)
    for text in ("^", "0", "a", "'s", " ", "\n"):
        for n in (*range(1, 20), 3000):
            for repeated in (text * n, " " + text * n, " " + text * n + "\n"):
                assert mine.encode(repeated) == theirs.encode(repeated)
    assert mine.decode(mine.encode("x" * 1_000_000)) == "x" * 1_000_000
