"""`explain`: every byte is accounted for, the cuts are the engine's, the reasons hold when tried."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

import pytest

import tokstream
from tokstream.cli.explain import QUOTED
from tokstream.diagnostics.explanation import explain
from tokstream.diagnostics.reasons import show
from tokstream.patterns import compile_pattern

TEXTS = [
    "",
    "hello world",
    "Don't panic:\n\n\n   12345 dollars,\t漢字 and ünïcode 🙂!\r\n",
    "foo\n" + " " * 60 + "x",
    "for <|endoftext|> and <|endof",
    "XYZ漢ABCDEFg हिन्दी",
]
PLAIN: dict[str, Any] = {"allowed_special": (), "disallowed_special": ()}
SPECIAL: dict[str, Any] = {"allowed_special": "all", "disallowed_special": ()}


@pytest.fixture(scope="module", params=["cl100k_base", "gpt2"])
def tok(request):
    return tokstream.get_encoding(request.param)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("delay", ["optimal", "composition"])
@pytest.mark.parametrize("unit", ["char", "byte"])
@pytest.mark.parametrize("choice", [PLAIN, SPECIAL], ids=["plain", "special"])
def test_every_byte_is_accounted_for(tok, text, delay, unit, choice):
    found = explain(tok, text, delay=delay, unit=unit, **choice)
    data = text.encode()
    assert found.text == data
    stream = tok.stream(delay=delay, **choice)
    n_emitted = 0
    for step in found.steps[:-1]:
        ids = stream.feed(data[step.begin : step.end])
        assert [token.id for token in step.emitted] == ids
        n_emitted = step.emitted[-1].end if step.emitted else n_emitted
        assert step.delay_bytes == stream.delay_bytes == step.end - n_emitted
        assert [part.begin for part in step.held] == [
            n_emitted,
            *(part.end for part in step.held[:-1]),
        ][: len(step.held)]
        assert step.held[-1].end == step.end if step.held else n_emitted == step.end
        order = ["tokens", "pretokens", "segments", "chunks"]
        stages = [part.stage for part in step.held]
        assert stages == sorted(stages, key=order.index)
        assert all(part.why and not part.why.endswith(".") for part in step.held)
    assert [token.id for token in found.steps[-1].emitted] == stream.finish()
    for layer in (found.segments, found.tokens):
        assert b"".join(map(found.bytes_of, layer)) == data
    assert [token.id for token in found.tokens] == tok.encode(text, **choice)


@pytest.mark.parametrize("text", TEXTS)
def test_pretokens_are_those_of_the_pattern(tok, text):
    found = explain(tok, text, **PLAIN)
    automaton = compile_pattern(tok.pattern)
    assert [found.bytes_of(part).decode() for part in found.pretokens] == automaton.split(text)


def test_segments(tok):
    found = explain(tok, "a<|endoftext|>b", **SPECIAL)
    assert [found.bytes_of(part) for part in found.segments] == [b"a", b"<|endoftext|>", b"b"]
    assert [part.id for part in found.segments] == [None, tok.eos_id, None]
    assert [found.bytes_of(part) for part in found.pretokens] == [b"a", b"b"]


def held(found, stage):
    return [
        (found.bytes_of(part), part.why)
        for step in found.steps
        for part in step.held
        if part.stage == stage
    ]


def test_reasons_of_chunks(tok):
    found = explain(tok, "漢", unit="byte")
    assert held(found, "chunks") == [
        (b"\xe6", "the character is not complete: 1 of 3 bytes"),
        (b"\xe6\xbc", "the character is not complete: 2 of 3 bytes"),
    ]


def test_reasons_of_segments():
    tok = tokstream.get_encoding("cl100k_base")
    found = explain(tok, "x <|endoft", **SPECIAL)
    text, why = held(found, "segments")[-1]
    assert (text, why) == (b"<|endoft", "a special token may still form: <|endoftext|>")
    refused = held(explain(tok, "x <|endoft"), "segments")[-1][1]
    assert refused == "a special token, which is refused here, may still form: <|endoftext|>"
    assert not held(explain(tok, "x <|endoft", **PLAIN), "segments")


def test_reasons_of_pretokens_hold():
    """What is said to end the pretoken ends it, what is said to make it go on does."""
    tok = tokstream.get_encoding("cl100k_base")
    split = compile_pattern(tok.pattern).split
    found = explain(tok, "foo\n    ", delay="composition")
    seen = 0
    for step in found.steps:
        for part in step.held:
            match = re.match(
                r"the pattern has .* before ('.*?') the .* before ('.*?') it", part.why
            )
            if part.stage != "pretokens" or match is None:
                continue
            seen += 1
            ending, growing = (json.loads(word.replace("'", '"')) for word in match.groups())
            before = found.text[: step.end].decode()
            cuts = [len("".join(split(before + c)[:k])) for c in (ending,) for k in range(9)]
            assert part.begin in cuts
            assert split(before + growing)[1] == (before + growing)[3:]
    assert seen >= 4


def test_reasons_of_tokens_hold(tok):
    """Each longer token that is named can follow what was emitted."""
    text = "The quick brown foxes jumped over 1234 lazy dogs; don't they?\n"
    found = explain(tok, text)
    n_named = 0
    for step in found.steps[:-1]:
        for part in step.held:
            prefix = "a longer token may still begin here: "
            if part.stage != "tokens" or not part.why.startswith(prefix):
                continue
            for match in QUOTED.finditer(part.why.removeprefix(prefix)):
                if "×" in match[0] or "…" in match[0]:
                    continue
                token = ast.literal_eval(match[0])
                rest = found.text[: part.begin].decode() + token
                assert tok.token_to_id(token) in tok.encode_ordinary(rest + " x") + (
                    tok.encode_ordinary(rest)
                )
                n_named += 1
    assert n_named > 50


def test_what_optimal_gains_is_told():
    tok = tokstream.get_encoding("cl100k_base")
    text = "foo\n" + " " * 300
    optimal = explain(tok, text)
    assert max(step.n_ahead for step in optimal.steps) > 100
    composition = explain(tok, text, delay="composition")
    assert not any(step.n_ahead for step in composition.steps)
    assert max(step.delay_bytes for step in composition.steps) >= 300


def test_an_error_of_the_text_is_the_stream_s(tok):
    with pytest.raises(tokstream.DisallowedSpecialTokenError):
        explain(tok, "a<|endoftext|>")
    with pytest.raises(tokstream.InvalidUtf8Error):
        explain(tok, b"a\xff")


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"a b", "'a b'"),
        (b" " * 50, "' ' × 50"),
        (b"\xe6", "b'\\xe6'"),
        (b"0123456789" * 5, "'0123456789…23456789'"),
    ],
)
def test_show(data, shown):
    assert show(data) == shown.replace("0123456789…", "012345678901…")


def test_as_json_is_json(tok):
    found = explain(tok, TEXTS[2])
    value = json.loads(json.dumps(found.as_json()))
    assert [token["id"] for token in value["tokens"]] == tok.encode(TEXTS[2])
    assert "".join(step["fed"] for step in value["steps"]) == TEXTS[2]
