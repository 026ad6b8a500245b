"""Parts that are replaced, changed in place, or made into a tokenizer: as the reference has it."""

from __future__ import annotations

import copy
import json
import pickle
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import tokenizers
from tokenizers import Tokenizer as Peer
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

import tokstream
from hf_compare import assert_equal, run_threads
from hf_small import byte_level
from tokstream.compat.huggingface import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable

CONTENT = json.dumps(byte_level())
TEXTS = ["hello the World", " Hello  a1b22 ", "Naïve <s> 漢字"]


def outcome(make: Callable[[str], Any], steps: Callable[[Any], Any]) -> object:
    tokenizer = make(CONTENT)
    try:
        found = steps(tokenizer)
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        return next(kind for kind in (TypeError, IndexError, ValueError) if isinstance(error, kind))
    encodings = [tokenizer.encode(text) for text in TEXTS]
    texts = [tokenizer.decode(encoding.ids) for encoding in encodings]
    # not offsets: the reference misplaces tokens behind characters that vanish
    return found, [(e.ids, e.tokens, e.word_ids) for e in encodings], texts


def assert_same(steps: Callable[[Any], Any]) -> None:
    assert outcome(Tokenizer.from_str, steps) == outcome(Peer.from_str, steps)


def put(tokenizer: Any, name: str, part: object) -> Any:
    setattr(tokenizer, name, part)
    return getattr(tokenizer, name)


IN_PLACE: dict[str, tuple[str, Any, str, Any]] = {
    "Prepend": ("normalizer", normalizers.Prepend("x"), "prepend", "hello"),
    "Strip": ("normalizer", normalizers.Strip(), "left", False),
    "Replace": ("normalizer", normalizers.Replace("a", "b"), "content", "the"),
    "BertNormalizer": ("normalizer", normalizers.BertNormalizer(), "lowercase", False),
    "ByteLevel": ("pre_tokenizer", pre_tokenizers.ByteLevel(), "add_prefix_space", False),
    "Metaspace": ("pre_tokenizer", pre_tokenizers.Metaspace(), "split", False),
    "Digits": ("pre_tokenizer", pre_tokenizers.Digits(), "individual_digits", True),
    "trimming": ("post_processor", processors.ByteLevel(trim_offsets=False), "trim_offsets", True),
    "BPEDecoder": ("decoder", decoders.BPEDecoder(), "suffix", "o"),
    "decoding Metaspace": ("decoder", decoders.Metaspace(), "prepend_scheme", "never"),
}


@pytest.mark.parametrize("name", IN_PLACE)
def test_a_setting_changed_in_place(name: str) -> None:
    """It is in force for the tokenizer, and for who else has the part."""
    kind, part, setting, value = IN_PLACE[name]
    state = part.__getstate__()

    def steps(tokenizer: Any) -> object:
        held = put(tokenizer, kind, part)
        before = [tokenizer.encode(text).ids for text in TEXTS]
        setattr(held, setting, value)
        return before, getattr(getattr(tokenizer, kind), setting), getattr(held, setting)

    ours = outcome(Tokenizer.from_str, steps)
    assert part.__getstate__() == state  # of the reference: theirs is not ours to change
    assert ours == outcome(Peer.from_str, steps)


def test_a_sequence_is_changed_by_its_parts() -> None:
    def steps(tokenizer: Any) -> object:
        made = [normalizers.Lowercase(), normalizers.Strip(), normalizers.Prepend("x")]
        held = put(tokenizer, "normalizer", normalizers.Sequence(made))
        found = []
        held[1].left = False
        found.append([tokenizer.encode(text).ids for text in TEXTS])
        held[2].prepend = "y"
        found.append([tokenizer.encode(text).ids for text in TEXTS])
        held[2] = normalizers.Prepend("the ")
        found.append([tokenizer.encode(text).ids for text in TEXTS])
        return found, held[1].left, len(held)

    assert_same(steps)


def test_a_part_is_one_for_all_who_look_at_it() -> None:
    ours, theirs = Tokenizer.from_str(CONTENT), Peer.from_str(CONTENT)
    for each in (ours, theirs):
        level: Any = pre_tokenizers.ByteLevel(add_prefix_space=False)
        whole: Any = pre_tokenizers.Sequence([level, pre_tokenizers.Digits()])
        each.pre_tokenizer = whole
        first: Any = each.pre_tokenizer
        second: Any = each.pre_tokenizer
        first[0].add_prefix_space = True
        second[0].trim_offsets = False
        second[1].individual_digits = True
        shown: Any = each.pre_tokenizer
        found = [shown[0].add_prefix_space, shown[0].trim_offsets, shown[1].individual_digits]
        assert found == [True, False, True]
    for text in TEXTS:
        assert ours.encode(text).ids == theirs.encode(text).ids


