"""Inputs of `encode` in all the forms that the reference takes: checked, as plain `str` and lists.

Enters: a text, words, pairs of either, arrays of them. Leaves: one or two texts for each input.
Held back: nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokstream._buffers import plain
from tokstream.compat.huggingface.arguments import checked_flag

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Input", "check_text", "one_or_two", "one_or_two_each"]

Words = list[str]
Input = str | Words


def check_text(text: str) -> None:
    """Refuse what the reference refuses: surrogates, which are no text.

    Raises:
        TypeError: as in the reference.
    """
    if text.isascii():  # much sooner done than to encode it
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise TypeError(
            f"the text holds a lone surrogate at character {error.start}; replace it first"
        ) from None


def one_or_two(sequence: object, pair: object, is_pretokenized: object) -> list[Input]:
    """Return a text, or the two of a pair.

    Raises:
        TypeError: an input of another form.
    """
    is_words = checked_flag("is_pretokenized", is_pretokenized)
    given = [sequence] if pair is None else [sequence, pair]
    return [_input(part, is_pretokenized=is_words) for part in given]


def _input(sequence: object, *, is_pretokenized: bool) -> Input:
    """Return a text, or words as a list; exact `str`s, whatever a class made of it says.

    Raises:
        TypeError: something else.
    """
    if not is_pretokenized:
        if not isinstance(sequence, str):
            raise TypeError(
                f"the text is {type(sequence).__name__}; give a str (a list of words with "
                "is_pretokenized=True)"
            )
        text = plain(sequence)
        check_text(text)
        return text
    words = sequence
    if not isinstance(words, list | tuple):
        # an array of texts, as numpy has them
        words = None if isinstance(words, str) or not hasattr(words, "tolist") else words.tolist()
    if words is None or not all(isinstance(word, str) for word in words):
        raise TypeError(
            f"the text is {type(sequence).__name__}; with is_pretokenized=True give a list of str"
        )
    found = list(map(plain, words))
    for word in found:
        check_text(word)
    return found


def one_or_two_each(inputs: Iterable[object], is_pretokenized: object) -> list[list[Input]]:
    """Return one or two texts for each input.

    Raises:
        TypeError: an input of another form; the message names its index.
    """
    is_words = checked_flag("is_pretokenized", is_pretokenized)
    if isinstance(inputs, str):
        raise TypeError("encode_batch takes several texts; give a list of them")
    found: list[list[Input]] = []
    for at, given in enumerate(inputs):
        if type(given) is str and not is_words:
            check_text(given)
            found.append([given])
            continue
        try:
            parts = _parts(given, is_pretokenized=is_words)
            found.append([_input(part, is_pretokenized=is_words) for part in parts])
        except TypeError as error:
            raise TypeError(f"input {at}: {error}") from None
    return found


def _parts(given: Any, *, is_pretokenized: bool) -> tuple[object, ...]:  # noqa: ANN401
    """Return the one or two texts of an input."""
    if not isinstance(given, str | list | tuple) and hasattr(given, "tolist"):
        given = given.tolist()  # a row of an array, as numpy has them
    if not is_pretokenized:
        if isinstance(given, list | tuple):
            if len(given) != 2:
                raise TypeError(f"{len(given)} texts; give one as a str, or a pair of them")
            return tuple(given)
        return (given,)
    is_pair = (
        isinstance(given, list | tuple)
        and len(given) == 2
        and all(not isinstance(part, str) for part in given)
    )
    return tuple(given) if is_pair else (given,)
