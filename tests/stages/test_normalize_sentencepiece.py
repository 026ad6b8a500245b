"""What SentencePiece does to a text, against models trained here."""

from __future__ import annotations

import io
import itertools
import random

import pytest
from charsmaps import charsmap_of_model
from normalizing import mapped, random_text, run, text_of

from cutting import random_parts
from tokstream import _core

sentencepiece = pytest.importorskip("sentencepiece", reason="the reference is not installed")

SYMBOLS = ["<sym>", "<s", " x", "a b", "\u2460x", "\u2581\u2581"]
POOLS = [
    list(" \t\n\u3000\xa0\u2581\u200b\r  "),
    ["<s", "<sym>", "a b", " x", " ", "<", "sym"],
    list("ab \u0301e\u0300é\uff76\uff9e\u3099か\u30ab\ufb01\u2460\u3300½\xad\x01\x1f\ufeffΣİﬃＡ"),
    ["가", "\u1100", "\u1161", "\u11a8", "\u0958", "\u0915\u093c"],
]


def train(rule: str, symbols: list[str], *, prefix: bool, extra: bool, suffix: bool) -> bytes:
    rng = random.Random(0)
    lines = ["".join(rng.choices("abc defg\u3042漢é", k=60)) for _ in range(200)]
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=model,
        model_type="bpe",
        vocab_size=60,
        hard_vocab_limit=False,
        normalization_rule_name=rule,
        add_dummy_prefix=prefix,
        remove_extra_whitespaces=extra,
        treat_whitespace_as_suffix=suffix,
        user_defined_symbols=symbols,
        minloglevel=2,
    )
    return model.getvalue()


@pytest.mark.parametrize("rule", ["identity", "nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf"])
def test_all_settings(rule: str) -> None:
    rng = random.Random(rule)
    flags = itertools.product((True, False), repeat=3)
    for (prefix, extra, suffix), symbols in itertools.product(flags, ([], SYMBOLS)):
        model = train(rule, symbols, prefix=prefix, extra=extra, suffix=suffix)
        reference = sentencepiece.SentencePieceProcessor(model_proto=model)
        settings = [prefix, extra, True, suffix]
        stage = _core.Normalize([("sp_normalize", charsmap_of_model(model), symbols, settings)])
        for _ in range(150):
            text = random_text(rng, [rng.choice(POOLS) for _ in range(2)], rng.randint(0, 9))
            given = run(stage, [text])
            assert text_of(given) == reference.normalize(text), (settings, symbols, text)
            for cut in (list(text), random_parts(rng, text, 2)):
                again = run(stage, cut)
                assert text_of(again) == text_of(given), (settings, symbols, cut)
                assert mapped(again, text) == mapped(given, text), (settings, symbols, cut)


@pytest.mark.parametrize("rule", ["nmt_nfkc", "nmt_nfkc_cf"])
def test_each_code_point(rule: str) -> None:
    model = train(rule, [], prefix=True, extra=False, suffix=False)
    reference = sentencepiece.SentencePieceProcessor(model_proto=model)
    data = charsmap_of_model(model)
    stage = _core.Normalize([("sp_normalize", data, [], [True, False, True, False])])
    characters = [chr(cp) for cp in range(0x110000) if not 0xD800 <= cp < 0xE000]
    for begin in range(0, len(characters), 1 << 10):
        text = "".join(f"{c}\u0301 x" for c in characters[begin : begin + (1 << 10)])
        assert text_of(run(stage, [text])) == reference.normalize(text), hex(begin)
