"""Every step on every code point, in several contexts, against `tokenizers`."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from charsmaps import charsmap
from normalizing import Spec, normalized
from tokenizers import normalizers

from tokstream import _core

STEPS: dict[str, Any] = {
    "nfc": normalizers.NFC(),
    "nfd": normalizers.NFD(),
    "nfkc": normalizers.NFKC(),
    "nfkd": normalizers.NFKD(),
    "lowercase": normalizers.Lowercase(),
    "strip_accents": normalizers.StripAccents(),
    "nmt": normalizers.Nmt(),
    "byte_level": normalizers.ByteLevel(),
}
# Between letters, before and behind marks of low and high class, inside Korean syllables.
CONTEXTS = ["a{}b", "e\u0323{}\u0301", "\u1100{}\u11a8", "{}\u0338\u05b0", "\uac00{}\u1161"]
CHARACTERS = [chr(cp) for cp in range(0x110000) if not 0xD800 <= cp < 0xE000]
N_JOINED = 1 << 12


def check(stage: _core.Normalize, reference: Any, contexts: list[str], between: str) -> None:
    """Compare many code points at a time; where that differs, name the first one that does."""
    for context in contexts:
        for begin in range(0, len(CHARACTERS), N_JOINED):
            part = CHARACTERS[begin : begin + N_JOINED]
            text = between.join(context.replace("{}", c) for c in part)
            if normalized(stage, text) == reference.normalize_str(text):
                continue
            for c in part:
                text = context.replace("{}", c)
                assert normalized(stage, text) == reference.normalize_str(text), (hex(ord(c)), text)
            pytest.fail(f"only joined: {context!r} from {begin:#x}")


@pytest.mark.parametrize("name", STEPS)
def test_each_code_point(name: str) -> None:
    contexts = CONTEXTS[:1] if name == "byte_level" else CONTEXTS
    check(_core.Normalize([(name,)]), STEPS[name], contexts, "\n")


def test_each_code_point_of_bert_normalizer() -> None:
    steps: Spec = [("bert_clean",), ("bert_ideographs",), ("nfd",), ("bert_strip_marks",)]
    stage = _core.Normalize([*steps, ("lowercase",)])
    check(stage, normalizers.BertNormalizer(), CONTEXTS[:2], "\u4e00")


@pytest.mark.slow
def test_each_code_point_in_a_cluster() -> None:
    """Rules that show whether a character joins the one before it, or the one behind it."""
    rules = {"x": "z", "\xa9": "@@", "\u0915": "k", "\U0001f1e9": "D", "\u1100": "g", "\u0301": "^"}
    contexts = ["x{}", "{}x", "\xa9{}\u200d\xa9", "\xa9\u200d{}", "\u0915\u094d{}\u0301"]
    contexts += ["\u0915{}\u0915", "\u0600{}\u0301", "\U0001f1e9{}", "\u1100{}\u0301", "\uac00{}"]
    data = charsmap(rules)
    reference = normalizers.Precompiled(data)
    check(_core.Normalize([("precompiled", data)]), reference, contexts, "\n")


@pytest.mark.parametrize("sides", [(True, False), (False, True), (True, True), (False, False)])
def test_each_code_point_at_an_end(sides: tuple[bool, bool]) -> None:
    reference = normalizers.Strip(*sides)
    stage = _core.Normalize([("strip", *sides)])
    # All blanks, and a sample of the rest.
    ends = [c for c in CHARACTERS if unicodedata.category(c)[0] in "ZC" and c < "\ue000"]
    for c in ends + CHARACTERS[::0x101]:
        for text in (c, f"{c}a{c}", f" {c} a {c} "):
            assert normalized(stage, text) == reference.normalize_str(text), (hex(ord(c)), text)


def test_lowercase_maps_no_more_than_one_version_of_unicode_does() -> None:
    """The reference's is 17; a compiler with an older or newer one must not change results."""
    lowered = sum(normalized([("lowercase",)], c) != c for c in CHARACTERS if c < "\U00020000")
    assert lowered == 1488


def test_forms_are_idempotent_and_related() -> None:
    """Definitions, without the reference: NFC of NFD is NFC, and so on, on every code point."""
    stages: dict[str, _core.Normalize] = {
        name: _core.Normalize([(name,)]) for name in ("nfc", "nfd", "nfkc", "nfkd")
    }
    for begin in range(0, len(CHARACTERS), N_JOINED):
        text = "\u0301".join(CHARACTERS[begin : begin + N_JOINED])
        forms = {name: normalized(stage, text) for name, stage in stages.items()}
        for name, form in forms.items():
            assert normalized(stages[name], form) == form
        assert normalized(stages["nfc"], forms["nfd"]) == forms["nfc"]
        assert normalized(stages["nfkc"], forms["nfd"]) == forms["nfkc"]


def test_a_chain_is_its_steps_one_after_another() -> None:
    spec: Spec = [("nfkd",), ("strip_accents",), ("lowercase",), ("replace", "\n", " ")]
    for begin in range(0, len(CHARACTERS), N_JOINED):
        text = "\n".join(CHARACTERS[begin : begin + N_JOINED])
        expected = text
        for step in spec:
            expected = normalized([step], expected)
        assert normalized(spec, text) == expected
