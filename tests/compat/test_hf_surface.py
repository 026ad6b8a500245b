"""The rest of the interface of `tokenizers.Tokenizer`: loading, adding, decoding, handing over."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
import random
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import tokenizers
from tokenizers import Tokenizer as Peer

import tokstream
from format_texts import generated_texts
from hf_compare import assert_equal, compare_calls, compare_vocabulary
from hf_small import byte_level, random_document
from tokstream.compat.huggingface import AddedToken, Encoding, Tokenizer
from tokstream.formats.alphabet import BYTE_OF

if TYPE_CHECKING:
    from pathlib import Path


def made(**options: Any) -> tuple[Tokenizer, Peer]:
    content = json.dumps(byte_level(**options))
    return Tokenizer.from_str(content), Peer.from_str(content)


def test_ways_to_load(tmp_path: Path) -> None:
    content = json.dumps(byte_level())
    path = tmp_path / "tokenizer.json"
    path.write_text(content)
    expected = Peer.from_str(content).encode("hello").ids
    native = tokstream.load(path)
    for tokenizer in (
        Tokenizer.from_file(path),
        Tokenizer.from_file(str(path)),
        Tokenizer.from_buffer(content.encode()),
        native.as_hf(),
        tokstream.load(content.encode()).as_hf(),
        pickle.loads(pickle.dumps(native)).as_hf(),
    ):
        assert tokenizer.encode("hello").ids == expected
    path.write_text(content + " ")
    with pytest.raises(tokstream.VocabularyError, match="has changed"):
        native.as_hf()
    path.unlink()
    with pytest.raises(tokstream.ConfigurationError, match="cannot be read"):
        native.as_hf()
    with pytest.raises(FileNotFoundError):
        Tokenizer.from_file(path)
    with pytest.raises(tokstream.VocabularyError):
        Tokenizer.from_str(content[:100])


def test_padding_by_the_name_of_earlier_versions() -> None:
    for options in ({"max_length": 9}, {"max_length": 9, "length": 12}):
        ours, peer = made()
        for one in (ours, peer):
            one.enable_padding(**options)
        assert ours.padding == peer.padding
        assert_equal(ours.encode("hello"), peer.encode("hello"))


def test_settings_of_the_file_are_in_force() -> None:
    document = byte_level()
    document["truncation"] = {
        "max_length": 5,
        "stride": 1,
        "strategy": "LongestFirst",
        "direction": "Left",
    }
    document["padding"] = {
        "strategy": {"Fixed": 6},
        "direction": "Left",
        "pad_to_multiple_of": None,
        "pad_id": 2,
        "pad_type_id": 1,
        "pad_token": "<pad>",
    }
    content = json.dumps(document)
    ours, peer = Tokenizer.from_str(content), Peer.from_str(content)
    assert (ours.truncation, ours.padding) == (peer.truncation, peer.padding)
    assert_equal(ours.encode("hello the World 123"), peer.encode("hello the World 123"))
    assert json.loads(ours.to_str()) == json.loads(peer.to_str())
    document["padding"]["strategy"] = 7
    with pytest.raises(tokstream.VocabularyError, match=r"\$.padding is damaged"):
        Tokenizer.from_str(json.dumps(document))


def test_added_tokens_after_loading() -> None:
    ours, peer = made()
    rng = random.Random(3)
    names = ["hello", "the ", "<new>", "<new>", "", "ab", "é", "<s>"]
    texts = list(generated_texts(rng, 25, names))
    steps: list[tuple[str, list[Any]]] = [
        ("add_tokens", ["<new>", "<new>", ""]),
        ("add_tokens", ["hello", tokenizers.AddedToken("ab", single_word=True)]),
        ("add_special_tokens", ["<s>", "<later>"]),
        ("add_special_tokens", [tokenizers.AddedToken("é", rstrip=True, normalized=True)]),
        ("add_tokens", [tokenizers.AddedToken("the", lstrip=True), "<later>"]),
        ("add_tokens", [tokenizers.AddedToken("<later>", special=True)]),
    ]
    for verb, tokens in steps:
        assert getattr(ours, verb)(tokens) == getattr(peer, verb)(tokens)
        compare_vocabulary(ours, peer)
        compare_calls(ours, peer, texts)
    assert json.loads(ours.to_str()) == json.loads(peer.to_str())
    again = Tokenizer.from_str(ours.to_str())
    compare_calls(again, peer, texts[:5])
    assert ours.add_tokens([AddedToken("ours", special=True)]) == 1
    assert ours.get_added_tokens_decoder()[ours.token_to_id("ours") or 0].special


def test_added_tokens_are_checked() -> None:
    ours, _ = made()
    with pytest.raises(TypeError, match="not a list"):
        ours.add_tokens("abc")
    with pytest.raises(TypeError, match="index 1 is int"):
        ours.add_tokens(["a", 3])
    with pytest.raises(TypeError, match="surrogate"):
        ours.add_tokens(["\ud800"])
    assert ours.encode("abc").ids == made()[0].encode("abc").ids


def test_the_added_token() -> None:
    for options in ({}, {"special": True}, {"normalized": False, "lstrip": True}):
        ours, peer = AddedToken("x", **options), tokenizers.AddedToken("x", **options)
        assert (repr(ours), str(ours)) == (repr(peer), str(peer))
        assert ours.__getstate__() == peer.__getstate__()
        assert pickle.loads(pickle.dumps(ours)) == ours == copy.copy(ours)
    assert AddedToken("x") != AddedToken("x", lstrip=True)
    assert hash(AddedToken("x")) == hash(AddedToken("x", lstrip=True))
    assert AddedToken("x") != "x"
    for options in ({}, {"normalized": True}, {"normalized": False}):
        ours, peer = AddedToken("x", **options), tokenizers.AddedToken("x", **options)
        assert ours == peer
        for value in (True, False):
            ours.special = peer.special = value
            ours.content = peer.content = f"y{value}"
            assert repr(ours) == repr(peer)
        with pytest.raises(AttributeError):
            ours.normalized = True  # type: ignore[misc]
    with pytest.raises(TypeError, match="content of an added token is int; give a str"):
        AddedToken(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="lstrip is int; give True or False"):
        AddedToken("x", lstrip=1)  # type: ignore[arg-type]
    with pytest.warns(UserWarning, match="words says nothing"):
        assert AddedToken("x", words=True) == AddedToken("x")


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("second", [True, False])
def test_a_token_that_is_added_again_otherwise(first: bool, second: bool) -> None:
    """It is decoded as the normalizer makes it until there is another normalizer."""
    ours, peer = made()
    steps = [tokenizers.normalizers.NFD(), tokenizers.normalizers.StripAccents()]
    found = []
    for one, kind in ((ours, AddedToken), (peer, tokenizers.AddedToken)):
        one.normalizer = tokenizers.normalizers.Sequence(steps)
        texts: list[object] = []
        token_id: Any = None
        for normalized in (first, second):
            one.add_tokens([kind("x\u00e9", normalized=normalized, special=not second)])
            token_id = one.token_to_id("x\u00e9")
            texts += [one.id_to_token(token_id), one.decode([token_id], skip_special_tokens=False)]
            texts += [one.decode([token_id]), one.encode("ax\u00e9b").ids]
        one.normalizer = tokenizers.normalizers.BertNormalizer()
        found.append([*texts, one.id_to_token(token_id), one.decode([token_id])])
    assert found[0] == found[1]


def test_special_tokens_as_text() -> None:
    ours, peer = made()
    for value in (True, False):
        ours.encode_special_tokens = peer.encode_special_tokens = value
        assert ours.encode_special_tokens is peer.encode_special_tokens is value
        assert_equal(ours.encode("<s>a <mask> b</s>"), peer.encode("<s>a <mask> b</s>"))


def test_inputs_of_all_forms() -> None:
    ours, peer = made()
    batch: list[Any] = ["a b", ("a", "b c"), ["hello", "the"], ""]
    for verb in ("encode_batch", "encode_batch_fast"):
        got, expected = getattr(ours, verb)(batch), getattr(peer, verb)(batch)
        for one, other in zip(got, expected, strict=True):
            assert_equal(one, other)
    words: list[Any] = [["a", "b c"], (["a", "b"], ["c"]), ["hello"], []]
    for one, other in zip(
        ours.encode_batch(words, is_pretokenized=True),
        peer.encode_batch(words, is_pretokenized=True),
        strict=True,
    ):
        assert_equal(one, other)
    array = np.array(["hello", "the"])
    assert ours.encode(array, is_pretokenized=True).ids == (
        ours.encode(["hello", "the"], is_pretokenized=True).ids
    )
    assert ours.encode_batch([]) == []


@pytest.mark.parametrize("wrong", ["a\ud800b", 3, None, ["a"], b"a"])
def test_wrong_texts(wrong: Any) -> None:
    ours, peer = made()
    for tokenizer in (ours, peer):
        with pytest.raises(TypeError):
            tokenizer.encode(wrong)
    with pytest.raises(TypeError, match="input 1: "):
        ours.encode_batch(["a", [wrong, wrong]])


@pytest.mark.parametrize("wrong", ["abc", [("a",)], [("a", "b", "c")], [3]])
def test_wrong_batches(wrong: Any) -> None:
    for tokenizer in made():
        with pytest.raises(TypeError):
            tokenizer.encode_batch(wrong)


def test_decoding() -> None:
    ours, peer = made()
    ids = peer.encode("hello <mask> the é 漢").ids
    for given in (ids, tuple(ids), [*ids, 10**6], [], [0, 1, 2]):
        for skips in (True, False):
            expected = peer.decode(given, skip_special_tokens=skips)
            assert ours.decode(given, skip_special_tokens=skips) == expected
    assert ours.decode(np.array(ids)) == peer.decode(ids)
    assert ours.decode_batch([ids, ids[:3]]) == peer.decode_batch([ids, ids[:3]])
    for wrong, kind in (([-1], OverflowError), ([2**32], OverflowError), (["a"], TypeError)):
        for tokenizer in (ours, peer):
            with pytest.raises(kind):
                tokenizer.decode(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        ours.decode(5)  # type: ignore[arg-type]


def test_async_forms_use_the_settings_of_the_caller() -> None:
    ours, peer = made()
    for tokenizer in (ours, peer):
        tokenizer.enable_truncation(4)

    async def run() -> None:
        text = "hello the World 12345"
        assert_equal(await ours.async_encode(text), await peer.async_encode(text))
        for verb in ("async_encode_batch", "async_encode_batch_fast"):
            got, expected = await getattr(ours, verb)([text]), await getattr(peer, verb)([text])
            assert_equal(got[0], expected[0])
        ids = peer.encode(text).ids
        assert await ours.async_decode_batch([ids]) == await peer.async_decode_batch([ids])

    asyncio.run(run())


def test_copies_and_pickles() -> None:
    ours, peer = made()
    ours.add_tokens(["<new>"])
    peer.add_tokens(["<new>"])
    ours.enable_truncation(6)
    peer.enable_truncation(6)
    text = "a <new> hello World"
    for twin in (copy.copy(ours), copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
        assert_equal(twin.encode(text), peer.encode(text))
        twin.no_truncation()
        twin.add_tokens(["hello"])
        assert_equal(ours.encode(text), peer.encode(text))
    encoding = pickle.loads(pickle.dumps(ours.encode(text, "the")))
    assert_equal(encoding, peer.encode(text, "the"))


def test_saving(tmp_path: Path) -> None:
    ours, peer = made()
    path = tmp_path / "out.json"
    ours.save(str(path))
    assert json.loads(path.read_text("utf-8")) == json.loads(peer.to_str())
    assert path.read_text("utf-8") == ours.to_str(pretty=True)
    ours.save(path, pretty=False)
    assert_equal(Tokenizer.from_file(path).encode("hello"), peer.encode("hello"))
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(OSError, match="No such file"):
        ours.save(tmp_path / "none" / "out.json")


def compare_tokens(ours: Tokenizer, peer: Peer, pretoken: str) -> None:
    found, expected = ours.model.tokenize(pretoken), peer.model.tokenize(pretoken)
    assert [token.as_tuple() for token in found] == [token.as_tuple() for token in expected]
    for got, other in zip(found, expected, strict=True):
        assert (got.id, got.value, got.offsets) == (other.id, other.value, other.offsets)


@pytest.mark.parametrize("seed", range(40))
def test_tokens_of_one_pretoken(seed: int) -> None:
    """Their places are bytes; where nothing vanishes, and bytes are whole characters."""
    rng = random.Random(seed)
    _, document = random_document(rng)
    content = json.dumps(document)
    try:
        ours = Tokenizer.from_str(content)
    except tokstream.UnsupportedTokenizerError:
        return
    peer = Peer.from_str(content)
    letters = [token for token in document["model"]["vocab"] if len(token) == 1]
    if document["model"]["unk_token"] is None or "ByteLevel" in content:
        letters = list(filter(str.isascii, letters))
    else:
        letters += "漢🌡"
    for _ in range(20):
        compare_tokens(ours, peer, "".join(rng.choices(letters, k=rng.randrange(9))))


@pytest.mark.parametrize("ignores", [False, True])
def test_tokens_of_bytes_that_are_no_characters(ignores: bool) -> None:
    rng = random.Random(ignores)
    document = json.loads(made()[1].to_str())
    document["model"]["ignore_merges"] = ignores
    ours, peer = Tokenizer.from_str(json.dumps(document)), Peer.from_str(json.dumps(document))
    letters = list(BYTE_OF)
    for usual in (letters, letters[64:72], list("helĠÃ©")):
        for _ in range(200):
            compare_tokens(ours, peer, "".join(rng.choices(usual, k=rng.randrange(12))))


def test_parts_can_be_looked_at_and_called() -> None:
    ours, peer = made(prefix=True)
    texts = ["hello World", "naïve  漢字\n1234", ""]
    for text in texts:
        mine, theirs = ours.pre_tokenizer, peer.pre_tokenizer
        assert mine is not None
        assert mine.pre_tokenize_str(text) == theirs.pre_tokenize_str(text)
        tokens = peer.encode(text).tokens
        assert ours.decoder is not None
        assert ours.decoder.decode(tokens) == peer.decoder.decode(tokens)
        for pretoken, _ in theirs.pre_tokenize_str(text):
            compare_tokens(ours, peer, pretoken)
    for text in ["hello world", "\n", "Ġ漢字 hÃ©"]:
        compare_tokens(ours, peer, text)  # what is not in the byte-level alphabet is no token
    assert ours.normalizer is None
    assert ours.model.token_to_id("hello") == peer.model.token_to_id("hello")
    assert ours.model.id_to_token(300) == peer.model.id_to_token(300)
    assert type(ours.model).__name__ == type(peer.model).__name__ == "BPE"
    assert ours.model.ignore_merges is False
    assert ours.pre_tokenizer is not None
    assert ours.pre_tokenizer.add_prefix_space is True
    assert json.loads(ours.pre_tokenizer.__getstate__()) == json.loads(
        peer.pre_tokenizer.__getstate__()
    )
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = ours.pre_tokenizer.nothing
    assert ours.post_processor is not None
    assert ours.post_processor.num_special_tokens_to_add(is_pair=True) == 3


def test_parts_can_be_replaced() -> None:
    ours, peer = made()
    texts = list(generated_texts(random.Random(5), 15, ["<s>"]))
    parts: list[tuple[str, Any]] = [
        ("normalizer", tokenizers.normalizers.Lowercase()),
        ("pre_tokenizer", tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=True)),
        (
            "post_processor",
            tokenizers.processors.TemplateProcessing("$A </s>", special_tokens=[("</s>", 1)]),
        ),
        ("decoder", tokenizers.decoders.Fuse()),
        ("normalizer", None),
        ("post_processor", None),
    ]
    for name, part in parts:
        setattr(ours, name, part)
        setattr(peer, name, part)
        for text in texts:
            assert_equal(ours.encode(text), peer.encode(text))
            ids = peer.encode(text).ids
            assert ours.decode(ids) == peer.decode(ids)
    other, _ = made()
    other.decoder = ours.decoder
    assert other.decoder == ours.decoder
    with pytest.raises(tokstream.UnsupportedTokenizerError):
        ours.decoder = tokenizers.decoders.CTC()
    assert ours.decoder == other.decoder
    for name, wrong in (("normalizer", 3), ("pre_tokenizer", tokenizers.normalizers.NFC())):
        for tokenizer in (ours, peer):
            with pytest.raises(TypeError):
                setattr(tokenizer, name, wrong)


def test_training_is_refused() -> None:
    ours, _ = made()
    with pytest.raises(tokstream.ConfigurationError, match="does not train"):
        ours.train_from_iterator(["a"])


def test_it_needs_no_tokenizers_package() -> None:
    code = (
        "import sys, tokstream; t = tokstream.get_encoding('gpt2').as_hf(); "
        "e = t.encode('a b'); e.offsets; t.decode(e.ids); t.to_str(); "
        "print([m for m in ('tokenizers', 'transformers', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_an_empty_encoding() -> None:
    ours, peer = Encoding(), tokenizers.Encoding()
    assert_equal(ours, peer)
    assert ours.char_to_token(0) is peer.char_to_token(0) is None
