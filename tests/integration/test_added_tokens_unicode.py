"""What counts as a word character and as a blank next to an added token.

On every code point if `TOKSTREAM_TEST_EXPLORE` is set, which takes minutes; else on some.
"""

from __future__ import annotations

import json
import os

from small_models import build, parts_of
from test_merge_lists import config
from tokenizers import Tokenizer

SURROGATES = range(0xD800, 0xE000)
STEP = 1 if os.environ.get("TOKSTREAM_TEST_EXPLORE") else 23
BLOCK = 1024


def test_code_points_next_to_an_added_token() -> None:
    bpe = {"type": "BPE", "vocab": {"<unk>": 0, ".": 1}, "merges": [], "unk_token": "<unk>"}
    plain = {"lstrip": False, "rstrip": False, "normalized": False, "special": True}
    added = [
        {"id": 2, "content": "a", "single_word": True, **plain},
        {"id": 3, "content": "b", "single_word": False, **plain, "lstrip": True},
        {"id": 4, "content": "c", "single_word": False, **plain, "rstrip": True},
    ]
    data = config(bpe, added_tokens=added)
    peer = Tokenizer.from_str(json.dumps(data))
    core = build(parts_of(data))
    specials = core.special_set(None, [])
    code_points = [*range(0x300), *range(0x300, 0x110000, STEP)]
    for begin in range(0, len(code_points), BLOCK):
        block = code_points[begin : begin + BLOCK]
        characters = [chr(k) for k in block if k not in SURROGATES]
        for pattern in ("{0}a.", "a{0}.", ".{0}b", "c{0}."):
            text = "".join(pattern.format(character) for character in characters)
            expected = peer.encode(text, add_special_tokens=False).ids
            assert core.encode(text, specials, False, False) == expected  # noqa: FBT003
