"""What every tokenizer must do: ids of the reference, for every cut, and never taken back.

In: a native core, its set of added tokens and a function that gives the reference's ids.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tokstream import _core

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Reference = Callable[[str], list[int] | None]

__all__ = ["check_cuts", "check_stability", "check_text"]


def _stream(core: _core.Core, specials: _core.SpecialSet, *, optimal: bool = True) -> _core.Stream:
    return _core.Stream(core, specials, False, None, optimal)  # noqa: FBT003


def _fed(stream: _core.Stream, part: str | bytes) -> list[int]:
    return stream.feed(part)


def _finished(stream: _core.Stream) -> list[int]:
    return cast("list[int]", stream.finish(False))  # noqa: FBT003


def _run(core: _core.Core, specials: _core.SpecialSet, parts: Iterable[bytes]) -> list[int]:
    stream = _stream(core, specials)
    ids: list[int] = []
    for part in parts:
        ids += _fed(stream, part)
        n_tokens, n_bytes, delay = stream.counters()
        assert n_tokens == len(ids)
        assert 0 <= delay <= n_bytes
    return ids + _finished(stream)


def check_text(
    core: _core.Core, specials: _core.SpecialSet, text: str, expected: list[int] | None
) -> None:
    """The whole text at once, byte by byte, and cut in two at every byte."""
    if expected is None:  # the reference has no answer
        return
    assert core.encode(text, specials, False, False) == expected, text  # noqa: FBT003
    check_cuts(core, specials, text.encode(), expected)


def check_cuts(
    core: _core.Core, specials: _core.SpecialSet, text: bytes, expected: list[int]
) -> None:
    """The same ids for every cut in two, and byte by byte."""
    assert _run(core, specials, [text[k : k + 1] for k in range(len(text))]) == expected, text
    for cut in range(len(text) + 1):
        assert _run(core, specials, [text[:cut], text[cut:]]) == expected, (text, cut)


def check_stability(
    core: _core.Core,
    specials: _core.SpecialSet,
    text: str,
    continuations: Iterable[str],
    reference: Reference,
) -> int:
    """What a stream has given for a prefix begins the ids of every continuation.

    Returns:
        Bytes of delay, added up.
    """
    stream = _stream(core, specials)
    ids = _fed(stream, text)
    for continuation in ["", *continuations]:
        whole = reference(text + continuation)
        if whole is not None:
            assert whole[: len(ids)] == ids, (text, continuation)
        if not continuation and whole is not None:
            peeked = cast("list[int]", stream.peek(False))  # noqa: FBT003
            assert ids + peeked == whole
            assert ids + _finished(stream.copy()) == whole
    return stream.counters()[2]
