"""What a tokenizer from a file is beside its tables: written once, taken back piece by piece.

Enters: the parts that a format's reader found. Leaves: sections of a prepared file; and from such a
file what encoding needs at once, the rest when it is asked for. Held back: the rest.

Everything is written as plain values and flat lists. What cannot be written so, such as a decoder
of another kind, makes the tokenizer one that is not kept.
"""

from __future__ import annotations

from array import array
from itertools import pairwise

from tokstream._light import TYPE_CHECKING, cast
from tokstream.prepared.plain import dumps, loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from tokstream import _core
    from tokstream.decoding import Decoder
    from tokstream.formats.parts import TokenizerParts
    from tokstream.prepared import Place

__all__ = ["Carried", "StoredParts", "keep"]

# numbers of the sections; the first is the key
_HEAD, _AUTOMATON, _BLOB, _LENGTHS, _IDS, _RULES, _ENTRIES, _DECODER, _SPELLINGS = range(1, 10)

_HEAD_FIELDS = (
    "name",
    "format",
    "n_vocab",
    "unk_id",
    "fuse_unk",
    "drops_unknown",
    "has_begin_marker",
    "has_end_marker",
    "normalizer",
    "levels",
    "pattern",
    "dialect",
    "keeps_added",
    "special_default",
    "origin",
    "eos",
    "tokenizer_class",
)
"""Fields of `TokenizerParts` that are plain as they are."""

_STAGES = ("Replace", "Strip", "Metaspace", "Suffixed", "ByteFallback")


def keep(
    place: Place, core: _core.Core, parts: TokenizerParts, key: tuple[object, ...]
) -> StoredParts | None:
    """Write a tokenizer to a prepared file and map it.

    Args:
        place: where.
        core: its tables.
        parts: what they were made of.
        key: what tells its content from any other.

    Returns:
        The stored parts; None if that is not possible.
    """
    try:
        file = place.keep(core, _sections(parts, key))
    except TypeError:  # something has no plain form
        return None
    return None if file is None else StoredParts(file)


def _sections(parts: TokenizerParts, key: tuple[object, ...]) -> list[bytes]:
    head = {name: getattr(parts, name) for name in _HEAD_FIELDS}
    head |= {
        "key": key,
        "expansions": list(parts.expansions.items()),
        "added_tokens": [list(token) for token in parts.added_tokens],
        "special_tokens": list(parts.special_tokens.items()),
        "template": (parts.template.opening, parts.template.closing),
        "has_automaton": parts.automaton is not None,
        "has_rules": parts.rules is not None,
        "has_parts": not parts.is_plain(),
    }
    vocabulary = parts.vocabulary
    decoder, spellings = _decoder_sections(parts.decoder)
    return [
        dumps(list(head.items())),
        parts.automaton or b"",
        vocabulary.blob,
        vocabulary.lengths.tobytes(),
        vocabulary.ids.tobytes(),
        parts.rules or b"",
        dumps([list(parts.whole_pieces), list(parts.decode_only)]),
        decoder,
        spellings,
    ]


class Carried:
    """The sections of a prepared file as a pickle carries them; they may come from anywhere."""

    def __init__(self, sections: Sequence[bytes]) -> None:
        self._sections = sections

    def section(self, index: int) -> bytes:
        """Return what `Prepared.section` gives."""
        return self._sections[index - 1]


