"""The parts of a tokenizer as objects: to look at, to call, and to give to another tokenizer.

Enters: JSON of a part. Leaves: objects with the methods that the part's kind has in `tokenizers`,
and the same pickled form, so that they can be handed over either way. A setting that is changed in
place is changed in the tokenizer, too.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from tokstream import _core
from tokstream._buffers import plain_if_text
from tokstream.compat.huggingface.arguments import checked_flag, checked_text, index_of
from tokstream.compat.huggingface.part_settings import checked_setting, shown_setting
from tokstream.decoding.tokens import TokenDecoder
from tokstream.errors import ConfigurationError, InvalidUtf8Error
from tokstream.formats.alphabet import BYTE_OF, bytes_of
from tokstream.formats.document import Node
from tokstream.formats.huggingface.decoders import read_decoder
from tokstream.formats.huggingface.normalizers import read_normalizer
from tokstream.formats.huggingface.pretokenizers import Split, read_pretokenizer

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from tokstream.compat.huggingface.encoding import Encoding
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


_Tell = Callable[[dict[str, Any], dict[str, Any]], None]

_MEMBERS = {
    ("Strip", "left"): "strip_left",
    ("Strip", "right"): "strip_right",
}
"""Settings that a file calls otherwise."""
_LONG = 400
"""Longer texts, such as the rules of a `Precompiled`, are not shown whole."""
_NO_SETTINGS = ("type", "pattern", "normalizers", "pretokenizers", "processors", "decoders")


class Component:
    """A part of a tokenizer, as its file says it.

    Its settings can be changed in place, as `tokenizer.pre_tokenizer.split = False`: the tokenizer
    it comes from is changed with it, if it still has that part.

    Attributes:
        data: the part as JSON; not to be changed.
    """

    data: dict[str, Any]

    def __init__(self, data: dict[str, Any], tell: _Tell | None = None) -> None:
        """Hold a part.

        Args:
            data: the part as JSON.
            tell: is told of a change in place before it is made: the part before and after it.
        """
        self.__setstate__(json.dumps(data))
        self.__dict__["_tell"] = tell

    @property
    def type(self) -> str:
        """Its type, such as "ByteLevel"."""
        return str(self.data.get("type"))

    def __getattr__(self, name: str) -> object:
        # settings, such as add_prefix_space
        key = self._key(name)
        if key is not None:
            return shown_setting(key, self.data[key])
        raise AttributeError(f"{type(self).__name__} of type {self.type} has no attribute {name!r}")

    def __setattr__(self, name: str, value: object) -> None:
        key = self._key(name)
        if key is None:
            raise AttributeError(
                f"{type(self).__name__} of type {self.type} has no setting {name!r}"
            )
        self._become({**self.data, key: checked_setting(key, value)})

    def _key(self, name: str) -> str | None:
        """Return the member of a setting; None if there is none of this name."""
        data = self.__dict__.get("data", {})
        key = _MEMBERS.get((str(data.get("type")), name), name)
        return key if key in data and key not in _NO_SETTINGS else None

    def __getitem__(self, index: int) -> Component:
        name, parts = self._parts()
        at = range(len(parts))[index]

        def tell_whole(_: dict[str, Any], after: dict[str, Any]) -> None:
            now = self._parts()[1]
            self._become({**self.data, name: [*now[:at], after, *now[at + 1 :]]})

        shown: dict[int, Component] = self.__dict__.setdefault("_shown", {})
        if at not in shown or shown[at].data != parts[at]:
            shown[at] = type(self)(parts[at], tell_whole)
        return shown[at]

    def __setitem__(self, index: int, value: object) -> None:
        name, parts = self._parts()
        at = range(len(parts))[index]
        kind = type(self)
        data = json_of(value, kind)
        if data is None:
            raise TypeError(f"a part of a {self.type} cannot be None")
        self._become({**self.data, name: [*parts[:at], data, *parts[at + 1 :]]})

    def __len__(self) -> int:
        return len(self._parts()[1])

    def _parts(self) -> tuple[str, list[dict[str, Any]]]:
        for name in ("normalizers", "pretokenizers", "processors", "decoders"):
            if isinstance(parts := self.data.get(name), list):
                return name, parts
        raise TypeError(f"{self.type} is no sequence")

    def _become(self, after: dict[str, Any]) -> None:
        tell = self.__dict__.get("_tell")
        if tell is not None:
            tell(self.data, after)
        self.__dict__["data"] = after

    def __bool__(self) -> bool:
        return True

    def __getstate__(self) -> bytes:
        return json.dumps(self.data, ensure_ascii=False, separators=(",", ":")).encode()

    def __setstate__(self, state: bytes | str) -> None:
        self.__dict__["data"] = json.loads(state)
        self.__dict__["_tell"] = None

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.data,)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Component):
            return NotImplemented
        return self.data == other.data

    def __hash__(self) -> int:
        return hash(self.__getstate__())

    def __repr__(self) -> str:
        options = ", ".join(f"{k}={_shown(v)}" for k, v in self.data.items() if k != "type")
        return f"{self.type}({options})"

    def _node(self) -> Node:
        return Node(self.data, "$", type(self).__name__, None)


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {_shown(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_shown, value)) + "]"
    is_long = isinstance(value, str) and len(value) > _LONG
    return repr(f"{value[:_LONG]}..." if is_long else value)  # type: ignore[index]


class Normalizer(Component):
    """A normalizer."""

    def normalize_str(self, sequence: str) -> str:
        """Return a text normalized."""
        known = self.__dict__.get("_made")
        if known is None or known[0] is not self.data:  # to read rules takes milliseconds
            known = self.data, _core.Normalize(read_normalizer(self._node()))
            self.__dict__["_made"] = known
        normalize = known[1].copy()
        text = checked_text("sequence", sequence)
        parts = [*normalize.push(text), *normalize.finish()]
        return b"".join([part for part, _ in parts]).decode()


class PreTokenizer(Component):
    """A pre-tokenizer."""

    def pre_tokenize_str(self, sequence: str) -> list[tuple[str, tuple[int, int]]]:
        """Return the pretokens of a text, and which characters each stands for."""
        sequence = checked_text("sequence", sequence)
        cuts, is_byte_level = read_pretokenizer(self._node())
        levels = [cut.step() if isinstance(cut, Split) else cut for cut in cuts]
        if is_byte_level:
            levels.append(("byte_level",))
        spells_bytes = ("byte_level",) in levels
        stage = _core.Levels(levels)
        goes_on = [byte & 0xC0 == 0x80 for byte in sequence.encode()]
        n_chars = list(accumulate((not inside for inside in goes_on), initial=0))
        goes_on.append(False)
        found: list[tuple[str, int, int]] = []
        text, begin, at, inside = b"", 0, 0, False
        for part in [*stage.push(sequence), *stage.finish(), *([] if levels else [None])]:
            if part is not None:
                piece, n_source = part
                if not text:
                    begin = at
                    # the last bytes of a character whose first one is in another pretoken
                    unplaced = spells_bytes and not n_source and _begins_inside(piece)
                    inside = goes_on[at] or unplaced
                at += n_source
                text += piece
            elif text:
                found.append((text.decode(), n_chars[begin] - inside, n_chars[at]))
                text = b""
        # a sign that was put in by itself stands at the character behind it
        n = len(sequence)
        return [(piece, (start, max(end, min(start + 1, n)))) for piece, start, end in found]


def _begins_inside(piece: bytes) -> bool:
    """Is the first byte that a byte-level text spells one that goes on with a character?"""
    byte = BYTE_OF.get(piece.decode()[:1])
    return byte is not None and byte & 0xC0 == 0x80


class PostProcessor(Component):
    """A post-processor."""

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Return how many tokens it adds to a text or a pair."""
        from tokstream.compat.huggingface.processing import read_processor  # noqa: PLC0415

        processor = read_processor(self._node())
        n_texts = 1 + checked_flag("is_pair", is_pair)
        return 0 if processor is None else processor.n_added(n_texts)

    def process(
        self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True
    ) -> Encoding:
        """Return one encoding of one or two, which stay as they are.

        Raises:
            TypeError: something that is no encoding.
        """
        from tokstream.compat.huggingface.processing import (  # noqa: PLC0415
            combined,
            copies,
            read_processor,
        )

        encodings, processor = copies(encoding, pair), read_processor(self._node())
        adds = checked_flag("add_special_tokens", add_special_tokens)
        return combined(encodings, processor, adds=adds)


