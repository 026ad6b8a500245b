"""Small SentencePiece models of many settings, trained here, against the package itself."""

from __future__ import annotations

import io
import random
from functools import cache
from typing import Any

import pytest
from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

import tokstream
from format_texts import generated_texts, random_cuts

SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "rules": {"normalization_rule_name": "nmt_nfkc"},
    "rules that fold case": {"normalization_rule_name": "nfkc_cf", "byte_fallback": True},
    "no prefix": {"add_dummy_prefix": False},
    "all blanks": {"remove_extra_whitespaces": False},
    "all blanks, rules": {"remove_extra_whitespaces": False, "normalization_rule_name": "nfkc"},
    "bytes": {"byte_fallback": True, "remove_extra_whitespaces": False},
    "across words": {"split_by_whitespace": False, "normalization_rule_name": "identity"},
    "own pieces": {"user_defined_symbols": ["<sep>", "ab", "abc", "\u2581\u2581"]},
    "own pieces, rules": {
        "user_defined_symbols": ["<sep>", "\u00c5", "\ufb01", "a\u0301"],
        "normalization_rule_name": "nmt_nfkc",
        "byte_fallback": True,
    },
    "own pieces, all blanks": {
        "user_defined_symbols": ["<sep>", "the", "\u2581x"],
        "remove_extra_whitespaces": False,
        "control_symbols": ["<ctl>", "<se"],
    },
    "own pieces, no prefix": {"user_defined_symbols": ["<sep>"], "add_dummy_prefix": False},
}


@cache
def trained(name: str) -> bytes:
    texts = list(generated_texts(random.Random(3), 600, ("the", "hello", "ab", "abc"), 8))
    settings = {
        "model_type": "bpe",
        "vocab_size": 900 if SETTINGS[name].get("byte_fallback") else 620,
        "hard_vocab_limit": False,
        "character_coverage": 0.995,
        "minloglevel": 2,
        "num_threads": 1,
        "max_sentence_length": 10_000,
        **SETTINGS[name],
    }
    model = io.BytesIO()
    SentencePieceTrainer.train(sentence_iterator=iter(texts), model_writer=model, **settings)
    return model.getvalue()


@pytest.mark.parametrize("name", SETTINGS)
def test_equal_to_the_package(name: str) -> None:
    content = trained(name)
    reference = SentencePieceProcessor(model_proto=content)
    tokenizer = tokstream.load(content)
    rng = random.Random(5)
    own = ["<sep>", "abc", "<s>", "<unk>", "</s>", "<ctl>", "a\u0301", "\u00c5", "\ufb01", "the"]
    for text in generated_texts(rng, 400, own):
        expected = reference.encode(text)
        assert tokenizer.encode(text) == expected, text
        stream = tokenizer.stream()
        ids = [
            k for c in random_cuts(rng, text.encode(), rng.choice((1, 4))) for k in stream.feed(c)
        ]
        assert ids + stream.finish() == expected, text
        assert tokenizer.decode(expected) == reference.decode(expected), expected
    n_ids = reference.vocab_size()
    for n in range(400):
        ids = [rng.choice((rng.randrange(270), rng.randrange(n_ids))) % n_ids for _ in range(n % 9)]
        decoder = tokenizer.decode_stream()
        piecewise = "".join([decoder.feed(k) for k in ids]) + decoder.finish()
        assert tokenizer.decode(ids) == piecewise == reference.decode(ids), ids


def test_special_pieces_can_be_allowed_by_name() -> None:
    tokenizer = tokstream.load(trained("own pieces, all blanks"))
    assert tokenizer.special_tokens["<ctl>"] not in tokenizer.encode("a<ctl>b")
    ids = tokenizer.encode("a<ctl>b", allowed_special={"<ctl>"})
    assert tokenizer.special_tokens["<ctl>"] in ids
    assert tokenizer.token_bytes(tokenizer.special_tokens["<se"]) == b"<se"
    assert [tokenizer.token_bytes(k) for k in range(tokenizer.n_vocab)]
