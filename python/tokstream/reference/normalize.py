r"""Normalizers: from the text of one segment to the text that pretokens are cut from.

Enters: text, cut anywhere between characters.
Leaves: normalized text, with the source that each part of it accounts for.
Held back: by each step, what a continuation may still change.

This is for tokenizers that have a normalizer; rank files have none. A segment is a run between
special tokens, and each is normalized by itself.
"""

from __future__ import annotations

from collections import deque
from copy import deepcopy
from typing import TYPE_CHECKING, Protocol
from unicodedata import category

from tokstream.errors import ConfigurationError
from tokstream.reference.forms import Mapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "Lowercase",
    "Mapped",
    "Normalizer",
    "Prepend",
    "Replace",
    "Step",
    "Strip",
    "StripAccents",
    "is_whitespace",
]


class Step(Protocol):
    """One step of a normalizer. What it returns accounts for its input in order, to the byte."""

    def push(self, text: str) -> list[Mapped]:
        """Take text, return what is certain."""

    def finish(self) -> list[Mapped]:
        """End the segment, return the rest. Ready for another segment."""


class Normalizer:
    r"""Steps in a row, each of which reads what the one before gives.

    For every way of cutting a segment, the concatenated output is that of the whole.

    A step says how many bytes of *its* input a part of its output accounts for. In a chain that
    becomes bytes of the source: `_Trace` remembers, for the text between two steps, where it came
    from.

    >>> from tokstream.reference.forms import Form
    >>> normalizer = Normalizer([Form("NFD"), StripAccents(), Lowercase(), Prepend("_")])
    >>> normalizer.push("\u00c9t"), normalizer.n_held
    ([('_', 0), ('e', 2), ('t', 1)], 0)
    >>> normalizer.normalize("\u00c9t\u00c9")
    '_ete'

    Args:
        steps: in the order in which they are applied.

    Cost: the sum of the steps'.
    """

    def __init__(self, steps: Iterable[Step]) -> None:
        self._steps = list(steps)
        self._traces = [_Trace() for _ in self._steps]
        self.n_held = 0
        """Source bytes that nothing given out accounts for."""

    def push(self, text: str) -> list[Mapped]:
        """Take text, return normalized text and the source bytes that each part accounts for."""
        self.n_held += len(text.encode())
        return self._run(text, final=False)

    def finish(self) -> list[Mapped]:
        """End the segment, return the rest. Ready for another segment."""
        return self._run("", final=True)

    def normalize(self, text: str) -> str:
        """Return the normalized text of a whole segment; this object's state is not involved."""
        fresh = Normalizer(deepcopy(self._steps))
        fresh.finish()
        return joined(fresh.push(text) + fresh.finish())

    def copy(self) -> Normalizer:
        """Return an independent copy. Cost: O(held)."""
        return deepcopy(self)

    def _run(self, text: str, *, final: bool) -> list[Mapped]:
        parts: list[Mapped] = [(text, len(text.encode()))] if text else []
        for step, trace in zip(self._steps, self._traces, strict=True):
            given = step.push(joined(parts))
            if final:
                given += step.finish()
            parts = trace.resolve(parts, given)
        self.n_held -= sum(n for _, n in parts)
        return parts


class _Trace:
    """The text that a step was given and has not accounted for, and where it came from.

    Text as long as its source came from it byte for byte; text of another length came, all of it,
    from all of its source, which is then credited to the first output that touches it. Deleted
    source goes with what is before it.
    """

    def __init__(self) -> None:
        self._parts: deque[tuple[bytes, int]] = deque()

    def resolve(self, parts: Sequence[Mapped], given: Sequence[Mapped]) -> list[Mapped]:
        """Let what a step gives, having been given `parts`, account for bytes of the source."""
        self._parts += ((text.encode(), n_source) for text, n_source in parts)
        out: list[Mapped] = []
        for text, n_text in given:
            taken = list(self._take(n_text))
            if text and b"".join(data for data, _ in taken) == text.encode():
                out += ((data.decode(), n_source) for data, n_source in taken)
            else:
                out.append((text, sum(n_source for _, n_source in taken)))
        if deleted := sum(n_source for _, n_source in self._take(0)):
            out.append(("", deleted))
        return out

    def _take(self, n_text: int) -> Iterator[tuple[bytes, int]]:
        """Take off the next bytes of text, and deletions; yield text and its source."""
        while self._parts and (n_text or not self._parts[0][0]):
            data, n_source = self._parts.popleft()
            n = min(n_text, len(data))
            credited = n if len(data) == n_source else n_source
            if n < len(data):
                self._parts.appendleft((data[n:], n_source - credited))
            yield data[:n], credited
            n_text -= n


