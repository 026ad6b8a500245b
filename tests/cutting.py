"""Ways to cut a text, and a stream fed with the parts.

Enters: a text (`str` or bytes), the ids it must give. Leaves: nothing, or an assertion error that
names the cut and the first id that differs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Sequence

    from tokstream import EncodeStream

__all__ = [
    "check_single_cuts",
    "check_unit_by_unit",
    "feed_all",
    "outcome",
    "random_parts",
    "sample_cuts",
]

Part = TypeVar("Part", bound="str | bytes")


def feed_all(stream: EncodeStream, parts: Iterable[str | bytes]) -> list[int]:
    """Feed the parts and finish; return all ids."""
    ids: list[int] = []
    for part in parts:
        ids += stream.feed(part)
    return ids + stream.finish()


def random_parts(rng: random.Random, text: Part, n_cuts: int) -> list[Part]:
    """Cut at random places, which may coincide: some parts are empty."""
    cuts: list[int] = sorted(rng.randint(0, len(text)) for _ in range(n_cuts))
    edges = zip([0, *cuts], [*cuts, len(text)], strict=True)
    return [cast("Part", text[i:j]) for i, j in edges]


def sample_cuts(rng: random.Random, n: int, n_cuts: int) -> list[int]:
    """Return all places to cut something of length n, or a sample with both ends."""
    if n < n_cuts:
        return list(range(n + 1))
    return sorted({0, 1, n - 1, n, *rng.sample(range(n + 1), n_cuts)})


def check_single_cuts(
    make: Callable[[], EncodeStream],
    text: str | bytes,
    cuts: Sequence[int],
    expected: Sequence[int],
) -> None:
    """Cut at each single place: in two fresh chunks, and behind a beginning fed unit by unit."""
    slow = make()
    emitted: list[int] = []
    fed = 0
    for cut in cuts:
        stream = make()
        ids = stream.feed(text[:cut])
        ids += stream.feed(text[cut:])
        ids += stream.finish()
        if ids != expected:
            raise AssertionError(_difference(f"cut at {cut}", text, ids, expected))
        while fed < cut:
            emitted += slow.feed(text[fed : fed + 1])
            fed += 1
        fork = slow.copy()
        ids = emitted + fork.feed(text[cut:])
        ids += fork.finish()
        if ids != expected:
            how = f"unit by unit up to {cut}, then the rest"
            raise AssertionError(_difference(how, text, ids, expected))


def check_unit_by_unit(
    make: Callable[[], EncodeStream], text: str | bytes, expected: Sequence[int]
) -> None:
    """Feed one byte, or one character, at a time."""
    ids = feed_all(make(), [text[i : i + 1] for i in range(len(text))])
    if ids != expected:
        raise AssertionError(_difference("unit by unit", text, ids, expected))


def outcome(call: Callable[[], Sequence[int]]) -> tuple[str, object]:
    """Return the ids, or the class and attributes of the error: to compare two ways of one call."""
    try:
        return "ids", list(call())
    except ValueError as error:
        attributes = {k: v for k, v in vars(error).items() if k in ("offset", "token", "ids")}
        return type(error).__name__, attributes


def _difference(how: str, text: str | bytes, found: Sequence[int], expected: Sequence[int]) -> str:
    k = 0
    while k < min(len(found), len(expected)) and found[k] == expected[k]:
        k += 1
    shown = repr(text) if len(text) <= 200 else f"{text[:100]!r} ... {text[-100:]!r}"
    return (
        f"{how}: from id {k} on {list(found[k : k + 8])} instead of "
        f"{list(expected[k : k + 8])}; {len(text)} units of {shown}"
    )
