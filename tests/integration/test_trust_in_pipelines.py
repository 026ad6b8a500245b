"""A special token never forms across a change of trust, whichever stage looks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest
from small_models import build, parts_of
from small_pipelines import cascade, steps
from test_merge_lists import config

from tokstream import _core

if TYPE_CHECKING:
    from collections.abc import Iterable

NORMALIZERS: list[dict[str, Any] | None] = [None, {"type": "NFC"}, {"type": "Lowercase"}]
SPECIAL = 50


def core_of(normalizer: dict[str, Any] | None, **flags: bool) -> _core.Core:
    """Characters, and one special token."""
    vocab = {char: k for k, char in enumerate("abse <>é\u0301_")}
    token = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False) | flags
    added = [{"id": SPECIAL, "content": "<se\u0301>", "special": True, **token}]
    bpe: dict[str, Any] = {"type": "BPE", "vocab": vocab, "merges": [], "unk_token": None}
    data = config(bpe, normalizer=normalizer, added_tokens=added)
    parts = parts_of(data)
    parts.extra["normalizer"], parts.extra["levels"] = steps(normalizer), cascade(None)
    return build(parts)


def run(core: _core.Core, parts: Iterable[tuple[str, bool]]) -> list[int]:
    """Ids of chunks, each with whether it is trusted."""
    trusted, untrusted = core.special_set(None, []), core.special_set([], [])
    stream = _core.Stream(core, trusted, False, None, True)  # noqa: FBT003
    ids: list[int] = []
    for text, is_trusted in parts:
        specials = trusted if is_trusted else untrusted
        ids += stream.feed(text, specials)
    return ids + cast("list[int]", stream.finish(False))  # noqa: FBT003


@pytest.mark.parametrize("normalizer", NORMALIZERS, ids=lambda n: str(n and n["type"]))
@pytest.mark.parametrize("flags", [{}, {"normalized": True}, {"lstrip": True}, {"rstrip": True}])
def test_no_special_token_across_a_change(
    normalizer: dict[str, Any] | None, flags: dict[str, bool]
) -> None:
    core = core_of(normalizer, **flags)
    text = "a <se\u0301> b"
    begin, end = text.index("<"), text.index(">") + 1
    assert SPECIAL in run(core, [(text, True)])
    assert SPECIAL not in run(core, [(text, False)])
    for cut in range(len(text) + 1):
        first, second = text[:cut], text[cut:]
        assert (SPECIAL in run(core, [(first, True), (second, False)])) == (cut >= end)
        found = SPECIAL in run(core, [(first, False), (second, True)])
        assert found == (cut <= begin), cut
        assert run(core, [(first, True), (second, True)]) == run(core, [(text, True)])
