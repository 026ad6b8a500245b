"""What people write with LlamaIndex's node parsers; each function is a snippet."""

from __future__ import annotations

from llama_index.core import Document, Settings
from llama_index.core.node_parser import SentenceSplitter, TokenTextSplitter
from llama_index.core.utils import get_tokenizer
from snippet_texts import DOCUMENT, MESSAGES

import tiktoken

PRELUDE = "import tokstream.compat.tiktoken as t; t.install()"
Settings.tokenizer = tiktoken.encoding_for_model("gpt-4o").encode


def the_default_tokenizer() -> object:
    return get_tokenizer()("hello world")


def the_tokenizer_of_the_settings() -> object:
    return [len(Settings.tokenizer(message["content"])) for message in MESSAGES]


def by_words_counted_in_tokens() -> object:
    return TokenTextSplitter(chunk_size=128, chunk_overlap=8).split_text(DOCUMENT)


def by_sentences() -> object:
    encode = tiktoken.get_encoding("cl100k_base").encode
    return SentenceSplitter(chunk_size=128, chunk_overlap=8, tokenizer=encode).split_text(DOCUMENT)


def nodes() -> object:
    splitter = TokenTextSplitter(chunk_size=128, chunk_overlap=0)
    documents = [Document(text=DOCUMENT, metadata={"title": "a document"})]
    return [node.get_content() for node in splitter.get_nodes_from_documents(documents)]
