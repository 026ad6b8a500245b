"""LlamaIndex with our tokenizer function and splitter; skipped where it is not installed."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from data import corpus
from tokstream import get_encoding

pytest.importorskip("llama_index.core")

from llama_index.core import Document
from llama_index.core.node_parser import SentenceSplitter, TokenTextSplitter

from tokstream.integrations.llama_index import TokenSplitter, tokenizer_function


def text_of(name: str) -> str:
    return corpus(name)[:30_000].replace("<|endoftext|>", "")


@pytest.mark.parametrize("name", ["english", "chinese"])
@pytest.mark.parametrize("overlap", [0, 10])
def test_parts(name: str, overlap: int) -> None:
    text = text_of(name)
    parts = TokenSplitter(chunk_size=64, chunk_overlap=overlap).split_text(text)
    assert max(map(get_encoding("cl100k_base").count, parts)) <= 64
    assert all(part in text for part in parts)
    assert overlap or "".join(parts) == text


def test_metadata_is_reckoned_in() -> None:
    documents = [Document(text=text_of("english"), metadata={"title": "some words of a title"})]
    splitter = TokenSplitter(chunk_size=64, chunk_overlap=8)
    nodes = splitter.get_nodes_from_documents(documents)
    count = get_encoding("cl100k_base").count
    sizes = [count(node.get_content(metadata_mode="all")) for node in nodes]
    assert 50 < max(sizes) <= 64
    with pytest.raises(ValueError, match="the metadata takes"):
        TokenSplitter(chunk_size=4, chunk_overlap=0).get_nodes_from_documents(documents)


def test_the_tokenizer_function_in_their_splitters() -> None:
    text = text_of("english")
    encode = tokenizer_function("cl100k_base")
    assert encode("a<|endoftext|>") == [64, 100257]
    for kind in (TokenTextSplitter, SentenceSplitter):
        splitter: Any = kind(chunk_size=100, chunk_overlap=0, tokenizer=encode)
        assert len(splitter.split_text(text)) > 10


def test_arguments_and_copies() -> None:
    splitter = TokenSplitter(chunk_size=5, chunk_overlap=1, tokenizer=get_encoding("gpt2"))
    assert splitter.encoding_name == "gpt2"
    assert splitter.to_dict()["chunk_size"] == 5
    assert splitter.split_text("") == [""]
    for same in (copy.deepcopy(splitter), pickle.loads(pickle.dumps(splitter))):
        assert same.split_text("hello world") == ["hello world"]
    with pytest.raises(ValueError, match="chunk_overlap"):
        TokenSplitter(chunk_size=5, chunk_overlap=5)
    with pytest.raises(ValueError, match="no encoding"):
        TokenSplitter(encoding_name="nope")


@pytest.mark.parametrize("name", ["chunk_size", "chunk_overlap"])
@pytest.mark.parametrize("wrong", ["8", None, [8]])
def test_sizes_that_are_no_numbers(name: str, wrong: Any) -> None:
    sizes: Any = {"chunk_size": 8, "chunk_overlap": 0}
    with pytest.raises(TypeError, match=f"{name} is {type(wrong).__name__}; give a whole number"):
        TokenSplitter(**(sizes | {name: wrong}))
    with pytest.raises(TypeError):
        TokenTextSplitter(**(sizes | {name: wrong}))
    whole: Any = {"chunk_size": 8.0, "chunk_overlap": np.int64(2)}
    for kind in (TokenSplitter, TokenTextSplitter):
        made = kind(**whole)
        assert (made.chunk_size, made.chunk_overlap) == (8, 2)
        with pytest.raises(ValueError, match=name):
            kind(**(sizes | {name: 2.5}))


def test_the_encoding_changes_with_its_name() -> None:
    text = text_of("chinese")[:500]
    expected = TokenSplitter(16, 0, "o200k_base").split_text(text)
    splitter = TokenSplitter(16, 0, tokenizer=get_encoding("gpt2"))
    before = splitter.split_text(text)
    assert before != expected
    copied = splitter.model_copy(update={"encoding_name": "o200k_base"})
    assert copied.split_text(text) == expected
    assert splitter.split_text(text) == before
    for wrong in ("nope", 5, None):
        with pytest.raises(ValueError, match="no encoding"):
            splitter.encoding_name = wrong  # type: ignore[assignment]
    assert splitter.split_text(text) == before
    splitter.encoding_name = "o200k_base"
    for same in (splitter, copy.deepcopy(splitter), pickle.loads(pickle.dumps(splitter))):
        assert same.split_text(text) == expected
        assert same.to_dict()["encoding_name"] == "o200k_base"
    splitter.chunk_size = 10**6
    assert splitter.split_text(text) == [text]


def test_the_default_tokenizer_on_our_engine() -> None:
    code = (
        "import tokstream.compat.tiktoken as ours; ours.install()\n"
        "from llama_index.core.utils import get_tokenizer\n"
        "print(get_tokenizer().func.__self__.__class__ is ours.Encoding)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
