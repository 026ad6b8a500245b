"""Bad files get an error that says where and what to do; what cannot be exact is refused by name."""

from __future__ import annotations

import json
from typing import Any

import pytest
from small_files import added, sentencepiece, tekken, tokenizer_json

import tokstream
from tokstream import UnsupportedTokenizerError, VocabularyError


def sequence(key: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", key: list(parts)}


UNSUPPORTED: dict[str, tuple[dict[str, Any], str, str]] = {
    "WordPiece": ({"model": {"type": "WordPiece", "vocab": {"a": 0}}}, "$.model.type", "WordPiece"),
    "Unigram": ({"model": {"type": "Unigram", "vocab": [["a", 0.0]]}}, "$.model.type", "Unigram"),
    "WordLevel": ({"model": {"type": "WordLevel", "vocab": {"a": 0}}}, "$.model.type", "WordLevel"),
    "other model": ({"model": {"type": "X", "vocab": {}}}, "$.model.type", "unknown type 'X'"),
    "CTC": ({"decoder": {"type": "CTC"}}, "$.decoder", "CTC"),
    "inner CTC": (
        {"decoder": sequence("decoders", {"type": "Fuse"}, {"type": "CTC"})},
        "$.decoder.decoders[1]",
        "CTC",
    ),
    "WordPiece decoder": ({"decoder": {"type": "WordPiece"}}, "$.decoder", "WordPiece"),
    "regex decoder": (
        {"decoder": {"type": "Replace", "pattern": {"Regex": "a+"}, "content": ""}},
        "$.decoder.pattern",
        "regular expression",
    ),
    "normalizer": ({"normalizer": {"type": "Magic"}}, "$.normalizer", "unknown type 'Magic'"),
    "pre_tokenizer": (
        {"pre_tokenizer": sequence("pretokenizers", {"type": "Magic"})},
        "$.pre_tokenizer.pretokenizers[0]",
        "unknown type 'Magic'",
    ),
    "pattern": (
        {
            "pre_tokenizer": {
                "type": "Split",
                "pattern": {"Regex": r"(a)\1"},
                "behavior": "Isolated",
                "invert": False,
            }
        },
        "$.pre_tokenizer.pattern.Regex",
        "pattern",
    ),
    "post_processor": ({"post_processor": {"type": "Magic"}}, "$.post_processor", "unknown type"),
    "first behind another": (
        {
            "normalizer": {"type": "Prepend", "prepend": "\u2581"},
            "pre_tokenizer": sequence(
                "pretokenizers",
                {
                    "type": "Split",
                    "pattern": {"Regex": "[ab]"},
                    "behavior": "Isolated",
                    "invert": False,
                },
                {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first"},
            ),
        },
        "$.pre_tokenizer.pretokenizers[1]",
        "prepend_scheme 'first' behind another",
    ),
    "many levels": (
        {"pre_tokenizer": sequence("pretokenizers", *65 * [{"type": "WhitespaceSplit"}])},
        "$.pre_tokenizer",
        "a sequence of 65 pre-tokenizers",
    ),
    "version": ({"version": "2.0"}, "$.version", "2.0"),
    "renumbered": ({"added_tokens": [added("<x>", 9)]}, "$.added_tokens[0].id", "id 9"),
    "id of the model": ({"added_tokens": [added("ab", 9)]}, "$.added_tokens[0].id", "id 9"),
}


@pytest.mark.parametrize("case", UNSUPPORTED)
def test_refused_by_name(case: str) -> None:
    members, place, name = UNSUPPORTED[case]
    with pytest.raises(UnsupportedTokenizerError) as caught:
        tokstream.load(tokenizer_json(**members))
    assert caught.value.place == place
    assert name in caught.value.component
    assert place in str(caught.value)
    assert "cannot be honoured exactly: " in str(caught.value)


MODELS: dict[str, tuple[dict[str, Any], str]] = {
    "dropout": ({"dropout": 0.1}, "dropout of 0.1"),
    "affix and fallback": ({"end_of_word_suffix": "</w>", "byte_fallback": True}, "byte_fallback"),
    "affix and whole": ({"continuing_subword_prefix": "#", "ignore_merges": True}, "ignore_merges"),
    "affix without unk": ({"end_of_word_suffix": "</w>"}, "without an unk_token"),
    "merge of unk": ({"unk_token": "a"}, "merge 0, which joins 'a'"),
    "fused text": ({"unk_token": "abc", "fuse_unk": True}, "fuse_unk"),
    "some bytes": (
        {"byte_fallback": True, "vocab": {"a": 0, "<0x41>": 1}, "merges": []},
        "without the token <0x00>",
    ),
}


@pytest.mark.parametrize("case", MODELS)
def test_models_refused_by_name(case: str) -> None:
    model, name = MODELS[case]
    with pytest.raises(UnsupportedTokenizerError) as caught:
        tokstream.load(tokenizer_json(model))
    assert name in caught.value.component
    assert caught.value.place is not None
    assert caught.value.place.startswith("$.model")


DAMAGED: dict[str, tuple[dict[str, Any], str]] = {
    "merge of unknown": ({"merges": ["a b", "a x"]}, "$.model.merges[1] names 'x'"),
    "merge into unknown": ({"merges": ["b a"]}, "$.model.merges[0] makes 'ba'"),
    "three parts": ({"merges": ["a b c"]}, "$.model.merges[0] is 'a b c'"),
    "three in a list": ({"merges": [["a", "b", "c"]]}, "$.model.merges[0] has 3 parts"),
    "mixed": ({"merges": ["a b", ["ab", "c"]]}, "$.model.merges[1] is a list, expected a string"),
    "not texts": ({"merges": [[1, 2]]}, "$.model.merges[0][0] is 1, expected a string"),
    "surrogate in a merge": (
        {"merges": [["a", "b"], ["\ud800", "b"]]},
        "$.model.merges[1][0] holds a lone surrogate at character 0",
    ),
    "surrogate in a line": ({"merges": ["\ud800 b"]}, "$.model.merges[0] holds a lone surrogate"),
    "numbers": ({"merges": [1]}, "$.model.merges[0] is 1, expected a list"),
    "same id": ({"vocab": {"a": 0, "b": 0}, "merges": []}, "$.model.vocab gives id 0 to 'a'"),
    "id": ({"vocab": {"a": "0"}, "merges": []}, "$.model.vocab['a'] is '0', expected a whole"),
    "negative": ({"vocab": {"a": -1}, "merges": []}, "$.model.vocab['a'] is -1, outside"),
    "large": ({"vocab": {"a": 2**32}, "merges": []}, "outside 0..4294967294"),
    "true": ({"vocab": {"a": True}, "merges": []}, "$.model.vocab['a'] is True, expected a whole"),
    "empty": ({"vocab": {}, "merges": []}, "$.model.vocab has no tokens"),
    "list": ({"vocab": []}, "$.model.vocab is a list, expected an object"),
    "unk": ({"unk_token": "x"}, "$.model.unk_token is 'x', which is not in the vocabulary"),
    "flag": ({"fuse_unk": 1}, "$.model.fuse_unk is 1, expected true or false"),
    "surrogate": ({"vocab": {"\ud800": 0}, "merges": []}, "lone surrogate at character 0"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_damaged_models(case: str) -> None:
    model, message = DAMAGED[case]
    with pytest.raises(VocabularyError) as caught:
        tokstream.load(tokenizer_json(model))
    assert message in str(caught.value)


MEMBERS: dict[str, tuple[dict[str, Any], str]] = {
    "no type": ({"decoder": {}}, "$.decoder has no 'type'"),
    "behaviour": (
        {"pre_tokenizer": {"type": "Split", "pattern": {"String": "a"}, "behavior": "Odd"}},
        "$.pre_tokenizer.behavior is 'Odd', expected one of 'Removed', 'Isolated'",
    ),
    "no flag": ({"pre_tokenizer": {"type": "ByteLevel"}}, "has no 'add_prefix_space'"),
    "empty": (
        {"normalizer": {"type": "Replace", "pattern": {"String": ""}, "content": "x"}},
        "$.normalizer.pattern.String is empty",
    ),
    "charsmap": (
        {"normalizer": {"type": "Precompiled", "precompiled_charsmap": "a"}},
        "$.normalizer.precompiled_charsmap is no base64",
    ),
    "metaspace": (
        {"pre_tokenizer": {"type": "Metaspace", "replacement": "__"}},
        "$.pre_tokenizer.replacement is '__', expected one character",
    ),
    "schemes": (
        {"decoder": {"type": "Metaspace", "replacement": "_", "add_prefix_space": False}},
        "prepend_scheme 'always'",
    ),
    "twice": (
        {"added_tokens": [added("<x>", 5), added("<x>", 6)]},
        "$.added_tokens[1] gives '<x>' a second time",
    ),
    "added flag": (
        {"added_tokens": [{"id": 5, "content": "<x>"}]},
        "$.added_tokens[0] has no 'special'",
    ),
    "template": (
        {"post_processor": {"type": "BertProcessing", "sep": ["a", 99], "cls": ["a", 0]}},
        "$.post_processor adds id 99, which no token has",
    ),
}


@pytest.mark.parametrize("case", MEMBERS)
def test_damaged_members(case: str) -> None:
    members, message = MEMBERS[case]
    with pytest.raises(VocabularyError) as caught:
        tokstream.load(tokenizer_json(**members))
    assert message in str(caught.value)


def test_truncated_json_says_at_which_byte() -> None:
    content = tokenizer_json({"vocab": {"\u00e9": 0, "b": 1}, "merges": []})
    for cut in range(20, len(content), 7):
        with pytest.raises(VocabularyError, match=r"not JSON at byte \d+ of") as caught:
            tokstream.load(content[:cut])
        assert "get the file again" in str(caught.value)


def test_byte_offsets_count_bytes() -> None:
    with pytest.raises(VocabularyError, match="not JSON at byte 9 of 11"):
        tokstream.load('{"\u00e9\u00e9": x}'.encode())
    with pytest.raises(VocabularyError, match="byte 5 is not UTF-8"):
        tokstream.load(b'{"ab"\xff: 1}')
    with pytest.raises(VocabularyError, match="nested too deeply"):
        tokstream.load(b"[" * 100_000)


def test_numbers_of_thousands_of_digits() -> None:
    content = tokenizer_json(seed=12345).replace(b"12345", 5000 * b"1")
    with pytest.raises(VocabularyError, match="whole number of more than 4300 digits"):
        tokstream.load(content)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"tokenizer_class": "X"}', "holds settings but no vocabulary; give the directory"),
        (b'{"a": 0}', "has no merge ranks"),
        (b'{"a": "b"}', "no known vocabulary format; tokstream reads tokenizer.json"),
    ],
)
def test_other_documents(content: bytes, message: str) -> None:
    with pytest.raises(VocabularyError) as caught:
        tokstream.load(content)
    assert message in str(caught.value)


def test_options_of_rank_files() -> None:
    with pytest.raises(tokstream.ConfigurationError, match="pattern is for rank files"):
        tokstream.load(tokenizer_json(), pattern="a")
    with pytest.raises(tokstream.ConfigurationError, match="special_tokens is for rank files"):
        tokstream.load(tokenizer_json(), special_tokens={})


TEKKEN = {
    "no base64": (257 * [{"rank": 0, "token_bytes": "a"}], "$.vocab[0].token_bytes is no base64"),
    "order": (257 * [{"rank": 1, "token_bytes": "AA=="}], "$.vocab[0].rank is 1, expected 0"),
    "few": ([], "$.vocab has 0 tokens, expected at least 257"),
    "same": (
        [{"rank": k, "token_bytes": "AA=="} for k in range(257)],
        "$.vocab is not sound: token b'\\x00' is there twice",
    ),
}


@pytest.mark.parametrize("case", TEKKEN)
def test_damaged_tekken(case: str) -> None:
    vocab, message = TEKKEN[case]
    with pytest.raises(VocabularyError) as caught:
        tokstream.load(tekken(vocab=vocab))
    assert message in str(caught.value)


PIECES = [("<unk>", 0.0, 2), ("a", -1.0, 1), ("b", -2.0, 1), ("ab", -3.0, 1)]


def test_an_unknown_token_that_is_never_needed_may_be_missing() -> None:
    model: dict[str, Any] = {
        "vocab": {f"<0x{byte:02X}>": byte for byte in range(256)},
        "merges": [],
        "byte_fallback": True,
        "unk_token": "<unk>",
    }
    assert tokstream.load(tokenizer_json(model)).encode("\u00e9a") == [0xC3, 0xA9, 0x61]


def test_byte_fallback_of_byte_level_tokens() -> None:
    model: dict[str, Any] = {
        "vocab": {f"<0x{byte:02X}>": byte for byte in range(256)},
        "merges": [],
        "byte_fallback": True,
    }
    byte_level = {"type": "ByteLevel", "add_prefix_space": False}
    with pytest.raises(UnsupportedTokenizerError, match="byte_fallback with byte-level tokens"):
        tokstream.load(tokenizer_json(model, pre_tokenizer=byte_level))


def test_a_model_without_type_and_merges() -> None:
    with pytest.raises(UnsupportedTokenizerError, match=r"\$\.model: .*no merges"):
        tokstream.load(b'{"model": {"vocab": {"a": 0}}}')


def test_damaged_sentencepiece() -> None:
    content = sentencepiece(PIECES)
    for cut in range(20, len(content)):
        with pytest.raises(VocabularyError, match="get it again"):
            tokstream.load(content[:cut])
    for pieces, message in (
        ([*PIECES, ("a", -4.0, 1)], "piece 'a' is there twice, the second time with id 4"),
        ([*PIECES, ("<u>", 0.0, 2)], "2 unknown pieces"),
        ([*PIECES, ("", 0.0, 1)], "piece 4 is empty"),
        ([*PIECES, ("c", 0.0, 9)], "piece 4 is of the unknown kind 9"),
    ):
        with pytest.raises(VocabularyError) as caught:
            tokstream.load(sentencepiece(pieces))
        assert message in str(caught.value)


def test_sentencepiece_refused_by_name() -> None:
    for content, name in (
        (sentencepiece(PIECES, trainer={3: 1}), "type Unigram"),
        (sentencepiece(PIECES, trainer={3: 4}), "type char"),
        (sentencepiece(PIECES, trainer={24: 1}), "treat_whitespace_as_suffix"),
        (sentencepiece([*PIECES, ("c", 0.0, 5)]), "kind UNUSED"),
        (sentencepiece([*PIECES, ("<", 0.0, 3)]), "control piece '<' of one character"),
        (sentencepiece([*PIECES, ("ba", -3.0, 1)]), "equal scores of 'ab' and 'ba'"),
        (sentencepiece([*PIECES, ("a a", 0.0, 4)]), "user-defined piece 'a a' with a space"),
    ):
        with pytest.raises(UnsupportedTokenizerError) as caught:
            tokstream.load(content)
        assert name in caught.value.component
    with pytest.raises(VocabularyError, match="byte_fallback without the piece <0x00>"):
        tokstream.load(sentencepiece(PIECES, trainer={35: 1}))


def test_errors_pickle() -> None:
    import pickle  # noqa: PLC0415

    with pytest.raises(UnsupportedTokenizerError) as caught:
        tokstream.load(tokenizer_json(decoder={"type": "CTC"}))
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.component, again.place) == (
        str(caught.value),
        caught.value.component,
        "$.decoder",
    )


def test_any_cut_and_any_changed_byte_is_an_error_or_a_tokenizer() -> None:
    content = tokenizer_json(added_tokens=[added("<x>", 5)])
    for at in range(0, len(content), 3):
        for byte in (0, 0x22, 0x7B, 0xFF):
            changed = content[:at] + bytes((byte,)) + content[at + 1 :]
            try:
                tokstream.load(changed, pattern=None)
            except tokstream.TokstreamError as error:
                assert str(error)  # noqa: PT017 - any of them will do
    assert json.loads(content)
