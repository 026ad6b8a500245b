"""A small tokenizer of transformers, and how its results are compared.

Enters: a folder for its file; two results. Leaves: the tokenizer; differences are assertions.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from hf_small import byte_level

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["CHAT", "assert_same", "plain"]

CHAT = (
    "{% for m in messages %}<s>{{ m['role'] }}: {{ m['content'] }}</s>\n{% endfor %}"
    "{% if add_generation_prompt %}<s>assistant: {% endif %}"
)


def plain(folder: Path) -> Any:
    """GPT-2's kind, with `<s>`, `</s>`, `<pad>` and `<mask>`, and a template for chats."""
    from transformers import PreTrainedTokenizerFast  # noqa: PLC0415 - not everywhere

    path = folder / "tokenizer.json"
    path.write_text(json.dumps(byte_level()))
    return PreTrainedTokenizerFast(
        tokenizer_file=str(path),
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        mask_token="<mask>",
        chat_template=CHAT,
    )


def assert_same(got: Any, expected: Any, where: object = "") -> None:
    """Compare what two tokenizers returned, arrays with their types."""
    assert got.keys() == expected.keys(), where
    for name in expected:
        one, other = got[name], expected[name]
        if isinstance(other, np.ndarray):
            assert one.dtype == other.dtype
            one, other = one.tolist(), other.tolist()
        assert one == other, (name, where)
