"""What an `Encoding`, a part or a model of `as_hf` does when it is held, copied and changed."""

from __future__ import annotations

import copy
import json
import pickle
import random
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import tokenizers
from tokenizers import Tokenizer as Peer
from tokenizers import decoders, normalizers, pre_tokenizers, processors

import tokstream.compat.huggingface as ours_module
from format_configurations import document
from format_texts import generated_texts
from hf_small import byte_level
from tokstream.compat.huggingface import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable

CONTENT = json.dumps(byte_level())
MODULES = ((Tokenizer, ours_module), (Peer, tokenizers))


def outcome(call: Callable[[], Any]) -> Any:
    """Return what a call gives; for an error which of the usual kinds it is."""
    try:
        return call()
    except (TypeError, OverflowError, ValueError) as error:
        kinds = (TypeError, OverflowError, ValueError)
        return next(kind for kind in kinds if isinstance(error, kind))


def tree(encoding: Any) -> Any:
    return encoding.ids, encoding.sequence_ids, [tree(part) for part in encoding.overflowing]


def cut(tokenizer: Any, text: str) -> Any:
    tokenizer.enable_truncation(4)
    found = tokenizer.encode(text)
    tokenizer.no_truncation()
    return found


def test_what_overflows_is_handed_out_as_a_copy() -> None:
    found = []
    for kind, _ in MODULES:
        encoding = cut(kind.from_str(CONTENT), "a b c d e f")
        twin = copy.copy(encoding)
        part = encoding.overflowing[0]
        part.truncate(1)
        part.set_sequence_id(3)
        encoding.overflowing[1].pad(9)
        encoding.pad(8)
        twin.overflowing[0].truncate(0)
        found.append((tree(part), tree(encoding), tree(twin)))
    assert found[0] == found[1]


@pytest.mark.parametrize("grows", [False, True])
def test_merged_encodings_may_be_changed_afterwards(grows: bool) -> None:
    found = []
    for kind, module in MODULES:
        tokenizer = kind.from_str(CONTENT)
        first, second = cut(tokenizer, "a b c d e f"), cut(tokenizer, "g h i j")
        merged = module.Encoding.merge([first, second], grows)
        first.truncate(1)
        second.pad(9)
        found.append((tree(merged), merged.offsets))
        with pytest.raises(TypeError):
            module.Encoding.merge([first, "a"])
    assert found[0] == found[1]


INDICES = (0, 1, 2**31, 2**32 - 1, 2**32, 2**63, 2**64 - 1, 2**64, -1, 1.5, None)
NUMBERS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "char": lambda _, e, n: e.char_to_token(n),
    "char word": lambda _, e, n: e.char_to_word(n),
    "sequence": lambda _, e, n: e.char_to_token(0, n),
    "token chars": lambda _, e, n: e.token_to_chars(n),
    "token word": lambda _, e, n: e.token_to_word(n),
    "token sequence": lambda _, e, n: e.token_to_sequence(n),
    "word tokens": lambda _, e, n: e.word_to_tokens(n),
    "word chars": lambda _, e, n: e.word_to_chars(n),
    "word sequence": lambda _, e, n: e.word_to_chars(0, n),
    "set sequence": lambda _, e, n: e.set_sequence_id(n),
    "truncate": lambda _, e, n: e.truncate(n),
    "truncate stride": lambda _, e, n: e.truncate(99, n),
    "max_length": lambda t, _, n: t.enable_truncation(n),
    "stride": lambda t, _, n: t.enable_truncation(2**63, stride=n if n != 2**64 - 1 else 0),
    "pad id": lambda t, _, n: t.enable_padding(pad_id=n),
    "padding": lambda t, _, n: t.enable_padding(length=n),
    "multiple": lambda t, _, n: t.enable_padding(pad_to_multiple_of=n),
    "id": lambda t, _, n: t.model.id_to_token(n),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_all_sizes(name: str) -> None:
    for number in INDICES:
        found = []
        for kind, _ in MODULES:
            tokenizer = kind.from_str(CONTENT)
            encoding = tokenizer.encode("a b c")
            found.append(outcome(lambda: NUMBERS[name](tokenizer, encoding, number)))  # noqa: B023
        assert found[0] == found[1], number


