"""Published pre-tokenizers that are cascades, as their reference builds them."""

from __future__ import annotations

from typing import Any

from tokenizers import Regex
from tokenizers import pre_tokenizers as hf

CJK = r"[一-龥぀-ゟ゠-ヿ]+"
ASCII_SYMBOLS = r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]"
DEEPSEEK = (
    ASCII_SYMBOLS + r"[A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
BYTES = hf.ByteLevel(add_prefix_space=False, use_regex=False)
WORDS = hf.ByteLevel(add_prefix_space=False, use_regex=True)

PUBLISHED: dict[str, Any] = {
    "deepseek": hf.Sequence(
        [
            hf.Split(Regex(r"\p{N}{1,3}"), "isolated"),
            hf.Split(Regex(CJK), "isolated"),
            hf.Split(Regex(DEEPSEEK), "isolated"),
            BYTES,
        ]
    ),
    "glm4": hf.Sequence([hf.Split(Regex(LLAMA3), "isolated"), BYTES]),
    "converted from tiktoken": hf.Sequence(
        [hf.Split(Regex(LLAMA3), "removed", invert=True), BYTES]
    ),
    "starcoder": hf.Sequence([hf.Digits(individual_digits=True), WORDS]),
    "falcon": hf.Sequence(
        [
            hf.Punctuation("contiguous"),
            WORDS,
            hf.Digits(individual_digits=False),
            hf.Split(Regex("[0-9][0-9][0-9]"), "isolated"),
        ]
    ),
    "bloom": hf.Sequence([hf.Split(Regex(r" ?[^(\s|[.,!?…。，、।۔،])]+"), "isolated"), BYTES]),
    "gemma": hf.Split(" ", "merged_with_previous"),
    "t5": hf.Sequence([hf.WhitespaceSplit(), hf.Metaspace("▁", "always", split=True)]),
    "roberta": hf.ByteLevel(add_prefix_space=True),
}
