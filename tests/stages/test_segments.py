"""Stage 2 against the definition of Seg, by brute force on small alphabets."""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from oracles import stable, ways_to_cut

from tokstream.errors import ConfigurationError, DisallowedSpecialTokenError

if TYPE_CHECKING:
    from types import ModuleType


def naive_segments(allowed: dict[str, int], text: str) -> list[str | int]:
    """Characters, and ids of special tokens: leftmost, then longest."""
    out: list[str | int] = []
    i = 0
    while i < len(text):
        here = [name for name in allowed if text.startswith(name, i)]
        name = max(here, key=len, default="")
        out.append(allowed[name] if name else text[i])
        i += max(1, len(name))
    return out


def leftmost(names: list[str], text: str) -> tuple[int, str] | None:
    found = [(text.find(name), -len(name), name) for name in names if name in text]
    return (min(found)[0], min(found)[2]) if found else None


def flat(segments: list[Any]) -> list[str | int]:
    out: list[str | int] = []
    for segment in segments:
        out += segment if isinstance(segment, str) else [segment.id]
    return out


def random_names(rng: random.Random) -> list[str]:
    names = {"".join(rng.choices("ab<", k=rng.randint(1, 4))) for _ in range(rng.randint(1, 4))}
    return sorted(names)


def test_maximum_stable_prefix_after_every_character(implementation: ModuleType) -> None:
    rng = random.Random(1)
    for _ in range(60):
        allowed = {name: k for k, name in enumerate(random_names(rng))}
        text = "".join(rng.choices("ab<", k=10))
        segments = implementation.Segments(allowed)
        out: list[str | int] = []
        for i, character in enumerate(text):
            out += flat(segments.push(character))
            expected = stable(partial(naive_segments, allowed), text[: i + 1], "ab<", 4)
            assert out == expected, (allowed, text[: i + 1])
        assert out + flat(segments.finish()) == naive_segments(allowed, text)


def test_every_cut_gives_the_same(implementation: ModuleType) -> None:
    rng = random.Random(2)
    for _ in range(150):
        allowed = {name: k for k, name in enumerate(random_names(rng))}
        text = "".join(rng.choices("ab<", k=12))
        for chunks in ways_to_cut(text):
            segments = implementation.Segments(allowed)
            out = [part for chunk in chunks for part in segments.push(chunk)]
            assert "" not in out
            assert flat(out + segments.finish()) == naive_segments(allowed, text)


def test_disallowed_is_found_wherever_it_occurs(implementation: ModuleType) -> None:
    rng = random.Random(3)
    n_found = 0
    for _ in range(300):
        names = random_names(rng)
        k = rng.randint(0, len(names) - 1)
        allowed = {name: i for i, name in enumerate(names[:k])}
        text = "é" + "".join(rng.choices("ab<", k=7))
        expected = leftmost(names[k:], text)
        n_found += expected is not None
        for chunks in ways_to_cut(text):
            segments = implementation.Segments(allowed, names[k:])
            out: list[Any] = []
            found = None
            try:
                for chunk in chunks:
                    out += segments.push(chunk)
                out += segments.finish()
            except DisallowedSpecialTokenError as error:
                found = error.offset, error.token
            if expected is None:
                assert found is None
                assert flat(out) == naive_segments(allowed, text)
            else:
                assert found == (expected[0] + 1, expected[1]), (names, k, chunks)
                whole = naive_segments(allowed, text)
                assert whole[: len(flat(out))] == flat(out)
    assert n_found > 100


def test_an_allowed_token_waits_for_a_disallowed_one_inside(implementation: ModuleType) -> None:
    segments = implementation.Segments({"<a>": 1}, [">b"])
    assert segments.push("<a>") == []
    assert flat(segments.push("c")) == [1, "c"]
    segments = implementation.Segments({"<a>": 1}, [">b"])
    segments.push("<a>")
    with pytest.raises(DisallowedSpecialTokenError, match="disallowed_special") as caught:
        segments.push("b")
    assert (caught.value.offset, caught.value.token) == (2, ">b")


def test_no_special_token_forms_across_a_change_of_trust(implementation: ModuleType) -> None:
    segments = implementation.Segments({"<end>": 1})
    assert segments.push("a<en") == ["a"]
    assert segments.set_trust({"<end>": 1}, ()) == []
    assert segments.set_trust({}, ()) == ["<en"]
    assert segments.push("d><end>") == ["d><end>"]
    assert segments.set_trust({"<end>": 1}, ()) == []
    assert flat(segments.push("<end>")) == [1]


def test_holds_the_suffix_only(implementation: ModuleType) -> None:
    segments = implementation.Segments({"<end>": 1}, ["éé"])
    segments.push("some text <e")
    assert segments.n_held == 2
    segments.push("x é")
    assert segments.n_held == 2


def test_empty_special_token(implementation: ModuleType) -> None:
    with pytest.raises(ConfigurationError, match="empty"):
        implementation.Segments({"": 1})
