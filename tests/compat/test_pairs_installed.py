"""vocab.json with merges.txt as transformers reads them, where it is installed."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from format_texts import generated_texts
from small_pairs import SPECIALS, TEXTS, tokens, write_pair

pytest.importorskip("transformers", minversion="5")

from transformers import AutoTokenizer

import tokstream
from tokstream.formats.pair.recipes import _CLASS_OF_TYPE, CLASSES

if TYPE_CHECKING:
    from pathlib import Path

N = len(tokens())
# with its flags, since transformers 5 reads the mask token that is only named in a way of its own
MASK = {"__type": "AddedToken", "content": "<mask>", "lstrip": True, "normalized": False}
BRACKETS = MASK | {"content": "[MASK]"}
END = {"content": "<|endoftext|>", "special": True, "normalized": False}
FILES: list[dict[str, Any]] = [
    {},
    {"tokenizer_config": {"add_prefix_space": True}},
    {"tokenizer_config": {"pad_token": "<p>", "additional_special_tokens": ["<x>", "<s>"]}},
    {"added_tokens": {"<x>": N + 1, "<y>": N}, "special_tokens_map": {"pad_token": "<y>"}},
    {"tokenizer_config": {"add_bos_token": True, "bos_token": "<s>"}},
    {
        "tokenizer_config": {
            "eos_token": "<|endoftext|>",
            "added_tokens_decoder": {"4": END, str(N): END | {"content": "<x>", "rstrip": True}},
        }
    },
]


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("files", FILES, ids=map(str, range(len(FILES))))
def test_as_transformers_reads_them(name: str, files: dict[str, Any], tmp_path: Path) -> None:
    config = {"tokenizer_class": name, **files.get("tokenizer_config", {})}
    if name == "Qwen2Tokenizer":
        config.pop("add_bos_token", None)  # refused
    if "mask_token" in CLASSES[name].tokens:
        config["mask_token"] = BRACKETS if name == "DebertaTokenizer" else MASK
    folder = write_pair(tmp_path / "model", **files | {"tokenizer_config": config})
    expected = AutoTokenizer.from_pretrained(folder)
    tokenizer = tokstream.load(folder)
    special = [*SPECIALS, "<mask>", "[MASK]", "<x>", "<y>", "<p>"]
    for text in (*TEXTS, *generated_texts(random.Random(name), 60, special)):
        ids = expected(text)["input_ids"]
        assert tokenizer.encode(text, add_special_tokens=True) == ids, text
        plain = expected(text, add_special_tokens=False)["input_ids"]
        assert tokenizer.encode(text) == plain
        decoded = expected.decode(ids, clean_up_tokenization_spaces=False)
        assert tokenizer.decode(ids) == decoded
    assert tokenizer.special_tokens == {
        token.content: token_id
        for token_id, token in expected.added_tokens_decoder.items()
        if token.special
    }
    assert tokenizer.eos_id == expected.eos_token_id


@pytest.mark.parametrize("model_type", _CLASS_OF_TYPE)
def test_the_class_of_a_model_type(model_type: str, tmp_path: Path) -> None:
    folder = write_pair(tmp_path / "model", config={"model_type": model_type})
    expected = AutoTokenizer.from_pretrained(folder)
    tokenizer = tokstream.load(folder)
    for text in TEXTS:
        if "mask" not in text and "MASK" not in text:
            assert tokenizer.encode(text, add_special_tokens=True) == expected(text)["input_ids"]
