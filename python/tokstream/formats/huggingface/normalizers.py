"""The member `normalizer` of a tokenizer.json → steps for the engine.

Enters: the node, or None. Leaves: steps in order, such as `("nfc",)`. Refused: unknown types,
patterns that the compiler refuses.
"""

from __future__ import annotations

import binascii
from typing import TYPE_CHECKING

from tokstream.errors import PatternError
from tokstream.formats.document import shown

if TYPE_CHECKING:
    from tokstream.formats.document import Node
    from tokstream.formats.parts import Step

__all__ = ["read_normalizer", "replacement_step"]

_PLAIN = {
    "NFC": "nfc",
    "NFD": "nfd",
    "NFKC": "nfkc",
    "NFKD": "nfkd",
    "Lowercase": "lowercase",
    "StripAccents": "strip_accents",
    "Nmt": "nmt",
    "ByteLevel": "byte_level",
}


def read_normalizer(node: Node | None) -> list[Step]:  # noqa: PLR0911 - a case for each type
    """Read the normalizer.

    Raises:
        UnsupportedTokenizerError: a step that cannot be honoured exactly.
        VocabularyError: a damaged one.
    """
    if node is None:
        return []
    kind = node["type"].text()
    if kind in _PLAIN:
        return [(_PLAIN[kind],)]
    match kind:
        case "Sequence":
            return [step for part in node["normalizers"] for step in read_normalizer(part)]
        case "Strip":
            return [("strip", node.flag("strip_left"), node.flag("strip_right"))]
        case "Prepend":
            return [("prepend", node["prepend"].text())]
        case "Replace":
            return [replacement_step(node)]
        case "Precompiled":
            return [("precompiled", _charsmap(node["precompiled_charsmap"]))]
        case "BertNormalizer":
            return _bert_steps(node)
    raise node.unsupported(
        f"a normalizer of the unknown type {shown(kind)}", "tokstream does not know what it does"
    )


def _bert_steps(node: Node) -> list[Step]:
    """Read a `BertNormalizer`: up to four rules, in this order."""
    lowercase = node.flag("lowercase")
    accents = node.get("strip_accents")
    strips = lowercase if accents is None else node.flag("strip_accents")
    steps: list[Step] = []
    if node.flag("clean_text"):
        steps.append(("bert_clean",))
    if node.flag("handle_chinese_chars"):
        steps.append(("bert_ideographs",))
    if strips:
        steps += [("nfd",), ("bert_strip_marks",)]
    if lowercase:
        steps.append(("lowercase",))
    return steps


def replacement_step(node: Node) -> Step:
    """Read a `Replace`: a pattern, String or Regex, and what stands in its place."""
    pattern, content = node["pattern"], node["content"].text()
    string = pattern.get("String")
    if string is not None:
        if not string.text():
            raise string.wrong("is empty, which matches everywhere")
        return ("replace", string.text(), content)
    regex = pattern["Regex"]
    from tokstream.patterns import compile_pattern  # noqa: PLC0415 - few tokenizers replace by one

    try:
        automaton = compile_pattern(regex.text(), "tokenizers", partial=True)
    except PatternError as error:
        raise regex.unsupported(f"the pattern {shown(regex.value)}", str(error)) from error
    return ("replace_pattern", automaton.to_bytes(), content)


def _charsmap(node: Node) -> bytes:
    try:
        return binascii.a2b_base64(node.text(), strict_mode=True)
    except ValueError as error:
        raise node.wrong(f"is no base64 ({error})") from None
