"""Stage 4 against the definition of Merge, on random vocabularies."""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING

import pytest
from oracles import naive_merge, random_bpe_tokens, random_tokens, stable, ways_to_cut

if TYPE_CHECKING:
    from types import ModuleType

MAKERS = [random_bpe_tokens, random_tokens]


def whole(tokens: list[bytes], text: str) -> list[int]:
    """A pretoken's ids: itself if it is a token, else its Merge."""
    piece = text.encode()
    parts = [piece] if piece in tokens else naive_merge(tokens, piece)
    return [tokens.index(part) for part in parts]


@pytest.mark.parametrize("make", MAKERS)
def test_maximum_stable_prefix_after_every_character(
    implementation: ModuleType, make: type
) -> None:
    rng = random.Random(1)
    for _ in range(60):
        tokens = make(rng, "ab", rng.randint(1, 8), 5)
        live = implementation.Tokens(implementation.MergeRules(tokens))
        text = "".join(rng.choices("ab", k=14))
        out: list[int] = []
        for i, character in enumerate(text):
            out += live.push(character)
            # a token across the end has at most 4 bytes behind it
            assert out == stable(partial(whole, tokens), text[: i + 1], "ab", 4), (
                tokens,
                text[: i + 1],
            )
        assert out + live.cut() == whole(tokens, text)


@pytest.mark.parametrize("make", MAKERS)
def test_every_cut_gives_the_same(implementation: ModuleType, make: type) -> None:
    rng = random.Random(2)
    for _ in range(150):
        tokens = make(rng, "abc", rng.randint(1, 14), 6)
        live = implementation.Tokens(implementation.MergeRules(tokens))
        text = "".join(rng.choices("abc", k=25))
        for chunks in ways_to_cut(text):
            out = [token for chunk in chunks for token in live.push(chunk)]
            assert out + live.cut() == whole(tokens, text), (tokens, chunks)
            out = [token for chunk in chunks[:-1] for token in live.push(chunk)]
            assert out + live.cut(chunks[-1]) == whole(tokens, text), (tokens, chunks)


def test_whole_pretoken_rule(implementation: ModuleType) -> None:
    """`aba` is a token that merges never make, since nothing makes `ab` or `ba`."""
    live = implementation.Tokens(implementation.MergeRules([b"a", b"b", b"aba"]))
    assert [live.push(character) for character in "abab"] == [[], [], [], [0, 1, 0, 1]]
    assert live.cut() == []
    assert live.push("aba") == []
    assert live.cut() == [2]
    assert live.push("b") == [1]
    assert live.push("aba") == [0, 1, 0]


def test_memory_is_the_pending_tail(implementation: ModuleType) -> None:
    tokens = [b"a", b"aa", b"aaaa", b"aaaaaaaa"]
    live = implementation.Tokens(implementation.MergeRules(tokens))
    held = 0
    for _ in range(200):
        live.push("a")
        held = max(held, live.n_held)
    assert held < 16


def test_copy_is_independent(implementation: ModuleType) -> None:
    live = implementation.Tokens(implementation.MergeRules([b"a", b"b", b"ab"]))
    live.push("a")
    twin = live.copy()
    assert twin.push("b") == [2]
    assert live.cut() == [0]


def test_chain_that_the_last_byte_decides(implementation: ModuleType) -> None:
    """A chain of merges that the last byte decides: nothing is stable before it.

    c0 v c1 v c2 …: without d at the end each c takes the v behind it or before it, in turn.
    """
    n = 6
    symbols = "".join(chr(ord("0") + i) for i in range(n + 1))
    top = symbols[n]
    rules = [top + "d", "a" + top]
    for c in reversed(symbols[1:n]):
        rules += [c + "a", "a" + c]
    rules.append("0a")
    tokens = [character.encode() for character in symbols + "ad"] + [r.encode() for r in rules]
    text = "a".join(symbols)
    live = implementation.Tokens(implementation.MergeRules(tokens))
    assert [live.push(character) for character in text] == [[]] * len(text)
    first = live.copy().cut()[0]
    assert live.cut("d")[0] != first
