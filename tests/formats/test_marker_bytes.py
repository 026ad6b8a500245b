"""Tokens whose text has the bytes that mark a pretoken's ends inside: no text becomes them."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from small_files import tokenizer_json
from tokenizers import Tokenizer

import tokstream

SUFFIX = {"end_of_word_suffix": "</w>"}
PREFIX = {"continuing_subword_prefix": "##"}

MODELS: dict[str, dict[str, Any]] = {
    "end": {**SUFFIX, "vocab": {"<unk>": 0, "a": 1, "\u00ff": 2}},
    "end, known": {
        **SUFFIX,
        "vocab": {"<unk>": 0, "a": 1, "a</w>": 2, "\u00ff</w>": 3, "\u00ff": 4},
    },
    "end, longer": {**SUFFIX, "vocab": {"<unk>": 0, "a": 1, "a\u00ff": 2, "a</w>": 3}},
    "beginning": {**PREFIX, "vocab": {"<unk>": 0, "##a": 1, "##\u00fe": 2, "\u00fe": 3, "a": 4}},
    "beginning, longer": {**PREFIX, "vocab": {"<unk>": 0, "##a": 1, "##\u00fea": 2, "a": 3}},
    "both": {
        **SUFFIX,
        **PREFIX,
        "vocab": {"<unk>": 0, "a": 1, "##\u00fe": 2, "##\u00ff": 3, "##a</w>": 4, "\u00fe": 5},
    },
}


@pytest.mark.parametrize("case", MODELS)
def test_markers_are_no_tokens(case: str) -> None:
    content = tokenizer_json(
        {"unk_token": "<unk>", "merges": [], **MODELS[case]},
        pre_tokenizer={
            "type": "ByteLevel",
            "add_prefix_space": False,
            "trim_offsets": True,
            "use_regex": False,
        },
    )
    ours, reference = tokstream.load(content), Tokenizer.from_buffer(content)
    for n in range(1, 4):
        for characters in product("ae\u00ff\u00fe", repeat=n):
            text = "".join(characters)
            assert ours.encode(text) == reference.encode(text).ids
    for token_id in MODELS[case]["vocab"].values():
        assert ours.decode([token_id]) == reference.decode([token_id], skip_special_tokens=False)
