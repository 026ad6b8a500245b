"""`Encoding`: between characters, words and tokens; truncating, padding, merging by hand."""

from __future__ import annotations

import asyncio
import json
import pickle
import random
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as Peer

import tokstream
from format_texts import generated_texts
from hf_compare import assert_equal
from hf_small import byte_level, post_processor, random_document
from tokstream.compat.huggingface import Encoding, Tokenizer
from tokstream.compat.huggingface.runs import Reader

CONTENT = json.dumps(byte_level(prefix=True))
OURS, PEER = Tokenizer.from_str(CONTENT), Peer.from_str(CONTENT)


def encodings(rng: random.Random, n: int) -> list[tuple[Encoding, tokenizers.Encoding]]:
    texts = list(generated_texts(rng, n, ["<s>", "<mask>"]))
    calls: list[tuple[Any, ...]] = [*((t,) for t in texts), *pairwise(texts)]
    return [(OURS.encode(*call), PEER.encode(*call)) for call in calls]


def test_between_characters_words_and_tokens() -> None:
    for ours, peer in encodings(random.Random(1), 12):
        for sequence in (0, 1, 2):
            for at in range(30):
                assert ours.char_to_token(at, sequence) == peer.char_to_token(at, sequence)
                assert ours.char_to_word(at, sequence) == peer.char_to_word(at, sequence)
                assert ours.word_to_tokens(at, sequence) == peer.word_to_tokens(at, sequence)
                assert ours.word_to_chars(at, sequence) == peer.word_to_chars(at, sequence)
        for at in range(len(ours) + 3):
            assert ours.token_to_chars(at) == peer.token_to_chars(at)
            assert ours.token_to_word(at) == peer.token_to_word(at)
            assert ours.token_to_sequence(at) == peer.token_to_sequence(at)
        with pytest.warns(DeprecationWarning, match="word_ids"):
            assert ours.words == ours.word_ids
        with pytest.raises(OverflowError):
            ours.token_to_sequence(-1)


def test_truncating_and_padding_by_hand() -> None:
    rng = random.Random(2)
    for ours, peer in encodings(rng, 25):
        for _ in range(3):
            cut: dict[str, Any] = {
                "max_length": rng.randrange(3, 9),
                "stride": rng.randrange(3),
                "direction": rng.choice(["left", "right"]),
            }
            pad: dict[str, Any] = {
                "length": rng.randrange(12),
                "direction": rng.choice(["left", "right"]),
                "pad_id": 3,
                "pad_type_id": 1,
                "pad_token": "<p>",
            }
            encoding: Any
            for encoding in (ours, peer):
                encoding.truncate(**cut)
                encoding.pad(**pad)
            assert_equal(ours, peer, (cut, pad))
        for encoding in (ours, peer):
            encoding.set_sequence_id(4)
        assert ours.n_sequences == peer.n_sequences
        assert ours.token_to_sequence(0) == peer.token_to_sequence(0)
        for encoding in (ours, peer):
            encoding.truncate(0)
        assert_equal(ours, peer)


def test_columns_are_the_callers_own() -> None:
    encoding = OURS.encode("hello World")
    for name in ("ids", "tokens", "offsets", "word_ids", "attention_mask", "type_ids"):
        before = getattr(encoding, name)
        getattr(encoding, name).append(None)
        assert getattr(encoding, name) == before


@pytest.mark.parametrize("wrong", [{"max_length": 2, "stride": 2}, {"max_length": 2, "stride": 3}])
def test_a_stride_that_leaves_no_room(wrong: dict[str, Any]) -> None:
    """The reference panics here."""
    with pytest.raises(tokstream.ConfigurationError, match="stride is"):
        OURS.encode("hello World 1234").truncate(**wrong)
    encoding = OURS.encode("hello World 1234")
    with pytest.raises(tokstream.ConfigurationError, match="direction is 'up'"):
        encoding.truncate(2, direction="up")
    with pytest.raises(tokstream.ConfigurationError, match="direction is 'up'"):
        encoding.pad(20, direction="up")
    with pytest.raises(OverflowError):
        encoding.truncate(-1)
    assert_equal(encoding, PEER.encode("hello World 1234"))


def test_merging() -> None:
    found = encodings(random.Random(3), 6)
    for grows in (True, False):
        mine = Encoding.merge([ours for ours, _ in found], growing_offsets=grows)
        theirs = tokenizers.Encoding.merge([peer for _, peer in found], growing_offsets=grows)
        assert_equal(mine, theirs)
    ours: list[Any] = [OURS.encode("hello World 1234 a b c") for _ in range(2)]
    peers: list[Any] = [PEER.encode("hello World 1234 a b c") for _ in range(2)]
    for encoding in (*ours, *peers):
        encoding.truncate(5)
    assert_equal(Encoding.merge(ours), tokenizers.Encoding.merge(peers))


