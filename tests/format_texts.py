"""Texts that tokenizers stumble over: specials, blanks, marks, controls, emoji, rare scripts.

Enters: a random generator and the texts of a tokenizer's added tokens. Leaves: short texts, each of
a few pieces from pools of such things, drawn anew for every text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sequence

__all__ = ["generated_texts", "random_cuts"]

_BLANKS = (
    *(" " * n for n in (1, 1, 1, 2, 3, 4, 15, 16, 17, 31, 40)),
    *("\t", "\n", "\r\n", "\n\n", "\r", "\v", "\f", " \n", "\n ", "\t\t "),
    *("\u00a0", "\u3000", "\u2003", "\u1680", "\u2028", "\u2029", "\u0085", "\u202f"),
)
_MARKS = (
    *(
        "e\u0301",
        "e\u0301\u0327",
        "\u0301",
        "\u0300\u0301",
        "a\u0308\u0301",
        "\u0344",
        "\u1e9b\u0323",
    ),
    *("\u0627\u064b", "\u05e9\u05c1", "\ufb1d", "\u0915\u093c", "\u0958", "\u3099", "\u304b\u3099"),
    *("\u1100\u1161\u11a8", "\uac00\u11a8", "\u1100", "\uac00", "\u00c5", "\u212b", "\u2126"),
    *("\ufb01", "\u00bd", "\u2460", "\uff21", "\u1d400", "\u00df", "\u0130", "\u017f", "\u03a3"),
)
_CONTROLS = (
    *("\0", "\x01", "\x07", "\x08", "\x1b", "\x7f", "\x80", "\x9f", "\u200b", "\u200c", "\u200d"),
    *("\u2060", "\ufeff", "\u00ad", "\u034f", "\u061c", "\u180e", "\ufffd", "\ufffe", "\U000e0001"),
)
_EMOJI = (
    *("\U0001f600", "\U0001f469\u200d\U0001f467", "\U0001f1e9\U0001f1ea", "\U0001f44d\U0001f3fd"),
    *("\u2764\ufe0f", "\U0001f3f3\ufe0f\u200d\U0001f308", "1\ufe0f\u20e3", "\u263a"),
)
_SCRIPTS = (
    *("क्षि", "ไทย", "ꦏꦶ", "𐎀𐎁", "𒀀", "ᚠᚢ", "中文字", "日本語テスト", "한국어", "Привет", "עברית"),
    *("مرحبا", "ሰላም", "မြန်မာ", "ქართული", "Ελληνικά", "བོད", "ᏣᎳᎩ", "𝒜𝒷", "ꓡꓲ", "𞤀𞤣"),
)
_PLAIN = (
    *(
        "a",
        "the",
        "The",
        " hello",
        " World",
        "it's",
        "I'LL",
        "don't",
        "foo_bar",
        "x=1;",
        "CamelCase",
    ),
    *("0", "1", "12", "1234567", "3.14", "1e-9", "\u0661\u0662", "\u2167"),
    *(
        ".",
        ",",
        "...",
        "!?",
        "--",
        "(",
        ")]",
        "#",
        "##",
        "%%",
        "@",
        "http://a.b/c?d=e",
        "$$",
        "~~~",
    ),
)
_LOOKALIKES = (
    *("\u2581", "\u2581\u2581a", "<", "<0x0A>", "<0xE2>", "</w>", "s>", "<s", "\u0120", "\u010a"),
    *("<|", "|>", "<|endof", "text|>", "<unk>", "<s>", "</s>", "[INST]", "[/INST", "\u00e9"),
)
_POOLS: Sequence[Sequence[str]] = (
    *(_BLANKS, _MARKS, _CONTROLS, _EMOJI, _SCRIPTS, _PLAIN, _PLAIN, _LOOKALIKES),
)


def generated_texts(
    rng: random.Random, n: int, added: Sequence[str] = (), longest: int = 20
) -> Iterator[str]:
    """Yield `n` texts of 1 to `longest` pieces each."""
    for _ in range(n):
        # few pools for one text: the same things meet more often
        pools = rng.sample(_POOLS, rng.randint(1, 4))
        if added and rng.random() < 0.6:
            pools.append(rng.sample(added, min(len(added), rng.randint(1, 6))))
        parts = [rng.choice(rng.choice(pools)) for _ in range(rng.randint(1, longest))]
        if rng.random() < 0.2:
            parts.insert(rng.randrange(len(parts) + 1), _any_character(rng))
        yield "".join(parts)


def random_cuts(rng: random.Random, data: bytes, longest: int) -> Iterator[bytes]:
    """Yield chunks of 1 to `longest` bytes, cut anywhere."""
    at = 0
    while at < len(data):
        n = rng.randint(1, longest)
        yield data[at : at + n]
        at += n


def _any_character(rng: random.Random) -> str:
    code = rng.choice((rng.randrange(0x3000), rng.randrange(0x10000), rng.randrange(0x110000)))
    return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code)
