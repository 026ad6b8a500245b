"""What people write with LangChain's text splitters; each function is a snippet."""

from __future__ import annotations

from langchain_text_splitters import (
    CharacterTextSplitter,
    Language,
    MarkdownHeaderTextSplitter,
    RecursiveCharacterTextSplitter,
    TokenTextSplitter,
)
from langchain_text_splitters.base import Tokenizer, split_text_on_tokens
from snippet_texts import CODE, DOCUMENT, MARKDOWN

import tiktoken

PRELUDE = "import tokstream.compat.tiktoken as t; t.install()"
CL100K = tiktoken.get_encoding("cl100k_base")


def by_tokens() -> object:
    return TokenTextSplitter(
        encoding_name="cl100k_base", chunk_size=100, chunk_overlap=10
    ).split_text(DOCUMENT)


def by_paragraphs_counted_in_tokens() -> object:
    splitter = RecursiveCharacterTextSplitter.from_tiktoken_encoder(
        model_name="gpt-4", chunk_size=100, chunk_overlap=0
    )
    return splitter.split_text(DOCUMENT)


def by_one_separator_counted_in_tokens() -> object:
    splitter = CharacterTextSplitter.from_tiktoken_encoder(
        encoding_name="cl100k_base", separator=" ", chunk_size=60, chunk_overlap=5
    )
    return splitter.split_text(DOCUMENT)


def with_a_length_function() -> object:
    splitter = RecursiveCharacterTextSplitter(
        chunk_size=80, chunk_overlap=8, length_function=lambda text: len(CL100K.encode(text))
    )
    return splitter.split_text(DOCUMENT)


def python_code() -> object:
    splitter = RecursiveCharacterTextSplitter.from_language(
        Language.PYTHON,
        chunk_size=50,
        chunk_overlap=0,
        length_function=lambda text: len(CL100K.encode(text)),
    )
    return splitter.split_text(CODE)


def documents() -> object:
    splitter = TokenTextSplitter(encoding_name="o200k_base", chunk_size=64, chunk_overlap=0)
    made = splitter.create_documents([DOCUMENT, CODE], metadatas=[{"n": 1}, {"n": 2}])
    return [(document.page_content, document.metadata) for document in made]


def headers_then_tokens() -> object:
    sections = MarkdownHeaderTextSplitter([("#", "h1"), ("##", "h2")]).split_text(MARKDOWN)
    splitter = TokenTextSplitter(encoding_name="cl100k_base", chunk_size=20, chunk_overlap=0)
    return [(part.page_content, part.metadata) for part in splitter.split_documents(sections)]


def on_tokens_of_any_encoding() -> object:
    tokenizer = Tokenizer(
        chunk_overlap=4, tokens_per_chunk=32, decode=CL100K.decode, encode=CL100K.encode
    )
    return split_text_on_tokens(text=DOCUMENT, tokenizer=tokenizer)
