"""Reference normalizers against `tokenizers`, at every cut, and what they account for.

`unicodedata` here, the tables of `tokenizers` and those of the engine are of different Unicode
versions. So the texts are made of characters on which the two agree: all single code points are
compared, and those where they differ must be such that one of the two does not know them.
"""

from __future__ import annotations

import random
import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from tokstream.errors import ConfigurationError
from tokstream.reference.forms import Form, FormName, Mapped
from tokstream.reference.normalize import (
    Lowercase,
    Normalizer,
    Prepend,
    Replace,
    Step,
    Strip,
    StripAccents,
    joined,
)

if TYPE_CHECKING:
    from collections.abc import Callable

N = pytest.importorskip("tokenizers.normalizers")

# letters, marks of several classes, jamo, syllables, compatibility characters, blanks
LETTERS = "aeoqsAEΣσİıßéüǖåÅΩᾳ漢가각갂ﬁ²½①ｶﾞ℃豈Ǆ"
MARKS = "\u0300\u0301\u0304\u0308\u030a\u0323\u0327\u0345\u0338\u3099\u0c56\u0f71\u0f74\u05b0\u20d2"
JAMO = "ᄀ하ᅵᆨᇂ"
PAIRS = "\u09c7\u09be\u0dd9\u0dcf\u0dca\u1025\u102e\U00011099\U000110ba"  # composing starters
OTHER = " \u00a0\u3000\n\u200b_xX.\u0344\u0958\u2adc"
ALPHABET = LETTERS + MARKS + JAMO + PAIRS + OTHER
FORMS: tuple[FormName, ...] = ("NFC", "NFD", "NFKC", "NFKD")

CHAINS: dict[str, tuple[Callable[[], list[Step]], Any]] = {
    **{
        name: (lambda name=name: [Form(name)], getattr(N, name)())  # type: ignore[misc]
        for name in FORMS
    },
    "lowercase": (lambda: [Lowercase()], N.Lowercase()),
    "strip accents": (lambda: [StripAccents()], N.StripAccents()),
    "strip": (lambda: [Strip(left=True, right=True)], N.Strip()),
    "strip left": (lambda: [Strip(left=True, right=False)], N.Strip(left=True, right=False)),
    "prepend": (lambda: [Prepend("▁")], N.Prepend("▁")),
    "replace": (lambda: [Replace("ee", "xyz")], N.Replace("ee", "xyz")),
    "sentencepiece": (
        lambda: [Prepend("▁"), Replace(" ", "▁")],
        N.Sequence([N.Prepend("▁"), N.Replace(" ", "▁")]),
    ),
    "all": (
        lambda: [
            Strip(left=True, right=True),
            Form("NFKD"),
            StripAccents(),
            Lowercase(),
            Replace("ae", ""),
            Form("NFC"),
            Prepend("_"),
        ],
        N.Sequence(
            [
                N.Strip(),
                N.NFKD(),
                N.StripAccents(),
                N.Lowercase(),
                N.Replace("ae", ""),
                N.NFC(),
                N.Prepend("_"),
            ]
        ),
    ),
}


def run(normalizer: Normalizer, chunks: list[str]) -> list[Mapped]:
    parts: list[Mapped] = []
    fed = 0
    for chunk in chunks:
        fed += len(chunk.encode())
        parts += normalizer.push(chunk)
        assert fed - sum(n for _, n in parts) == normalizer.n_held >= 0
    parts += normalizer.finish()
    assert normalizer.n_held == 0
    return parts


@pytest.mark.parametrize("name", CHAINS)
def test_random_texts_at_random_cuts(name: str) -> None:
    make, peer = CHAINS[name]
    rng = random.Random(name)
    for _ in range(300):
        text = "".join(rng.choices(rng.sample(ALPHABET, 6), k=rng.randint(0, 12)))
        expected = peer.normalize_str(text)
        normalizer = Normalizer(make())
        assert normalizer.normalize(text) == expected
        cuts = sorted(rng.choices(range(len(text) + 1), k=rng.randint(0, 4)))
        bounds = [0, *cuts, len(text)]
        chunks = [text[a:b] for a, b in pairwise(bounds)]
        for given in (chunks, list(text)):
            parts = run(normalizer, given)  # the same object: a new segment begins at finish
            assert joined(parts) == expected, (text, given)
            assert sum(n for _, n in parts) == len(text.encode())


@pytest.mark.parametrize("name", FORMS)
def test_every_code_point(name: FormName) -> None:
    peer = getattr(N, name)()
    n_changed = n_differing = 0
    for character in map(chr, (*range(0xD800), *range(0xE000, 0x110000))):
        expected = unicodedata.normalize(name, character)
        if expected == (found := peer.normalize_str(character)) == character:
            continue
        form = Form(name)
        assert joined(form.push(character) + form.finish()) == expected
        n_changed += 1
        if expected != found:
            n_differing += 1
            assert found == character  # it is newer than the peer's tables
    assert n_differing < 100 < 1_000 < n_changed


@pytest.mark.parametrize("name", FORMS)
def test_what_is_given_out_is_stable(name: FormName) -> None:
    rng = random.Random(name)
    tails = ["", *ALPHABET, "\u0323\u0301", "\u0338\u0323", "\u0328"]
    for _ in range(300):
        text = "".join(rng.choices(ALPHABET, k=rng.randint(1, 5)))
        form = Form(name)
        given = joined(form.push(text))
        assert all(unicodedata.normalize(name, text + tail).startswith(given) for tail in tails)
        # a starter that composes with nothing completes what was held, and is not held itself
        assert given + joined(form.push("漢")) == unicodedata.normalize(name, text + "漢")


def test_sources_of_single_characters() -> None:
    parts = run(Normalizer([Lowercase(), Form("NFKD"), Replace("f", "ff")]), ["ﬁÀ x"])
    assert parts == [("ff", 3), ("i", 0), ("a\u0300", 2), (" ", 1), ("x", 1)]


def test_source_of_what_is_deleted() -> None:
    parts = run(Normalizer([StripAccents(), Form("NFC"), Prepend("_")]), ["e\u0301"])
    assert parts == [("_", 0), ("e", 1), ("", 2)]
    assert run(Normalizer([StripAccents(), Form("NFC")]), ["\u0301"]) == [("", 2)]


def test_refusal() -> None:
    with pytest.raises(ConfigurationError, match="empty"):
        Replace("", "x")
