"""The parts of a tokenizer as objects: to look at, to call, and to give to another tokenizer.

Enters: JSON of a part. Leaves: objects with the methods that the part's kind has in `tokenizers`,
and the same pickled form, so that they can be handed over either way. Immutable.
"""

from __future__ import annotations

import json
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from tokstream import _core
from tokstream.decoding.tokens import TokenDecoder
from tokstream.errors import ConfigurationError
from tokstream.formats.alphabet import bytes_of
from tokstream.formats.document import Node
from tokstream.formats.huggingface.decoders import read_decoder
from tokstream.formats.huggingface.normalizers import read_normalizer
from tokstream.formats.huggingface.pretokenizers import Split, read_pretokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokstream.compat.huggingface.state import State

__all__ = [
    "BPE",
    "Component",
    "Decoder",
    "Normalizer",
    "PostProcessor",
    "PreTokenizer",
    "Token",
    "json_of",
]


class Component:
    """A part of a tokenizer, as its file says it.

    Attributes:
        data: the part as JSON; not to be changed.
    """

    data: dict[str, Any]

    def __init__(self, data: dict[str, Any]) -> None:
        self.__setstate__(json.dumps(data))

    @property
    def type(self) -> str:
        """Its type, such as "ByteLevel"."""
        return str(self.data.get("type"))

    def __getattr__(self, name: str) -> object:
        # settings, such as add_prefix_space
        if name in self.__dict__.get("data", ()):
            return self.data[name]
        raise AttributeError(f"{type(self).__name__} of type {self.type} has no attribute {name!r}")

    def __setattr__(self, name: str, value: object) -> None:
        raise ConfigurationError(
            f"{name} cannot be changed in place; make another {type(self).__name__} and give it to "
            "the tokenizer"
        )

    def __getitem__(self, index: int) -> Component:
        return type(self)(self._parts()[index])

    def __len__(self) -> int:
        return len(self._parts())

    def _parts(self) -> list[dict[str, Any]]:
        for name in ("normalizers", "pretokenizers", "processors", "decoders"):
            if isinstance(parts := self.data.get(name), list):
                return parts
        raise TypeError(f"{self.type} is no sequence")

    def __bool__(self) -> bool:
        return True

    def __getstate__(self) -> bytes:
        return json.dumps(self.data, ensure_ascii=False, separators=(",", ":")).encode()

    def __setstate__(self, state: bytes | str) -> None:
        self.__dict__["data"] = json.loads(state)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.data,)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Component):
            return NotImplemented
        return self.data == other.data

    def __hash__(self) -> int:
        return hash(self.__getstate__())

    def __repr__(self) -> str:
        options = ", ".join(f"{k}={v!r}" for k, v in self.data.items() if k != "type")
        return f"{self.type}({options})"

    def _node(self) -> Node:
        return Node(self.data, "$", type(self).__name__, None)


class Normalizer(Component):
    """A normalizer."""

    def normalize_str(self, sequence: str) -> str:
        """Return a text normalized."""
        normalize = _core.Normalize(read_normalizer(self._node()))
        parts = [*normalize.push(sequence), *normalize.finish()]
        return b"".join([part for part, _ in parts]).decode()


class PreTokenizer(Component):
    """A pre-tokenizer."""

    def pre_tokenize_str(self, sequence: str) -> list[tuple[str, tuple[int, int]]]:
        """Return the pretokens of a text, and which characters each stands for."""
        cuts, is_byte_level = read_pretokenizer(self._node())
        levels = [cut.step() if isinstance(cut, Split) else cut for cut in cuts]
        if is_byte_level:
            levels.append(("byte_level",))
        stage = _core.Levels(levels)
        found: list[tuple[str, tuple[int, int]]] = []
        text, begin, at = b"", 0, 0
        for part in [*stage.push(sequence), *stage.finish(), *([] if levels else [None])]:
            if part is not None:
                piece, n_source = part
                begin = begin if text else at
                at += n_source
                text += piece
            elif text:
                found.append((text.decode(), (begin, at)))
                text = b""
        encoded = sequence.encode()
        if len(encoded) == len(sequence):
            return found
        n_chars = [0, *accumulate(byte & 0xC0 != 0x80 for byte in encoded)]
        return [(piece, (n_chars[start], n_chars[end])) for piece, (start, end) in found]


class PostProcessor(Component):
    """A post-processor."""

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Return how many tokens it adds to a text or a pair."""
        from tokstream.compat.huggingface.processing import read_processor  # noqa: PLC0415

        processor = read_processor(self._node())
        return 0 if processor is None else processor.n_added(2 if is_pair else 1)


class Decoder(Component):
    """A decoder."""

    def decode(self, tokens: Sequence[str]) -> str:
        """Return the text of tokens given by their own texts."""
        spellings = dict(enumerate(tokens))
        return TokenDecoder(spellings, read_decoder(self._node())).decode(list(spellings))


class Token(NamedTuple):
    """A token that the model makes: its id and its text."""

    id: int
    value: str


class BPE:
    """The model: its vocabulary and options.

    Attributes:
        unk_token, fuse_unk, byte_fallback, ...: as in the file.
    """

    def __init__(self, state: State) -> None:
        self._state = state

    def __getattr__(self, name: str) -> object:
        if not name.startswith("_") and name in self._state.definition.options:
            return self._state.definition.options[name]
        raise AttributeError(f"the model has no attribute {name!r}")

    def token_to_id(self, token: str) -> int | None:
        """Return the id of a token of the model, None if there is none."""
        return self._state.definition.table.get(token)

    def id_to_token(self, id: int) -> str | None:  # noqa: A002 - the reference's name
        """Return the token of an id, None if there is none."""
        return self._state.definition.spellings.get(id)

    def tokenize(self, sequence: str) -> list[Token]:
        """Return the tokens of one pretoken, as the pre-tokenizer gives it.

        Raises:
            InvalidUtf8Error: in the byte-level alphabet it spells no whole characters.
        """
        text: str | bytes = sequence
        if self._state.is_byte_level:
            text = bytes_of(sequence) or sequence
        native = self._state.merging
        ids = native.encode_ordinary(text)
        return list(map(Token, ids, self._state.spelled(ids)))

    def __getstate__(self) -> bytes:
        return json.dumps(self._state.definition.model(), ensure_ascii=False).encode()

    def __repr__(self) -> str:
        definition = self._state.definition
        options = ", ".join(f"{k}={v!r}" for k, v in definition.options.items() if k != "type")
        n_merges = len(definition.merges) // 2
        return f"BPE({options}, {len(definition.table)} tokens, {n_merges} merges)"


def json_of(component: object, name: str) -> dict[str, Any] | None:
    """Return a part as JSON; None for none.

    Args:
        component: one of ours, one of `tokenizers`, or None.
        name: what it is to be, for messages.

    Raises:
        ConfigurationError: something else, or a part that is written in Python.
    """
    if component is None:
        return None
    if isinstance(component, Component):
        return component.data
    try:
        state: Any = component.__getstate__()
        data = json.loads(state)
    except Exception as error:
        raise ConfigurationError(
            f"{name} is {type(component).__name__}, which has no JSON form ({error}); give a part "
            "of `tokenizers` that is not written in Python, or None"
        ) from error
    if not isinstance(data, dict):
        raise ConfigurationError(f"{name} is {type(component).__name__}, which is no such part")
    return data
