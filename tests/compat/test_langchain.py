"""LangChain's splitter and ours: equal where theirs is right, ours right elsewhere too."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from functools import partialmethod
from typing import Any

import pytest

from data import corpus, tiktoken_encoding
from tokstream import get_encoding

langchain = pytest.importorskip("langchain_text_splitters")
Document = pytest.importorskip("langchain_core.documents").Document

from tokstream.integrations.langchain import TokenTextSplitter, length_function  # noqa: E402


def theirs(**arguments: object) -> object:
    tiktoken_encoding(str(arguments["encoding_name"]))  # without the network
    return langchain.TokenTextSplitter(**arguments)


def text_of(name: str) -> str:
    return corpus(name)[:50_000].replace("<|endoftext|>", "")


@pytest.mark.parametrize("encoding_name", ["gpt2", "cl100k_base", "o200k_base"])
@pytest.mark.parametrize(("size", "overlap"), [(100, 0), (200, 20), (16, 15), (1, 0)])
def test_ordinary_text(encoding_name: str, size: int, overlap: int) -> None:
    text = text_of("english").encode("ascii", "ignore").decode()[:20_000]
    arguments = {"encoding_name": encoding_name, "chunk_size": size, "chunk_overlap": overlap}
    expected = theirs(**arguments).split_text(text)  # type: ignore[attr-defined]
    count = get_encoding(encoding_name).count
    assert max(map(count, expected)) <= size
    assert TokenTextSplitter(**arguments).split_text(text) == expected  # type: ignore[arg-type]


def test_other_text_is_not_cut_inside_characters() -> None:
    text = text_of("chinese") + "👍" * 100
    arguments = {"encoding_name": "cl100k_base", "chunk_size": 20, "chunk_overlap": 0}
    assert any("\ufffd" in part for part in theirs(**arguments).split_text(text))  # type: ignore[attr-defined]
    parts = TokenTextSplitter(**arguments).split_text(text)  # type: ignore[arg-type]
    assert "".join(parts) == text
    assert max(map(get_encoding("cl100k_base").count, parts)) <= 20


def test_documents() -> None:
    splitter = TokenTextSplitter(
        "cl100k_base", chunk_size=12, chunk_overlap=4, add_start_index=True
    )
    documents = [Document("one two three " * 20, metadata={"source": "a"}), Document("x")]
    parts = splitter.split_documents(documents)
    assert parts[-1].page_content == "x"
    for part in parts[:-1]:
        begin = part.metadata["start_index"]
        assert documents[0].page_content[begin:].startswith(part.page_content)
        assert part.metadata["source"] == "a"
    assert len({part.metadata["start_index"] for part in parts[:-1]}) == len(parts) - 1
    assert splitter.create_documents(["x"])[0].metadata == {"start_index": 0}


def test_special_tokens() -> None:
    text = "a<|endoftext|>b"
    with pytest.raises(ValueError, match="endoftext"):
        TokenTextSplitter("gpt2").split_text(text)
    assert TokenTextSplitter("gpt2", disallowed_special=()).split_text(text) == [text]
    parts = TokenTextSplitter("gpt2", None, "all", chunk_size=1, chunk_overlap=0).split_text(text)
    assert parts == ["a", "<|endoftext|>", "b"]
    assert length_function("gpt2")("<|endoftext|>") == 7


def test_other_splitters() -> None:
    text = text_of("english")
    arguments = {"chunk_size": 50, "chunk_overlap": 0}
    recursive = langchain.RecursiveCharacterTextSplitter
    count = length_function("cl100k_base")
    parts = recursive(length_function=count, **arguments).split_text(text)
    reference = tiktoken_encoding("cl100k_base")
    assert parts == recursive(
        length_function=lambda part: len(reference.encode(part)), **arguments
    ).split_text(text)


def parts_with_o(self: Any, base: Any, text: str) -> list[str]:
    return [part for part in base.split_text(self, text) if "o" in part]


def test_parts_of_a_subclass() -> None:
    """Documents are made of its parts, as with LangChain's own."""
    documents = [Document("one two three four", metadata={"source": "a"}), Document("x y")]
    found = []
    for base in (TokenTextSplitter, langchain.TokenTextSplitter):
        kind: Any = type("WithO", (base,), {"split_text": partialmethod(parts_with_o, base)})
        splitter = kind(encoding_name="gpt2", chunk_size=1, chunk_overlap=0, add_start_index=True)
        parts = [splitter.split_documents(documents), splitter.create_documents(["to do", "a"])]
        parts.append(splitter.transform_documents(documents))
        found.append([[(part.page_content, part.metadata) for part in some] for some in parts])
    assert found[0] == found[1]
    assert [text for text, _ in found[0][1]] == ["to", " do"]


def test_names_and_sizes() -> None:
    assert TokenTextSplitter(model_name="gpt-4o")._tokenizer == get_encoding("o200k_base")
    tokenizer = get_encoding("p50k_base")
    assert TokenTextSplitter(tokenizer=tokenizer)._tokenizer is tokenizer
    made = TokenTextSplitter.from_tiktoken_encoder("cl100k_base", chunk_size=9, chunk_overlap=1)
    assert made._length_function("hello world") == 2
    for arguments in (
        {"chunk_size": 5, "chunk_overlap": 5},
        {"chunk_size": 0},
        {"chunk_overlap": -1},
    ):
        with pytest.raises(ValueError, match="chunk_"):
            TokenTextSplitter(**arguments)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no encoding"):
        TokenTextSplitter("nope")
    for same in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert same.split_text("hello world") == ["hello world"]


def test_the_library_itself_on_our_engine() -> None:
    code = (
        "import tokstream.compat.tiktoken as ours; ours.install()\n"
        "from langchain_text_splitters import TokenTextSplitter\n"
        "splitter = TokenTextSplitter('cl100k_base', chunk_size=2, chunk_overlap=0)\n"
        "print(type(splitter._tokenizer) is ours.Encoding, splitter.split_text('hello world again'))"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True ['hello world', ' again']"


def test_without_the_library() -> None:
    code = (
        "import sys; sys.modules['langchain_text_splitters'] = None\n"
        "try:\n    import tokstream.integrations.langchain\n"
        "except ImportError as error:\n    print(error)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert 'pip install "tokstream[langchain]"' in done.stdout