def test_a_part_that_was_replaced_changes_nothing_any_more() -> None:
    def steps(tokenizer: Any) -> object:
        held = put(tokenizer, "normalizer", normalizers.Prepend("x"))
        tokenizer.normalizer = normalizers.Lowercase()
        held.prepend = "y"
        return held.prepend

    assert_same(steps)


REFUSED: dict[str, Callable[[Any], Any]] = {
    "no part": lambda t: setattr(t, "normalizer", 3),
    "another kind": lambda t: setattr(t, "pre_tokenizer", normalizers.NFC()),
    "the same name": lambda t: setattr(t, "decoder", pre_tokenizers.ByteLevel()),
    "behind the end": lambda t: put(t, "normalizer", normalizers.Sequence([]))[0],
    "no model": lambda t: setattr(t, "model", 3),
}


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_parts(name: str) -> None:
    assert_same(REFUSED[name])
    ours = Tokenizer.from_str(CONTENT)
    with pytest.raises((TypeError, IndexError)):
        REFUSED[name](ours)
    if name != "behind the end":
        assert_equal(ours.encode(TEXTS[0]), Peer.from_str(CONTENT).encode(TEXTS[0]))


def test_what_cannot_be_honoured_changes_nothing() -> None:
    ours = Tokenizer.from_str(CONTENT)
    part = ours.pre_tokenizer
    assert part is not None
    with pytest.raises(TypeError, match="add_prefix_space is str; give True or False"):
        part.add_prefix_space = "no"
    with pytest.raises(AttributeError, match="no setting 'nothing'"):
        part.nothing = 3
    with pytest.raises(TypeError, match="add_prefix_space is object"):
        part.add_prefix_space = object()
    with pytest.raises(tokstream.ConfigurationError, match="written in Python"):
        ours.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(object())
    assert part.add_prefix_space is False
    assert_equal(ours.encode(TEXTS[1]), Peer.from_str(CONTENT).encode(TEXTS[1]))


def test_a_template_that_names_an_added_token() -> None:
    """It is beyond the model's vocabulary when the normalizer is replaced."""

    def steps(tokenizer: Any) -> None:
        tokenizer.add_special_tokens(["<late>"])
        pair = ("<late>", tokenizer.token_to_id("<late>"))
        tokenizer.post_processor = processors.TemplateProcessing("$A <late>", special_tokens=[pair])
        tokenizer.normalizer = normalizers.Lowercase()

    assert_same(steps)


def test_a_tokenizer_of_a_model() -> None:
    vocab = {"a": 0, "b": 1, "ab": 2, "<unk>": 3}
    model = partial(models.BPE, vocab, [("a", "b")], unk_token="<unk>")
    ours, peer = Tokenizer(model()), Peer(model())
    for tokenizer in (ours, peer):
        assert tokenizer.add_tokens(["my", "name", tokenizers.AddedToken("is", special=True)]) == 3
        tokenizer.enable_padding(length=6)
    for text in ("my name is ab", "abba", "", "is it"):
        assert_equal(ours.encode(text), peer.encode(text))
        ids = peer.encode(text).ids
        assert ours.decode(ids) == peer.decode(ids)
    assert ours.get_vocab() == peer.get_vocab()
    assert json.loads(ours.to_str()) == json.loads(peer.to_str())
    assert_equal(Tokenizer(ours.model).encode("abab"), Peer(peer.model).encode("abab"))
    with pytest.raises(TypeError, match="the model is str"):
        Tokenizer("gpt2")
    with pytest.raises(tokstream.UnsupportedTokenizerError, match="WordLevel"):
        Tokenizer(models.WordLevel({"a": 0}, unk_token="a"))
    with pytest.raises(tokstream.VocabularyError, match="has no tokens"):
        Tokenizer(models.BPE())


def test_another_model() -> None:
    def steps(tokenizer: Any) -> object:
        tokenizer.post_processor = None
        tokenizer.model = models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")])
        return tokenizer.get_vocab(), tokenizer.encode("abab<s>a").ids

    ours, expected = (steps(kind.from_str(CONTENT)) for kind in (Tokenizer, Peer))
    assert ours == expected


def test_a_model_is_saved_as_the_reference_saves_it(tmp_path: Path) -> None:
    ours, peer = Tokenizer.from_str(CONTENT), Peer.from_str(CONTENT)
    for prefix in ("x", None):
        paths = ours.model.save(tmp_path, prefix)
        mine = [Path(path).read_bytes() for path in paths]
        theirs = peer.model.save(str(tmp_path), prefix)
        assert paths == theirs
        assert mine == [Path(path).read_bytes() for path in theirs]


