"""The native stages under the names and the interface of the reference."""

from __future__ import annotations

from array import array
from hashlib import sha256
from itertools import count
from typing import TYPE_CHECKING, Any

from tokstream import _core
from tokstream.errors import ConfigurationError
from tokstream.patterns import compile_pattern
from tokstream.reference.pretokens import CUT
from tokstream.reference.segments import SpecialToken
from tokstream.tokenizer import Tokenizer
from tokstream.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from tokstream.streaming import EncodeStream

ONE_PRETOKEN = r"[\s\S]+"


class _Stage:
    """A native stage: what it holds back, and copies."""

    def __init__(self, native: Any) -> None:
        self._native = native

    @property
    def n_held(self) -> int:
        return int(self._native.n_held)

    def copy(self) -> Any:
        twin = object.__new__(type(self))
        vars(twin).update(vars(self))
        twin._native = self._native.copy()
        return twin


class Chunks(_Stage):
    def __init__(self, errors: str = "strict") -> None:
        if errors not in ("strict", "replace"):
            raise ConfigurationError(f"errors is {errors!r}")
        super().__init__(_core.Chunks(errors == "replace"))

    @property
    def n_bytes(self) -> int:
        return int(self._native.n_bytes)

    def push(self, chunk: Any) -> str:
        return bytes(self._native.push(chunk)).decode()

    def finish(self) -> str:
        return bytes(self._native.finish()).decode()


class Segments(_Stage):
    def __init__(self, allowed: Mapping[str, int], disallowed: Collection[str] = ()) -> None:
        self._names = dict(allowed)
        self._disallowed = set(disallowed)
        super().__init__(_core.Segments(_special_set(allowed, disallowed)))

    def push(self, text: str) -> list[str | SpecialToken]:
        return [self._segment(part) for part in self._native.push(text)]

    def finish(self) -> list[str | SpecialToken]:
        return [self._segment(part) for part in self._native.finish()]

    def set_trust(
        self, allowed: Mapping[str, int], disallowed: Collection[str]
    ) -> list[str | SpecialToken]:
        if (allowed, set(disallowed)) == (self._names, self._disallowed):
            return []
        released = self._native.set_specials(_special_set(allowed, disallowed))
        segments = [self._segment(part) for part in released]
        self._names, self._disallowed = dict(allowed), set(disallowed)
        return segments

    def _segment(self, part: bytes | int) -> str | SpecialToken:
        if isinstance(part, bytes):
            return part.decode()
        name = next(name for name, token_id in self._names.items() if token_id == part)
        return SpecialToken(name, part)


def _special_set(allowed: Mapping[str, int], disallowed: Collection[str]) -> _core.SpecialSet:
    if "" in allowed or "" in disallowed:
        raise ConfigurationError("a special token must not be empty")
    return _core.SpecialSet(list(allowed.items()), list(disallowed))


def automaton_bytes(automaton: Any) -> bytes:
    """Compiled form of an automaton given by class_of and step over a small alphabet."""
    if hasattr(automaton, "to_bytes"):
        return bytes(automaton.to_bytes())
    n_states, n_classes = len(automaton.table), automaton.n_classes
    classes = array("B", bytes(128))
    for character in automaton.alphabet:
        classes[ord(character)] = automaton.class_of(ord(character))
    index = array("H", [0, 1] + [0] * ((0x110000 >> 6) - 2))
    table = array("H", [t | flagged << 15 for row in automaton.table for t, flagged in row])
    head = array("I", [1, n_states, n_classes, 2])
    parts = [head, index, classes, table, automaton.covers, automaton.ends]
    return b"TKSA" + b"".join(bytes(part) for part in parts)


