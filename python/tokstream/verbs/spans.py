"""Where ids lie in their text: truncation and splitting at token boundaries, and offsets.

Enters: a text. Leaves: parts of it that have so many ids, or ids with their spans.
Nothing is held back.
"""

from __future__ import annotations

from itertools import accumulate
from operator import index

from tokstream._buffers import plain, plain_if_text, view_of
from tokstream._light import TYPE_CHECKING, cast, overload
from tokstream.errors import ConfigurationError
from tokstream.verbs.parts import limit_of, replaces
from tokstream.verbs.streams import StreamVerbs

if TYPE_CHECKING:
    from typing import Any, Literal

    from typing_extensions import Buffer

    from tokstream._core import SpecialSet
    from tokstream._types import ErrorMode, SpecialChoice, Text
    from tokstream.splitting import Part
    from tokstream.truncation import Cut, Truncated

__all__ = ["SpanVerbs"]


class SpanVerbs(StreamVerbs):
    """`truncate`, `split` and `encode_with_offsets`."""

    __slots__ = ()

    @overload
    def truncate(
        self,
        text: str,
        max_tokens: int,
        *,
        side: Literal["right", "left"] = "right",
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
    ) -> Truncated[str]: ...

    @overload
    def truncate(
        self,
        text: Buffer,
        max_tokens: int,
        *,
        side: Literal["right", "left"] = "right",
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
    ) -> Truncated[bytes]: ...

    def truncate(
        self,
        text: Text,
        max_tokens: int,
        *,
        side: Literal["right", "left"] = "right",
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
    ) -> Truncated[Any]:
        """Return the longest part of a text that has at most `max_tokens` ids.

        Args:
            text: text or UTF-8 bytes.
            max_tokens: how many ids may remain, 0 or more.
            side: which side to cut: "right" keeps the beginning, "left" the end.
            allowed_special: as in `encode`.
            disallowed_special: as in `encode`.
            errors: as in `encode`.

        Returns:
            The part, cut at a token boundary and back to a whole character; its number of ids;
            and the offset of the cut. Encoding the part alone gives that many ids, which cutting
            the list of ids does not promise. It is the longest such part among those cut at one
            of the `max_tokens` ids that remain; with side="right" also at a few behind them, since
            a text may have fewer ids than its beginning ("    " is one, "    1" begins with two).
            Text that no id spans, such as a mark composed with the letter before it, stays with
            what precedes it where that fits.

        Raises:
            InputError: as in `encode`, for the text that had to be read.
        """
        from tokstream import truncation  # noqa: PLC0415 - seldom needed

        max_tokens = limit_of("max_tokens", max_tokens)
        if side not in ("right", "left"):
            raise ConfigurationError(f'side is {side!r}; it must be "right" or "left"')
        whole: str | bytes
        if isinstance(text, str):
            whole = plain(text)
        else:
            whole = text if type(text) is bytes else bytes(view_of(text))
        choice = (allowed_special, disallowed_special)
        stream = self._stream(*choice, errors)
        specials = self._special.resolve(*choice)
        replace = errors == "replace" and not isinstance(whole, str)

        def cuts_in(part: bytes, ids: list[int]) -> list[truncation.Cut]:
            return self._cuts_in(part, ids, specials, replace=replace)

        def count(part: Text) -> int:
            return self._core.count(part, specials, replace, max_tokens)

        if side == "right":
            return truncation.keep_left(whole, max_tokens, stream, cuts_in)
        return truncation.keep_right(whole, max_tokens, stream, cuts_in, count)

    def split(
        self,
        text: str,
        max_tokens: int,
        *,
        overlap: int = 0,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
    ) -> list[Part]:
        """Cut a text into parts that have at most `max_tokens` ids each and cut no character.

        Args:
            text: the text.
            max_tokens: how many ids a part may have when it is encoded alone, 1 or more.
            overlap: how many ids at the end of a part the next one repeats, less than
                `max_tokens`; a few more where that would cut a character, or fewer where the part
                could not go on otherwise.
            allowed_special: as in `encode`.
            disallowed_special: as in `encode`.

        Returns:
            The parts in order, with their places; none for an empty text. They begin and end at
            token boundaries of the whole; without overlap, joined, they are the text.

        Raises:
            ConfigurationError: `max_tokens` or `overlap` out of range, or a character that has
                more ids than `max_tokens`.
            InputError: as in `encode`.

        Cost: O(n) for n characters, and once more for those in overlaps.
        """
        from tokstream import offsets, splitting  # noqa: PLC0415 - seldom needed

        max_tokens, overlap = index(max_tokens), index(overlap)
        if max_tokens < 1:
            raise ConfigurationError(f"max_tokens is {max_tokens}; it must be 1 or more")
        if not 0 <= overlap < max_tokens:
            raise ConfigurationError(
                f"overlap is {overlap}; it must be 0 or more, and less than max_tokens, which is "
                f"{max_tokens}"
            )
        if not isinstance(text, str):
            raise TypeError(f"expected str, got {type(text).__name__}; decode bytes first")
        text = plain(text)
        specials = self._special.resolve(allowed_special, disallowed_special)
        ids = cast("list[int]", self._core.encode(text, specials, False, False))  # noqa: FBT003
        if not text:
            return []
        try:
            encoded = text.encode()
        except UnicodeEncodeError:
            encoded = offsets.repair_surrogates(text).encode()
        places = [start for _, start in self._cuts_in(encoded, ids, specials, replace=False)]
        places[0], places[-1] = 0, len(encoded)

        def count(part: bytes) -> int:
            return self._core.count(part, specials, False, None)

        bounds = splitting.split(encoded, places, max_tokens, overlap, count)
        return list(splitting.parts_of(text, encoded, bounds))

    def encode_with_offsets(
        self,
        text: Text,
        *,
        unit: Literal["char", "byte"] = "char",
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
        add_special_tokens: bool = False,
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the ids of a text and the span of each.

        Args:
            text: text or UTF-8 bytes.
            unit: "char" counts characters (of the `str`, or of the decoded bytes), "byte" counts
                bytes of the UTF-8.
            allowed_special: as in `encode`.
            disallowed_special: as in `encode`.
            errors: as in `encode`. Each U+FFFD spans the bytes that it stands for; "char" counts
                it as a character.
            add_special_tokens: as in `encode`; the template's ids span (0, 0), as in `tokenizers`.

        Returns:
            Ids, and as many (start, end). In characters, a token inside a character spans that
            character, so that neighbouring spans may overlap.

        Raises:
            InputError: as in `encode`.
        """
        from tokstream import offsets  # noqa: PLC0415 - seldom needed

        if unit not in ("char", "byte"):
            raise ConfigurationError(f'unit is {unit!r}; it must be "char" or "byte"')
        specials = self._special.resolve(allowed_special, disallowed_special)
        text = plain_if_text(text)
        if replaces(errors) and not isinstance(text, str):
            text = bytes(view_of(text))
            decoded = text.decode(errors="replace")
            if unit == "char":
                text = decoded
            elif "\ufffd" in decoded:
                return self._source_spans(
                    text, unit, specials, replace=True, with_template=add_special_tokens
                )
        if self._has_parts:
            return self._source_spans(text, unit, specials, with_template=add_special_tokens)
        ids = cast("list[int]", self._core.encode(text, specials, False, False))  # noqa: FBT003
        has_surrogates = False
        if isinstance(text, str):
            try:
                encoded = text.encode()
            except UnicodeEncodeError:
                has_surrogates = True
                encoded = offsets.repair_surrogates(text).encode()
        else:
            encoded = bytes(text)
        lengths = self._lengths_in(encoded, ids)
        if unit == "byte":
            return ids, offsets.byte_spans(lengths)
        spans = offsets.char_spans(encoded, lengths)
        if has_surrogates:
            position = offsets.source_positions(cast("str", text))
            spans = [(position[start], position[end]) for start, end in spans]
        return ids, spans

    def _source_spans(
        self,
        text: Text,
        unit: str,
        specials: SpecialSet,
        *,
        replace: bool = False,
        with_template: bool = False,
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """Ids and spans where text may be changed before it is merged: the core follows it."""
        from tokstream import offsets  # noqa: PLC0415 - seldom needed

        ids, spans = self._core.encode_with_spans(text, specials, replace, with_template)
        if unit == "byte":
            return ids, spans
        repaired = offsets.repair_surrogates(text) if isinstance(text, str) else None
        encoded = bytes(text) if repaired is None else repaired.encode()  # type: ignore[arg-type]
        spans = offsets.chars_of(encoded, spans)
        if repaired is not None and len(repaired) != len(text):  # type: ignore[arg-type]
            position = offsets.source_positions(cast("str", text))
            spans = [(position[start], position[end]) for start, end in spans]
        return ids, spans

    def _cuts_in(
        self, text: bytes, ids: list[int], specials: SpecialSet, *, replace: bool
    ) -> list[Cut]:
        """Where an id ends and the next begins: before the first, between two, after the last."""
        if not self._has_parts and not replace:
            return [(end, end) for end in accumulate(self._lengths_in(text, ids), initial=0)]
        spans = self._core.encode_with_spans(text, specials, True, False)[1]  # noqa: FBT003
        spans = spans[: len(ids)]
        ends = list(accumulate((end for _, end in spans), max, initial=0))
        cuts = [(end, max(end, start)) for end, (start, _) in zip(ends, spans, strict=False)]
        return cuts + [(ends[-1], ends[-1])] * (len(ids) + 1 - len(cuts))

    def _lengths_in(self, text: bytes, ids: list[int]) -> list[int]:
        """Byte length of each id; an id that two special tokens share is looked up in the text."""
        lengths = self._core.token_lengths(ids)
        if not self._shared_ids:
            return lengths
        at = 0
        for k, token_id in enumerate(ids):
            spellings = self._shared_ids.get(token_id, ())
            fitting = [len(name) for name in spellings if text.startswith(name, at)]
            lengths[k] = max(fitting, default=lengths[k])
            at += lengths[k]
        return lengths
