"""Settings that a file leaves out: what is written again, and what they mean, are the reference's."""

from __future__ import annotations

import json
from typing import Any

import pytest
import tokenizers

from hf_compare import assert_equal
from hf_small import byte_level
from tokstream.compat.huggingface import Tokenizer

BYTES = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
OLD_METASPACE = {"type": "Metaspace", "replacement": "▁", "add_prefix_space": False}
PARTS: list[tuple[str, str, dict[str, Any]]] = [
    ("pre_tokenizer", "pretokenizers", BYTES),
    ("pre_tokenizer", "pretokenizers", METASPACE),
    ("pre_tokenizer", "pretokenizers", OLD_METASPACE),
    ("pre_tokenizer", "pretokenizers", OLD_METASPACE | {"add_prefix_space": True}),
    ("pre_tokenizer", "pretokenizers", {"type": "Punctuation", "behavior": "Isolated"}),
    ("pre_tokenizer", "pretokenizers", {"type": "FixedLength", "length": 5}),
    ("pre_tokenizer", "pretokenizers", {"type": "Digits", "individual_digits": True}),
    ("pre_tokenizer", "pretokenizers", {"type": "CharDelimiterSplit", "delimiter": "a"}),
    (
        "normalizer",
        "normalizers",
        {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
    ),
    ("normalizer", "normalizers", {"type": "Strip", "strip_left": True, "strip_right": True}),
    ("normalizer", "normalizers", {"type": "ByteLevel"}),
    ("decoder", "decoders", BYTES),
    ("decoder", "decoders", METASPACE),
    ("decoder", "decoders", {"type": "Strip", "content": "a", "start": 1, "stop": 0}),
    ("decoder", "decoders", {"type": "BPEDecoder", "suffix": "</w>"}),
    ("post_processor", "processors", BYTES),
    (
        "post_processor",
        "processors",
        {
            "type": "RobertaProcessing",
            "sep": ["a", 64],
            "cls": ["b", 65],
            "trim_offsets": True,
            "add_prefix_space": False,
        },
    ),
]


@pytest.mark.parametrize("in_sequence", [False, True])
@pytest.mark.parametrize(
    ("kind", "inner", "part"),
    PARTS,
    ids=lambda value: value["type"] if isinstance(value, dict) else None,
)
def test_what_is_left_out(kind: str, inner: str, part: dict[str, Any], in_sequence: bool) -> None:
    n_compared = 0
    for left_out in [None, *(name for name in part if name != "type")]:
        document = byte_level()
        given = {name: value for name, value in part.items() if name != left_out}
        document[kind] = {"type": "Sequence", inner: [given]} if in_sequence else given
        content = json.dumps(document)
        try:
            peer = tokenizers.Tokenizer.from_str(content)
        except Exception:  # noqa: BLE001 - it raises nothing more exact
            continue
        ours = Tokenizer.from_str(content)
        assert json.loads(ours.to_str()) == json.loads(peer.to_str()), left_out
        for text in ("hello World, 12345!", " é a  b "):
            found, expected = ours.encode(text), peer.encode(text)
            assert found.ids == expected.ids
            if kind == "post_processor":
                assert_equal(found, expected)
        n_compared += 1
    assert n_compared
