"""Chains of steps against `tokenizers`: text, sources, and any cut of the input.

For every way of cutting the input, the output and the source of every character are the same.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from charsmaps import charsmap
from normalizing import Spec, mapped, random_text, reference_mapped, run, text_of
from tokenizers import Regex, normalizers

from cutting import random_parts
from tokstream.patterns import compile_pattern

POOLS: list[list[str]] = [
    list("\u0300\u0301\u0323\u0327\u0338\u0345\u0344\u0340\u05b0\u05bc\u064b\u093c\u094d\u09be"),
    list("\u09c7\u09d7\u0b47\u0b56\u0f71\u0f72\u0f73\u0f75\u0f81\u3099\u20d0\U0001d165\U000110ba"),
    list(
        "aeiouAEIOU\u212bſå\xc5é\u01d6<=>\u1e9b\u09cb\u1025\U00011099\ufb2c\u0f43\u0958\u1fee\u2adc"
    ),
    list("\u1100\u1112\u1161\u1175\u11a8\u11c2\u11a7\uac00\uac01\ud7a3\uac1c\u3131\uffa1"),
    list(" \t\n\r\xa0\u2003\u3000\u2028\u200b\u200d\ufeff\v\f\x1c\x85\u2581"),
    [chr(c) for c in (0, 1, 8, 11, 31, 127, 143, 159, 173, 0xFFFD, 0x1680, 0x200F)],
    ["\U0001f469", "\U0001f3fd", "\u200d", "\u2764", "\ufe0f", "\U0001f1e9", "\xa9", "\u20e3", "1"],
    list("\ufb01\u2460\ufdfa\u3300\xa8\xaf\uff21\U0001d400\u2126\xb2\u0133\uff76\uff9e"),
    list("abc ABC İßẞ Σσς"),
]
SIMPLE: dict[str, Any] = {
    "nfc": normalizers.NFC(),
    "nfd": normalizers.NFD(),
    "nfkc": normalizers.NFKC(),
    "nfkd": normalizers.NFKD(),
    "lowercase": normalizers.Lowercase(),
    "strip_accents": normalizers.StripAccents(),
    "nmt": normalizers.Nmt(),
    "byte_level": normalizers.ByteLevel(),
}
LITERALS = [" ", "ab", "aa", "aba", "\u0301", "\u2581", "é", "aab", "\u0301\u0323"]
PATTERNS = [r" {2,}", r"\s+", r"a+b", r"aab|ab", r"[\u0300-\u036f]+", r"\s+(?!\S)", r"a.*?b"]
PATTERNS += [r"(ab)+c|a|b", r"(?:aa|bb)*c|a", r"\p{N}{1,3}", r"[^\w\s]+"]
RULES = {"a": "b", "é": "e", "e\u0301": "E", "\ufb01": "fi", " ": "\u2581", "\u1100": "", "ab": "Q"}


def random_step(rng: random.Random) -> tuple[tuple[Any, ...], Any]:
    """A step of the spec, and the reference's."""
    kind = rng.choice(["simple", "simple", "strip", "prepend", "replace", "pattern", "map"])
    if kind == "strip":
        sides = rng.random() < 0.6, rng.random() < 0.6
        return ("strip", *sides), normalizers.Strip(*sides)
    if kind == "prepend":
        text = rng.choice(["\u2581", "ab", " ", " \u0301"])
        return ("prepend", text), normalizers.Prepend(text)
    if kind == "replace":
        literal, content = rng.choice(LITERALS), random_text(rng, POOLS, rng.randint(0, 2))
        return ("replace", literal, content), normalizers.Replace(literal, content)
    if kind == "pattern":
        pattern, content = rng.choice(PATTERNS), random_text(rng, POOLS, rng.randint(0, 2))
        automaton = compile_pattern(pattern, "tokenizers", partial=True).to_bytes()
        reference = normalizers.Replace(Regex(pattern), content)
        return ("replace_pattern", automaton, content), reference
    if kind == "map":
        # The reference loses count when a text begins with a character that becomes nothing.
        rules = {key: content for key, content in RULES.items() if content or rng.random() < 0}
        data = charsmap(rules)
        return ("precompiled", data), normalizers.Precompiled(data)
    name = rng.choice(list(SIMPLE))
    return (name,), SIMPLE[name]


@pytest.mark.parametrize("seed", range(8))
def test_random_chains(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(600):
        steps = [random_step(rng) for _ in range(rng.choice([1, 1, 2, 3, 4]))]
        spec: Spec = [step for step, _ in steps]
        names = [step[:1] if isinstance(step[1:2], bytes) else step for step in spec]
        pools = [rng.choice(POOLS) for _ in range(2)]
        text = random_text(rng, pools, rng.randint(0, 10))
        given = run(spec, [text])
        found = mapped(given, text)
        expected = reference_mapped([reference for _, reference in steps], text)
        sourced = [(c, "" if i is None else text[i]) for c, i in found]
        assert sourced == expected, (names, text)
        parts = [random_parts(rng, text, rng.randint(1, len(text) + 1)) for _ in range(2)]
        for cut in [*parts, list(text), *([text[:i], text[i:]] for i in range(len(text) + 1))]:
            again = run(spec, cut)
            assert text_of(again) == text_of(given), (names, cut)
            assert mapped(again, text) == found, (names, cut)


def test_a_map_that_deletes() -> None:
    """Its text is compared only: the reference's sources lose count at the beginning of a text."""
    rng = random.Random(1)
    data = charsmap(RULES)
    reference = normalizers.Precompiled(data)
    for _ in range(2000):
        text = random_text(rng, [list(RULES), POOLS[0], POOLS[6]], rng.randint(0, 9))
        for cut in (list(text), random_parts(rng, text, 2)):
            assert text_of(run([("precompiled", data)], cut)) == reference.normalize_str(text)
