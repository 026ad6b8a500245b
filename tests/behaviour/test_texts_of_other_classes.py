"""Texts and names of classes made of `str`: their characters count, not what they say they are."""

from __future__ import annotations

import enum
import json
from typing import TYPE_CHECKING, Any

import pytest

import tokstream
import tokstream.compat.tiktoken as drop_in
from format_configurations import document
from tokstream.compat.tiktoken.load import dump_tiktoken_bpe, load_tiktoken_bpe, read_file
from tokstream.diagnostics.explanation import explain
from tokstream.formats import detect

if TYPE_CHECKING:
    from pathlib import Path


class Name(str, enum.Enum):  # noqa: UP042 - what is under test is this kind
    """Names that are not what `str` says of them."""

    ENCODING = "gpt2"
    MODEL = "gpt-4o"
    PREFIX = "gpt-4o-of-another-day"
    TEXT = "hello na\u00efve <q>"
    SPECIAL = "<q>"
    FOLDER = "model"
    FILE = "model/tokenizer.json"
    MERGES = "merges.txt"
    RANKS = "ranks.tiktoken"


class Liar(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "lie"

    def __format__(self, spec: str) -> str:
        return "lie"

    def encode(self, *_: Any, **__: Any) -> bytes:
        return b"lie"


def test_names_of_encodings_and_models() -> None:
    assert tokstream.get_encoding(Name.ENCODING) is tokstream.get_encoding("gpt2")
    assert drop_in.get_encoding(Name.ENCODING).name == "gpt2"
    for name in (Name.MODEL, Name.PREFIX):
        assert tokstream.encoding_for_model(name).name == "o200k_base"
        assert drop_in.encoding_for_model(name).name == "o200k_base"


@pytest.mark.parametrize("kind", [Name, Liar])
def test_texts(kind: Any) -> None:
    tokenizer, encoding = tokstream.get_encoding("gpt2"), drop_in.get_encoding("gpt2")
    plain = Name.TEXT.value
    text = kind(plain)
    for unit in ("char", "byte"):
        found = tokenizer.encode_with_offsets(text, unit=unit)
        assert found == tokenizer.encode_with_offsets(plain, unit=unit)
    assert explain(tokenizer, text).text == plain.encode()
    assert encoding._encode_single_piece(text) == encoding._encode_single_piece(plain)
    assert encoding.encode(text) == encoding.encode(plain)
    assert encoding.encode_batch([text]) == [encoding.encode(plain)]


def test_single_tokens() -> None:
    tokenizer, encoding = tokstream.get_encoding("gpt2"), drop_in.get_encoding("gpt2")
    for word in ("hello", "<|endoftext|>"):
        assert tokenizer.token_to_id(Liar(word)) == tokenizer.token_to_id(word)
        assert encoding.encode_single_token(Liar(word)) == encoding.encode_single_token(word)


def test_special_tokens_are_given_back_as_texts() -> None:
    base = tokstream.get_encoding("gpt2")
    made = tokstream.Tokenizer(
        "own", base._vocabulary, base.pattern, {Name.SPECIAL: 60000, Liar("<x>"): 60001}
    )
    assert set(map(type, made.special_tokens)) == {str}
    assert made.special_tokens == {"<q>": 60000, "<x>": 60001}
    ids = made.encode("a<q><x>", allowed_special={Name.SPECIAL, Liar("<x>")})
    assert ids[-2:] == [60000, 60001]
    assert made.decode(ids) == "a<q><x>"
    assert made.as_hf().encode("a<q>").tokens[-1] == "<q>"


def test_names_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, content = document("bytes", None, None, (), None)
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "tokenizer.json").write_text(json.dumps(content))
    expected = tokstream.load("model/tokenizer.json")
    for name in (Name.FOLDER, Name.FILE):
        found = tokstream.load(name)
        assert found.encode("hello") == expected.encode("hello")
        assert type(found.name) is str
        assert found.as_hf().encode("hello").ids == expected.encode("hello")
    assert detect(Name.FILE) == detect("model/tokenizer.json")
    files = expected.as_hf().model.save(".")
    for merges in (Name.MERGES, "merges.txt"):
        pair = tokstream.load(Liar(files[0]), merges=merges, tokenizer_class="GPT2Tokenizer")
        assert pair.encode("hello") == expected.encode("hello")
    ranks = tokstream.get_encoding("gpt2")._vocabulary.to_ranks()
    dump_tiktoken_bpe(ranks, Name.RANKS)
    assert read_file(Name.RANKS) == (tmp_path / "ranks.tiktoken").read_bytes()
    assert load_tiktoken_bpe(Name.RANKS) == ranks
    assert not (tmp_path / "Name.RANKS").exists()
