"""Tokenizers as values: equality, hash, copies, pickles; one set of tables for equal content."""

from __future__ import annotations

import copy
import gc
import pickle
import subprocess
import sys
from typing import Any

import pytest

import tokstream
from data import tiktoken_encoding
from tokstream import Tokenizer, encoding_for_model, get_encoding, list_encoding_names
from tokstream.vocabulary import Vocabulary

TABLE = {bytes([b]): b for b in range(256)} | {b"ab": 256, b"abc": 257}
PATTERN = r"\s+|\S+"


def _small(name: str = "small", **changes: Any) -> Tokenizer:
    parts: dict[str, Any] = {"pattern": PATTERN, "special_tokens": {"<x>": 300}} | changes
    return Tokenizer(name, Vocabulary.from_ranks(parts.pop("table", TABLE)), **parts)


def test_encodings_are_singletons() -> None:
    for name in list_encoding_names():
        assert get_encoding(name) is get_encoding(name)
    assert encoding_for_model("gpt-4o") is get_encoding("o200k_base")


def test_equal_content_is_equal() -> None:
    first, second = _small(), _small()
    assert first is not second
    assert first == second
    assert hash(first) == hash(second)
    assert len({first, second}) == 1
    assert first._core is second._core, "one set of tables in a process"


@pytest.mark.parametrize(
    "changes",
    [
        {"table": TABLE | {b"abcd": 258}},
        {"table": {**TABLE, b"abc": 500}},
        {"pattern": r"\s|\S+"},
        {"special_tokens": {"<x>": 301}},
        {"special_tokens": {"<y>": 300}},
        {"special_tokens": {}},
    ],
)
def test_other_content_is_different(changes: dict[str, Any]) -> None:
    assert _small(**changes) != _small()
    assert not _small(**changes) == _small()  # noqa: SIM201 - the other operator


def test_other_names_and_kinds_are_different() -> None:
    assert _small("other") != _small()
    assert _small() != "small"
    assert get_encoding("gpt2") != get_encoding("r50k_base")
    assert get_encoding("gpt2") != tiktoken_encoding("gpt2")


def test_tables_are_dropped_with_the_last_tokenizer() -> None:
    key = _small()._key
    gc.collect()
    assert key not in tokstream._tables._shared


def test_copies_are_the_same_object() -> None:
    for tokenizer in (get_encoding("gpt2"), _small()):
        assert copy.copy(tokenizer) is tokenizer
        assert copy.deepcopy(tokenizer) is tokenizer
        assert copy.deepcopy([tokenizer, {"t": tokenizer}]) == [tokenizer, {"t": tokenizer}]


@pytest.mark.parametrize("name", list_encoding_names())
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_encodings_pickle_as_their_name(name: str, protocol: int) -> None:
    tokenizer = get_encoding(name)
    data = pickle.dumps(tokenizer, protocol)
    assert len(data) < 150
    assert pickle.loads(data) is tokenizer


def test_others_pickle_as_their_content() -> None:
    tokenizer = _small()
    data = pickle.dumps(tokenizer)
    again = pickle.loads(data)
    assert again == tokenizer
    assert again._core is tokenizer._core
    text = "abc <x> abcab"
    for choice in ({"allowed_special": "all"}, {"disallowed_special": ()}):
        assert again.encode(text, **choice) == tokenizer.encode(text, **choice)
    assert again.special_tokens == tokenizer.special_tokens
    assert again.eos_id is None
    with_eos = Tokenizer("e", Vocabulary.from_ranks(TABLE), PATTERN, {"<x>": 300}, eos="<x>")
    assert pickle.loads(pickle.dumps(with_eos)).eos_id == with_eos.eos_id == 300


def test_a_pickle_loads_in_another_process() -> None:
    data = pickle.dumps([get_encoding("cl100k_base"), _small()])
    code = (
        "import pickle, sys; a, b = pickle.load(sys.stdin.buffer);"
        "print(a.encode('hello world'), b.encode('abc ab'))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], input=data, capture_output=True, check=True, timeout=60
    ).stdout
    assert out.split(b"\n")[0] == b"[15339, 1917] [257, 32, 256]"


def test_immutable() -> None:
    tokenizer = get_encoding("gpt2")
    tokenizer.special_tokens["<new>"] = 5
    assert "<new>" not in tokenizer.special_tokens
    for name in ("name", "n_vocab", "eos_id", "pattern", "special_tokens"):
        with pytest.raises(AttributeError):
            setattr(tokenizer, name, None)
    with pytest.raises(AttributeError):
        tokenizer.something = 1  # type: ignore[attr-defined]
    specials = {"<x>": 300}
    mine = Tokenizer("m", Vocabulary.from_ranks(TABLE), PATTERN, specials)
    specials["<y>"] = 301
    assert mine.special_tokens == {"<x>": 300}
    assert mine.encode("<y>") == tokenizer_bytes("<y>")


def tokenizer_bytes(text: str) -> list[int]:
    return list(text.encode())


def test_repr_and_properties() -> None:
    tokenizer = get_encoding("cl100k_base")
    assert repr(tokenizer) == "<Tokenizer cl100k_base: 100277 ids>"
    assert tokenizer.name == "cl100k_base"
    assert (tokenizer.n_vocab, tokenizer.eos_id) == (100277, 100257)
    assert tokenizer.pattern == tiktoken_encoding("cl100k_base")._pat_str
    assert _small().eos_id is None
    assert _small().n_vocab == 301
    assert _small(special_tokens={}).n_vocab == 258
    assert _small(special_tokens={"<x>": 258}).n_vocab == 259


def test_eos_must_be_a_special_token() -> None:
    with pytest.raises(tokstream.ConfigurationError, match="eos '<z>' is not among"):
        Tokenizer("m", Vocabulary.from_ranks(TABLE), PATTERN, {"<x>": 300}, eos="<z>")


@pytest.mark.parametrize(
    "specials",
    [{"": 300}, {"\ud800": 300}, {"<x>": -1}, {"<x>": 2**32}, {"<x>": True}, {"<x>": 97}, {5: 300}],
)
def test_impossible_special_tokens(specials: Any) -> None:
    with pytest.raises(tokstream.VocabularyError):
        Tokenizer("m", Vocabulary.from_ranks(TABLE), PATTERN, specials)


def test_info_is_plain_data() -> None:
    import json  # noqa: PLC0415

    for tokenizer in (get_encoding("cl100k_base"), _small()):
        facts = tokenizer.info()
        assert json.loads(json.dumps(facts)) is not None
        assert facts["name"] == tokenizer.name
        assert facts["n_vocab"] == tokenizer.n_vocab
        assert facts["special_tokens"] == tokenizer.special_tokens
    assert get_encoding("cl100k_base").info()["longest_token_bytes"] == 128
