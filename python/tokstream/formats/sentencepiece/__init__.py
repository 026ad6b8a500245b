"""SentencePiece models of type BPE: the content of a `.model` file in, the parts out.

Enters: the file's bytes. Leaves: `TokenizerParts`, which give exactly the ids of `sentencepiece`.
Refused, by name: Unigram and the like, and what cannot be honoured exactly.

User-defined pieces are found in the normalized text and are not special. Control pieces, such as
`<s>`, are never found in a text by the reference; here they can be allowed by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokstream.decoding.pieces import Leading, PieceDecoder
from tokstream.errors import VocabularyError
from tokstream.formats.characters import missing_bytes
from tokstream.formats.document import shown
from tokstream.formats.merges import Unknown, order_tokens
from tokstream.formats.parts import AddedToken, Step, Template, TokenizerParts
from tokstream.formats.sentencepiece.merging import merges_of
from tokstream.formats.sentencepiece.model import (
    BYTE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    USER_DEFINED,
    SentencePieceModel,
    read_model,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["read_sentencepiece"]

_BLANK = "\u2581"


def read_sentencepiece(
    data: bytes, name: str, label: str = "<bytes>", path: str | None = None
) -> TokenizerParts:
    """Read a SentencePiece model.

    Args:
        data: its content.
        name: what to call the tokenizer.
        label: how the file is called in messages.
        path: where it is, if it is a file.

    Raises:
        VocabularyError: it is damaged; the message says at which byte.
        UnsupportedTokenizerError: a part that cannot be honoured exactly; the message names it.

    Cost: O(bytes); half a second for 32,000 pieces.
    """
    model = read_model(data, label, path)
    _refuse(model)
    byte_ids = _byte_ids(model)
    pieces, ids, merges = merges_of(model)
    unknown = Unknown(byte_ids, None if byte_ids else model.unk_id, fuse=byte_ids is None)
    try:
        tables = order_tokens(
            [piece.encode() for piece in pieces],
            ids,
            merges,
            units="characters",
            unknown=unknown,
            first_free_id=len(model.pieces),
        )
    except VocabularyError as error:
        raise model.unsupported("the scores", str(error)) from error
    control = {
        piece: k for k, piece in enumerate(model.pieces) if model.kinds[k] in (CONTROL, UNKNOWN)
    }
    user_defined = [
        piece for piece, kind in zip(model.pieces, model.kinds, strict=True) if kind == USER_DEFINED
    ]
    # a control piece that lies across a user-defined one cannot be looked for without hiding it
    added = [
        AddedToken(piece, k, special=model.kinds[k] != USER_DEFINED, normalized=True)
        for k, piece in enumerate(model.pieces)
        if model.kinds[k] == USER_DEFINED
        or (piece in control and not any(_overlap(piece, other) for other in user_defined))
    ]
    looked_for = {token.id for token in added}
    others = tuple(
        (piece.encode(), k)
        for k, (piece, kind) in enumerate(zip(model.pieces, model.kinds, strict=True))
        if kind != NORMAL and k not in looked_for
    )
    return TokenizerParts(
        name=name,
        format="sentencepiece",
        vocabulary=tables.vocabulary,
        n_vocab=len(model.pieces),
        rules=tables.rules,
        decoder=_decoder(model, byte_ids),
        expansions=tables.expansions,
        decode_only=(*others, *tables.unreachable),
        unk_id=unknown.unk_id,
        fuse_unk=unknown.fuse,
        normalizer=tuple(_normalizer(model, user_defined)),
        added_tokens=tuple(added),
        keeps_added=True,
        special_tokens=control,
        template=Template(() if model.bos_id is None else (model.bos_id,)),
        special_default="plain",
        eos=None if model.eos_id is None else model.pieces[model.eos_id],
    )


def _refuse(model: SentencePieceModel) -> None:
    if model.has_denormalizer:
        raise model.unsupported("a denormalizer", "tokstream does not apply its rules")
    if model.whitespace_is_suffix:
        raise model.unsupported(
            "treat_whitespace_as_suffix", "tokstream puts the dummy blank before the text only"
        )
    for piece, kind in zip(model.pieces, model.kinds, strict=True):
        if kind in (CONTROL, UNKNOWN, BYTE) and len(piece) == 1:
            raise model.unsupported(
                f"the control piece {shown(piece)} of one character",
                "the reference gives its id wherever the character stands",
            )
        if kind == USER_DEFINED and " " in piece and model.escape_whitespaces:
            raise model.unsupported(
                f"the user-defined piece {shown(piece)} with a space",
                "spaces are escaped before pieces are looked for",
            )


def _overlap(a: str, b: str) -> bool:
    """Can occurrences of the two share a character?"""
    if a in b or b in a:
        return True
    return any(a.endswith(b[:n]) or b.endswith(a[:n]) for n in range(1, min(len(a), len(b))))


def _byte_ids(model: SentencePieceModel) -> tuple[int, ...] | None:
    if not model.byte_fallback:
        return None
    known = {piece: k for k, piece in enumerate(model.pieces) if model.kinds[k] == BYTE}
    found = [known.get(f"<0x{byte:02X}>") for byte in range(256)]
    own = {piece for piece, kind in zip(model.pieces, model.kinds, strict=True) if kind == NORMAL}
    missing = missing_bytes(found, own)
    if missing:
        raise VocabularyError(
            f"{model.label}: byte_fallback without the piece <0x{missing[0]:02X}> "
            f"({len(missing)} are missing); the file is damaged, get it again",
            model.path,
        )
    return tuple([model.unk_id if k is None else k for k in found])


def _normalizer(model: SentencePieceModel, user_defined: list[str]) -> list[Step]:
    """Return the step that does all that the model's normalizer does; none if it does nothing."""
    options = (
        model.add_dummy_prefix,
        model.remove_extra_whitespaces,
        model.escape_whitespaces,
        model.whitespace_is_suffix,
    )
    if not model.charsmap and not any(options[:3]):
        return []
    return [("sp_normalize", model.charsmap, user_defined, options)]


def _decoder(model: SentencePieceModel, byte_ids: Sequence[int] | None) -> PieceDecoder:
    texts = list(model.pieces)
    fixed = set()
    for k, kind in enumerate(model.kinds):
        if kind in (CONTROL, UNKNOWN):
            texts[k] = "" if kind == CONTROL else model.unk_surface
            fixed.add(k)
    leading: Leading = "kept"
    if model.remove_extra_whitespaces:
        leading = "all"
    elif model.add_dummy_prefix:
        leading = "one"
    bytes_of = {k: byte for byte, k in enumerate(byte_ids)} if byte_ids else {}
    return PieceDecoder(texts, bytes_of, frozenset(fixed), leading)
