"""tokstream under a tokenizer of transformers: everything it does is as it was."""

from __future__ import annotations

import copy
import io
import json
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sentencepiece
import tokenizers
from tokenizers import Tokenizer as Peer
from tokenizers import normalizers, processors

from hf_compare import run_threads
from hf_small import byte_level
from transformers_small import CHAT, assert_same, plain

pytest.importorskip("transformers", minversion="5")

from transformers import AutoTokenizer, PreTrainedTokenizer, PreTrainedTokenizerFast

import tokstream
from tokstream import UnsupportedTokenizerError
from tokstream.compat.huggingface import Tokenizer
from tokstream.integrations import transformers as integration
from tokstream.integrations.transformers import accelerate, native

SENTENCES = [
    "The quick brown fox jumps over the lazy dog.",
    "Das ist ein kurzer Satz, und noch einer: 1234 Wörter.",
    "naïve  texts \twith blanks   ",
]
TEXTS = ["hello World", "naïve 漢字 <mask> the</s> 1234", "hello the " * 7, ""]


@pytest.fixture
def both(tmp_path: Path) -> tuple[Any, Any]:
    """The same tokenizer, with tokstream and without."""
    return accelerate(plain(tmp_path)), plain(tmp_path)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"padding": True},
        {"padding": True, "return_tensors": "np"},
        {"padding": True, "padding_side": "left", "pad_to_multiple_of": 8},
        {"padding": "max_length", "max_length": 12, "truncation": True},
        {"padding": "max_length", "max_length": 9, "truncation": True, "return_tensors": "np"},
        {"truncation": True, "max_length": 9, "stride": 2, "return_overflowing_tokens": True},
        {"return_offsets_mapping": True, "return_special_tokens_mask": True},
        {"return_token_type_ids": True, "return_length": True},
        {"add_special_tokens": False},
        {"split_special_tokens": True},
    ],
    ids=str,
)
def test_calls(both: tuple[Any, Any], options: dict[str, Any]) -> None:
    ours, peer = both
    assert_same(ours(TEXTS, **options), peer(TEXTS, **options))
    assert_same(ours(TEXTS, TEXTS[::-1], **options), peer(TEXTS, TEXTS[::-1], **options))
    for text in TEXTS:
        assert_same(ours(text, **options), peer(text, **options), text)
    words = ["hello", "World", "the"]
    assert_same(
        ours(words, is_split_into_words=True, **options),
        peer(words, is_split_into_words=True, **options),
    )


def test_chat_templates(both: tuple[Any, Any]) -> None:
    pytest.importorskip("jinja2")
    ours, peer = both
    messages = [
        {"role": "user", "content": "hello </s><mask>"},
        {"role": "assistant", "content": "the World"},
    ]
    for options in (
        {},
        {"tokenize": False},
        {"add_generation_prompt": True},
        {"return_dict": True, "return_tensors": "np"},
        {"truncation": True, "max_length": 5},
    ):
        got = ours.apply_chat_template(messages, **options)
        expected = peer.apply_chat_template(messages, **options)
        if hasattr(expected, "keys"):
            assert_same(got, expected)
        else:
            assert got == expected


def test_marked_text_is_plain(both: tuple[Any, Any]) -> None:
    ours, peer = both
    for text in ("a </s> b", "漢 <mask>"):
        expected = peer._encode_without_added_tokens(text)
        assert ours._encode_without_added_tokens(text) == expected


def test_places(both: tuple[Any, Any]) -> None:
    for text in TEXTS:
        got, expected = (tokenizer(text, "hello") for tokenizer in both)
        assert got.tokens() == expected.tokens()
        assert got.word_ids() == expected.word_ids()
        assert got.sequence_ids() == expected.sequence_ids()
        for at in range(len(text)):
            assert got.char_to_token(at) == expected.char_to_token(at)
        assert got.word_to_chars(0) == expected.word_to_chars(0) if text else True


def test_tokens_and_text(both: tuple[Any, Any]) -> None:
    ours, peer = both
    ids = peer(TEXTS)["input_ids"]
    for skips in (True, False):
        expected = peer.batch_decode(ids, skip_special_tokens=skips)
        assert ours.batch_decode(ids, skip_special_tokens=skips) == expected
        assert ours.batch_decode(np.array([ids[0]]), skip_special_tokens=skips) == expected[:1]
        assert ours.convert_ids_to_tokens(ids[1], skip_special_tokens=skips) == (
            peer.convert_ids_to_tokens(ids[1], skip_special_tokens=skips)
        )
    tokens = peer.tokenize(TEXTS[1])
    assert ours.tokenize(TEXTS[1]) == tokens
    assert ours.convert_tokens_to_ids([*tokens, "?none"]) == (
        peer.convert_tokens_to_ids([*tokens, "?none"])
    )
    assert ours.convert_tokens_to_string(tokens) == peer.convert_tokens_to_string(tokens)
    assert ours.decode(5) == peer.decode(5)


