"""What a tokenizer.json says, kept so that it can be written again.

Enters: a parsed document. Leaves: its small members as they are, the vocabulary, the merges; and
from these a document, as the reference writes it. Held back: nothing. Immutable.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from tokstream._locks import kept

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Mapping

    from tokstream.formats.document import Node
    from tokstream.formats.huggingface.model import BpeModel

__all__ = ["Definition"]

_MODEL_DEFAULTS: dict[str, Any] = {
    "type": "BPE",
    "dropout": None,
    "unk_token": None,
    "continuing_subword_prefix": None,
    "end_of_word_suffix": None,
    "fuse_unk": False,
    "byte_fallback": False,
    "ignore_merges": False,
}
_PART_DEFAULTS: dict[object, dict[str, Any]] = {
    "BertNormalizer": {"strip_accents": None},
    "ByteLevel": {"use_regex": True},
    "FixedLength": {"length": 5},
    "Metaspace": {"prepend_scheme": "always", "split": True},
    "Punctuation": {"behavior": "Isolated"},
}
_OF_ROBERTA = {"trim_offsets", "add_prefix_space"}
"""Without them the reference takes it for the other one that has the rest."""
_LISTS = ("normalizers", "pretokenizers", "processors", "decoders")
PARTS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")


@dataclass(frozen=True)
class Definition:
    """A tokenizer as its file says it, without added tokens and settings.

    Attributes:
        parts: normalizer, pre_tokenizer, post_processor, decoder: JSON, or None.
        options: members of the model that are neither vocabulary nor merges.
        table: token to id; not to be changed.
        tokens: the tokens in the table's order.
        list_merges: gives positions in `tokens`, two for each merge.
    """

    parts: Mapping[str, Any]
    options: Mapping[str, Any]
    table: Mapping[str, int]
    tokens: list[str] = field(repr=False)
    list_merges: Callable[[], array[int]] = field(repr=False)

    @classmethod
    def of(cls, document: Node, model: BpeModel) -> Definition:
        """Take over a document that was read."""
        members = document.members()
        given = document["model"].members()
        options = {k: given.get(k, default) for k, default in _MODEL_DEFAULTS.items()}
        for name in ("fuse_unk", "byte_fallback", "ignore_merges"):
            options[name] = bool(options[name])
        return cls(
            {name: _completed(members.get(name)) for name in PARTS},
            options | {"type": "BPE"},
            model.table,
            model.tokens,
            partial(_itself, model.merges),
        )

    def with_part(self, name: str, value: object) -> Definition:
        """Return a definition in which one of `parts` is another."""
        parts = {**self.parts, name: value}
        return Definition(parts, self.options, self.table, self.tokens, self.list_merges)

    @kept
    def spellings(self) -> dict[int, str]:
        """Tokens by id."""
        return dict(zip(self.table.values(), self.tokens, strict=True))

    @kept
    def merges(self) -> array[int]:
        """Positions in `tokens`, two for each merge."""
        return self.list_merges()

    def merge_list(self) -> list[list[str]]:
        """Return the merges, pairs of tokens; the strongest first."""
        tokens = self.tokens
        pairs = iter(self.merges)
        return [[tokens[a], tokens[b]] for a, b in zip(pairs, pairs, strict=True)]

    def model(self) -> dict[str, Any]:
        """Return the member `model` of a document; tokens in the order of their ids."""
        vocab = dict(sorted(self.table.items(), key=lambda item: item[1]))
        return {**self.options, "vocab": vocab, "merges": self.merge_list()}

    def document(
        self,
        added_tokens: list[dict[str, Any]],
        truncation: dict[str, Any] | None,
        padding: dict[str, Any] | None,
    ) -> dict[str, Any]:
        """Return a whole document, members in the reference's order."""
        return {
            "version": "1.0",
            "truncation": truncation,
            "padding": padding,
            "added_tokens": added_tokens,
            **{name: self.parts.get(name) for name in PARTS},
            "model": self.model(),
        }


def _itself(merges: array[int]) -> array[int]:
    return merges


def _completed(part: Any) -> Any:  # noqa: ANN401 - JSON
    """Return a part with what files of old versions leave out, as the reference writes it."""
    if not isinstance(part, dict):
        return part
    kind = part.get("type")
    if kind == "ByteLevel" and len(part) == 1:
        return part  # the normalizer, which has no settings
    if kind == "RobertaProcessing" and not part.keys() >= _OF_ROBERTA:
        return {"type": "BertProcessing", "sep": part.get("sep"), "cls": part.get("cls")}
    completed = part | {k: v for k, v in _PART_DEFAULTS.get(kind, {}).items() if k not in part}
    if kind == "Metaspace" and (prefix := completed.pop("add_prefix_space", None)) is not None:
        # the older way to say it
        completed["prepend_scheme"] = part.get("prepend_scheme", "always") if prefix else "never"
    return {
        name: [_completed(inner) for inner in value] if name in _LISTS else value
        for name, value in completed.items()
    }