def test_post_processing_by_hand() -> None:
    rng = random.Random(4)
    n_compared = 0
    while n_compared < 12:
        _, document = random_document(rng)
        document["added_tokens"] = []
        document["normalizer"] = None
        content = json.dumps(document)
        try:
            ours = Tokenizer.from_str(content)
        except tokstream.UnsupportedTokenizerError:
            continue
        peer = Peer.from_str(content)
        n_compared += 1
        if document["model"]["unk_token"] is None:
            continue
        for adds in (True, False):
            for texts in (("hello the",), ("hello the", "World 12")):
                given: list[Any] = [ours.encode(text, add_special_tokens=False) for text in texts]
                before = [encoding.tokens for encoding in given]
                options: Any = {"add_special_tokens": adds}
                got = ours.post_process(given[0], *given[1:], **options)
                plain: list[Any] = [peer.encode(text, add_special_tokens=False) for text in texts]
                expected = peer.post_process(*plain, **options)
                assert_equal(got, expected, document["post_processor"])
                assert [encoding.tokens for encoding in given] == before


@pytest.mark.parametrize("seed", range(40))
def test_post_processing_what_is_no_plain_text(seed: int) -> None:
    """Pairs, special tokens, padding and cut parts, as the first text and as the second."""
    document = byte_level()
    ids = {token["content"]: token["id"] for token in document["added_tokens"]}
    document["post_processor"] = post_processor(random.Random(seed), ids)
    content = json.dumps(document)
    found: list[list[Any]] = []
    for kind in (Tokenizer, Peer):
        rng = random.Random(seed + 1)
        tokenizer: Any = kind.from_str(content)
        given: list[Any] = []
        for _ in range(rng.choice([1, 2])):
            texts = ("hello the World", "x y")[: rng.choice([1, 2])]
            encoding = tokenizer.encode(*texts, add_special_tokens=rng.random() < 0.5)
            if rng.random() < 0.4:
                encoding.truncate(3, stride=rng.choice([0, 1]))
            if rng.random() < 0.3:
                side = rng.choice(["left", "right"])
                encoding.pad(9, pad_type_id=rng.choice([0, 2]), direction=side)
            given.append(encoding)
        adds, is_cut, is_padded = (rng.random() < 0.5 for _ in range(3))
        part = tokenizer.post_processor
        by_part = part.process(*given, add_special_tokens=adds) if part is not None else None
        if is_cut:
            tokenizer.enable_truncation(8, direction=rng.choice(["left", "right"]))
        if is_padded:
            tokenizer.enable_padding(length=20, pad_type_id=3)
        by_part = by_part or tokenizer.encode("a")
        found.append([tokenizer.post_process(*given, add_special_tokens=adds), by_part])
    for got, expected in zip(*found, strict=True):
        assert_equal(got, expected, document["post_processor"])


@pytest.mark.parametrize("wrong", [("x",), (None,), (PEER.encode("a"),), (OURS.encode("a"), "x")])
def test_post_processing_what_is_no_encoding(wrong: tuple[Any, ...]) -> None:
    part: Any = OURS.post_processor
    for verb in (OURS.post_process, part.process):
        with pytest.raises(TypeError, match="give an Encoding"):
            verb(*wrong)
    with pytest.raises(TypeError):
        PEER.post_process("x")  # type: ignore[arg-type]


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=40), st.text(max_size=20), st.booleans())
def test_any_text(text: str, other: str, adds: bool) -> None:
    calls: list[tuple[Any, ...]] = [(text,), (text, other)]
    options: Any = {"add_special_tokens": adds}
    for call in calls:
        try:
            expected = PEER.encode(*call, **options)
        except TypeError:
            with pytest.raises(TypeError):
                OURS.encode(*call, **options)
            continue
        assert_equal(OURS.encode(*call, **options), expected, call)
        assert OURS.decode(expected.ids) == PEER.decode(expected.ids)


@pytest.mark.parametrize("verb", ["char_to_token", "char_to_word", "word_to_tokens"])
def test_arguments_that_are_no_index(verb: str) -> None:
    """The kinds of errors are the reference's."""
    for encoding in (OURS.encode("hello you"), PEER.encode("hello you")):
        for arguments in ((-1,), (0, -1)):
            with pytest.raises(OverflowError):
                getattr(encoding, verb)(*arguments)
        for argument in (1.5, "a", None):
            with pytest.raises(TypeError):
                getattr(encoding, verb)(argument)


