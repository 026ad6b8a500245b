"""Cascades beside the pre-tokenizers of `tokenizers` whose pieces they have to give.

In: a pre-tokenizer of the reference. Out: the levels it comes to, its pieces, and those of the
native cascade for any way of cutting the text. Shared by the tests of this folder.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tokstream import _core
from tokstream.patterns import levels as made
from tokstream.reference.levels import pieces_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokstream.patterns.levels import Level

END = "‖"


def levels_of(pre_tokenizer: Any) -> list[Level]:
    """Levels of a pre-tokenizer of the reference."""
    return _levels(json.loads(pre_tokenizer.__getstate__()))


def _levels(parts: dict[str, Any]) -> list[Level]:
    behaviour: Any = re.sub(r"(?<=.)(?=[A-Z])", "_", parts.get("behavior", "")).lower()
    match parts["type"]:
        case "Sequence":
            return [level for part in parts["pretokenizers"] for level in _levels(part)]
        case "Split" if "String" in parts["pattern"]:
            text = parts["pattern"]["String"]
            return [made.split_at_text(text, behaviour, invert=parts["invert"])]
        case "Split":
            return [made.split(parts["pattern"]["Regex"], behaviour, invert=parts["invert"])]
        case "ByteLevel":
            prefix = [made.PREFIX_SPACE] if parts["add_prefix_space"] else []
            words = [made.split(made.GPT2, "isolated")] if parts["use_regex"] else []
            return [*prefix, *words, made.BYTE_LEVEL]
        case "Digits":
            return [made.digits(individual=parts["individual_digits"])]
        case "Punctuation":
            return [made.punctuation(behaviour)]
        case "Whitespace":
            return [made.whitespace()]
        case "WhitespaceSplit":
            return [made.whitespace_split()]
        case "CharDelimiterSplit":
            return [made.char_delimiter_split(parts["delimiter"])]
        case "BertPreTokenizer":
            return made.bert()
        case "UnicodeScripts":
            return [made.unicode_scripts()]
        case "FixedLength":
            return [made.fixed_length(parts["length"])]
        case "Metaspace":
            scheme, split = parts["prepend_scheme"], parts["split"]
            return [made.metaspace(parts["replacement"], scheme, split=split)]
    raise AssertionError(parts)


@dataclass
class Cascade:
    """A native cascade and all it has given so far."""

    native: Any
    marks: list[str] = field(default_factory=list)
    source: list[tuple[int, int]] = field(default_factory=list)
    text: bytearray = field(default_factory=bytearray)
    n_source: int = 0
    begin: int = 0
    is_open: bool = False

    @classmethod
    def of(cls, levels: list[Level]) -> Cascade:
        return cls(_core.Levels(levels))

    def push(self, text: str) -> None:
        self._take(self.native.push(text))

    def finish(self) -> None:
        self._take(self.native.finish())
        assert self.native.n_held == 0
        assert not self.is_open, "the last pretoken has no end"

    def _take(self, parts: list[tuple[bytes, int] | None]) -> None:
        for part in parts:
            if part is None:
                assert self.is_open, "an empty pretoken"
                self.source.append((self.begin, self.n_source))
                self.marks.append(END)
                self.is_open = False
                continue
            text, n_source = part
            if text and not self.is_open:
                self.begin, self.is_open = self.n_source, True
            self.marks += text.decode()
            self.n_source += n_source

    def pieces(self) -> list[str]:
        return "".join(self.marks).split(END)[:-1]


def cut(levels: list[Level], text: str, cuts: Iterable[int] = ()) -> Cascade:
    """Everything for `text`, given in parts."""
    assert END not in text
    cascade = Cascade.of(levels)
    begin = 0
    for end in (*cuts, len(text)):
        cascade.push(text[begin:end])
        begin = end
    cascade.finish()
    assert cascade.n_source == len(text.encode()), "the source does not add up"
    return cascade


def expected(pre_tokenizer: Any, text: str) -> list[str]:
    """Pieces of the reference."""
    return [piece for piece, _ in pre_tokenizer.pre_tokenize_str(text)]


def check(pre_tokenizer: Any, levels: list[Level], text: str, *, single_cuts: bool = True) -> None:
    """Equal pieces whole, character by character, and at every single cut; all of it stable."""
    wanted = expected(pre_tokenizer, text)
    got = cut(levels, text)
    assert got.pieces() == wanted, (pre_tokenizer, text)
    assert pieces_of(levels, text) == wanted, (pre_tokenizer, text)
    # A cascade that is interrupted goes on from a copy: what it gave must be a prefix of the whole.
    stream = Cascade.of(levels)
    for at, character in enumerate(text):
        stream.push(character)
        assert stream.marks == got.marks[: len(stream.marks)], (pre_tokenizer, text, at)
        if single_cuts:
            rest = Cascade(stream.native.copy(), list(stream.marks), is_open=stream.is_open)
            rest.push(text[at + 1 :])
            rest.finish()
            assert rest.marks == got.marks, (pre_tokenizer, text, at)
            other = Cascade(stream.native.copy(), list(stream.marks), is_open=stream.is_open)
            other.finish()
            assert other.pieces() == expected(pre_tokenizer, text[: at + 1]), (text, at)
    stream.finish()
    assert stream.marks == got.marks, (pre_tokenizer, text)
    assert stream.source == got.source, (pre_tokenizer, text)
