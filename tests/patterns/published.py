r"""Patterns that tokenizers publish, verbatim.

In: nothing. Out: `PUBLISHED`, by name: pattern, dialect, and whether the text between matches is
kept as pretokens. Not part of the product, which compiles any pattern.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PUBLISHED", "Published"]


@dataclass(frozen=True)
class Published:
    """One published pattern and where it is used."""

    name: str
    dialect: str
    pattern: str
    gaps: bool
    source: str


_ALL = (
    Published(
        "gpt2",
        "tiktoken",
        r"'s|'t|'re|'ve|'m|'ll|'d| ?[\p{L}]+"
        r"| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)"
        r"|\s+",
        gaps=False,
        source="the release of GPT-2, as quoted in tiktoken",
    ),
    Published(
        "r50k",
        "tiktoken",
        r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++"
        r"| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)"
        r"|\s",
        gaps=False,
        source="tiktoken 0.14: gpt2, r50k_base, p50k_base, p50k_edit",
    ),
    Published(
        "cl100k_2023",
        "tiktoken",
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+",
        gaps=False,
        source="tiktoken 0.3: cl100k_base; Llama 3, GLM-4",
    ),
    Published(
        "cl100k_2024",
        "tiktoken",
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*"
        r"|\s*[\r\n]|\s+(?!\S)|\s+",
        gaps=False,
        source="tiktoken 0.7: cl100k_base",
    ),
    Published(
        "cl100k",
        "tiktoken",
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++"
        r"|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
        gaps=False,
        source="tiktoken 0.14: cl100k_base",
    ),
    Published(
        "o200k",
        "tiktoken",
        "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\"
        r"p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}"
        r"\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+",
        gaps=False,
        source="tiktoken 0.14: o200k_base, o200k_harmony; Llama 4",
    ),
    Published(
        "qwen",
        "tiktoken",
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+"
        r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+",
        gaps=False,
        source="Qwen, with its rank file",
    ),
    Published(
        "kimi_k2",
        "tiktoken",
        r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}"
        r"]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}"
        r"\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+",
        gaps=False,
        source="Kimi K2",
    ),
    Published(
        "tekken",
        "tiktoken",
        "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\"
        r"p{M}]+"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}"
        r"\p{M}]*"
        r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+",
        gaps=False,
        source="Mistral tekken 240911",
    ),
    Published(
        "bytelevel",
        "tokenizers",
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+"
        r"| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)"
        r"|\s+",
        gaps=False,
        source="ByteLevel in tokenizers: GPT-2, GPT-NeoX, StarCoder, Falcon",
    ),
    Published(
        "llama3",
        "tokenizers",
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+",
        gaps=False,
        source="Llama 3 tokenizer.json; GLM-4",
    ),
    Published(
        "qwen3",
        "tokenizers",
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+"
        r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+",
        gaps=False,
        source="Qwen 2, 2.5 and 3 tokenizer.json",
    ),
    Published(
        "qwen3_5",
        "tokenizers",
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+"
        r"|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+",
        gaps=False,
        source="Qwen 3.5 tokenizer.json",
    ),
    Published(
        "gpt_oss",
        "tokenizers",
        "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\"
        r"p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}"
        r"\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+",
        gaps=False,
        source="gpt-oss tokenizer.json",
    ),
    Published(
        "deepseek_v3_digits",
        "tokenizers",
        r"\p{N}{1,3}",
        gaps=True,
        source="DeepSeek v3 tokenizer.json, first split",
    ),
    Published(
        "deepseek_v3_cjk",
        "tokenizers",
        "[一-龥\u3040-ゟ゠-ヿ]+",
        gaps=True,
        source="DeepSeek v3 tokenizer.json, second split",
    ),
    Published(
        "deepseek_v3_text",
        "tokenizers",
        "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?["
        "\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
        gaps=True,
        source="DeepSeek v3 tokenizer.json, third split",
    ),
    Published(
        "bloom",
        "tokenizers",
        r" ?[^(\s|[.,!?…。，、।۔،])]+",
        gaps=True,
        source="BLOOM tokenizer.json",
    ),
)

PUBLISHED = {entry.name: entry for entry in _ALL}
