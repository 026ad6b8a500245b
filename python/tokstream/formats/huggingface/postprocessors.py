"""The member `post_processor` of a tokenizer.json → the ids around one text.

Enters: the node, or None. Leaves: a `Template`. Ignored, since no id depends on it: how offsets are
trimmed, type ids, templates for pairs of texts. Refused: two processors that both add ids.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokstream.formats.document import shown
from tokstream.formats.parts import Template

if TYPE_CHECKING:
    from tokstream.formats.document import Node

__all__ = ["read_postprocessor"]


def read_postprocessor(node: Node | None) -> Template:
    """Read the post-processor.

    Raises:
        UnsupportedTokenizerError: one that cannot be honoured exactly.
        VocabularyError: a damaged one.
    """
    if node is None:
        return Template()
    kind = node["type"].text()
    match kind:
        case "ByteLevel":
            return Template()
        case "TemplateProcessing":
            return _template(node)
        case "RobertaProcessing" | "BertProcessing":
            return Template((_pair_id(node["cls"]),), (_pair_id(node["sep"]),))
        case "Sequence":
            found = [(part, read_postprocessor(part)) for part in node["processors"]]
            adding = [(part, template) for part, template in found if template != Template()]
            if len(adding) > 1:
                raise adding[1][0].unsupported(
                    "a second post-processor that adds ids",
                    "the reference applies it to each part of the first one's result",
                )
            return adding[0][1] if adding else Template()
    raise node.unsupported(
        f"a post-processor of the unknown type {shown(kind)}",
        "tokstream does not know what it does",
    )


def _pair_id(node: Node) -> int:
    parts = list(node)
    if len(parts) != 2:
        raise node.wrong(f"has {len(parts)} parts, expected a token and its id")
    parts[0].text()
    return parts[1].number()


def _template(node: Node) -> Template:
    table = node["special_tokens"]
    before: list[int] = []
    behind: list[int] = []
    n_texts = 0
    for piece in node["single"]:
        if piece.get("Sequence") is not None:
            which = piece["Sequence"]["id"]
            if which.choice(("A", "B")) == "B":
                raise which.wrong('is "B", but one text is "A"')
            n_texts += 1
            continue
        name = piece["SpecialToken"]["id"].text()
        ids = [number.number() for number in table[name]["ids"]]
        (behind if n_texts else before).extend(ids)
    if n_texts != 1:
        raise node["single"].unsupported(
            f"a template with the text in {n_texts} places", "a stream gives the text once"
        )
    return Template(tuple(before), tuple(behind))
