"""`as_hf` of SentencePiece models and tekken.json: what they become, to `tokenizers` and to us."""

from __future__ import annotations

import base64
import json
import pickle
import random
from pathlib import Path
from typing import Any

import pytest
from sentencepiece import SentencePieceProcessor
from tokenizers import Tokenizer as Peer

import tokstream
from format_texts import generated_texts
from hf_compare import compare_calls, compare_settings, compare_vocabulary
from small_pieces import trained_pieces
from tokstream.compat.huggingface import Tokenizer

_FOLDER = Path(__file__).resolve().parents[3] / "shared" / "vocab"

_IDENTITY = {"normalization_rule_name": "identity"}
_PLAIN = {**_IDENTITY, "remove_extra_whitespaces": False}
_MODELS: dict[str, dict[str, Any]] = {
    "Llama's": {**_PLAIN, "byte_fallback": True},
    "no bytes": _PLAIN,
    "single blanks": _IDENTITY,
    "single blanks, bytes": {**_IDENTITY, "byte_fallback": True},
    "across words": {**_IDENTITY, "split_by_whitespace": False},
    "Gemma's": {
        **_PLAIN,
        "byte_fallback": True,
        "add_dummy_prefix": False,
        "user_defined_symbols": ["\u2581\u2581", "\u2581\u2581\u2581", "<sep>", "ab", "abc"],
    },
    "own pieces": {**_PLAIN, "user_defined_symbols": ["<sep>", "ab"], "control_symbols": ["<c>"]},
    "no beginning": {**_PLAIN, "bos_id": -1},
    "single blanks, no prefix": {**_IDENTITY, "add_dummy_prefix": False},
}
_OWN = ("<sep>", "ab", "\u2581\u2581")


def trained(**settings: Any) -> bytes:
    return trained_pieces(400, **settings)


@pytest.mark.parametrize("name", _MODELS)
def test_sentencepiece(name: str) -> None:
    """Ids of texts are the model's; all else is what the reference makes of the written file."""
    content = trained(**_MODELS[name])
    native, model = tokstream.load(content), SentencePieceProcessor(model_proto=content)
    ours = native.as_hf()
    written = ours.to_str()
    peer = Peer.from_str(written)
    assert json.loads(peer.to_str()) == json.loads(written)
    rng = random.Random(name)
    is_exact = not _MODELS[name].get("add_dummy_prefix", True)
    for text in ("", " ", "  a  ", " a\n", *generated_texts(rng, 200, _OWN if is_exact else ())):
        if is_exact or not any(piece in text for piece in ("<s>", "</s>", "<unk>", *_OWN[:2])):
            if any(piece in text for piece in ("<s>", "</s>", "<unk>")):
                continue  # the model takes them for text, the reference for special tokens
            ids = ours.encode(text, add_special_tokens=False).ids
            assert ids == model.encode(text) == native.encode(text), text
            assert ours.encode(text).ids == native.encode(text, add_special_tokens=True)
    compare(ours, peer, [*added(peer), *_OWN], rng)
    again = pickle.loads(pickle.dumps(ours))
    assert again.to_str() == written == Tokenizer.from_str(written).to_str()


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({**_PLAIN, "user_defined_symbols": ["\u2581x"]}, "user-defined piece '▁x'"),
    ],
)
def test_models_that_have_no_exact_form(settings: dict[str, Any], what: str) -> None:
    tok = tokstream.load(trained(**settings))
    with pytest.raises(tokstream.UnsupportedTokenizerError, match=what):
        tok.as_hf()


def test_a_model_is_read_again(tmp_path: Path) -> None:
    """And equal content once."""
    path = tmp_path / "own.model"
    path.write_bytes(trained(**_PLAIN))
    tok = tokstream.load(path)
    first, second = tok.as_hf(), pickle.loads(pickle.dumps(tok)).as_hf()
    assert first.encode("the ab").ids == second.encode("the ab").ids
    assert first._state is second._state
    path.write_bytes(trained(**_IDENTITY))
    with pytest.raises(tokstream.VocabularyError, match="has changed since"):
        tok.as_hf()
    path.unlink()
    with pytest.raises(tokstream.ConfigurationError, match="cannot be read"):
        tok.as_hf()


@pytest.mark.parametrize(
    ("model", "published"),
    [
        ("mistral_spm/tokenizer.model.v1", "llama2/tokenizer.json"),
        ("mistral_spm/tokenizer.model.v7", "mistral03/tokenizer.json"),
    ],
)
def test_published_in_both_forms(model: str, published: str) -> None:
    """Mistral's first tokenizer is the same in both; of the third, texts begin alike."""
    if not (_FOLDER / model).exists():
        pytest.skip("the published files are not beside the repository")
    ours = tokstream.load(_FOLDER / model).as_hf()
    peer = Peer.from_file(str(_FOLDER / published))
    rng = random.Random(model)
    if model.endswith("v1"):
        compare(ours, peer, added(peer), rng)
        return
    for text in generated_texts(rng, 200, added(peer)):
        text = f"x{text}"  # noqa: PLW2901 - a blank sign before the text in both forms
        if not any(token in text for token in added(peer)):
            ids = ours.encode(text).ids
            assert ids == peer.encode(text).ids
            assert ours.decode(ids) == peer.decode(ids)


def tekken(tmp_path: Path, *words: bytes) -> Path:
    tokens = [*(bytes((k,)) for k in range(256)), *words]
    listed = [
        {"rank": k, "token_bytes": base64.b64encode(token).decode()}
        for k, token in enumerate(tokens)
    ]
    config = {
        "pattern": r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        "num_vocab_tokens": len(tokens),
        "default_vocab_size": len(tokens) + 20,
        "default_num_special_tokens": 20,
        "version": "v3",
    }
    path = tmp_path / "tekken.json"
    path.write_text(json.dumps({"vocab": listed, "config": config}))
    return path


def test_tekken(tmp_path: Path) -> None:
    words = [b"he", b"ll", b"hell", b"hello", b" w", b"or", b" wor", b" worl", b"ab", b"abab"]
    tok = tokstream.load(tekken(tmp_path, *words))
    ours = tok.as_hf()
    written = ours.to_str()
    peer = Peer.from_str(written)
    assert json.loads(peer.to_str()) == json.loads(written)
    rng = random.Random(1)
    for text in ("hello world ababab", *generated_texts(rng, 100, ["<s>", "[INST]", "<pad>"])):
        ids = tok.encode(text, add_special_tokens=True, allowed_special="all")
        assert ours.encode(text).ids == ids
    assert ours.encode("hello", "ab").tokens == ["<s>", "hello", "<s>", "ab"]
    compare(ours, peer, added(peer), rng)
    assert pickle.loads(pickle.dumps(ours)).to_str() == written


def test_a_special_token_that_is_a_token_of_the_ranks(tmp_path: Path) -> None:
    path = tekken(tmp_path, b"<s", b"<s>")
    with pytest.raises(tokstream.UnsupportedTokenizerError, match="'<s>' is spelled as a token"):
        tokstream.load(path).as_hf()


def added(peer: Peer) -> list[str]:
    return [token.content for token in peer.get_added_tokens_decoder().values()]


def compare(ours: Tokenizer, peer: Peer, pieces: list[str], rng: random.Random) -> None:
    texts = list(generated_texts(rng, 20, pieces))
    compare_calls(ours, peer, texts)
    compare_settings(ours, peer, texts, rng, 10)
    compare_vocabulary(ours, peer)
