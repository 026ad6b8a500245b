"""Verbs that a class of its own has replaced: what calls them for many texts calls them one by one.

Enters: such a verb, and what it is to be called with. Leaves: its results. Held back: nothing.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from tokstream.compat.tiktoken.arguments import checked_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from collections.abc import Set as AbstractSet

__all__ = ["by_name", "choices", "one_by_one"]

_Given = TypeVar("_Given")
_Result = TypeVar("_Result")


def one_by_one(
    verb: Callable[[_Given], _Result], given: Iterable[_Given], num_threads: int | None
) -> list[_Result]:
    """Return what a verb makes of each; on threads, as in tiktoken.

    Raises:
        ConfigurationError: no number of threads.
    """
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - heavy, and seldom needed

    with ThreadPoolExecutor(checked_threads(num_threads)) as pool:
        return list(pool.map(verb, given))


def choices(
    encode: Callable[..., list[int]],
    special_tokens: AbstractSet[str],
    allowed: Any,  # noqa: ANN401 - as a caller gives them
    disallowed: Any,  # noqa: ANN401
) -> Callable[[str], list[int]]:
    """Return a replaced `encode` with the sets of special tokens that tiktoken gives it."""
    allowed, disallowed = by_name(special_tokens, allowed, disallowed)
    return partial(encode, allowed_special=allowed, disallowed_special=frozenset(disallowed or ()))


def by_name(
    special_tokens: AbstractSet[str],
    allowed: Any,  # noqa: ANN401 - as a caller gives them
    disallowed: Any,  # noqa: ANN401
) -> tuple[Any, Any]:
    """Return choices of special tokens with the tokens that "all" stands for."""
    if allowed == "all":
        allowed = special_tokens
    if disallowed == "all":
        disallowed = frozenset(special_tokens).difference(allowed or ())
    return allowed, disallowed
