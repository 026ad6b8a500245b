"""Small tokenizer.json files for `as_hf`: trained once, with a template and special tokens.

Enters: nothing, or a random generator. Leaves: documents as dicts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from format_configurations import configuration, document

if TYPE_CHECKING:
    import random

__all__ = ["byte_level", "post_processor", "random_document"]

Json = dict[str, Any]


def byte_level(*, prefix: bool = False, post: Json | None = None) -> Json:
    """GPT-2's kind of tokenizer, with `<s>`, `</s>` and `<pad>`."""
    level = {
        "type": "ByteLevel",
        "add_prefix_space": prefix,
        "trim_offsets": True,
        "use_regex": True,
    }
    added = (("<s>", "s"), ("</s>", "s"), ("<pad>", "s"), ("<mask>", "sl"))
    _, found = document("bytes", None, level, added, level)
    ids = {token["content"]: token["id"] for token in found["added_tokens"]}
    found["post_processor"] = post or template(ids, "<s>", "</s>")
    return found


def template(ids: dict[str, int], begin: str, end: str) -> Json:
    """`<s> A </s>` and `<s> A </s> B </s>`."""

    def text(name: str, type_id: int) -> Json:
        return {"Sequence": {"id": name, "type_id": type_id}}

    def token(name: str, type_id: int) -> Json:
        return {"SpecialToken": {"id": name, "type_id": type_id}}

    tokens = {n: {"id": n, "ids": [ids[n]], "tokens": [n]} for n in (begin, end)}
    single = [token(begin, 0), text("A", 0), token(end, 0)]
    return {
        "type": "TemplateProcessing",
        "single": single,
        "pair": [*single, text("B", 1), token(end, 1)],
        "special_tokens": tokens,
    }


def post_processor(rng: random.Random, vocab: dict[str, int]) -> Json | None:
    """One of each kind, with tokens of the vocabulary."""
    first, second = list(vocab)[:2]
    around = {"cls": [first, vocab[first]], "sep": [second, vocab[second]]}
    trims = {"trim_offsets": rng.random() < 0.6, "add_prefix_space": rng.random() < 0.5}
    level = {"type": "ByteLevel", **trims, "use_regex": True}
    pieces = template(vocab, first, second)
    if rng.random() < 0.3:  # the texts in the other order
        pieces["pair"] = [pieces["pair"][3], pieces["pair"][2], pieces["pair"][1]]
    return rng.choice(
        [
            None,
            level,
            pieces,
            {"type": "BertProcessing", **around},
            {"type": "RobertaProcessing", **around, **trims},
            {"type": "Sequence", "processors": [level, pieces]},
            {"type": "Sequence", "processors": [pieces, level]},
        ]
    )


def random_document(rng: random.Random) -> tuple[str, Json]:
    """A description and a tokenizer.json, every part drawn at random."""
    words, found = configuration(rng)
    found["post_processor"] = post_processor(rng, found["model"]["vocab"])
    return words, found
