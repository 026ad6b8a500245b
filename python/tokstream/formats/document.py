"""JSON with places: a document in, its values out, every complaint with its path.

Enters: the bytes of a JSON file. Leaves: `Node`s, which say what they are and where they stand
(`$.model.merges[17]`) when they are not what was expected. Held back: nothing.
"""

from __future__ import annotations

import codecs
import gc
import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

from tokstream.errors import UnsupportedTokenizerError, VocabularyError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

__all__ = ["Node", "collector_paused", "parse_document", "shown"]

_NAMES = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    type(None): "null",
}
_SHOWN = 60


class Node:
    """One value of a JSON document.

    Attributes:
        value: what `json` made of it.
        place: its path in the document, such as `$.decoder.decoders[1]`.
        label: how the file is called in messages.
        path: the file, None if it came as bytes.
    """

    __slots__ = ("label", "path", "place", "value")

    def __init__(self, value: Any, place: str, label: str, path: str | None) -> None:  # noqa: ANN401 - JSON
        self.value = value
        self.place = place
        self.label = label
        self.path = path

    def child(self, value: Any, step: str) -> Node:  # noqa: ANN401 - JSON
        """Return a node below this one."""
        return Node(value, self.place + step, self.label, self.path)

    def __getitem__(self, key: str) -> Node:
        """Return the member `key`.

        Raises:
            VocabularyError: this is no object, or it has no such member.
        """
        members = self.members()
        if key not in members:
            raise self.wrong(f"has no {key!r}")
        return self.child(members[key], f".{key}")

    def get(self, key: str) -> Node | None:
        """Return the member `key`, None if it is missing or null."""
        value = self.members().get(key)
        return None if value is None else self.child(value, f".{key}")

    def members(self) -> dict[str, Any]:
        """Return the members of an object, as they are."""
        return self._as(dict)  # type: ignore[no-any-return]

    def elements(self) -> list[Any]:
        """Return the elements of a list, as they are."""
        return self._as(list)  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[Node]:
        """Yield the elements of a list."""
        for k, value in enumerate(self.elements()):
            yield self.child(value, f"[{k}]")

    def text(self) -> str:
        """Return a string that has a UTF-8 form."""
        text: str = self._as(str)
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError as error:
                raise self.wrong(
                    f"holds a lone surrogate at character {error.start}, which has no UTF-8 form"
                ) from None
        return text

    def flag(self, key: str, default: bool | None = None) -> bool:
        """Return the member `key`, true or false; `default` if it is missing or null."""
        node = self.get(key)
        if node is None:
            if default is None:
                raise self.wrong(f"has no {key!r}, expected true or false")
            return default
        return node._as(bool)  # type: ignore[no-any-return]  # noqa: SLF001 - of the same class

    def number(self, low: int = 0, high: int = 2**32 - 2) -> int:
        """Return a whole number in a range."""
        number: int = self._as(int)
        if not low <= number <= high:
            raise self.wrong(f"is {number}, outside {low}..{high}")
        return number

    def choice(self, allowed: Collection[str]) -> str:
        """Return a string that is one of `allowed`."""
        text = self.text()
        if text not in allowed:
            expected = ", ".join(map(repr, allowed))
            raise self.wrong(f"is {shown(text)}, expected one of {expected}")
        return text

    def wrong(
        self, what: str, remedy: str = "get the file again, or correct it"
    ) -> VocabularyError:
        """Return the error that says what is wrong here."""
        return VocabularyError(f"{self.label}: {self.place} {what}; {remedy}", self.path)

    def unsupported(self, component: str, why: str) -> UnsupportedTokenizerError:
        """Return the error that says which part cannot be honoured exactly, and why."""
        return UnsupportedTokenizerError(
            f"{self.label}: {self.place}: {component} cannot be honoured exactly: {why}",
            component,
            self.place,
            self.path,
        )

    def _as(self, kind: type) -> Any:  # noqa: ANN401 - JSON
        # true and false are ints to Python, not to JSON
        if type(self.value) is not kind:
            self._refuse(kind)
        return self.value

    def _refuse(self, kind: type) -> NoReturn:
        found = _NAMES.get(type(self.value), "something else")
        if not isinstance(self.value, dict | list | type(None)):
            found = shown(self.value)
        raise self.wrong(f"is {found}, expected {_NAMES[kind]}")


def shown(value: object) -> str:
    """Return a value as Python writes it, cut to a readable length."""
    text = repr(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the collector of cycles while millions of small objects are made.

    None of them is garbage, and it would look at all of them, many times.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def parse_document(data: bytes, label: str, path: str | None) -> Node:
    """Parse a JSON document.

    Raises:
        VocabularyError: it is not JSON; the message says at which byte.

    Cost: O(bytes), 0.3 s for 30 MB.
    """
    encoded = data.removeprefix(codecs.BOM_UTF8)
    skipped = len(data) - len(encoded)
    try:
        text = encoded.decode()
    except UnicodeDecodeError as error:
        raise VocabularyError(
            f"{label}: byte {skipped + error.start} is not UTF-8, which JSON is; "
            "get the file again",
            path,
        ) from None
    try:
        with collector_paused():
            value = json.loads(text)
    except json.JSONDecodeError as error:
        at = skipped + len(text[: error.pos].encode())
        hint = "it is cut short" if error.pos >= len(text.rstrip()) else "it is damaged"
        if error.msg.startswith("Unterminated string"):
            hint = "it is cut short or damaged"
        raise VocabularyError(
            f"{label}: not JSON at byte {at} of {len(data)} ({error.msg.lower()}); "
            f"{hint}, get the file again",
            path,
        ) from None
    except ValueError:  # of Python, which does not read numbers of thousands of digits
        raise VocabularyError(
            f"{label}: a whole number of more than {sys.get_int_max_str_digits()} digits, "
            "which nothing in a tokenizer needs; get the file again",
            path,
        ) from None
    except RecursionError:
        raise VocabularyError(
            f"{label}: JSON nested too deeply for a tokenizer; get the file again", path
        ) from None
    return Node(value, "$", label, path)