@pytest.mark.parametrize("direction", ["left", "right"])
def test_columns_before_and_after_runs_are_made(direction: str) -> None:
    """A whole text in its frame says the same as the runs that are made of it."""
    ours, peer = Tokenizer.from_str(CONTENT), Peer.from_str(CONTENT)
    padding: dict[str, Any] = {"direction": direction, "pad_id": 2, "pad_type_id": 3}
    for tokenizer in (ours, peer):
        tokenizer.enable_truncation(6)
        tokenizer.enable_padding(**padding)
    texts = ["", "a", "hello", " x y z ", "<s>", "é", *generated_texts(random.Random(4), 40)]
    for adds in (True, False):
        framed = ours.encode_batch(texts, add_special_tokens=adds)
        expected = peer.encode_batch(texts, add_special_tokens=adds)
        for mine, theirs in zip(framed, expected, strict=True):
            assert_equal(mine, theirs)
            again = Encoding.merge([mine])  # of its runs
            columns = ("ids", "type_ids", "tokens", "offsets", "word_ids", "attention_mask")
            if not theirs.overflowing:
                assert_equal(again, theirs, columns=columns)
            mine.pad(9, **padding)
            theirs.pad(9, **padding)
            assert_equal(mine, theirs)


def test_an_encoding_that_threads_read() -> None:
    texts = ["hello you", "a", "", "x y"] * 50
    columns = ("ids", "tokens", "sequence_ids", "offsets", "attention_mask", "n_sequences")

    def read(k: int) -> list[list[Any]]:
        order = columns[k % 6 :] + columns[: k % 6]
        found = [{name: getattr(e, name) for name in order} for e in shared]
        return [[values[name] for name in columns] for values in found]

    for _ in range(5):
        shared = OURS.encode_batch(texts)
        expected = [[getattr(e, name) for name in columns] for e in PEER.encode_batch(texts)]
        with ThreadPoolExecutor(8) as pool:
            for found in pool.map(read, range(16)):
                assert found == expected


def test_errors_of_async_verbs_come_with_the_call() -> None:
    """And a task that is cancelled ends."""

    async def use(tokenizer: Any) -> None:
        for call in (
            lambda: tokenizer.async_encode(5),
            lambda: tokenizer.async_encode_batch([5]),
            lambda: tokenizer.async_decode_batch([["x"]]),
        ):
            with pytest.raises(TypeError):
                call()
        with pytest.raises(OverflowError):
            tokenizer.async_decode_batch([[-1]])
        task = asyncio.ensure_future(tokenizer.async_encode_batch(["a b " * 5000] * 8))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        texts = [f"hello {k}" for k in range(40)]
        found = await asyncio.gather(*map(tokenizer.async_encode, texts))
        assert [e.ids for e in found] == [tokenizer.encode(text).ids for text in texts]

    for tokenizer in (OURS, PEER):
        asyncio.run(use(tokenizer))


def test_parts_of_words_that_were_cut_read_each_word_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = Tokenizer.from_str(CONTENT), Peer.from_str(CONTENT)
    read: list[str] = []
    source = Reader.source

    def counted(self: Reader, text: str, ids: list[int]) -> Any:
        read.append(text)
        return source(self, text, ids)

    monkeypatch.setattr(Reader, "source", counted)
    words = [f"word{k}" for k in range(50)]
    for each in (ours, theirs):
        each.enable_truncation(6, stride=2)
    mine = ours.encode(words, is_pretokenized=True)
    other = theirs.encode(words, is_pretokenized=True)
    for ours_part, part in zip(mine.overflowing, other.overflowing, strict=True):
        assert ours_part.offsets == part.offsets
        for k in range(len(part)):
            assert ours_part.token_to_chars(k) == part.token_to_chars(k)
    assert sorted(read) == sorted(words)


def test_look_ups_follow_what_is_changed() -> None:
    mine, other = (kind.from_str(CONTENT).encode("hello the world") for kind in (Tokenizer, Peer))
    for change in (
        lambda encoding: encoding.pad(12, direction="left"),
        lambda encoding: encoding.truncate(9, direction="left"),
        lambda encoding: encoding.pad(14),
    ):
        for encoding in (mine, other):
            change(encoding)
        for k in range(len(other)):
            assert mine.token_to_chars(k) == other.token_to_chars(k)
            assert mine.token_to_word(k) == other.token_to_word(k)
        for k in range(16):
            assert mine.char_to_token(k) == other.char_to_token(k)
            assert mine.word_to_tokens(k) == other.word_to_tokens(k)


@pytest.mark.parametrize(
    "wrong",
    [
        {"pad_id": -1},
        {"pad_id": 2**33},
        {"pad_type_id": -1},
        {"pad_token": None},
        {"pad_token": 5},
        {"pad_id": "0"},
        {"length": -1},
        {"direction": "up"},
    ],
)
def test_wrong_padding_by_hand_changes_nothing(wrong: dict[str, Any]) -> None:
    mine, other = (kind.from_str(CONTENT).encode("hello the") for kind in (Tokenizer, Peer))
    arguments = {"length": 9, **wrong}
    length = arguments.pop("length")
    with pytest.raises((OverflowError, TypeError, ValueError)) as theirs:
        other.pad(length, **arguments)
    kind = ValueError if "direction" in wrong else theirs.type
    with pytest.raises(kind):
        mine.pad(length, **arguments)
    assert_equal(mine, other)
    assert pickle.loads(pickle.dumps(mine)).ids == other.ids
