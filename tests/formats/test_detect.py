"""Files are told apart by content, and each kind is called by its name with a remedy."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import zipfile
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data import gpt2_merge_list, gpt2_vocabulary_json, shared_file
from tokstream.errors import VocabularyError
from tokstream.formats import detect, read_rank_file


def archive() -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as writer:
        writer.writestr("a.tiktoken", "QQ== 0\n")
    return file.getvalue()


def sentencepiece() -> bytes:
    pieces = [b"<unk>", b"<s>", b"</s>", "▁t".encode()]
    bodies = [b"\x0a" + bytes((len(p),)) + p + b"\x15\0\0\0\0\x18\x02" for p in pieces]
    return b"".join(b"\x0a" + bytes((len(body),)) + body for body in bodies)


RANKS = b"IQ== 0\nIg== 1\n"
HF = {"version": "1.0", "model": {"type": "Unigram", "vocab": [["a", 0.0]] * 2000}}
OLD_HF = {"model": {"vocab": {"a": 0}, "merges": []}}
TEKKEN = {"config": {"pattern": "x"}, "vocab": [{"rank": 0, "token_bytes": "AA=="}] * 500}

CASES = {
    "empty": (b"", "empty", "cut short"),
    "blank": (b" \n\n", "empty", "cut short"),
    "gzip": (gzip.compress(RANKS), "gzip", "gunzip"),
    "xz": (lzma.compress(RANKS), "xz", "unxz"),
    "bzip2": (bz2.compress(RANKS), "bzip2", "bunzip2"),
    "zstd": (b"\x28\xb5\x2f\xfd\x04\x58", "zstd", "unzstd"),
    "zip": (archive(), "zip", "unpack"),
    "utf-16": (RANKS.decode().encode("utf-16"), "utf-16", "UTF-8"),
    "utf-16-le": (RANKS.decode().encode("utf-16-le"), "utf-16", "UTF-8"),
    "utf-16-be": (RANKS.decode().encode("utf-16-be"), "utf-16", "UTF-8"),
    "utf-32": (RANKS.decode().encode("utf-32"), "utf-32", "UTF-8"),
    "sentencepiece": (sentencepiece(), "sentencepiece", ""),
    "git-lfs": (b"version https://git-lfs.example/spec/v1\noid sha256:0\n", "git-lfs", "lfs pull"),
    "page": (b"<!DOCTYPE html>\n<html>", "markup", "get the file again"),
    "error": (b'<?xml version="1.0"?><Error/>', "markup", "get the file again"),
    "merges": (b"#version: 0.2\nh e\n", "merges.txt", "it goes with another file"),
    "gguf": (b"GGUF\x03\0\0\0\0", "gguf", "rank file"),
    "safetensors": (b"\x10\0\0\0\0\0\0\0{}", "safetensors", "rank file"),
    "tokenizer.json": (json.dumps(HF).encode(), "tokenizer.json", "byte-pair"),
    "old tokenizer.json": (json.dumps(OLD_HF).encode(), "tokenizer.json", ""),
    "bom json": (b"\xef\xbb\xbf\n" + json.dumps(HF).encode(), "tokenizer.json", "byte-pair"),
    "tekken": (json.dumps(TEKKEN).encode(), "tekken.json", ""),
    "config": (b'{"tokenizer_class": "X"}', "tokenizer_config.json", "directory"),
    "vocab.json": (b'{"a": 0}', "vocab.json", "vocab.json and merges.txt"),
    "json": (b'{"a": "b"}', "json", "rank file"),
    "list": (b"[1]", "json", "rank file"),
    "cut json": (b'{"model": {"ty', "json", "rank file"),
    "deep json": (b"[" * 100_000, "json", "rank file"),
    "binary": (b"\x01\x02\x03\x04rest", "binary", "rank file"),
}


@pytest.mark.parametrize("case", CASES)
def test_other_formats_are_named(case: str) -> None:
    content, kind, remedy = CASES[case]
    found = detect(content)
    assert found.kind == kind
    assert remedy in found.remedy if remedy else not found.remedy
    with pytest.raises(VocabularyError) as caught:
        read_rank_file(content)
    expected = found.remedy or "tokstream.load reads it"
    assert str(caught.value) == f"<bytes> is {found.what}, not a rank file; {expected}"


def test_model_type_is_named() -> None:
    assert detect(json.dumps(HF).encode()).what.endswith("(model type Unigram)")
    assert detect(json.dumps(OLD_HF).encode()).what.endswith("(model type BPE)")


@pytest.mark.parametrize(
    "content",
    [
        RANKS,
        RANKS.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + RANKS,
        b"\n\n" + RANKS,
        b"IQ== 0",
        b"GGUF 0\n",  # also the first line of a rank file
        b"BZh9 0\n",
        b"A" * 4000 + b" 0\n",
    ],
)
def test_rank_files(content: bytes) -> None:
    found = detect(content)
    assert found.kind == "rank-file"
    assert found.remedy == ""


def test_gpt2_files() -> None:
    assert detect(gpt2_merge_list()).kind == "merges.txt"
    assert detect(gpt2_vocabulary_json()).kind == "vocab.json"


def test_plain_text_is_refused_with_its_first_line() -> None:
    assert detect(b"import os\n").kind == "text"
    with pytest.raises(VocabularyError, match=r"<bytes>:1: .*'import os'"):
        read_rank_file(b"import os\n")


@given(st.binary(max_size=200))
def test_any_content_is_called_something(content: bytes) -> None:
    found = detect(content)
    assert found.what
    assert not found.remedy if found.kind in ("rank-file", "sentencepiece") else found.remedy


@pytest.mark.parametrize(
    ("relative", "kind"),
    [
        ("vocab/llama2/tokenizer.model", "sentencepiece"),
        ("vocab/llama3/tokenizer.model", "rank-file"),
        ("vocab/llama3/tokenizer.json", "tokenizer.json"),
        ("vocab/gpt2/tokenizer.json", "tokenizer.json"),
        ("vocab/mistral_spm/tokenizer.model.v7", "sentencepiece"),
        ("vocab/mistral_tekken/tekken_240911.json", "tekken.json"),
    ],
)
def test_published_files(relative: str, kind: str) -> None:
    path = shared_file(relative)
    if path is None:
        pytest.skip(f"{relative} is not beside the repository")
    assert detect(path).kind == kind
