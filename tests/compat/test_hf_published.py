"""Published tokenizers and embedded encodings as `tokenizers` shows them."""

from __future__ import annotations

import base64
import json
import pickle
import random
from pathlib import Path

import pytest
from tokenizers import Tokenizer as Peer

import tokstream
from format_texts import generated_texts
from hf_compare import compare_calls, compare_settings, compare_vocabulary
from tokstream.compat.huggingface import Tokenizer

_FOLDER = Path(__file__).resolve().parents[3] / "shared" / "vocab"
_SMALL = ("gpt2", "gpt2_newfmt", "gpt_neox", "llama2", "mistral03")


@pytest.mark.parametrize("name", _SMALL)
def test_published(name: str) -> None:
    path = _FOLDER / name / "tokenizer.json"
    if not path.exists():
        pytest.skip(f"{name} is not beside the repository")
    ours, peer = Tokenizer.from_file(path), Peer.from_file(str(path))
    compare(ours, peer, name)
    written = json.loads(ours.to_str())
    assert written == json.loads(peer.to_str())


@pytest.mark.parametrize("name", ["gpt2", "p50k_edit", "r50k_base"])
def test_embedded_encodings(name: str) -> None:
    """What an encoding is converted to is the same tokenizer to the reference."""
    native = tokstream.get_encoding(name)
    ours = native.as_hf()
    written = ours.to_str()
    peer = Peer.from_str(written)
    compare(ours, peer, name)
    assert json.loads(peer.to_str()) == json.loads(written)
    again = pickle.loads(pickle.dumps(ours))
    assert again.to_str() == written
    compare_calls(again, peer, ["Hello  world\n\n  x'S 1234 \n ", "a \n"])
    for text in generated_texts(random.Random(name), 40, list(native.special_tokens)):
        assert ours.encode(text).ids == native.encode(text, allowed_special="all")


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_patterns_are_what_the_reference_reads(name: str) -> None:
    """Possessive counts and the end of the text are written otherwise there."""
    native = tokstream.get_encoding(name)
    ours = native.as_hf()
    peer = Peer.from_str(ours.to_str())
    again = Tokenizer.from_str(ours.to_str())
    rng = random.Random(name)
    for text in ("1234567 12345", "a1234", "x  \n 1999's", "a \n ", *generated_texts(rng, 25, ())):
        ids = native.encode(text, allowed_special="all")
        for tokenizer in (ours, peer, again):
            assert tokenizer.encode(text).ids == ids
            assert tokenizer.encode(text).word_ids == ours.encode(text).word_ids


def test_a_pattern_that_has_no_such_form() -> None:
    lines = [f"{base64.b64encode(bytes((k,))).decode()} {k}" for k in range(256)]
    tok = tokstream.load("\n".join(lines).encode(), pattern=r"\w+$|[\s\S]")
    with pytest.raises(tokstream.UnsupportedTokenizerError, match="notation of tokenizers"):
        tok.as_hf()


def compare(ours: Tokenizer, peer: Peer, seed: str) -> None:
    rng = random.Random(seed)
    added = [token.content for token in peer.get_added_tokens_decoder().values()]
    texts = list(generated_texts(rng, 20, added))
    compare_calls(ours, peer, texts)
    compare_settings(ours, peer, texts, rng, 10)
    compare_vocabulary(ours, peer)