class StoredParts:
    """The parts of a tokenizer in a prepared file, or carried by a pickle.

    Attributes:
        key: what tells its content from any other.
        head: its small fields, by name.
    """

    def __init__(self, file: _core.Prepared | Carried) -> None:
        self._file = file
        self.head: dict[str, Any] = dict(loads(file.section(_HEAD)))  # type: ignore[call-overload]
        self.key: tuple[object, ...] = self.head["key"]
        self._parts: TokenizerParts | None = None

    def sections(self) -> tuple[bytes, ...]:
        """Return all sections, for a pickle; a few bytes for each token."""
        return tuple(map(self._file.section, range(_HEAD, _SPELLINGS + 1)))

    def core(self, file: _core.Prepared | None = None) -> _core.Core:
        """Return the tables, from another file of the same content if one is given."""
        head, file = self.head, cast("_core.Prepared", file or self._file)
        if not head["has_parts"]:
            return file.core(self._automaton())
        spec: Any = {
            name: head[name]
            for name in (
                "normalizer",
                "levels",
                "added_tokens",
                "keeps_added",
                "unk_id",
                "fuse_unk",
                "has_begin_marker",
                "has_end_marker",
                "drops_unknown",
                "template",
            )
        }
        spec |= {name: list(spec[name]) for name in ("normalizer", "levels")}
        spec["added_tokens"] = list(map(tuple, spec["added_tokens"]))
        spec["expansions"] = dict(head["expansions"])
        return file.core(self._automaton(), spec)

    def parts(self) -> TokenizerParts:
        """Return all parts; made at the first call.

        Cost: O(vocabulary); less than reading the original file, which checks everything.
        """
        if self._parts is None:
            self._parts = self._all()
        return self._parts

    def _automaton(self) -> bytes | None:
        return self._file.section(_AUTOMATON) if self.head["has_automaton"] else None

    def _all(self) -> TokenizerParts:
        from tokstream.formats.parts import (  # noqa: PLC0415 - encoding needs it not
            AddedToken,
            Template,
            TokenizerParts,
        )
        from tokstream.vocabulary import Vocabulary  # noqa: PLC0415

        file, head = self._file, self.head
        entries: Any = loads(file.section(_ENTRIES))
        flat = (
            file.section(_BLOB),
            _numbers(file.section(_LENGTHS)),
            _numbers(file.section(_IDS)),
        )
        if isinstance(file, Carried):
            vocabulary = Vocabulary.from_tables(*flat, require_all_bytes=False)
        else:
            vocabulary = Vocabulary._from_checked(*flat)  # noqa: SLF001 - before it was written
        return TokenizerParts(
            **{name: head[name] for name in _HEAD_FIELDS},
            vocabulary=vocabulary,
            rules=file.section(_RULES) if head["has_rules"] else None,
            decoder=_decoder(file.section(_DECODER), file.section(_SPELLINGS)),
            expansions=dict(head["expansions"]),
            whole_pieces=tuple(entries[0]),
            decode_only=tuple(entries[1]),
            automaton=self._automaton(),
            added_tokens=tuple(AddedToken(*token) for token in head["added_tokens"]),
            special_tokens=dict(head["special_tokens"]),
            template=Template(*head["template"]),
        )


def _numbers(data: bytes) -> array[int]:
    table = array("I")
    table.frombytes(data)
    return table


def _texts(texts: Iterable[str]) -> tuple[bytes, bytes]:
    """Flatten texts: where each begins, and all of them."""
    texts = list(texts)
    ends = array("I", [0])
    at = 0
    for text in texts:
        at += len(text)
        ends.append(at)
    return ends.tobytes(), "".join(texts).encode()


def _from_texts(ends: bytes, joined: bytes) -> list[str]:
    text = joined.decode()
    return [text[begin:end] for begin, end in pairwise(_numbers(ends))]


def _decoder_sections(decoder: Decoder | None) -> tuple[bytes, bytes]:
    """Write a decoder: its small part, and the texts of all tokens."""
    if decoder is None:
        return dumps(None), b""
    from tokstream.decoding.pieces import PieceDecoder  # noqa: PLC0415 - most need one of them
    from tokstream.decoding.tokens import TokenDecoder  # noqa: PLC0415

    small: list[object]
    if isinstance(decoder, TokenDecoder):
        ends, joined = _texts(decoder.spellings.values())
        stages = [_stage_values(stage) for stage in decoder.stages]
        small = ["tokens", array("I", decoder.spellings).tobytes(), stages]
    elif isinstance(decoder, PieceDecoder):
        ends, joined = _texts(decoder.texts)
        small = ["pieces", list(decoder.byte_ids.items()), sorted(decoder.fixed), decoder.leading]
    else:
        raise TypeError(f"{type(decoder).__name__} is not plain")
    return dumps([*small, ends]), joined


def _stage_values(stage: object) -> object:
    if isinstance(stage, str):
        return stage
    name = type(stage).__name__
    if name not in _STAGES:
        raise TypeError(f"{name} is not plain")
    return (name, *(getattr(stage, field) for field in _fields(type(stage))))


def _fields(kind: type) -> Sequence[str]:
    from dataclasses import fields  # noqa: PLC0415 - seldom needed

    return [field.name for field in fields(kind)]


def _decoder(small: bytes, joined: bytes) -> Decoder | None:
    values: Any = loads(small)
    if values is None:
        return None
    from tokstream.decoding import stages  # noqa: PLC0415 - most need one of them
    from tokstream.decoding.pieces import PieceDecoder  # noqa: PLC0415
    from tokstream.decoding.tokens import TokenDecoder  # noqa: PLC0415

    kind, *values, ends = values
    texts = _from_texts(ends, joined)
    if kind == "tokens":
        ids, chain = values
        made: list[Any] = [
            stage if isinstance(stage, str) else getattr(stages, stage[0])(*stage[1:])
            for stage in chain
        ]
        return TokenDecoder(dict(zip(_numbers(ids), texts, strict=True)), tuple(made))
    byte_ids, fixed, leading = values
    return PieceDecoder(texts, dict(byte_ids), frozenset(fixed), leading)
