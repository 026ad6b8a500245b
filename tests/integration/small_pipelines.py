"""Normalizers and pre-tokenizers of `tokenizer.json`, as the engine takes them.

In: a component of a `tokenizer.json`. Out: steps and levels. Only what the tests draw.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokstream.patterns import levels

if TYPE_CHECKING:
    from tokstream.patterns.levels import Level

__all__ = ["cascade", "steps"]

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def steps(part: dict[str, Any] | None) -> list[tuple[object, ...]]:
    """Steps of a normalizer."""
    if part is None:
        return []
    kind = part["type"]
    if kind == "Sequence":
        return [step for inner in part["normalizers"] for step in steps(inner)]
    if kind == "Prepend":
        return [("prepend", part["prepend"])]
    if kind == "Replace":
        return [("replace", part["pattern"]["String"], part["content"])]
    if kind == "Strip":
        return [("strip", part["strip_left"], part["strip_right"])]
    names = {"StripAccents": "strip_accents", "Lowercase": "lowercase"}
    return [(names.get(kind, kind.lower()),)]


def cascade(part: dict[str, Any] | None) -> list[Level]:
    """Levels of a pre-tokenizer; byte-level ones end in raw bytes."""
    if part is None:
        return []
    kind = part["type"]
    if kind == "Sequence":
        return [level for inner in part["pretokenizers"] for level in cascade(inner)]
    if kind == "ByteLevel":
        prefix: list[Level] = [("prefix_space",)] if part["add_prefix_space"] else []
        return prefix + ([levels.split(GPT2, "isolated")] if part["use_regex"] else [])
    if kind == "Metaspace":
        return [levels.metaspace(part["replacement"], part["prepend_scheme"], split=part["split"])]
    if kind == "Digits":
        return [levels.digits(individual=part["individual_digits"])]
    if kind == "Whitespace":
        return [levels.whitespace()]
    if kind == "WhitespaceSplit":
        return [levels.whitespace_split()]
    if kind == "Punctuation":
        return [levels.punctuation("isolated")]
    behaviours: dict[str, levels.Behaviour] = {
        "Removed": "removed",
        "Isolated": "isolated",
        "MergedWithPrevious": "merged_with_previous",
        "MergedWithNext": "merged_with_next",
        "Contiguous": "contiguous",
    }
    behaviour = behaviours[part["behavior"]]
    pattern = part["pattern"]
    if "String" in pattern:
        return [levels.split_at_text(pattern["String"], behaviour, invert=part["invert"])]
    return [levels.split(pattern["Regex"], behaviour, invert=part["invert"])]
