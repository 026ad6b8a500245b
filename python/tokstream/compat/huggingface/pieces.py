"""A SentencePiece model → the tokenizer.json that it is usually converted to.

Enters: the model as its file says it. Leaves: a document, as the reference reads it; its ids are
those of the model for texts without added tokens. Refused, by name: what a tokenizer.json cannot
say exactly.

Llama 2's is the example: a normalizer that puts the blank sign before a text and in place of
blanks, no pre-tokenizer, merges in order of score, bytes for what is unknown. Control pieces are
special tokens, as the hub has them. A text between two of them is a text by itself, with a blank
sign of its own.
"""

from __future__ import annotations

from array import array
from functools import partial
from typing import TYPE_CHECKING, Any

from tokstream.compat.huggingface.added import AddedToken
from tokstream.compat.huggingface.definition import Definition
from tokstream.compat.huggingface.processing import template_around
from tokstream.formats.document import shown
from tokstream.formats.sentencepiece.merging import merges_of
from tokstream.formats.sentencepiece.model import CONTROL, UNKNOWN, USER_DEFINED

if TYPE_CHECKING:
    from tokstream.formats.sentencepiece.model import SentencePieceModel

__all__ = ["document_of"]

_BLANK = "\u2581"

Json = dict[str, Any]


def document_of(model: SentencePieceModel) -> Json:
    """Return a tokenizer.json as a dict.

    Raises:
        UnsupportedTokenizerError: a part that cannot be said exactly.

    Cost: O(bytes · longest piece); a third of a second for 32,000 pieces.
    """
    _refuse(model)
    _, ids, merges = merges_of(model)
    bos = model.bos_id
    definition = Definition(
        {
            "normalizer": _normalizer(model),
            "pre_tokenizer": None,
            "post_processor": None if bos is None else template_around(model.pieces[bos], bos),
            "decoder": _decoder(model),
        },
        {
            "type": "BPE",
            "dropout": None,
            "unk_token": model.pieces[model.unk_id],
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": True,
            "byte_fallback": model.byte_fallback,
            "ignore_merges": False,
        },
        {piece: k for k, piece in enumerate(model.pieces)},
        model.pieces,
        partial(_renumbered, merges, ids),
    )
    return definition.document(_added(model), None, None)


def _renumbered(merges: array[int], ids: list[int]) -> array[int]:
    """Return merges as positions in all pieces, rather than in those that merging makes."""
    return array("I", [ids[k] for k in merges])


def _refuse(model: SentencePieceModel) -> None:
    if model.charsmap:
        raise model.unsupported(
            "as_hf of a model with normalization rules (normalization_rule_name)",
            "tokenizers applies them to other stretches of text; use tokstream's own verbs, or "
            "train with normalization_rule_name='identity'",
        )
    if not model.escape_whitespaces:
        raise model.unsupported(
            "as_hf of a model with escape_whitespaces=false",
            "a tokenizer.json would decode its blanks otherwise; use tokstream's own verbs",
        )
    if model.remove_extra_whitespaces and not model.add_dummy_prefix:
        raise model.unsupported(
            "as_hf of a model with remove_extra_whitespaces, but without add_dummy_prefix",
            "no normalizer of tokenizers takes away only the blanks before a text; use "
            "tokstream's own verbs",
        )
    for piece, kind in zip(model.pieces, model.kinds, strict=True):
        if kind == USER_DEFINED and _BLANK in piece and model.add_dummy_prefix:
            raise model.unsupported(
                f"as_hf of a model with the user-defined piece {shown(piece)}",
                "tokenizers looks for added tokens before blanks are replaced, or puts a blank "
                "before them, too; use tokstream's own verbs",
            )


def _normalizer(model: SentencePieceModel) -> Json:
    if model.remove_extra_whitespaces:
        steps = [
            {"type": "Prepend", "prepend": " "},
            _replaced({"Regex": " +"}, _BLANK),
            _replaced({"Regex": rf"{_BLANK}+(?![\s\S])"}, ""),
        ]
        return {"type": "Sequence", "normalizers": steps}
    escaped = _replaced({"String": " "}, _BLANK)
    if not model.add_dummy_prefix:
        return escaped
    return {
        "type": "Sequence",
        "normalizers": [{"type": "Prepend", "prepend": _BLANK}, escaped],
    }


def _decoder(model: SentencePieceModel) -> Json:
    stages: list[Json] = [_replaced({"String": _BLANK}, " "), {"type": "ByteFallback"}]
    stages.append({"type": "Fuse"})
    if model.add_dummy_prefix:
        stages.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    return {"type": "Sequence", "decoders": stages}


def _replaced(pattern: dict[str, str], content: str) -> Json:
    return {"type": "Replace", "pattern": pattern, "content": content}


def _added(model: SentencePieceModel) -> list[Json]:
    """Return control pieces as special tokens, and user-defined ones.

    The model finds user-defined pieces in normalized text. With a blank sign before each text,
    that would be looked for before the pieces, too, so they are found in the text as it is.
    """
    return [
        {
            "id": k,
            **AddedToken(
                piece,
                normalized=kind == USER_DEFINED and not model.add_dummy_prefix,
                special=kind != USER_DEFINED,
            ).__getstate__(),
        }
        for k, (piece, kind) in enumerate(zip(model.pieces, model.kinds, strict=True))
        if kind in (CONTROL, UNKNOWN, USER_DEFINED)
    ]
