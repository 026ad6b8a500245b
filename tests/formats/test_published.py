"""Published tokenizers against their references; those that lie beside the repository.

A few texts each; `scripts/check_formats.py` compares corpora and many thousands.
"""

from __future__ import annotations

import pickle
import random
from pathlib import Path

import pytest

import tokstream
from format_references import Reference, references
from format_texts import generated_texts, random_cuts

_FOLDER = Path(__file__).resolve().parents[3] / "shared" / "vocab"
# the larger ones take a second to load in the reference
_SMALL = (
    *("gpt2/tokenizer.json", "gpt2_newfmt/tokenizer.json", "gpt_neox/tokenizer.json"),
    *("llama2/tokenizer.json", "mistral03/tokenizer.json", "llama2/tokenizer.model"),
    *("mistral_spm/tokenizer.model.v1", "mistral_spm/tokenizer.model.v7"),
)


def reference_of(name: str) -> Reference:
    if not (_FOLDER / name).exists():
        pytest.skip(f"{name} is not beside the repository")
    return next(r for r in references(_FOLDER, (name,)) if r.name == name)


@pytest.mark.parametrize("name", _SMALL)
def test_equal_to_the_reference(name: str) -> None:
    reference = reference_of(name)
    tokenizer = reference.load()
    rng = random.Random(1)
    for text in generated_texts(rng, 150, reference.added):
        expected = reference.encode(text)
        assert tokenizer.encode(text) == expected
        stream = tokenizer.stream()
        ids = [k for chunk in random_cuts(rng, text.encode(), 5) for k in stream.feed(chunk)]
        assert ids + stream.finish() == expected
        decoded = reference.decode(expected)
        assert tokenizer.decode(expected) == decoded
        decoder = tokenizer.decode_stream()
        assert "".join([decoder.feed(k) for k in expected]) + decoder.finish() == decoded


def test_defaults_of_special_tokens() -> None:
    tokenizer = reference_of("llama2/tokenizer.json").load()
    assert tokenizer.encode("<s>a") == [1, *tokenizer.encode("a")]
    plain = tokenizer.encode("<s>a", allowed_special=(), disallowed_special=())
    assert 1 not in plain
    assert tokenizer.encode_ordinary("<s>a") == plain
    with pytest.raises(tokstream.DisallowedSpecialTokenError):
        tokenizer.encode("a<s>", allowed_special=(), disallowed_special="all")
    assert tokenizer.encode("</s><s>", allowed_special={"<s>"})[-1] == 1
    pieces = reference_of("llama2/tokenizer.model").load()
    assert pieces.encode("<s>a") == pieces.encode_ordinary("<s>a")
    assert 1 in pieces.encode("<s>a", allowed_special={"<s>"})


def test_templates() -> None:
    tokenizer = reference_of("llama2/tokenizer.json").load()
    expected = [1, *tokenizer.encode("a")]
    assert tokenizer.encode("a", add_special_tokens=True) == expected
    assert tokenizer.encode_batch(["a", ""], add_special_tokens=True) == [expected, [1]]
    stream = tokenizer.stream(add_special_tokens=True)
    assert stream.feed("a ") + stream.finish() == tokenizer.encode("a ", add_special_tokens=True)


def test_identity() -> None:
    reference = reference_of("mistral_spm/tokenizer.model.v7")
    one, two = reference.load(), reference.load()
    assert one == two
    assert hash(one) == hash(two)
    again = pickle.loads(pickle.dumps(one))
    assert again == one
    assert again.encode("Hello") == one.encode("Hello")
    assert one.decode(again.encode("Hello w\u00f6rld \U0001f600")) == "Hello w\u00f6rld \U0001f600"