class Decoder(Component):
    """A decoder."""

    def decode(self, tokens: Sequence[str]) -> str:
        """Return the text of tokens given by their own texts."""
        spellings = {k: checked_text(f"token {k}", token) for k, token in enumerate(tokens)}
        return TokenDecoder(spellings, read_decoder(self._node())).decode(list(spellings))


class Token(NamedTuple):
    """A token that the model makes: its id, its text, and its bytes in the pretoken's UTF-8."""

    id: int
    value: str
    offsets: tuple[int, int]

    def as_tuple(self) -> tuple[int, str, tuple[int, int]]:
        """Return the three."""
        return self.id, self.value, self.offsets


class Model:
    """What makes tokens of pretokens."""


class BPE(Model):
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
        return self._state.definition.table.get(checked_text("token", token))

    def id_to_token(self, id: int) -> str | None:  # noqa: A002 - the reference's name
        """Return the token of an id, None if there is none."""
        return self._state.definition.spellings.get(index_of("id", id, n_bits=32))

    def tokenize(self, sequence: str) -> list[Token]:
        """Return the tokens of one pretoken, as the pre-tokenizer gives it.

        Raises:
            InvalidUtf8Error: in the byte-level alphabet it spells no whole characters, and some
                bytes have no token.
        """
        state, sequence = self._state, checked_text("sequence", sequence)
        if state.is_byte_level and state.definition.options["unk_token"] is None:
            # what is not in its alphabet is no token
            sequence = "".join(filter(BYTE_OF.__contains__, sequence))
        text = bytes_of(sequence) if state.is_byte_level else None
        try:
            ids, spans = state.merging.encode_with_offsets(
                text or sequence, unit="byte", allowed_special=(), disallowed_special=()
            )
        except InvalidUtf8Error:
            if text is None or state.parts.drops_unknown is not None:
                raise
            ids = state.merge(text)
            lengths = [len(state.merging.token_bytes(token)) for token in ids]
            spans = list(pairwise([0, *accumulate(lengths)]))
        if text:  # a byte is written as a character of one or two bytes
            places = [0, *accumulate([len(character.encode()) for character in sequence])]
            spans = [(places[start], places[end]) for start, end in spans]
        return list(map(Token, ids, state.spelled(ids), spans))

    def save(self, folder: str | os.PathLike[str], prefix: str | None = None) -> list[str]:
        """Write vocabulary and merges into two files, as GPT-2's are.

        Args:
            folder: where to; it must exist.
            prefix: what their names begin with, before a hyphen.

        Returns:
            Their paths.
        """
        from tokstream.compat.huggingface.written import write_model  # noqa: PLC0415

        return write_model(plain_if_text(folder), plain_if_text(prefix), self._state.definition)

    def _clear_cache(self) -> None:
        """Do nothing: what the model keeps does not grow."""

    def _resize_cache(self, capacity: int) -> None:
        """Do nothing: what the model keeps does not grow."""

    def __getstate__(self) -> bytes:
        return json.dumps(self._state.definition.model(), ensure_ascii=False).encode()

    def __copy__(self) -> BPE:
        return BPE(self._state)

    def __deepcopy__(self, memo: object) -> BPE:
        return self.__copy__()

    def __reduce__(self) -> tuple[object, ...]:
        from tokstream.compat.huggingface.load import unpickled_model  # noqa: PLC0415 - a cycle

        return unpickled_model, (self.__getstate__(),)

    def __repr__(self) -> str:
        definition = self._state.definition
        options = ", ".join(f"{k}={v!r}" for k, v in definition.options.items() if k != "type")
        n_merges = len(definition.merges) // 2
        return f"BPE({options}, {len(definition.table)} tokens, {n_merges} merges)"


def json_of(component: object, kind: type[Component]) -> dict[str, Any] | None:
    """Return a part as JSON; None for none.

    Args:
        component: one of ours, one of `tokenizers`, or None.
        kind: what it is to be.

    Raises:
        TypeError: something else.
        ConfigurationError: a part that is written in Python.
    """
    if component is None:
        return None
    name = kind.__name__
    if name not in [base.__name__ for base in type(component).__mro__]:
        raise TypeError(f"{type(component).__name__} is no {name}; give one of tokenizers, or None")
    if isinstance(component, Component):
        return component.data
    try:
        data: dict[str, Any] = json.loads(component.__getstate__())  # type: ignore[arg-type]
    except Exception as error:
        raise ConfigurationError(
            f"this {name} has no JSON form ({error}); give a part of tokenizers that is not "
            "written in Python, or None"
        ) from error
    return data
