"""The member `post_processor` of a tokenizer.json: what is put around one text or a pair.

Enters: the node, then the encodings of one or two texts. Leaves: one encoding, with special tokens,
types and trimmed offsets. Held back: nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokstream.compat.huggingface.encoding import Encoding
from tokstream.compat.huggingface.runs import FixedSource, Run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tokstream.formats.document import Node

__all__ = ["Processor", "combined", "copies", "read_processor", "template_around"]


class Processor(ABC):
    """What is done with encodings once they are cut; immutable."""

    @abstractmethod
    def n_added(self, n_texts: int) -> int:
        """Return how many tokens are added to one text or to a pair."""

    @abstractmethod
    def process(self, encodings: list[Encoding], *, adds: bool) -> list[Encoding]:
        """Return the encodings to be joined; those given may be changed.

        Args:
            encodings: of one text or two, or what another processor made of them.
            adds: whether special tokens are added.
        """


def copies(encoding: object, pair: object) -> list[Encoding]:
    """Return copies of a caller's encodings, one or two.

    Raises:
        TypeError: something else.
    """
    given = [encoding] if pair is None else [encoding, pair]
    found = []
    for name, value in zip(("encoding", "pair"), given, strict=False):
        if not isinstance(value, Encoding):
            kind = type(value)
            raise TypeError(
                f"{name} is {kind.__module__}.{kind.__name__}; give an Encoding, as encode "
                "of tokstream.compat.huggingface returns it"
            )
        found.append(value.copy())
    return found


def combined(
    encodings: list[Encoding], processor: Processor | None, *, adds: bool = True
) -> Encoding:
    """Return one encoding of one text or a pair.

    Args:
        encodings: one or two; they may be changed.
        processor: what is put around them; None for nothing.
        adds: whether special tokens are added.
    """
    if processor is None:  # the reference says nothing of what overflows then
        if len(encodings) > 1:
            for k, encoding in enumerate(encodings):
                encoding.set_sequence_id(k)
        return _joined(encodings)
    for k, encoding in enumerate(encodings):
        encoding.set_sequence_id(k)
        if encoding.has_overflowing:

            def numbered(part: Encoding, k: int = k) -> Encoding:
                part.set_sequence_id(k)
                return part

            encoding.change_overflowing(numbered)
        encodings[k] = encoding.with_type(k)
    return _joined(processor.process(encodings, adds=adds))


def _joined(encodings: list[Encoding]) -> Encoding:
    if len(encodings) == 1:
        return encodings[0]
    return Encoding.merge(encodings, growing_offsets=False)


@dataclass(frozen=True)
class ByteLevel(Processor):
    """Trims offsets, if at all."""

    trims: bool
    keeps_prefix: bool

    def n_added(self, n_texts: int) -> int:  # noqa: ARG002 - see the base class
        return 0

    def process(self, encodings: list[Encoding], *, adds: bool) -> list[Encoding]:  # noqa: ARG002
        if self.trims:
            _trim(encodings, keeps_prefix=self.keeps_prefix)
        for k, encoding in enumerate(encodings):
            encoding.set_sequence_id(k)
        return encodings


@dataclass(frozen=True)
class Template(Processor):
    """Puts special tokens around texts, as lists of pieces say.

    Attributes:
        single: pieces for one text: the index of a text or the tokens of a special one, and a type.
        pair: the same for two.
    """

    single: tuple[tuple[int | FixedSource, int], ...]
    pair: tuple[tuple[int | FixedSource, int], ...]

    def n_added(self, n_texts: int) -> int:
        pieces = self.single if n_texts == 1 else self.pair
        return sum(len(piece.ids) for piece, _ in pieces if not isinstance(piece, int))

    def process(self, encodings: list[Encoding], *, adds: bool) -> list[Encoding]:
        found = []
        for piece, type_id in self.single if len(encodings) == 1 else self.pair:
            if not isinstance(piece, int):
                if adds:
                    found.append(Encoding([Run(piece, 0, len(piece.ids), type_id, 1)]))
                continue
            encoding = encodings[piece].with_type(type_id)
            encoding.set_sequence_id(piece)
            found.append(encoding)
        return found


@dataclass(frozen=True)
class Around(Processor):
    """Puts one token before and one behind each text: BertProcessing, RobertaProcessing.

    Attributes:
        cls: the token before the first text.
        sep: the one behind each text.
        doubles: it also stands before the second text (RoBERTa).
        typed: the second text has type 1 (BERT).
        trims: whether offsets are trimmed, None for no; and whether a prefix space is kept.
    """

    cls: FixedSource
    sep: FixedSource
    doubles: bool
    typed: bool
    trims: bool | None

    def n_added(self, n_texts: int) -> int:
        return 2 if n_texts == 1 else 4 if self.doubles else 3

    def process(self, encodings: list[Encoding], *, adds: bool) -> list[Encoding]:
        if self.trims is not None:
            _trim(encodings, keeps_prefix=self.trims)
        if not self.typed:
            encodings = [encoding.with_type(0) for encoding in encodings]
        if not adds:
            return encodings
        return [self._around(encoding, k) for k, encoding in enumerate(encodings)]

    def _around(self, encoding: Encoding, k: int) -> Encoding:
        type_id = k if self.typed else 0
        opening = [Run(self.cls if k == 0 else self.sep, 0, 1, type_id, 1)]
        if k and not self.doubles:
            opening = []
        closing = Run(self.sep, 0, 1, type_id, 1)

        def wrapped(part: Encoding) -> Encoding:
            # as in the reference: special tokens and padding inside count as text
            runs = [run._replace(special=0, attention=1) for run in part.runs]
            if not self.typed:
                runs = [run._replace(type_id=0) for run in runs]
            inner = Encoding(runs)
            inner.set_sequence_id(k)
            return Encoding(opening).joined(inner).joined(Encoding([closing]))

        whole = wrapped(encoding)
        whole.take_overflowing(encoding, wrapped)
        return whole


@dataclass(frozen=True)
class Several(Processor):
    """One processor after another."""

    parts: tuple[Processor, ...]

    def n_added(self, n_texts: int) -> int:
        return sum(part.n_added(n_texts) for part in self.parts)

    def process(self, encodings: list[Encoding], *, adds: bool) -> list[Encoding]:
        for part in self.parts:
            encodings = part.process(encodings, adds=adds)
        return encodings


def _trim(encodings: Sequence[Encoding], *, keeps_prefix: bool) -> None:
    def trim(part: Encoding) -> Encoding:
        part.trim(keeps_prefix=keeps_prefix)
        return part

    for encoding in encodings:
        encoding.trim(keeps_prefix=keeps_prefix)
        if encoding.has_overflowing:
            encoding.change_overflowing(trim)


def read_processor(node: Node | None) -> Processor | None:
    """Read a post-processor that `formats.huggingface.postprocessors` has accepted.

    Raises:
        VocabularyError: a damaged one.
        UnsupportedTokenizerError: an unknown type.
    """
    if node is None:
        return None
    kind = node["type"].text()
    match kind:
        case "ByteLevel":
            trims = node.flag("trim_offsets", default=True)
            return ByteLevel(trims, node.flag("add_prefix_space", default=True))
        case "TemplateProcessing":
            table = node["special_tokens"]
            pair = node.get("pair")
            return Template(
                _pieces(node["single"], table), () if pair is None else _pieces(pair, table)
            )
        case "BertProcessing":
            return Around(_token(node["cls"]), _token(node["sep"]), False, True, None)  # noqa: FBT003
        case "RobertaProcessing":
            trims = node.flag("trim_offsets", default=True)
            keeps = node.flag("add_prefix_space", default=True)
            cls, sep = _token(node["cls"]), _token(node["sep"])
            return Around(cls, sep, True, False, keeps if trims else None)  # noqa: FBT003
        case "Sequence":
            parts = [read_processor(part) for part in node["processors"]]
            return Several(tuple(part for part in parts if part is not None))
    raise node.unsupported(
        f"a post-processor of the unknown type {kind!r}", "tokstream does not know what it does"
    )


def template_around(opening: str, token_id: int) -> dict[str, object]:
    """Return a `TemplateProcessing` that puts one special token before each text, as JSON."""

    def pieces(name: str, type_id: int) -> list[dict[str, object]]:
        return [
            {"SpecialToken": {"id": opening, "type_id": type_id}},
            {"Sequence": {"id": name, "type_id": type_id}},
        ]

    return {
        "type": "TemplateProcessing",
        "single": pieces("A", 0),
        "pair": [*pieces("A", 0), *pieces("B", 1)],
        "special_tokens": {opening: {"id": opening, "ids": [token_id], "tokens": [opening]}},
    }


def _token(node: Node) -> FixedSource:
    text, number = list(node)
    return FixedSource([number.number()], [text.text()])


def _pieces(node: Node, table: Node) -> tuple[tuple[int | FixedSource, int], ...]:
    found: list[tuple[int | FixedSource, int]] = []
    tokens: Mapping[str, object] = table.members()
    for piece in node:
        text = piece.get("Sequence")
        if text is not None:
            found.append((int(text["id"].text() != "A"), text["type_id"].number()))
            continue
        special = piece["SpecialToken"]
        name = special["id"].text()
        if name not in tokens:
            raise special["id"].wrong(f"is {name!r}, which is not among special_tokens")
        entry = table[name]
        ids = [number.number() for number in entry["ids"]]
        texts = [text.text() for text in entry["tokens"]]
        found.append((FixedSource(ids, texts), special["type_id"].number()))
    return tuple(found)
