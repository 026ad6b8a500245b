"""`as_hf` and what no caller should pass, or only some do: flags, texts and names of other types."""

from __future__ import annotations

import asyncio
import enum
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tokenizers import AddedToken as PeerToken
from tokenizers import Encoding as PeerEncoding
from tokenizers import Tokenizer as Peer

from hf_compare import assert_equal
from hf_small import byte_level
from tokstream.compat.huggingface import AddedToken, Encoding, Tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable

CONTENT = json.dumps(byte_level())
OURS, PEER = Tokenizer.from_str(CONTENT), Peer.from_str(CONTENT)


class Text(str, enum.Enum):  # noqa: UP042 - what is under test is this kind
    """Texts that are not what `str` says of them."""

    HELLO = "hello the World"
    OTHER = "na\u00efve </s>"
    ADDED = "<added>"
    LEFT = "left"
    ONLY = "only_first"


class Liar(str):
    """A text with a word of its own in everything."""

    __slots__ = ()

    def __str__(self) -> str:
        return "lie"

    def __repr__(self) -> str:
        return "lie"

    def __format__(self, spec: str) -> str:
        return "lie"

    def isascii(self) -> bool:
        return True

    def encode(self, *_: object, **__: object) -> bytes:
        return b"lie"


VERBS: dict[str, Callable[[Any, Any], object]] = {
    "encode": lambda t, flag: t.encode("hello", add_special_tokens=flag).ids,
    "encode a pair": lambda t, flag: t.encode("a", "b", add_special_tokens=flag).ids,
    "encode words": lambda t, flag: t.encode(["a"], is_pretokenized=flag).ids,
    "encode no words": lambda t, flag: t.encode("a", is_pretokenized=flag).ids,
    "batch": lambda t, flag: t.encode_batch(["a"], add_special_tokens=flag)[0].ids,
    "batch of pairs": lambda t, flag: t.encode_batch([("a", "b")], add_special_tokens=flag)[0].ids,
    "batch of words": lambda t, flag: t.encode_batch([["a"]], is_pretokenized=flag)[0].ids,
    "fast": lambda t, flag: t.encode_batch_fast(["a"], add_special_tokens=flag)[0].ids,
    "fast words": lambda t, flag: t.encode_batch_fast([["a"]], is_pretokenized=flag)[0].ids,
    "decode": lambda t, flag: t.decode([0, 1], skip_special_tokens=flag),
    "decode_batch": lambda t, flag: t.decode_batch([[0, 1]], skip_special_tokens=flag),
    "n_added": lambda t, flag: t.num_special_tokens_to_add(flag),
    "n_added of the part": lambda t, flag: t.post_processor.num_special_tokens_to_add(flag),
    "vocabulary": lambda t, flag: t.get_vocab(flag),
    "its size": lambda t, flag: t.get_vocab_size(flag),
    "to_str": lambda t, flag: len(t.to_str(flag)),
    "splits": lambda t, flag: setattr(t, "encode_special_tokens", flag),
    "post_process": lambda t, flag: t.post_process(t.encode("a"), None, flag).ids,
    "process": lambda t, flag: t.post_processor.process(t.encode("a"), None, flag).ids,
}


def outcome(call: Callable[[], object]) -> object:
    try:
        return call()
    except Exception as error:  # noqa: BLE001 - its kind is what is compared
        return next(
            kind for kind in (TypeError, OverflowError, Exception) if isinstance(error, kind)
        )


@pytest.mark.parametrize("name", VERBS)
def test_flags(name: str) -> None:
    """numpy's bool is one; nothing else is asked what is true of it."""
    call = VERBS[name]
    flags: list[Any] = [True, False, np.True_, np.False_, np.array([True])[0]]
    for flag in flags:
        ours, peer = Tokenizer.from_str(CONTENT), Peer.from_str(CONTENT)
        assert outcome(lambda: call(ours, flag)) == outcome(lambda: call(peer, flag)), flag  # noqa: B023
        assert ours.encode_special_tokens == peer.encode_special_tokens
    wrong: list[Any] = [0, 1, 2, None, "x", "", [], 1.0, np.int8(1), np.array([True, False])]
    for flag in wrong:
        with pytest.raises(TypeError):
            call(PEER, flag)
        with pytest.raises(TypeError, match=r"is \w+; give True or False"):
            call(OURS, flag)


