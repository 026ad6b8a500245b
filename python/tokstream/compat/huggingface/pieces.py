"""A SentencePiece model → the tokenizer.json that it is usually converted to.

Enters: the model as its file says it. Leaves: a document, as the reference reads it; its ids are
those of the model for texts without added tokens. Refused, by name: what a tokenizer.json cannot
say exactly.

Llama 2's is the example: a normalizer that puts the blank sign before a text and in place of
blanks, no pre-tokenizer, merges in order of score, bytes for what is unknown. Control pieces are
special tokens, as the hub has them. A text between two of them is a text by itself, with a blank
sign of its own.

Normalization rules become a `Precompiled`, as the hub has them, too. The model takes the longest
rule at each place of a text; `Precompiled` the shortest one for each cluster of a character and its
marks, if that is short, and one for each character of a longer cluster. So ids are the model's but
for texts with such clusters that a rule speaks of; there they are what `tokenizers` gives.
"""

from __future__ import annotations

import binascii
import struct
from array import array
from functools import partial
from typing import TYPE_CHECKING, Any

from tokstream import _core
from tokstream.compat.huggingface.added import AddedToken
from tokstream.compat.huggingface.definition import Definition
from tokstream.compat.huggingface.processing import template_around
from tokstream.formats.document import Node, shown
from tokstream.formats.huggingface.normalizers import read_normalizer
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
    normalizer = _normalizer(model)
    _, ids, merges = merges_of(model)
    bos = model.bos_id
    definition = Definition(
        {
            "normalizer": normalizer,
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
    return definition.document(_added(model, normalizer), None, None)


def _renumbered(merges: array[int], ids: list[int]) -> array[int]:
    """Return merges as positions in all pieces, rather than in those that merging makes."""
    return array("I", [ids[k] for k in merges])


def _refuse(model: SentencePieceModel) -> None:
    if not model.escape_whitespaces:
        raise model.unsupported(
            "as_hf of a model with escape_whitespaces=false",
            "a tokenizer.json would decode its blanks otherwise; use tokstream's own verbs",
        )
    charsmap = model.charsmap
    if model.remove_extra_whitespaces:
        if b"  " in charsmap[_n_trie(charsmap) :]:
            raise model.unsupported(
                "as_hf of a model with remove_extra_whitespaces and a normalization rule that "
                "gives several blanks",
                "a tokenizer.json would make one of them; use tokstream's own verbs",
            )
    elif model.add_dummy_prefix and _has_rule_for_blanks(charsmap):
        raise model.unsupported(
            "as_hf of a model with add_dummy_prefix and a normalization rule for what begins with "
            "a blank",
            "tokenizers applies it to the blank before a text, too; use tokstream's own verbs, or "
            "train with remove_extra_whitespaces",
        )
    for piece, kind in zip(model.pieces, model.kinds, strict=True):
        if kind == USER_DEFINED and _BLANK in piece and model.add_dummy_prefix:
            raise model.unsupported(
                f"as_hf of a model with the user-defined piece {shown(piece)}",
                "tokenizers looks for added tokens before blanks are replaced, or puts a blank "
                "before them, too; use tokstream's own verbs",
            )


def _n_trie(charsmap: bytes) -> int:
    """Return where the texts of rules begin, behind the keys."""
    return 4 + int.from_bytes(charsmap[:4], "little")


def _has_rule_for_blanks(charsmap: bytes) -> bool:
    """Does a key begin with a blank? Keys are a double array; a unit says where children are."""
    if not charsmap:
        return False
    (root,) = struct.unpack_from("<I", charsmap, 4)
    at = ((root >> 10) << ((root & 0x200) >> 6)) ^ ord(" ")
    if 4 * at + 4 > _n_trie(charsmap) - 4:
        return False
    (unit,) = struct.unpack_from("<I", charsmap, 4 + 4 * at)
    return bool(unit & 0x8000_00FF == ord(" "))


def _normalizer(model: SentencePieceModel) -> Json:
    steps: list[Json] = []
    if model.charsmap:
        content = binascii.b2a_base64(model.charsmap, newline=False).decode()
        steps = [{"type": "Precompiled", "precompiled_charsmap": content}]
    prefix = {"type": "Prepend", "prepend": " "}
    if model.add_dummy_prefix:
        # before the rules, so that a text that they delete has its prefix, as in the model; and
        # `Precompiled` misplaces a text of which it deletes the beginning
        at = len(steps) if _has_rule_for_blanks(model.charsmap) else 0
        steps.insert(at, prefix)
    if not model.remove_extra_whitespaces:
        steps.append(_replaced({"String": " "}, _BLANK))
    elif model.add_dummy_prefix:
        steps.append(_replaced({"Regex": " +"}, _BLANK))
    else:
        # runs become two blanks; three are the one that is put before the text, and a run
        steps += [
            _replaced({"Regex": " +"}, "  "),
            prefix,
            _replaced({"String": "   "}, ""),
            _replaced({"String": "  "}, _BLANK),
            _replaced({"String": " "}, ""),
        ]
    if model.remove_extra_whitespaces:
        steps.append(_replaced({"Regex": rf"{_BLANK}+(?![\s\S])"}, ""))
    return {"type": "Sequence", "normalizers": steps} if len(steps) > 1 else steps[0]


def _decoder(model: SentencePieceModel) -> Json:
    stages: list[Json] = [_replaced({"String": _BLANK}, " "), {"type": "ByteFallback"}]
    stages.append({"type": "Fuse"})
    if model.add_dummy_prefix:
        stages.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    return {"type": "Sequence", "decoders": stages}


def _replaced(pattern: dict[str, str], content: str) -> Json:
    return {"type": "Replace", "pattern": pattern, "content": content}


def _added(model: SentencePieceModel, normalizer: Json) -> list[Json]:
    """Return control pieces as special tokens, and user-defined ones.

    The model finds user-defined pieces in normalized text. With a blank sign before each text,
    that would be looked for before the pieces, too, so they are found in the text as it is. So are
    those that the rules change, which the model protects from them.

    Raises:
        UnsupportedTokenizerError: a piece with the blank sign that the normalizer changes.
    """
    node = Node(normalizer, "$", model.label, model.path)
    normalize = _core.Normalize(read_normalizer(node))
    return [
        {
            "id": k,
            **AddedToken(
                piece,
                normalized=kind == USER_DEFINED and _is_normalized(model, normalize, piece),
                special=kind != USER_DEFINED,
            ).__getstate__(),
        }
        for k, (piece, kind) in enumerate(zip(model.pieces, model.kinds, strict=True))
        if kind in (CONTROL, UNKNOWN, USER_DEFINED)
    ]


def _is_normalized(model: SentencePieceModel, normalize: _core.Normalize, piece: str) -> bool:
    """Is a user-defined piece looked for in normalized text?"""
    if model.add_dummy_prefix:
        return False
    parts = [*normalize.push(piece), *normalize.finish()]
    is_kept = b"".join([part for part, _ in parts]) == piece.encode()
    if not is_kept and _BLANK in piece:
        raise model.unsupported(
            f"as_hf of a model with the user-defined piece {shown(piece)}",
            "tokenizers normalizes such a piece, too, and looks for what it becomes; use "
            "tokstream's own verbs",
        )
    return is_kept
