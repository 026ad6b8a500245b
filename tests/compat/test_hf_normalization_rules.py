"""`as_hf` of SentencePiece models with normalization rules: the model, and `tokenizers`, agree."""

from __future__ import annotations

import base64
import json
import pickle
import random
import unicodedata
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest
from sentencepiece import SentencePieceProcessor
from tokenizers import Tokenizer as Peer

import tokstream
from format_texts import generated_texts
from hf_compare import COLUMNS, assert_equal, compare_calls, compare_settings, compare_vocabulary
from small_pieces import trained_pieces
from tokstream import _core
from tokstream.compat.huggingface import Tokenizer
from tokstream.formats.sentencepiece.model import read_model

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_RULES = {"A": "a", "B": "b", "ab": "x y", "\u00df": "ss", "\u200b": "", "q": "", "\t": " "}

_MODELS: dict[str, dict[str, Any]] = {
    "the trainer's own": {},
    "bytes": {"byte_fallback": True},
    "folds case": {"normalization_rule_name": "nfkc_cf", "byte_fallback": True},
    "folds case, too": {"normalization_rule_name": "nmt_nfkc_cf"},
    "all blanks": {"remove_extra_whitespaces": False},
    "no prefix": {"add_dummy_prefix": False},
    "no prefix, all blanks": {
        "normalization_rule_name": "nfkc",
        "add_dummy_prefix": False,
        "remove_extra_whitespaces": False,
    },
    "across words": {"split_by_whitespace": False},
    "own rules": {"rules": _RULES},
    "own rules, all blanks": {"rules": _RULES, "remove_extra_whitespaces": False},
    "own rules, no prefix": {"rules": _RULES, "add_dummy_prefix": False, "byte_fallback": True},
    "a rule for blanks": {"rules": {" a": " b", "c": "  d".strip()}},
    "own pieces": {"user_defined_symbols": ["<sep>", "\u00c5", "\ufb01"]},
    "own pieces, no prefix": {
        "user_defined_symbols": ["<sep>", "\u00c5", "\u2581\u2581"],
        "normalization_rule_name": "nfkc",
        "add_dummy_prefix": False,
        "remove_extra_whitespaces": False,
    },
}
_OWN = ("<sep>", "\u00c5", "\ufb01", "\u2581")
_SPECIAL = ("<s>", "</s>", "<unk>")
_PLAIN_TEXTS = (
    "",
    " ",
    "\u200b",
    " \u200b ",
    "\t\u2581 x  y \u2581",
    "\uff21\uff22\uff23 \u2460 \ufb01ne \u00b4a",
    "Stra\u00dfe ABC \u3053\u3093\u306b\u3061\u306f \ud55c\uad6d\uc5b4 e\u0301te\u0301",
)


def trained(folder: Path, **settings: Any) -> bytes:
    rules: Mapping[str, str] | None = settings.pop("rules", None)
    if rules is not None:
        path = folder / "rules.tsv"
        lines = [
            "\t".join(" ".join(f"{ord(c):X}" for c in text) for text in rule)
            for rule in rules.items()
        ]
        path.write_text("\n".join(lines) + "\n")
        settings["normalization_rule_tsv"] = str(path)
    return trained_pieces(300, **settings)


@cache
def applied(charsmap: bytes, *, by_model: bool) -> _core.Normalize:
    if by_model:
        return _core.Normalize([("sp_normalize", charsmap, [], (False,) * 4)])
    return _core.Normalize([("precompiled", charsmap)])


def normalized(charsmap: bytes, text: str, *, by_model: bool = False) -> str:
    """The text after the rules, as the model applies them, or `Precompiled`."""
    normalize = applied(charsmap, by_model=by_model)
    parts = [*normalize.push(text), *normalize.finish()]
    return b"".join([part for part, _ in parts]).decode()


def texts_of(rng: random.Random, n: int) -> Iterator[str]:
    """Texts in which no special token is spelled."""
    texts = (
        text
        for text in generated_texts(rng, 4 * n, ("ab", "\u2581", "e\u0301", "\u1100\u1161"))
        if not any(piece in text for piece in _SPECIAL)
    )
    yield from _PLAIN_TEXTS
    yield from islice(texts, n)