def test_flags_of_async_verbs_and_of_merging() -> None:
    async def run() -> None:
        verb: Any
        for verb, given in (
            (OURS.async_encode, "a"),
            (OURS.async_encode_batch, ["a"]),
            (OURS.async_encode_batch_fast, ["a"]),
        ):
            for name in ("add_special_tokens", "is_pretokenized"):
                with pytest.raises(TypeError, match=f"{name} is int; give True or False"):
                    verb(given, **{name: 1})
        with pytest.raises(TypeError, match="skip_special_tokens is NoneType"):
            OURS.async_decode_batch([[1]], None)  # type: ignore[arg-type]

    asyncio.run(run())
    with pytest.raises(TypeError, match="growing_offsets is int"):
        Encoding.merge([OURS.encode("a")], 1)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        PeerEncoding.merge([PEER.encode("a")], 1)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [*Text, Liar("hello"), Liar("<s>\u6f22"), np.str_("hello")])
def test_texts_of_other_classes(text: str) -> None:
    """Their characters count, not what the class says they are."""
    calls: list[Callable[[Any], Any]] = [
        lambda t: t.encode(text),
        lambda t: t.encode("a", text),
        lambda t: t.encode([text, "a"], is_pretokenized=True),
        lambda t: t.encode_batch([text])[0],
        lambda t: t.encode_batch([("a", text)])[0],
        lambda t: t.encode_batch([[text, text]], is_pretokenized=True)[0],
        lambda t: t.encode_batch_fast([text])[0],
    ]
    for call in calls:
        assert_equal(call(OURS), call(PEER))
    assert OURS.token_to_id(text) == PEER.token_to_id(text)
    for tokenizer in (OURS, PEER):
        with pytest.raises(TypeError):
            tokenizer.encode(Liar("\ud800"))


def test_added_tokens_of_other_classes() -> None:
    ours, peer = Tokenizer.from_str(CONTENT), Peer.from_str(CONTENT)
    tokenizer: Any
    found: list[list[Any]] = []
    for tokenizer, kind in ((ours, AddedToken), (peer, PeerToken)):
        given: Any = [Text.ADDED, kind(Liar("<x>"), lstrip=True)]
        assert tokenizer.add_special_tokens(given) == 2
        assert tokenizer.add_tokens([Liar("hello there")]) == 1
        encoding = tokenizer.encode("hello there <x><added>")
        decoded = tokenizer.get_added_tokens_decoder()
        texts = [*encoding.tokens, *(decoded[k].content for k in sorted(decoded))]
        texts += [tokenizer.id_to_token(k) for k in sorted(decoded)]
        texts += sorted(set(tokenizer.get_vocab()) - set(PEER.get_vocab()))
        assert {type(text) for text in texts} == {str}
        found.append(
            [encoding.ids, texts, tokenizer.decode(encoding.ids, skip_special_tokens=False)]
        )
    assert found[0] == found[1]
    assert Tokenizer.from_str(ours.to_str()).encode("<x>").ids == peer.encode("<x>").ids


def test_settings_of_other_classes() -> None:
    ours, peer = Tokenizer.from_str(CONTENT), Peer.from_str(CONTENT)
    tokenizer: Any
    for tokenizer in (ours, peer):
        tokenizer.enable_truncation(6, direction=Text.LEFT, strategy=Text.ONLY)
        tokenizer.enable_padding(direction=Text.LEFT, pad_token=Text.ADDED, length=8)
    for got, expected in ((ours.truncation, peer.truncation), (ours.padding, peer.padding)):
        assert got == expected
        assert got is not None
        assert all(type(value) in (str, int, type(None)) for value in got.values())
    assert_equal(ours.encode(Text.HELLO), peer.encode(Text.HELLO))
    encodings: list[Any] = [OURS.encode("a"), PEER.encode("a")]
    for encoding in encodings:
        encoding.pad(6, pad_token=Text.ADDED, direction=Text.LEFT)
        assert set(map(type, encoding.tokens)) == {str}
        encoding.truncate(2, direction=Text.LEFT)
    assert_equal(*encodings)