class Lowercase:
    """Each character in lower case, without a look at its neighbours: a final sigma is σ.

    >>> Lowercase().push("ΑΣ")
    [('α', 2), ('σ', 2)]
    """

    def push(self, text: str) -> list[Mapped]:
        """See `Step`."""
        return [(character.lower(), len(character.encode())) for character in text]

    def finish(self) -> list[Mapped]:
        """See `Step`."""
        return []


class StripAccents:
    r"""Deletes marks: characters of the categories Mn, Mc and Me.

    Accents are marks only behind NFD or NFKD.

    >>> StripAccents().push("e\u0301s")
    [('e', 1), ('', 2), ('s', 1)]
    """

    def push(self, text: str) -> list[Mapped]:
        """See `Step`."""
        return [
            ("" if category(character)[0] == "M" else character, len(character.encode()))
            for character in text
        ]

    def finish(self) -> list[Mapped]:
        """See `Step`."""
        return []


class Strip:
    """Deletes whitespace at the ends of the segment.

    Held back: whitespace, until something else follows it; a run of it has no greatest length.

    >>> strip = Strip(left=True, right=True)
    >>> strip.push(" a "), strip.push("b "), strip.finish()
    ([('', 1), ('a', 1)], [(' ', 1), ('b', 1)], [('', 1)])
    """

    def __init__(self, *, left: bool, right: bool) -> None:
        self._left, self._right = left, right
        self._begin()

    def _begin(self) -> None:
        self._is_at_begin = True
        self._blanks = ""

    def push(self, text: str) -> list[Mapped]:
        """See `Step`."""
        out: list[Mapped] = []
        for character in text:
            n_bytes = len(character.encode())
            if not is_whitespace(character):
                out += _copied(self._blanks)
                out.append((character, n_bytes))
                self._is_at_begin, self._blanks = False, ""
            elif self._left and self._is_at_begin:
                out.append(("", n_bytes))
            elif self._right:
                self._blanks += character
            else:
                out.append((character, n_bytes))
        return out

    def finish(self) -> list[Mapped]:
        """See `Step`."""
        n_bytes = len(self._blanks.encode())
        self._begin()
        return [("", n_bytes)] if n_bytes else []


class Prepend:
    """Puts text before a segment that is not empty.

    >>> prepend = Prepend("_")
    >>> prepend.push(""), prepend.push("a"), prepend.push("b")
    ([], [('_', 0), ('a', 1)], [('b', 1)])
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._is_at_begin = True

    def push(self, text: str) -> list[Mapped]:
        """See `Step`."""
        if not text:
            return []
        before: list[Mapped] = [(self._text, 0)] if self._is_at_begin else []
        self._is_at_begin = False
        return before + _copied(text)

    def finish(self) -> list[Mapped]:
        """See `Step`."""
        self._is_at_begin = True
        return []


class Replace:
    """Puts `content` for each occurrence of `literal`, from left to right, without overlaps.

    Held back: a suffix that may become the literal.

    >>> replace = Replace("aab", "x")
    >>> replace.push("caa"), replace.push("aa"), replace.push("b")
    ([('c', 1)], [('aa', 2)], [('x', 3)])

    Raises:
        ConfigurationError: the literal is empty.
    """

    def __init__(self, literal: str, content: str) -> None:
        if not literal:
            raise ConfigurationError("the text to replace is empty; give at least one character")
        self._literal, self._content = literal, content
        self._held = ""

    def push(self, text: str) -> list[Mapped]:
        """See `Step`."""
        *before, rest = (self._held + text).split(self._literal)
        out: list[Mapped] = []
        for part in before:
            out += _copied(part)
            out.append((self._content, len(self._literal.encode())))
        length = min(len(rest), len(self._literal) - 1)
        while length and not self._literal.startswith(rest[-length:]):
            length -= 1
        self._held = rest[len(rest) - length :]
        return out + _copied(rest[: len(rest) - length])

    def finish(self) -> list[Mapped]:
        """See `Step`."""
        held, self._held = self._held, ""
        return _copied(held)


def is_whitespace(character: str) -> bool:
    r"""Whether a character has the property White_Space; `str.isspace` adds \x1c to \x1f."""
    return character.isspace() and character not in "\x1c\x1d\x1e\x1f"


def joined(parts: Iterable[Mapped]) -> str:
    """Return the text without its sources."""
    return "".join(text for text, _ in parts)


def _copied(text: str) -> list[Mapped]:
    """Account for text that stays as it is."""
    return [(text, len(text.encode()))] if text else []
