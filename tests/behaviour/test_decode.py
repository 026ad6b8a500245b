"""`decode`, `decode_bytes`, tokens by id and by content; ids that do not exist are named."""

from __future__ import annotations

import random
from array import array
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import tokenizers

import tokstream
from data import tiktoken_encoding
from nasty import LONG_TEXTS, TEXTS
from tokstream import (
    InvalidTokenIdError,
    Tokenizer,
    TokstreamError,
    UnknownNameError,
    get_encoding,
    list_encoding_names,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return get_encoding("cl100k_base")


@pytest.mark.parametrize("name", list_encoding_names())
def test_round_trip(name: str) -> None:
    tokenizer = get_encoding(name)
    for text in [*TEXTS.values(), *LONG_TEXTS.values()]:
        assert tokenizer.decode(tokenizer.encode_ordinary(text)) == text
        assert tokenizer.decode_bytes(tokenizer.encode_ordinary(text)) == text.encode()


@pytest.mark.parametrize("name", list_encoding_names())
def test_every_id_decodes_as_in_the_reference(name: str) -> None:
    tokenizer, reference = get_encoding(name), tiktoken_encoding(name)
    assert tokenizer.n_vocab == reference.n_vocab
    assert tokenizer.eos_id == reference.eot_token
    assert tokenizer.special_tokens == reference._special_tokens
    specials = reference._special_tokens
    for token, token_id in reference._mergeable_ranks.items():
        assert tokenizer.token_bytes(token_id) == token
    for token_id in specials.values():
        assert tokenizer.token_bytes(token_id) == reference.decode_single_token_bytes(token_id)
    known = {*reference._mergeable_ranks.values(), *specials.values()}
    holes = set(range(tokenizer.n_vocab)) - known
    for token_id in holes:
        with pytest.raises(InvalidTokenIdError):
            tokenizer.token_bytes(token_id)
    everything = sorted(known)
    assert tokenizer.decode_bytes(everything) == reference.decode_bytes(everything)


@pytest.mark.parametrize("name", ["gpt2", "o200k_harmony"])
def test_ids_by_content(name: str) -> None:
    tokenizer, reference = get_encoding(name), tiktoken_encoding(name)
    ranks = reference._mergeable_ranks
    for token in random.Random(1).sample(list(ranks), 500):
        assert tokenizer.token_to_id(token) == ranks[token]
    assert tokenizer.token_to_id(bytearray(b"hello")) == ranks[b"hello"]  # type: ignore[arg-type]
    assert tokenizer.token_to_id("hello") == ranks[b"hello"]
    for text, token_id in reference._special_tokens.items():
        assert tokenizer.token_to_id(text) == token_id
        assert tokenizer.token_to_id(text.encode()) == token_id


@pytest.mark.parametrize(
    "token", ["", b"", "hello world", b"\xff\xfe\xfd", "\ud800", "<|nothing|>"]
)
def test_no_such_token(tokenizer: Tokenizer, token: str | bytes) -> None:
    with pytest.raises(UnknownNameError, match="is not a token of cl100k_base"):
        tokenizer.token_to_id(token)
    with pytest.raises(KeyError):
        tokenizer.token_to_id(token)


def test_token_to_id_takes_text_or_bytes(tokenizer: Tokenizer) -> None:
    for token in (15339, None, ["hello"]):
        with pytest.raises(TypeError):
            tokenizer.token_to_id(token)  # type: ignore[arg-type]


IDS = [15339, 1917, 100257, 220]
_KINDS: dict[str, Any] = {
    "list": IDS,
    "tuple": tuple(IDS),
    "iterator": None,
    "array of uint32": array("I", IDS),
    "array of int64": array("q", IDS),
    "numpy uint32": np.array(IDS, dtype=np.uint32),
    "numpy int32": np.array(IDS, dtype=np.int32),
    "numpy int64": np.array(IDS),
    "numpy uint16 of small ids": None,
    "numpy big-endian": np.array(IDS, dtype=">u4"),
    "numpy, every other": np.repeat(np.array(IDS, dtype=np.uint32), 2)[::2],
    "memoryview": memoryview(array("I", IDS)),
    "list of numpy numbers": list(np.array(IDS)),
    "dict keys": dict.fromkeys(IDS).keys(),
}


@pytest.mark.parametrize("kind", _KINDS)
def test_kinds_of_sequences(tokenizer: Tokenizer, kind: str) -> None:
    ids = _KINDS[kind] if _KINDS[kind] is not None else iter(IDS)
    assert tokenizer.decode(ids) == "hello world<|endoftext|> "


def test_no_ids(tokenizer: Tokenizer) -> None:
    kinds: list[Any] = [[], (), iter(()), array("I"), np.array([], dtype=np.uint32)]
    for empty in kinds:
        assert tokenizer.decode(empty) == ""
        assert tokenizer.decode_bytes(empty) == b""


@pytest.mark.parametrize("bad", [-1, 100256, 100277, 2**31, 2**32 - 1, 2**32, 2**70, -(2**40)])
@pytest.mark.parametrize("at", [0, 2])
def test_ids_that_do_not_exist(tokenizer: Tokenizer, bad: int, at: int) -> None:
    # 100256 is a hole between tokens and special tokens
    ids = [*IDS[:at], bad, *IDS[at:]]
    for verb in (tokenizer.decode, tokenizer.decode_bytes, tokenizer.decode_stream().feed):
        with pytest.raises(InvalidTokenIdError, match=rf"id {bad}\b.*index {at}") as caught:
            verb(ids)
        assert (caught.value.token_id, caught.value.index) == (bad, at)
        assert isinstance(caught.value, TokstreamError)
        assert isinstance(caught.value, ValueError)
    with pytest.raises(InvalidTokenIdError, match=rf"id {bad}\b.*below 100277") as found:
        tokenizer.token_bytes(bad)
    assert found.value.token_id == bad


def test_bad_ids_in_arrays(tokenizer: Tokenizer) -> None:
    for ids in (array("I", [15339, 100256]), np.array([15339, 100256], dtype=np.uint32)):
        with pytest.raises(InvalidTokenIdError, match="index 1"):
            tokenizer.decode(ids)
    with pytest.raises(InvalidTokenIdError, match="index 1"):
        tokenizer.decode(np.array([15339, -1]))


@pytest.mark.parametrize("bad", [1.0, 1.5, "15339", None, b"x", [1]])
def test_ids_of_a_wrong_type(tokenizer: Tokenizer, bad: Any) -> None:
    with pytest.raises(TypeError) as caught:
        tokenizer.decode([15339, bad])
    error: Any = caught.value
    assert error.index == 1, "it says which"


@pytest.mark.parametrize("ids", [None, 5, 1.5, "text", np.array([1.5]), np.float32(1)])
def test_what_is_no_sequence_of_ids(tokenizer: Tokenizer, ids: Any) -> None:
    with pytest.raises(TypeError):
        tokenizer.decode(ids)
    with pytest.raises(TypeError):
        tokenizer.decode_bytes(ids)


def test_wrong_type_for_one_id(tokenizer: Tokenizer) -> None:
    for bad in (1.0, "5", None, b"a"):
        with pytest.raises(TypeError):
            tokenizer.token_bytes(bad)  # type: ignore[arg-type]


def test_bytes_that_are_no_characters(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("aཀ")
    part = ids[:-1]
    assert tokenizer.decode_bytes(part) == "aཀ".encode()[: len(tokenizer.decode_bytes(part))]
    assert tokenizer.decode(part) == tokenizer.decode_bytes(part).decode("utf-8", "replace")
    assert tokenizer.decode(part, errors="ignore") == "a"
    with pytest.raises(UnicodeDecodeError):
        tokenizer.decode(part, errors="strict")
    with pytest.raises(LookupError):
        tokenizer.decode(part, errors="no such handler")


def test_an_iterator_that_fails(tokenizer: Tokenizer) -> None:
    def ids() -> Iterator[int]:
        yield 15339
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        tokenizer.decode(ids())


def test_the_shared_id_decodes_to_the_first_name() -> None:
    harmony = get_encoding("o200k_harmony")
    assert harmony.decode([200018]) == "<|endofprompt|>"
    assert harmony.token_bytes(200018) == b"<|endofprompt|>"
    assert harmony.token_to_id("<|reserved_200018|>") == 200018


@pytest.mark.parametrize("is_loaded", [False, True])
def test_what_is_no_id_is_named(tmp_path, is_loaded):
    tokenizer = get_encoding("gpt2")
    if is_loaded:
        model = tokenizers.models.BPE({"a": 0, "b": 1}, [])
        made = tokenizers.Tokenizer(model)
        made.save(str(tmp_path / "tokenizer.json"))
        tokenizer = tokstream.load(tmp_path / "tokenizer.json")
    verbs: list[Any] = [tokenizer.decode, tokenizer.decode_bytes]
    for decode in verbs:
        with pytest.raises(TypeError, match=r"^ids is int; give several ids"):
            decode(5)
        with pytest.raises(TypeError, match=r"^the id at index 1 is str, not an integer$"):
            decode([0, "a"])
        with pytest.raises(TypeError):
            decode(iter([0, "a", 1, "b"]))


def test_an_empty_path_is_said_to_be_empty():
    with pytest.raises(tokstream.ConfigurationError, match=r"^the path is empty"):
        tokstream.load("")