def test_files_named_by_other_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    OURS.save(Text.LEFT)
    assert [path.name for path in tmp_path.iterdir()] == ["left"]
    assert Tokenizer.from_file(Text.LEFT).encode("hello").ids == OURS.encode("hello").ids
    (tmp_path / Text.ONLY.value).mkdir()
    assert len(OURS.model.save(Text.ONLY, Text.LEFT)) == 2
    found = sorted(path.name for path in (tmp_path / Text.ONLY.value).iterdir())
    assert found == ["left-merges.txt", "left-vocab.json"]


@pytest.mark.parametrize("wrong", [5, None, b"left", ["left"], 1.5])
def test_settings_of_wrong_types(wrong: Any) -> None:
    calls: dict[str, Callable[[Any], Any]] = {
        "direction": lambda t: t.encode("a b c").truncate(2, 0, wrong),
        "direction ": lambda t: t.encode("a b c").pad(9, direction=wrong),
        "pad_token": lambda t: t.encode("a b c").pad(9, pad_token=wrong),
        "direction  ": lambda t: t.enable_truncation(5, direction=wrong),
        "strategy": lambda t: t.enable_truncation(5, strategy=wrong),
        "direction   ": lambda t: t.enable_padding(direction=wrong),
        "pad_token ": lambda t: t.enable_padding(pad_token=wrong),
    }
    if wrong != 5:
        calls |= {
            "sequence_id": lambda t: t.encode("a").set_sequence_id(wrong),
            "stride": lambda t: t.enable_truncation(5, stride=wrong),
            "max_length": lambda t: t.enable_truncation(wrong),
            "pad_id": lambda t: t.enable_padding(pad_id=wrong),
        }
    for name, call in calls.items():
        with pytest.raises(TypeError):
            call(PEER)
        with pytest.raises(TypeError, match=f"^{name.strip()} is"):
            call(OURS)
    assert OURS.truncation is None
    assert OURS.padding is None


def test_sequence_ids_of_other_types() -> None:
    for given in (True, np.int64(1), 1):
        ours, peer = OURS.encode("a"), PEER.encode("a")
        ours.set_sequence_id(given)  # type: ignore[arg-type]
        peer.set_sequence_id(given)  # type: ignore[arg-type]
        assert_equal(ours, peer)
    for tokenizer in (OURS, PEER):
        with pytest.raises(OverflowError):
            tokenizer.encode("a").set_sequence_id(-1)


@pytest.mark.parametrize("wrong", [5, None, "{}", b"{}", bytearray(b"{}"), Path("x")])
def test_no_file_and_no_content(wrong: Any) -> None:
    if not isinstance(wrong, str):
        with pytest.raises(TypeError):
            Peer.from_str(wrong)
        with pytest.raises(TypeError, match="give its text as str, or use from_buffer"):
            Tokenizer.from_str(wrong)
    if not isinstance(wrong, bytes | bytearray):
        with pytest.raises(TypeError):
            Peer.from_buffer(wrong)
        with pytest.raises(TypeError, match="give its bytes, or use from_str"):
            Tokenizer.from_buffer(wrong)


def test_any_bytes_are_content() -> None:
    data = CONTENT.encode()
    rng = random.Random(1)
    for given in (data, bytearray(data), memoryview(data), np.frombuffer(data, np.uint8)):
        text = "hello the"[rng.randrange(3) :]
        assert Tokenizer.from_buffer(given).encode(text).ids == PEER.encode(text).ids  # type: ignore[arg-type]