class Pretokens(_Stage):
    def __init__(self, automaton: Any) -> None:
        self._automaton = automaton
        super().__init__(_core.Pretokens(automaton_bytes(automaton)))

    def push(self, text: str) -> list[Any]:
        return [CUT if part is None else part.decode() for part in self._native.push(text)]

    def finish(self) -> list[Any]:
        return [CUT if part is None else part.decode() for part in self._native.finish()]

    def split(self, text: str) -> list[str]:
        other = Pretokens(self._automaton)
        pretokens, live = [], ""
        for part in other.push(text) + other.finish():
            if part is CUT:
                pretokens.append(live)
                live = ""
            else:
                live += part
        return pretokens


class MergeRules:
    """A vocabulary; single bytes that it lacks are added behind the others."""

    def __init__(self, tokens: Iterable[bytes], ids: Iterable[int] | None = None) -> None:
        self.tokens = list(tokens)
        self.ids = list(range(len(self.tokens)) if ids is None else ids)
        fresh = count(1_000_000)
        known = set(self.tokens)
        missing = [bytes((b,)) for b in range(256) if bytes((b,)) not in known]
        self.vocabulary = Vocabulary.from_tables(
            b"".join(self.tokens + missing),
            array("I", map(len, self.tokens + missing)),
            array("I", self.ids + [next(fresh) for _ in missing]),
        )

    @classmethod
    def from_ranks(cls, ranks: Mapping[bytes, int]) -> MergeRules:
        ordered = sorted(ranks, key=ranks.__getitem__)
        return cls(ordered, [ranks[token] for token in ordered])

    def tokenizer(self, automaton: Any, special_tokens: Mapping[str, int]) -> Tokenizer:
        compiled = automaton_bytes(automaton)
        pattern = sha256(compiled).hexdigest()  # equal for equal tables, and never compiled
        return Tokenizer("test", self.vocabulary, pattern, special_tokens, _automaton=compiled)


class Tokens:
    """Stage 4: a stream whose text is one pretoken."""

    def __init__(self, rules: MergeRules) -> None:
        tokenizer = rules.tokenizer(compile_pattern(ONE_PRETOKEN), {})
        self._stream = tokenizer.stream()

    @property
    def n_held(self) -> int:
        return self._stream.delay_bytes

    def push(self, text: str) -> list[int]:
        return self._stream.feed(text)

    def cut(self, text: str = "") -> list[int]:
        ids = self._stream.feed(text) + self._stream.finish()
        self._stream.reset()
        return ids

    def copy(self) -> Tokens:
        twin = object.__new__(Tokens)
        twin._stream = self._stream.copy()
        return twin


class Stream:
    """The engine's stream, with the reference's names for its options."""

    def __init__(
        self,
        rules: MergeRules,
        automaton: Any,
        special_tokens: Mapping[str, int] | None = None,
        *,
        allowed: Collection[str] = (),
        disallowed: Collection[str] = (),
        errors: Any = "strict",
    ) -> None:
        self._tokenizer = rules.tokenizer(automaton, special_tokens or {})
        self._options: dict[str, Any] = {
            "allowed_special": tuple(allowed),
            "disallowed_special": tuple(disallowed),
        }
        self._errors = errors
        self._stream: EncodeStream = self._tokenizer.stream(errors=errors, **self._options)

    def feed(
        self,
        chunk: Any,
        *,
        allowed: Collection[str] | None = None,
        disallowed: Collection[str] | None = None,
    ) -> list[int]:
        if allowed is None and disallowed is None:
            return self._stream.feed(chunk)
        for name in allowed or ():
            self._tokenizer._special.id_of(name)
        options = {
            "allowed_special": self._options["allowed_special"] if allowed is None else allowed,
            "disallowed_special": (
                self._options["disallowed_special"] if disallowed is None else disallowed
            ),
        }
        return self._stream.feed(chunk, **options)

    def encode(self, text: Any) -> list[int]:
        return self._tokenizer.encode(text, errors=self._errors, **self._options)

    def copy(self) -> Stream:
        twin = object.__new__(Stream)
        vars(twin).update(vars(self))
        twin._stream = self._stream.copy()
        return twin

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