@pytest.mark.parametrize("max_length", range(5))
def test_a_template_longer_than_the_length(max_length: int) -> None:
    """Nothing is cut then, as in the reference."""
    ours, peer = Tokenizer.from_str(CONTENT), Peer.from_str(CONTENT)
    for tokenizer in (ours, peer):
        tokenizer.enable_truncation(max_length)
    for adds in (True, False):
        for texts in (("hello a",), ("hello a", "b c d")):
            options: Any = {"add_special_tokens": adds}
            assert_equal(ours.encode(*texts, **options), peer.encode(*texts, **options))
            batch = [texts if len(texts) > 1 else texts[0]]
            for verb in ("encode_batch", "encode_batch_fast"):
                got = getattr(ours, verb)(batch, **options)
                assert_equal(got[0], getattr(peer, verb)(batch, **options)[0])
            plain: list[list[Any]] = []
            for kind in (Tokenizer, Peer):
                one = kind.from_str(CONTENT)
                plain.append([one.encode(text, add_special_tokens=False) for text in texts])
            mine = ours.post_process(*plain[0], **options)
            assert_equal(mine, peer.post_process(*plain[1], **options))


def test_parts_are_replaced_while_others_encode() -> None:
    shared = Tokenizer.from_str(CONTENT)
    choices: list[Any] = [None, processors.ByteLevel(trim_offsets=True)]
    expected = []
    for part in choices:
        peer = Peer.from_str(CONTENT)
        peer.post_processor = part
        expected.append(peer.encode(TEXTS[1]).offsets)
    shared.post_processor = None

    def work(k: int) -> None:
        for n in range(60):
            if k < 2:
                shared.post_processor = choices[n % 2]
            else:
                assert shared.encode(TEXTS[1]).offsets in expected

    run_threads(work, 8)


ALONE: dict[str, Any] = {
    "normalizer": [
        normalizers.NFC(),
        normalizers.NFKD(),
        normalizers.Lowercase(),
        normalizers.StripAccents(),
        normalizers.Nmt(),
        normalizers.Strip(left=True, right=False),
        normalizers.Prepend("x"),
        normalizers.Replace(tokenizers.Regex(r"\s+"), "_"),
        normalizers.BertNormalizer(strip_accents=True),
        normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()]),
    ],
    "pre_tokenizer": [
        pre_tokenizers.ByteLevel(add_prefix_space=True),
        pre_tokenizers.Whitespace(),
        pre_tokenizers.WhitespaceSplit(),
        pre_tokenizers.BertPreTokenizer(),
        pre_tokenizers.Punctuation("merged_with_previous"),
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.Metaspace(),
        pre_tokenizers.CharDelimiterSplit("l"),
        pre_tokenizers.UnicodeScripts(),
        pre_tokenizers.Split(tokenizers.Regex("[a-z]+"), "isolated"),
        pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation()]),
    ],
    "decoder": [
        decoders.ByteLevel(),
        decoders.BPEDecoder("_"),
        decoders.Metaspace(),
        decoders.ByteFallback(),
        decoders.Fuse(),
        decoders.Strip("_", 1, 0),
        decoders.Replace("_", " "),
        decoders.Sequence([decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]),
    ],
}
CASES = [(kind, part) for kind, parts in ALONE.items() for part in parts]


@pytest.mark.parametrize(("kind", "part"), CASES, ids=lambda case: type(case).__name__)
def test_parts_by_themselves(kind: str, part: Any) -> None:
    ours = put(Tokenizer.from_str(CONTENT), kind, part)
    assert json.loads(ours.__getstate__()) == json.loads(part.__getstate__())
    assert pickle.loads(pickle.dumps(ours)) == ours == copy.deepcopy(ours)
    verb = {
        "normalizer": "normalize_str",
        "pre_tokenizer": "pre_tokenize_str",
        "decoder": "decode",
    }[kind]
    texts: list[Any] = ["Hello, hôw are ü  911!", "", " é漢字_the Привет\n", "a"]
    if kind == "decoder":
        texts = [
            ["My", "Ġname", "_is_", "▁John", "<0x61>"],
            ["<0xE5>", "<0x8f>", "<0xab>", "a", "<0xE5>", "b_"],
            [" a", "b</w>", "_"],
            ["x"],
        ]
    for text in texts:
        assert getattr(ours, verb)(text) == getattr(part, verb)(text), text