def test_added_tokens(both: tuple[Any, Any]) -> None:
    ours, peer = both
    for tokenizer in both:
        assert tokenizer.add_tokens(["<new>", tokenizers.AddedToken("ab", lstrip=True)]) == 2
        assert tokenizer.add_special_tokens({"cls_token": "<cls>"}) == 1
        tokenizer.add_bos_token = False
    assert_same(ours("a <new> ab <cls>hello"), peer("a <new> ab <cls>hello"))
    assert len(ours) == len(peer)
    assert ours.vocab_size == peer.vocab_size
    assert ours.get_vocab() == peer.get_vocab()
    assert ours.get_added_vocab() == peer.get_added_vocab()
    assert ours.added_tokens_decoder == peer.added_tokens_decoder
    assert ours.all_special_tokens == peer.all_special_tokens
    assert ours.all_special_ids == peer.all_special_ids
    assert (ours.cls_token_id, ours.pad_token_id) == (peer.cls_token_id, peer.pad_token_id)
    assert repr(ours) == repr(peer)


def test_saving_and_loading(both: tuple[Any, Any], tmp_path: Path) -> None:
    ours, peer = both
    ours.add_tokens(["<new>"])
    peer.add_tokens(["<new>"])
    mine, theirs = tmp_path / "ours", tmp_path / "peer"
    ours.save_pretrained(mine)
    peer.save_pretrained(theirs)
    for path in theirs.iterdir():
        one, other = (mine / path.name).read_text("utf-8"), path.read_text("utf-8")
        if path.suffix == ".json":
            assert json.loads(one) == json.loads(other)
        else:
            assert one == other
    assert_same(AutoTokenizer.from_pretrained(mine)(TEXTS), peer(TEXTS))


def test_pickles_and_copies(both: tuple[Any, Any]) -> None:
    ours, peer = both
    for twin in (pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours)):
        assert isinstance(twin.backend_tokenizer, Tokenizer)
        assert_same(twin(TEXTS, padding=True), peer(TEXTS, padding=True))


def test_threads_with_differing_arguments(both: tuple[Any, Any]) -> None:
    ours, peer = both
    options = [
        {
            "truncation": True,
            "max_length": 4 + k,
            "padding": "max_length" if k % 2 else False,
            "padding_side": "left" if k % 3 else "right",
            "split_special_tokens": k % 4 == 0,
        }
        for k in range(16)
    ]
    expected = [peer(TEXTS[1], **option) for option in options]

    def work(k: int) -> None:
        for _ in range(40):
            assert_same(ours(TEXTS[1], **options[k]), expected[k])

    run_threads(work, 16)


def test_datasets_in_several_processes(both: tuple[Any, Any], tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    datasets.disable_progress_bars()
    ours, peer = both
    rows = datasets.Dataset.from_dict({"text": TEXTS * 8})
    before = datasets.fingerprint.Hasher.hash(ours)
    mapped = rows.map(
        lambda batch: ours(batch["text"], truncation=True, max_length=7), batched=True, num_proc=2
    )
    expected = peer(TEXTS, truncation=True, max_length=7)["input_ids"]
    assert mapped["input_ids"][: len(TEXTS)] == expected
    assert datasets.fingerprint.Hasher.hash(ours) == before


def test_install(both: tuple[Any, Any], tmp_path: Path) -> None:
    _, peer = both
    peer.save_pretrained(tmp_path / "bpe")
    other = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0, "?": 1}, unk_token="?"))
    PreTrainedTokenizerFast(tokenizer_object=other).save_pretrained(tmp_path / "words")
    try:
        integration.install()
        integration.install()
        found = AutoTokenizer.from_pretrained(tmp_path / "bpe")
        words = AutoTokenizer.from_pretrained(tmp_path / "words")
    finally:
        integration.uninstall()
    integration.uninstall()
    assert isinstance(found.backend_tokenizer, Tokenizer)
    assert_same(found(TEXTS), peer(TEXTS))
    assert not isinstance(words.backend_tokenizer, Tokenizer)
    again = AutoTokenizer.from_pretrained(tmp_path / "bpe")
    assert not isinstance(again.backend_tokenizer, Tokenizer)


def test_refusals(tmp_path: Path) -> None:
    other = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0}, unk_token="a"))
    words = PreTrainedTokenizerFast(tokenizer_object=other)
    with pytest.raises(tokstream.UnsupportedTokenizerError, match="WordLevel"):
        accelerate(words)
    assert words("a")["input_ids"] == [0]
    with pytest.raises(TypeError, match="no fast tokenizer"):
        accelerate(PreTrainedTokenizer)
    tokenizer = accelerate(plain(tmp_path))
    backend = tokenizer.backend_tokenizer
    assert accelerate(tokenizer).backend_tokenizer is backend


