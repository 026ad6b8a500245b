"""A `BpeModel` → the tables that the engine merges by.

Enters: the model, and whether its tokens are spelled in the byte-level alphabet. Leaves: the tables
with all that belongs to them. Refused: combinations in which ids depend on more than the text of
the tokens at hand.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokstream.errors import VocabularyError
from tokstream.formats.alphabet import CHARACTER_OF, bytes_of, encode_all, spell
from tokstream.formats.characters import BEGIN_MARKER, END_MARKER, IN_UTF_8, missing_bytes
from tokstream.formats.document import shown
from tokstream.formats.merges import MergeTables, Unknown, order_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokstream.formats.huggingface.model import BpeModel
    from tokstream.formats.parts import Units

__all__ = ["BpeTables", "build_tables"]


@dataclass(frozen=True, slots=True)
class BpeTables:
    """What the engine takes of a model.

    Attributes:
        tables: tokens in canonical order.
        unknown: what becomes of text that is no token.
        whole_pieces: pretokens that are one token, though merging does not make it.
        decode_only: tokens that no text becomes.
        drops_unknown: what vanishes before merging if it is no token.
        has_begin_marker: whether a byte FE stands before each pretoken.
        has_end_marker: whether a byte FF stands behind each pretoken.
    """

    tables: MergeTables
    unknown: Unknown
    whole_pieces: tuple[tuple[bytes, int], ...]
    decode_only: tuple[tuple[bytes, int], ...]
    drops_unknown: Units | None
    has_begin_marker: bool
    has_end_marker: bool


def build_tables(
    model: BpeModel, *, is_byte_level: bool, is_in_alphabet: bool = False, first_free_id: int
) -> BpeTables:
    """Build the tables.

    Args:
        model: the model.
        is_byte_level: whether its tokens are spelled in the byte-level alphabet.
        is_in_alphabet: whether text is spelled in that alphabet, too, character by character.
        first_free_id: hidden tokens get ids from here on.

    Raises:
        UnsupportedTokenizerError: a model that cannot be honoured exactly.

    Cost: O(bytes · log); most of it in the native core.
    """
    has_affixes = bool(model.prefix or model.suffix)
    _refuse_combinations(model, has_affixes=has_affixes)
    spelled = _spell(model, is_byte_level=is_byte_level)
    if has_affixes and is_byte_level:
        spelled = _without_markers(model, spelled)
    byte_ids = _byte_ids(model)
    if is_byte_level and byte_ids is not None and _lacks_bytes(model, spelled):
        raise model.node.unsupported(
            "byte_fallback with byte-level tokens",
            "a byte that is no token would be spelled by the bytes of the character for it",
        )
    _refuse_merges_of_unknown(model, byte_ids)
    if has_affixes or not all(spelled):
        model.check_merges()
    if has_affixes:
        _check_affixes(model, spelled)
    unk_id = None if model.unk_token is None else model.id_of(model.unk_token)
    unknown = Unknown(byte_ids, unk_id, fuse=model.fuse_unk and unk_id is not None)
    tokens, ids, merges = _only_spelled(model, spelled)
    units: Units = "bytes" if is_byte_level else "characters"
    try:
        tables = order_tokens(
            tokens,
            ids,
            merges,
            units=units,
            unknown=unknown,
            first_free_id=first_free_id,
            has_begin_marker=bool(model.prefix),
            has_end_marker=bool(model.suffix),
        )
    except VocabularyError as error:
        model.check_merges()
        raise model.node.unsupported("the list of merges", str(error)) from error
    has_unknown = False
    if byte_ids is None and unk_id is None:
        has_unknown = _has_unknown(
            model, spelled, is_byte_level=is_byte_level, is_in_alphabet=is_in_alphabet
        )
    if has_unknown and model.ignore_merges and tables.unreachable:
        raise model.node.unsupported(
            "ignore_merges without an unk_token",
            "whether a pretoken is a token is asked before unknown characters vanish from it",
        )
    if unknown.fuse:
        _refuse_reachable_unk(model, tables)
    odd = tuple(
        (token.encode(), token_id)
        for token, token_id, text in zip(model.tokens, model.ids, spelled, strict=True)
        if not text
    )
    return BpeTables(
        tables=tables,
        unknown=unknown,
        whole_pieces=tables.unreachable if model.ignore_merges else (),
        decode_only=odd if model.ignore_merges else (*odd, *tables.unreachable),
        drops_unknown=units if has_unknown else None,
        has_begin_marker=bool(model.prefix),
        has_end_marker=bool(model.suffix),
    )


def _has_unknown(
    model: BpeModel,
    spelled: Sequence[bytes | None],
    *,
    is_byte_level: bool,
    is_in_alphabet: bool,
) -> bool:
    """May text have characters (or bytes) that are no token, and vanish?"""
    has_affixes = bool(model.prefix or model.suffix)
    if is_byte_level:
        has_unknown = _lacks_bytes(model, spelled)
    elif is_in_alphabet and not has_affixes:
        has_unknown = not all(character in model.table for character in CHARACTER_OF)
    else:
        has_unknown = True
    if has_unknown and model.unk_token is not None:
        raise model.node["unk_token"].wrong(
            f"is {shown(model.unk_token)}, which is not in the vocabulary"
        )
    if has_unknown and has_affixes:
        raise model.node.unsupported(
            "an affix without an unk_token",
            "unknown characters vanish, but still count as first or last",
        )
    return has_unknown


def _spell(model: BpeModel, *, is_byte_level: bool) -> list[bytes | None]:
    """Bytes of each token, with markers in place of affixes; None or nothing if no text is so."""
    prefix, suffix = model.prefix, model.suffix
    if not prefix and not suffix:
        if is_byte_level:
            return spell(model.tokens)
        # all at once, where some character is in no token
        return list(encode_all(model.tokens))
    spelled: list[bytes | None] = []
    for token in model.tokens:
        begin = end = b""
        body = token
        if prefix:
            begin = b"" if token.startswith(prefix) else BEGIN_MARKER
            body = body.removeprefix(prefix)
        if suffix and body.endswith(suffix):
            end = END_MARKER
            body = body.removesuffix(suffix)
        text = bytes_of(body) if is_byte_level else body.encode()
        spelled.append(begin + text + end if text else None)
    return spelled


def _without_markers(model: BpeModel, spelled: Sequence[bytes | None]) -> list[bytes | None]:
    """Leave out tokens whose own text has a byte that marks: UTF-8 has none, so no text is so.

    They would be taken for the marker that an unknown byte leaves, or for another token with it.
    A marker by itself stays where every byte is a token, so that none is left.
    """
    stays = () if _lacks_bytes(model, spelled) else (BEGIN_MARKER, END_MARKER)
    kept: list[bytes | None] = []
    for token, text in zip(model.tokens, spelled, strict=True):
        body = bytes_of(token.removeprefix(model.prefix).removesuffix(model.suffix)) or b""
        has_marker = bool(
            (model.prefix and BEGIN_MARKER in body) or (model.suffix and END_MARKER in body)
        )
        kept.append(None if has_marker and text not in stays else text)
    return kept


def _only_spelled(
    model: BpeModel, spelled: Sequence[bytes | None]
) -> tuple[list[bytes], list[int], array[int]]:
    """Leave out tokens that no text is spelled as, and their merges, which never happen."""
    if all(spelled):
        return [text for text in spelled if text], model.ids, model.merges
    kept = [k for k, text in enumerate(spelled) if text]
    renumbered = {k: at for at, k in enumerate(kept)}
    pairs = zip(model.merges[::2], model.merges[1::2], strict=True)
    merges = array(
        "I",
        [
            renumbered[part]
            for pair in pairs
            if pair[0] in renumbered and pair[1] in renumbered
            for part in pair
        ],
    )
    return [text for text in spelled if text], [model.ids[k] for k in kept], merges


def _refuse_combinations(model: BpeModel, *, has_affixes: bool) -> None:
    affix = "end_of_word_suffix" if model.suffix else "continuing_subword_prefix"
    if has_affixes and model.ignore_merges:
        raise model.node.unsupported(
            f"{affix} with ignore_merges",
            "a whole pretoken is looked up without its affixes, but merged with them",
        )
    if has_affixes and model.byte_fallback:
        raise model.node.unsupported(
            f"{affix} with byte_fallback", "the affixes themselves would be spelled by bytes"
        )


def _byte_ids(model: BpeModel) -> tuple[int, ...] | None:
    """Ids of the tokens `<0x00>` to `<0xFF>`, if unknown text is spelled by them."""
    if not model.byte_fallback:
        return None
    found = [model.id_of(f"<0x{byte:02X}>") for byte in range(256)]
    if not any(token_id is not None for token_id in found):
        return None  # without byte tokens there is nothing to fall back to
    missing = missing_bytes(found, model.table)
    if missing:
        raise model.node.unsupported(
            f"byte_fallback without the token <0x{missing[0]:02X}> ({len(missing)} are missing)",
            "unknown text would be bytes or the unknown token by turns, in another order",
        )
    return tuple([0 if token_id is None else token_id for token_id in found])


def _refuse_merges_of_unknown(model: BpeModel, byte_ids: Sequence[int] | None) -> None:
    """Refuse merges of what unknown text becomes: they would depend on it, not on the text."""
    names = [] if model.unk_token is None else [model.unk_token]
    if byte_ids is not None:
        names += [f"<0x{byte:02X}>" for byte in range(256)]
    ids = {model.table[name] for name in names if name in model.table}
    places = {k for k, token_id in enumerate(model.ids) if token_id in ids} if ids else set()
    if places and not places.isdisjoint(model.merges):
        at = next(k for k, part in enumerate(model.merges) if part in places)
        name = model.tokens[model.merges[at]]
        raise model.node["merges"].unsupported(
            f"merge {at // 2}, which joins {shown(name)}",
            "unknown text becomes this token, so it would be merged with what it stands for",
        )


def _check_affixes(model: BpeModel, spelled: Sequence[bytes | None]) -> None:
    """Refuse tokens that arise in two ways, with an affix and by spelling its text."""
    positions = {token: k for k, token in enumerate(model.tokens)}
    for k in range(0, len(model.merges), 2):
        left, right = model.merges[k], model.merges[k + 1]
        joined = model.tokens[left] + model.tokens[right][len(model.prefix) :]
        parts = (spelled[left], spelled[right], spelled[positions[joined]])
        if None in parts or (parts[0] or b"") + (parts[1] or b"") != parts[2]:
            affix = model.suffix or model.prefix
            raise model.node["merges"].unsupported(
                f"merge {k // 2}, which makes {shown(joined)}",
                f"it cannot be told apart from a token with the affix {shown(affix)}",
            )


def _lacks_bytes(model: BpeModel, spelled: Sequence[bytes | None]) -> bool:
    """Is there a byte of UTF-8 that is no token, wherever in a pretoken it stands?"""
    known = set(spelled)
    begins, ends = _forms(model.prefix, BEGIN_MARKER), _forms(model.suffix, END_MARKER)
    return any(
        begin + bytes((byte,)) + end not in known
        for byte in IN_UTF_8
        for begin in begins
        for end in ends
    )


def _forms(affix: str, marker: bytes) -> tuple[bytes, ...]:
    return (b"", marker) if affix else (b"",)


def _refuse_reachable_unk(model: BpeModel, tables: MergeTables) -> None:
    """Refuse fusing where the unknown token is also what some text is: only one kind is fused."""
    unk_id = model.id_of(model.unk_token or "")
    if unk_id in tables.vocabulary.ids:
        raise model.node.unsupported(
            f"fuse_unk with the unknown token {shown(model.unk_token)}",
            "some text is this very token, and would be fused with unknown text",
        )
