"""`explain` and `bench delay` on tokenizers with a normalizer, levels, added tokens, or none."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tokstream
from tokstream.diagnostics.delay import measure
from tokstream.diagnostics.explanation import explain

SIGN = "\u2581"
LETTERS = [*"abcehlo", SIGN, "é", "<", ">", "x", "1", "2"]
MERGES = [("a", "b"), (SIGN, "ab"), (SIGN, SIGN), ("l", "l"), ("e", "ll"), ("1", "2")]


def document(**members: Any) -> bytes:
    vocab = {letter: k for k, letter in enumerate(["<unk>", *LETTERS])}
    for left, right in MERGES:
        vocab[left + right] = len(vocab)
    model = {"type": "BPE", "vocab": vocab, "merges": MERGES, "unk_token": "<unk>"}
    whole: dict[str, Any] = {"version": "1.0", "model": model, "added_tokens": []}
    return json.dumps(whole | members).encode()


def token(content: str, token_id: int, **flags: bool) -> dict[str, Any]:
    names = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return {"id": token_id, "content": content} | {name: flags.get(name, False) for name in names}


def split(pattern: str, behavior: str = "Isolated") -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": False}


REPLACE = {"type": "Replace", "pattern": {"String": " "}, "content": SIGN}
METASPACE = {"type": "Metaspace", "replacement": SIGN, "prepend_scheme": "always", "split": True}
ADDED = [
    token("<a>", 21, special=True),
    token("xx", 22, lstrip=True, rstrip=True),
    token("ce", 23, normalized=True, single_word=True),
]
KINDS: dict[str, dict[str, Any]] = {
    "none": {},
    "normalizer": {"normalizer": REPLACE},
    "composition": {"normalizer": {"type": "NFC"}},
    "prepend": {
        "normalizer": {
            "type": "Sequence",
            "normalizers": [{"type": "Prepend", "prepend": SIGN}, REPLACE],
        }
    },
    "strip": {"normalizer": {"type": "Strip", "strip_left": True, "strip_right": True}},
    "metaspace": {"pre_tokenizer": METASPACE},
    "levels": {
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [split(r"a+b|\d{1,2}", "Removed"), split("l+h", "MergedWithNext")],
        }
    },
    "added": {"added_tokens": ADDED, "normalizer": {"type": "Lowercase"}},
    "all": {"added_tokens": ADDED, "normalizer": REPLACE, "pre_tokenizer": split("l+")},
}
TEXTS = ["", "abab", "hello aab  b", "a<a>b xx  lol ce cea", "e\u0301ll AB 12 121", "x llh 1a"]


@pytest.fixture(scope="module", params=KINDS)
def tok(request: pytest.FixtureRequest) -> tokstream.Tokenizer:
    return tokstream.load(document(**KINDS[request.param]))


@pytest.mark.parametrize("unit", ["char", "byte"])
def test_every_byte_is_accounted_for(tok: tokstream.Tokenizer, unit: Any) -> None:
    for text in TEXTS:
        data = text.encode()
        found = explain(tok, text, unit=unit)
        stream = tok.stream()
        for step in found.steps[:-1]:
            ids = stream.feed(data[step.begin : step.end])
            assert [part.id for part in step.emitted] == ids
            assert step.delay_bytes == stream.delay_bytes
            bounds = [part.begin for part in step.held] + [step.end]
            assert [part.end for part in step.held] == bounds[1:]
            order = ["tokens", "pretokens", "segments", "normalizer", "chunks"]
            stages = [part.stage for part in step.held]
            if "normalizer" not in stages:  # between added tokens of both passes it may stand
                assert stages == sorted(stages, key=order.index)
            assert all(part.why and not part.why.endswith(".") for part in step.held)
        assert [part.id for part in found.steps[-1].emitted] == stream.finish()
        assert b"".join(map(found.bytes_of, found.segments)) == data
        ids, spans = tok.encode_with_offsets(data, unit="byte")
        assert [(part.begin, part.end, part.id) for part in found.tokens] == [
            (*span, token_id) for span, token_id in zip(spans, ids, strict=True)
        ]
        json.dumps(found.as_json())


def parts_of(kind: str, text: str, layer: str) -> list[str]:
    found = explain(tokstream.load(document(**KINDS[kind])), text)
    return [found.bytes_of(part).decode() for part in getattr(found, layer)]


def test_cuts_are_those_of_the_stages() -> None:
    assert parts_of("none", "hello ab", "pretokens") == ["hello ab"]
    assert parts_of("metaspace", "ab a  b", "pretokens") == ["ab", " a", " ", " b"]
    assert parts_of("levels", "elaab12llhe", "pretokens") == ["el", "llhe"]
    assert parts_of("added", "a<a>b  xx l", "segments") == ["a", "<a>", "b", "  xx ", "l"]
    assert parts_of("all", "a<a>ll xx l", "pretokens") == ["a", "ll", "l"]
    assert parts_of("composition", "e\u0301l", "pretokens") == ["e\u0301l"]


def why(kind: str, text: str, stage: str) -> str:
    """The last reason of a stage."""
    steps = explain(tokstream.load(document(**KINDS[kind])), text).steps
    return [part.why for step in steps for part in step.held if part.stage == stage][-1]


def test_reasons_name_what_would_change() -> None:
    assert "'é' with '\u0301' behind it" in why("composition", "e", "normalizer")
    assert why("added", "a<", "segments") == "an added token may still form: <a>"
    assert "blanks belong to an added token that follows them: xx" in why("added", "a ", "segments")
    assert "counts only if no letter follows" in why("added", "ce", "segments")
    assert "before" in why("levels", "aa", "pretokens")
    assert why("normalizer", " ", "tokens").startswith("a longer token may still begin here: ' ab'")


def test_the_lower_bound_says_whether_it_is_exact(tok: tokstream.Tokenizer) -> None:
    text = "hello ab  é 12 lol ab ab x".encode()
    found = measure(tok, text, n_samples=12, errors="replace")
    parts = tok._parts
    assert parts is not None
    changes = parts.normalizer or parts.expansions or parts.levels[:1] == (("metaspace",),)
    assert not (found.is_bound_exact and changes)
    assert found.n_sampled + found.n_sampled_inside == 12
    assert found.lower_bound.max <= found.optimal.max <= found.composition.max
    # most of what is held has to be
    assert found.n_equal + found.n_equal_inside >= 6
