"""A SentencePiece `.model` file by its public schema: bytes in, pieces and settings out.

Enters: the content of the file. Leaves: a `SentencePieceModel`. Held back: nothing.
Refused: other algorithms than BPE, and files that are not what they say.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import NoReturn

from tokstream.errors import UnsupportedTokenizerError, VocabularyError
from tokstream.formats.document import shown
from tokstream.formats.protobuf import Message, WireError, fields

__all__ = [
    "BYTE",
    "CONTROL",
    "NORMAL",
    "UNKNOWN",
    "UNUSED",
    "USER_DEFINED",
    "SentencePieceModel",
    "read_model",
]

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
"""Kinds of pieces."""

_FLOAT = struct.Struct("<f")
_BPE = 2
_ALGORITHMS = {1: "Unigram", 3: "word", 4: "char"}

# fields of ModelProto
_PIECES, _TRAINER, _NORMALIZER, _DENORMALIZER = 1, 2, 3, 5
# fields of SentencePiece
_TEXT, _SCORE, _KIND = 1, 2, 3


@dataclass(frozen=True, slots=True)
class SentencePieceModel:
    """What the file says.

    Attributes:
        pieces: texts; the position is the id.
        scores: one per piece; of two merges the one with the higher score comes first.
        kinds: one per piece.
        unk_id: the piece for unknown characters.
        bos_id: the piece before a text, None if there is none.
        eos_id: the piece behind a text, None if there is none.
        unk_surface: what the unknown piece is decoded to.
        byte_fallback: whether unknown characters are spelled by pieces for bytes.
        whitespace_is_suffix: whether the dummy blank stands behind the text.
        charsmap: compiled normalization rules, empty for none.
        add_dummy_prefix: whether a blank is put before the text.
        remove_extra_whitespaces: whether blanks at the ends vanish and runs become one.
        escape_whitespaces: whether blanks become U+2581.
        has_denormalizer: whether decoded text is changed by rules.
        label: how the file is called in messages.
        path: where it is, if it is a file.
    """

    pieces: list[str]
    scores: list[float]
    kinds: list[int]
    unk_id: int
    bos_id: int | None
    eos_id: int | None
    unk_surface: str
    byte_fallback: bool
    whitespace_is_suffix: bool
    charsmap: bytes
    add_dummy_prefix: bool
    remove_extra_whitespaces: bool
    escape_whitespaces: bool
    has_denormalizer: bool
    label: str
    path: str | None

    def unsupported(self, component: str, why: str) -> UnsupportedTokenizerError:
        """Return the error that says which part cannot be honoured exactly, and why."""
        return UnsupportedTokenizerError(
            f"{self.label}: {component} cannot be honoured exactly: {why}",
            component,
            None,
            self.path,
        )


def read_model(data: bytes, label: str = "<bytes>", path: str | None = None) -> SentencePieceModel:
    """Read a model.

    Raises:
        VocabularyError: damaged; the message says at which byte.
        UnsupportedTokenizerError: another algorithm than BPE.

    Cost: O(bytes), 0.1 s for 32,000 pieces.
    """
    listed: list[tuple[str, float, int]] = []
    parts: dict[int, Message] = {}
    try:
        for number, value, offset in fields(data, _plain_pieces(data, listed)):
            if number == _PIECES and isinstance(value, bytes):
                listed.append(_piece(data, offset, offset + len(value)))
            elif number in (_TRAINER, _NORMALIZER, _DENORMALIZER) and isinstance(value, bytes):
                parts[number] = Message(value, offset)
    except WireError as error:
        raise VocabularyError(
            f"{label}: no SentencePiece model at byte {error.offset} of {len(data)} "
            f"({error.what}); the file is cut short or damaged, get it again",
            path,
        ) from None
    pieces = [piece for piece, _, _ in listed]
    scores = [score for _, score, _ in listed]
    kinds = [kind for _, _, kind in listed]
    for number, what in ((_TRAINER, "trainer"), (_NORMALIZER, "normalizer")):
        if number not in parts:
            raise VocabularyError(
                f"{label}: a SentencePiece model without the settings of its {what}; "
                "the file is cut short, get it again",
                path,
            )
    trainer, normalizer = parts[_TRAINER], parts[_NORMALIZER]
    model = SentencePieceModel(
        pieces=pieces,
        scores=scores,
        kinds=kinds,
        unk_id=next((k for k, kind in enumerate(kinds) if kind == UNKNOWN), 0),
        bos_id=_control(pieces, kinds, trainer.text(46, "<s>")),
        eos_id=_control(pieces, kinds, trainer.text(47, "</s>")),
        unk_surface=trainer.text(44, " \u2047 "),
        byte_fallback=trainer.flag(35, default=False),
        whitespace_is_suffix=trainer.flag(24, default=False),
        charsmap=normalizer.data(2),
        add_dummy_prefix=normalizer.flag(3, default=True),
        remove_extra_whitespaces=normalizer.flag(4, default=True),
        escape_whitespaces=normalizer.flag(5, default=True),
        has_denormalizer=bool(parts.get(_DENORMALIZER, Message(b"")).data(2)),
        label=label,
        path=path,
    )
    algorithm = trainer.number(3, 1)
    if algorithm != _BPE:
        name = _ALGORITHMS.get(algorithm, f"number {algorithm}")
        raise model.unsupported(
            f"a SentencePiece model of type {name}",
            "tokstream is for byte-pair encoding, whose ids can be given out while the text "
            "arrives; load this one with the `sentencepiece` package",
        )
    _check(model)
    return model


def _plain_pieces(data: bytes, listed: list[tuple[str, float, int]]) -> int:
    """Read the pieces that the file begins with, as long as they are as nearly all are.

    That is a text of less than 128 bytes, a score, and perhaps a kind.

    Returns:
        Where the first other field begins.
    """
    at, score_of = 0, _FLOAT.unpack_from
    try:
        while data[at] == 0x0A and data[at + 2] == 0x0A:
            n_piece, n_text = data[at + 1], data[at + 3]
            end, score_at = at + 2 + n_piece, at + 4 + n_text
            if n_piece >= 0x80 or n_text >= 0x80 or data[score_at] != 0x15:
                break
            kind = NORMAL
            if score_at + 7 == end and data[score_at + 5] == 0x18 and data[score_at + 6] < 0x80:
                kind = data[score_at + 6]
            elif score_at + 5 != end:
                break
            listed.append((data[at + 4 : score_at].decode(), score_of(data, score_at + 1)[0], kind))
            at = end
    except (IndexError, UnicodeDecodeError, struct.error):
        pass  # the careful way says what is wrong
    return at


def _piece(data: bytes, begin: int, end: int) -> tuple[str, float, int]:
    text, score, kind = b"", 0.0, NORMAL
    for number, value, _ in fields(data, begin, end):
        if number == _TEXT and isinstance(value, bytes):
            text = value
        elif number == _SCORE and isinstance(value, float):
            score = value
        elif number == _KIND and isinstance(value, int):
            kind = value
    try:
        return text.decode(), score, kind
    except UnicodeDecodeError:
        raise WireError("a piece that is not UTF-8", begin) from None


def _control(pieces: list[str], kinds: list[int], text: str) -> int | None:
    return next(
        (k for k, piece in enumerate(pieces) if piece == text and kinds[k] == CONTROL), None
    )


def _check(model: SentencePieceModel) -> None:  # noqa: C901 - a list of checks
    """Refuse what the reference refuses, too."""

    def wrong(what: str) -> NoReturn:
        raise VocabularyError(
            f"{model.label}: {what}; the file is damaged, get it again", model.path
        )

    if not model.pieces:
        wrong("a SentencePiece model without pieces")
    if model.kinds.count(UNKNOWN) != 1:
        wrong(f"{model.kinds.count(UNKNOWN)} unknown pieces, expected one")
    if len(set(model.pieces)) != len(model.pieces) or "" in model.pieces:
        seen: set[str] = set()
        for k, piece in enumerate(model.pieces):
            if not piece:
                wrong(f"piece {k} is empty")
            if piece in seen:
                wrong(f"piece {shown(piece)} is there twice, the second time with id {k}")
            seen.add(piece)
    for k, kind in enumerate(model.kinds):
        if not NORMAL <= kind <= BYTE:
            wrong(f"piece {k} is of the unknown kind {kind}")
        if kind == UNUSED:
            raise model.unsupported(
                f"piece {shown(model.pieces[k])} of kind UNUSED",
                "it is merged and then taken apart again",
            )