def test_an_encoding_as_tokenizer_object() -> None:
    view = tokstream.get_encoding("gpt2").as_hf()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=view, pad_token="<|endoftext|>")
    assert tokenizer(["Hello world", "a"], padding=True)["input_ids"] == [
        [15496, 995],
        [64, 50256],
    ]


def test_it_is_not_imported_by_the_package() -> None:
    assert "tokstream.integrations.transformers" in sys.modules
    root = Path(tokstream.__file__).parent
    users = [p for p in root.rglob("*.py") if "integrations.transformers" in p.read_text("utf-8")]
    names = {p.relative_to(root).as_posix() for p in users}
    assert names == {"integrations/transformers.py", "integrations/vllm.py"}


@pytest.mark.parametrize("change", ["template", "normalizer", "no template", "model"])
def test_native_has_the_template_of_now(change: str) -> None:
    document = Peer.from_str(json.dumps(byte_level()))
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=document, bos_token="<s>", eos_token="</s>"
    )
    accelerate(tokenizer)
    text = "A wörd"
    assert native(tokenizer).encode(text, add_special_tokens=True) == tokenizer.encode(text)
    backend = tokenizer.backend_tokenizer
    if change == "template":
        backend.post_processor = processors.TemplateProcessing(
            single="<s> $A", special_tokens=[("<s>", document.token_to_id("<s>"))]
        )
    elif change == "normalizer":
        backend.normalizer = normalizers.Lowercase()
    elif change == "no template":
        backend.post_processor = None
    else:
        backend.model = backend.model
    assert native(tokenizer).encode(text, add_special_tokens=True) == tokenizer.encode(text)
    twice = [("<s>", document.token_to_id("<s>"))]
    backend.post_processor = processors.TemplateProcessing(single="<s> $A $A", special_tokens=twice)
    with pytest.raises(UnsupportedTokenizerError, match="more than one text"):
        native(tokenizer)


def test_native(both: tuple[Any, Any]) -> None:
    mine, theirs = both
    for text in TEXTS:
        for adds in (True, False):
            ids = theirs.encode(text, add_special_tokens=adds)
            assert native(mine).encode(text, add_special_tokens=adds) == ids
            with native(mine).stream(add_special_tokens=adds) as stream:
                fed = [one for character in text for one in stream.feed(character)]
                assert fed + stream.finish() == ids
    for other in (theirs, None):
        with pytest.raises(TypeError, match="call accelerate first"):
            native(other)
    mine.add_tokens(["wörld"])
    assert native(mine).encode("wörld") == [len(theirs)]


@pytest.mark.parametrize("prefix", [True, False])
def test_a_sentencepiece_model(tmp_path: Path, prefix: bool) -> None:
    """What `as_hf` writes for it, in a tokenizer of transformers, with tokstream and without."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES * 20),
        model_writer=model,
        model_type="bpe",
        vocab_size=340,
        byte_fallback=True,
        hard_vocab_limit=False,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        add_dummy_prefix=prefix,
        minloglevel=2,
        num_threads=1,
    )
    native = tokstream.load(model.getvalue())
    hf = native.as_hf()
    path = tmp_path / "tokenizer.json"
    hf.save(path)
    special = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "</s>"}
    theirs, ours, direct = (
        PreTrainedTokenizerFast(tokenizer_file=str(path), chat_template=CHAT, **special)
        for _ in range(3)
    )
    accelerate(ours)
    direct._tokenizer = integration.Backend.from_str(hf.to_str())
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    options: dict[str, Any] = {"padding": True, "truncation": True, "max_length": 12}
    for tokenizer in (ours, direct):
        for texts in (SENTENCES, ["漢字 🌡", "", " a"], [" "]):
            for arguments in ({}, options, {"return_special_tokens_mask": True}):
                assert_same(tokenizer(texts, **arguments), theirs(texts, **arguments), arguments)
            got = tokenizer(texts, return_offsets_mapping=True)
            assert_same(got, theirs(texts, return_offsets_mapping=True))
            for text in texts:
                ids = processor.encode(text)
                assert tokenizer(text).input_ids == [processor.bos_id(), *ids]
                assert tokenizer.tokenize(text) == theirs.tokenize(text)
                assert tokenizer.decode(ids) == theirs.decode(ids)
                assert tokenizer.convert_ids_to_tokens(ids) == theirs.convert_ids_to_tokens(ids)
        messages = [{"role": "user", "content": SENTENCES[0]}]
        got, expected = (t.apply_chat_template(messages) for t in (tokenizer, theirs))
        assert_same(got, expected)
    saved = tmp_path / "saved"
    ours.save_pretrained(saved)
    again = AutoTokenizer.from_pretrained(saved)
    assert_same(again(SENTENCES), theirs(SENTENCES))