@pytest.mark.parametrize("name", _MODELS)
def test_ids(name: str, tmp_path: Path) -> None:
    """Those of the model, but where `tokenizers` applies the rules otherwise: there its own."""
    content = trained(tmp_path, **_MODELS[name])
    native, model = tokstream.load(content), SentencePieceProcessor(model_proto=content)
    ours = native.as_hf()
    peer = Peer.from_str(ours.to_str())
    charsmap = read_model(content).charsmap
    n_equal = 0
    for text in texts_of(random.Random(name), 300):
        ids = ours.encode(text, add_special_tokens=False).ids
        assert ids == peer.encode(text, add_special_tokens=False).ids, text
        by_rules = normalized(charsmap, text, by_model=True)
        is_alike = normalized(charsmap, text) == by_rules
        has_own = "own pieces" in name and any(
            piece in form for piece in _OWN for form in (text, by_rules)
        )
        if is_alike and not has_own:
            assert ids == model.encode(text) == native.encode(text), text
            n_equal += 1
        assert ours.encode(text).ids == peer.encode(text).ids
    assert n_equal > 100


@pytest.mark.parametrize("name", _MODELS)
def test_columns(name: str, tmp_path: Path) -> None:
    """All else is what `tokenizers` makes of the written file; and what it writes is the same."""
    ours = tokstream.load(trained(tmp_path, **_MODELS[name])).as_hf()
    written = ours.to_str()
    peer = Peer.from_str(written)
    assert json.loads(peer.to_str()) == json.loads(written)
    charsmap = ours_charsmap(written)
    rng = random.Random(name)

    def deletes(text: str) -> bool:
        return any(not normalized(charsmap, c) for c in text)

    texts = list(islice(generated_texts(rng, 60, [*_SPECIAL, *_OWN]), 60))
    whole = [text for text in texts if not deletes(text)]
    assert len(whole) > 10
    compare_calls(ours, peer, whole[:20])
    compare_settings(ours, peer, whole[:20], rng, 6)
    # where a rule deletes characters, offsets may differ; nothing else does
    others = [column for column in COLUMNS if column != "offsets"]
    for text in texts:
        assert_equal(ours.encode(text), peer.encode(text), text, others)
    compare_vocabulary(ours, peer)
    assert len(repr(ours.normalizer)) < 2000
    again = pickle.loads(pickle.dumps(ours))
    assert again.to_str() == written == Tokenizer.from_str(written).to_str()


def ours_charsmap(written: str) -> bytes:
    steps = json.loads(written)["normalizer"]["normalizers"]
    (found,) = [step for step in steps if step["type"] == "Precompiled"]
    return base64.b64decode(found["precompiled_charsmap"])


def test_places_behind_deleted_characters(tmp_path: Path) -> None:
    """A byte order mark at the beginning moves nothing."""
    for settings in ({}, {"add_dummy_prefix": False}):
        ours = tokstream.load(trained(tmp_path, **settings)).as_hf()
        encoding = ours.encode("\x01the \x01hello", add_special_tokens=False)
        words = {"\x01the \x01hello"[a:b].strip(" \x01") for a, b in encoding.offsets}
        assert "".join(encoding.tokens).replace("\u2581", "") == "thehello"
        assert words <= {"the", "hello", "h", "e", "l", "o", "t", "th", "he", "hel", "lo", "llo"}
        assert encoding.offsets[-1][1] == 11
        assert encoding.offsets[0][1] <= 4


def test_text_in_composed_form_is_as_in_the_model(tmp_path: Path) -> None:
    """Where the two differ are clusters of characters and marks; composed text has none here."""
    content = trained(tmp_path)
    native = tokstream.load(content)
    ours = native.as_hf()
    for text in (
        "Ti\u1ebfng Vi\u1ec7t",
        "\ud55c\uad6d\uc5b4",
        "\u30ac\u30ae\u30b0",
        "\u00c5ngstr\u00f6m",
    ):
        assert ours.encode(text, add_special_tokens=False).ids == native.encode(text)
    apart = unicodedata.normalize("NFD", "\ud55c")
    ids = ours.encode(apart, add_special_tokens=False).ids
    assert ids == Peer.from_str(ours.to_str()).encode(apart, add_special_tokens=False).ids
    assert ids != native.encode(apart)


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"rules": {"a": "b  c"}}, "a normalization rule that gives several blanks"),
        (
            {"rules": {" a": "b"}, "remove_extra_whitespaces": False},
            "a normalization rule for what begins with a blank",
        ),
        (
            {"user_defined_symbols": ["\u2581\u2460"], "add_dummy_prefix": False},
            "user-defined piece '▁①'",
        ),
    ],
)
def test_what_has_no_exact_form(settings: dict[str, Any], what: str, tmp_path: Path) -> None:
    tok = tokstream.load(trained(tmp_path, **settings))
    with pytest.raises(tokstream.UnsupportedTokenizerError, match=what):
        tok.as_hf()
