"""`add_special_tokens`: every verb puts the template's ids around a text, as `tokenizers` does."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
import tokenizers

import tokstream

VOCAB = {name: k for k, name in enumerate(["<s>", "</s>", "a", "b", "ab", " "])}
BEGIN = {"SpecialToken": {"id": "<s>", "type_id": 0}}
TEXTS = ["", "ab", "ab  ba", "abab" * 50]


def document() -> bytes:
    names = ("single_word", "lstrip", "rstrip", "normalized")
    flags = dict.fromkeys(names, False) | {"special": True}
    added = [{"id": VOCAB[name], "content": name} | flags for name in ("<s>", "</s>")]
    end = {"SpecialToken": {"id": "</s>", "type_id": 0}}
    template = {
        "type": "TemplateProcessing",
        "single": [BEGIN, {"Sequence": {"id": "A", "type_id": 0}}, end],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {
            name: {"id": name, "ids": [VOCAB[name]], "tokens": [name]} for name in ("<s>", "</s>")
        },
    }
    model: dict[str, Any] = {"type": "BPE", "vocab": VOCAB, "merges": ["a b"]}
    whole = {"version": "1.0", "model": model, "added_tokens": added, "post_processor": template}
    return json.dumps(whole).encode()


@pytest.fixture(scope="module")
def tok() -> tokstream.Tokenizer:
    return tokstream.load(document())


def test_every_verb_gives_what_the_reference_gives(tok: tokstream.Tokenizer) -> None:
    reference = tokenizers.Tokenizer.from_str(document().decode())
    for text in TEXTS:
        wanted = reference.encode(text)
        assert tok.encode(text, add_special_tokens=True) == wanted.ids
        assert tok.encode_batch([text], add_special_tokens=True) == [wanted.ids]
        found = tok.encode_with_offsets(text, add_special_tokens=True)
        assert found == (wanted.ids, wanted.offsets)
        batches = tok.encode_iter([text[:1], text[1:]], add_special_tokens=True)
        assert [k for ids in batches for k in ids] == wanted.ids
        arrays = tok.encode_iter_array(text, add_special_tokens=True)
        assert [k for ids in arrays for k in ids.tolist()] == wanted.ids

        async def collected(text: str = text) -> list[int]:
            batches = tok.encode_aiter(text, add_special_tokens=True)
            return [k async for ids in batches for k in ids]

        assert asyncio.run(collected()) == wanted.ids
        for limit in (None, 0, 1, 2, 3, 100):
            n = tok.count(text, limit=limit, add_special_tokens=True)
            assert n == min(len(wanted.ids), len(wanted.ids) if limit is None else limit + 1)


def test_rank_files_have_no_template() -> None:
    cl100k = tokstream.get_encoding("cl100k_base")
    assert cl100k.count("hello world", add_special_tokens=True) == 2
    assert cl100k.encode_with_offsets("hello", add_special_tokens=True) == ([15339], [(0, 5)])