@pytest.mark.parametrize("decoder", [None, {"type": "Fuse"}, {"type": "ByteFallback"}])
@pytest.mark.parametrize("skips", [False, True])
def test_ids_that_are_not_whole(decoder: Any, skips: bool) -> None:
    """They may equal ids, those of special tokens included."""
    content = byte_level()
    content["decoder"] = decoder or content["decoder"]
    ours, peer = Tokenizer.from_str(json.dumps(content)), Peer.from_str(json.dumps(content))
    special = float(peer.get_vocab()["<s>"])
    lists: list[list[Any]] = [[1.0], [5, 1.0, 6], [special], [5, special], [np.float32(1)], ["a"]]
    lists += [[True, 5], [500, np.uint8(4)], [np.int32(2**31 - 1), 7], [5, -1], [5, 2**32]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for ids in lists:
            expected = outcome(lambda: peer.decode(ids, skips))  # noqa: B023 - at once
            assert outcome(lambda: ours.decode(ids, skips)) == expected, ids  # noqa: B023
            batch = outcome(lambda: peer.decode_batch([[5], ids], skips))  # noqa: B023
            assert outcome(lambda: ours.decode_batch([[5], ids], skips)) == batch, ids  # noqa: B023


def test_a_token_with_surrogates() -> None:
    for kind, _ in MODULES:
        with pytest.raises((TypeError, ValueError)):
            kind.from_str(CONTENT).token_to_id("\ud800")


def test_copies_and_pickles_of_the_model() -> None:
    ours, peer = Tokenizer.from_str(CONTENT), Peer.from_str(CONTENT)
    model = ours.model
    for twin in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert type(twin) is type(model)
        assert repr(twin) == repr(model)
        assert twin.token_to_id("hello") == peer.model.token_to_id("hello")
        expected = [token.as_tuple() for token in peer.model.tokenize("hello")]
        assert [token.as_tuple() for token in twin.tokenize("hello")] == expected
        assert Tokenizer(twin).get_vocab() == ours.get_vocab(with_added_tokens=False)
    for tokenizer in (ours, peer):
        tokenizer.model._clear_cache()
        tokenizer.model._resize_cache(10)


PARTS: list[tuple[str, Callable[[], Any], dict[str, list[Any]]]] = [
    (
        "pre_tokenizer",
        lambda: pre_tokenizers.Punctuation("merged_with_next"),
        {"behavior": ["removed", "merged_with_previous", "Removed", "mergedwithnext", 3, None]},
    ),
    (
        "pre_tokenizer",
        lambda: pre_tokenizers.Split("a", "merged_with_previous"),
        {"behavior": ["contiguous", "x"], "invert": [True, 1, None]},
    ),
    (
        "pre_tokenizer",
        pre_tokenizers.Metaspace,
        {
            "replacement": ["_", "ab", "", 3],
            "prepend_scheme": ["first", "x", 3],
            "split": [False, 1],
        },
    ),
    (
        "pre_tokenizer",
        lambda: pre_tokenizers.CharDelimiterSplit("a"),
        {"delimiter": ["b", "ab", 3]},
    ),
    (
        "pre_tokenizer",
        lambda: pre_tokenizers.Digits(individual_digits=True),
        {"individual_digits": [False, 1]},
    ),
    (
        "post_processor",
        lambda: processors.RobertaProcessing(("a", 1), ("b", 2)),
        {
            "cls": [("q", 5), 1, ("a", "b"), ["a", 1], ("a", 1, 2), ("a", -1), ("a", 2**32)],
            "sep": [("q", 5), (1, 5), None],
            "trim_offsets": [False, 1],
            "add_prefix_space": [False, None],
        },
    ),
    (
        "normalizer",
        normalizers.BertNormalizer,
        {"strip_accents": [None, True, 1], "lowercase": [False, None]},
    ),
    ("normalizer", normalizers.Strip, {"left": [False, 1]}),
    ("normalizer", lambda: normalizers.Prepend("a"), {"prepend": ["b", 1, None]}),
    ("decoder", decoders.BPEDecoder, {"suffix": ["x", 1, None]}),
    ("decoder", decoders.Metaspace, {"replacement": ["_", 3], "split": [False, 1]}),
]


@pytest.mark.parametrize("at", range(len(PARTS)))
def test_values_of_settings(at: int) -> None:
    """Shown and taken as in the reference; a wrong one changes nothing."""
    name, make, settings = PARTS[at]
    for setting, values in settings.items():
        ours, peer = Tokenizer.from_str(CONTENT), Peer.from_str(CONTENT)
        setattr(ours, name, make())
        setattr(peer, name, make())
        for value in values:
            found = []
            for one in (ours, peer):
                part = getattr(one, name)
                result = outcome(lambda: setattr(part, setting, value))  # noqa: B023 - at once
                shown = getattr(getattr(one, name), setting)
                found.append((result, shown, json.loads(getattr(one, name).__getstate__())))
            assert found[0] == found[1], (setting, value)


DIGITS = {"type": "Digits", "individual_digits": True}
LEVEL = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
MARKS = {"type": "Punctuation", "behavior": "Isolated"}
META = {
    "type": "Metaspace",
    "replacement": "\u2581",
    "prepend_scheme": "always",
    "split": True,
}


PLAIN_LEVEL = {**LEVEL, "use_regex": False}
CHAINS = [(META, MARKS), (LEVEL, DIGITS, MARKS), (MARKS, LEVEL, DIGITS), (LEVEL,), (PLAIN_LEVEL,)]


@pytest.mark.parametrize("parts", CHAINS)
def test_places_of_signs_put_in_and_of_single_bytes(parts: tuple[Any, ...]) -> None:
    whole = {"type": "Sequence", "pretokenizers": list(parts)}
    _, content = document("bytes", None, whole, (), None)
    ours = Tokenizer.from_str(json.dumps(content)).pre_tokenizer
    peer = Peer.from_str(json.dumps(content)).pre_tokenizer
    assert ours is not None
    texts = ["", " ", "<new>\u00e9", "1a", "\ufffe", "a\u0915\u093c1", "\u00bc"]
    for text in (*texts, *generated_texts(random.Random(3), 150, ["<s>"], 5)):
        found = ours.pre_tokenize_str(text)
        assert found == peer.pre_tokenize_str(text), text
        assert {type(place) for _, places in found for place in places} <= {int}


def test_a_template_is_json() -> None:
    """To be looked at and to be changed; the reference has its own notation for it."""
    ours, peer = Tokenizer.from_str(CONTENT), Peer.from_str(CONTENT)
    part: Any = ours.post_processor
    with pytest.raises(TypeError, match="single cannot be object"):
        part.single = object()
    part.single = part.single[1:]
    peer.post_processor.single = "$A </s>"
    assert ours.encode("hello").ids == peer.encode("hello").ids
