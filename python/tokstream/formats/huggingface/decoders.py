"""The member `decoder` of a tokenizer.json → the stages of `tokstream.decoding`.

Enters: the node, or None. Leaves: stages in order. Refused: CTC and WordPiece decoders, replacing
by a regular expression, unknown types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokstream.decoding.stages import ByteFallback, Metaspace, Replace, Stage, Strip, Suffixed
from tokstream.formats.document import shown
from tokstream.formats.huggingface.metaspace import read_metaspace

if TYPE_CHECKING:
    from tokstream.decoding.tokens import Join
    from tokstream.formats.document import Node

__all__ = ["read_decoder"]

_NOT_TEXT = "it collapses repeated ids, which is for speech; only its model's own tools decode it"


def read_decoder(node: Node | None) -> tuple[Stage | Join, ...]:
    """Read the decoder.

    Returns:
        The stages; without a decoder, tokens are joined with spaces.

    Raises:
        UnsupportedTokenizerError: a decoder that cannot be honoured exactly.
        VocabularyError: a damaged one.
    """
    return ("spaces",) if node is None else tuple(_stages(node))


def _stages(node: Node) -> list[Stage | Join]:  # noqa: C901, PLR0911 - a case for each type
    kind = node["type"].text()
    match kind:
        case "ByteLevel":
            return ["byte_level"]
        case "Fuse":
            return ["fuse"]
        case "ByteFallback":
            return [ByteFallback()]
        case "Sequence":
            return [stage for part in node["decoders"] for stage in _stages(part)]
        case "Replace":
            return [_replace(node)]
        case "Strip":
            content = node["content"]
            if len(content.text()) != 1:
                raise content.wrong(f"is {shown(content.value)}, expected one character")
            start, stop = (node[key].number() for key in ("start", "stop"))
            return [Strip(content.text(), start, stop)]
        case "Metaspace":
            replacement, scheme, _ = read_metaspace(node)
            return [Metaspace(replacement, scheme != "never")]
        case "BPEDecoder":
            suffix = node["suffix"]
            if not suffix.text():
                raise suffix.wrong("is empty, which matches everywhere")
            return [Suffixed(suffix.text())]
        case "CTC":
            raise node.unsupported("a decoder of type CTC", _NOT_TEXT)
        case "WordPiece":
            raise node.unsupported(
                "a decoder of type WordPiece", "it is made for WordPiece models, which are no BPE"
            )
    raise node.unsupported(
        f"a decoder of the unknown type {shown(kind)}", "tokstream does not know what it does"
    )


def _replace(node: Node) -> Replace:
    pattern = node["pattern"]
    if pattern.get("Regex") is not None:
        raise pattern.unsupported(
            "a decoder that replaces by a regular expression",
            "what it matches may depend on all later text; write it as a String if it is one",
        )
    string = pattern["String"].text()
    if not string:
        raise pattern.wrong("is empty, which matches everywhere")
    return Replace(string, node["content"].text())
