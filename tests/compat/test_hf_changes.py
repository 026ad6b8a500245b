"""A tokenizer that is changed again and again: after each change it is as the reference's.

Left out are the offsets behind characters that vanish, and the texts of added tokens that share
blanks behind a normalizer that changes them; docs/compat names both.
"""

from __future__ import annotations

import copy
import json
import pickle
import random
from typing import TYPE_CHECKING, Any

import pytest
import tokenizers
from tokenizers import Tokenizer as Peer
from tokenizers import decoders, normalizers, pre_tokenizers

import tokstream
from format_texts import generated_texts
from hf_compare import COLUMNS, assert_equal
from hf_small import random_document
from tokstream.compat.huggingface import AddedToken, Tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable

PARTS: dict[str, list[Any]] = {
    "normalizer": [
        None,
        normalizers.NFC(),
        normalizers.NFD(),
        normalizers.Lowercase(),
        normalizers.Strip(),
        normalizers.Replace(" ", "▁"),
        normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
        normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()]),
    ],
    "pre_tokenizer": [
        None,
        pre_tokenizers.ByteLevel(),
        pre_tokenizers.ByteLevel(add_prefix_space=False),
        pre_tokenizers.Metaspace(),
        pre_tokenizers.Metaspace(prepend_scheme="first", split=False),
        pre_tokenizers.WhitespaceSplit(),
        pre_tokenizers.BertPreTokenizer(),
        pre_tokenizers.Split(" ", "merged_with_next"),
        pre_tokenizers.Sequence(
            [pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True)]
        ),
    ],
    "decoder": [
        None,
        decoders.ByteLevel(),
        decoders.Metaspace(),
        decoders.BPEDecoder(),
        decoders.Sequence([decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]),
    ],
    "post_processor": [None],
}
TOKENS = ["<|x|>", "[Y]", "hello", " the", "zz", "é", "漢字", "<0x41>", "a"]
FLAGS = ("lstrip", "rstrip", "single_word", "normalized", "special")


class Both:
    """A tokenizer of each kind, and what was done to them."""

    def __init__(self, content: str) -> None:
        self.ours, self.peer = Tokenizer.from_str(content), Peer.from_str(content)
        self.log: list[object] = []

    def do(self, what: object, act: Callable[[Any], object]) -> None:
        self.log.append(what)
        found = act(self.ours), act(self.peer)
        assert found[0] == found[1], self.log

    def replace(self, what: str, made: Callable[[Any], Any]) -> None:
        """Put a copy in place of each; pickles and files of the reference leave a setting out."""
        value = self.peer.encode_special_tokens
        self.log.append(what)
        self.ours, self.peer = made(self.ours), made(self.peer)
        self.do(None, lambda one: setattr(one, "encode_special_tokens", value))

    def change(self, rng: random.Random) -> list[str]:
        """Change something; returns texts that are added tokens now."""
        match rng.randrange(9):
            case 0 | 1 | 2:
                texts = rng.sample(TOKENS, rng.randrange(1, 3))
                flags = {name: rng.random() < 0.5 for name in FLAGS if rng.random() < 0.25}
                verb = rng.choice(["add_tokens", "add_special_tokens"])
                kinds = {Tokenizer: AddedToken, Peer: tokenizers.AddedToken}
                as_texts = rng.random() < 0.4
                self.do(
                    (verb, texts, None if as_texts else flags),
                    lambda one: getattr(one, verb)(
                        texts if as_texts else [kinds[type(one)](text, **flags) for text in texts]
                    ),
                )
                return texts
            case 3 | 4:
                name = rng.choice(list(PARTS))
                value = rng.choice(PARTS[name])
                self.do((name, str(value)), lambda one: setattr(one, name, value))
            case 5:
                options = {"max_length": rng.randrange(4, 12), "stride": rng.randrange(2)}
                self.do(options, lambda one: one.enable_truncation(**options))
            case 6:
                verb = rng.choice(["enable_padding", "no_padding", "no_truncation"])
                self.do(verb, lambda one: getattr(one, verb)())
            case 7:
                value = rng.random() < 0.5
                what = ("encode_special_tokens", value)
                self.do(what, lambda one: setattr(one, "encode_special_tokens", value))
            case 8:
                how = rng.choice(["pickle", "copy", "file"])
                made: dict[str, Callable[[Any], Any]] = {
                    "pickle": lambda one: pickle.loads(pickle.dumps(one)),
                    # the reference's forgets which tokens were special once
                    "copy": lambda one: copy.deepcopy(one) if one is self.ours else one,
                    "file": lambda one: type(one).from_str(one.to_str()),
                }
                self.replace(how, made[how])
        return []

    def compare(self, texts: list[str], columns: list[str]) -> int:
        n_compared = 0
        for text in texts:
            try:
                expected = self.peer.encode(text)
            except BaseException as error:  # it also panics
                if isinstance(error, KeyboardInterrupt):
                    raise
                continue
            n_compared += 1
            assert_equal(self.ours.encode(text), expected, (self.log, text), columns)
            for skips in (True, False):
                decoded = self.peer.decode(expected.ids, skip_special_tokens=skips)
                found = self.ours.decode(expected.ids, skip_special_tokens=skips)
                assert found == decoded, (self.log, text)
        assert self.ours.get_vocab() == self.peer.get_vocab(), self.log
        added = (one.get_added_tokens_decoder() for one in (self.ours, self.peer))
        mine, theirs = ({k: repr(token) for k, token in found.items()} for found in added)
        assert mine == theirs, self.log
        return n_compared


@pytest.mark.parametrize("seed", range(6))
def test_changes(seed: int) -> None:
    rng = random.Random(f"changes {seed}")
    n_compared = 0
    for _ in range(25):
        words, document = random_document(rng)
        if "clean_text" in json.dumps(document["normalizer"]):
            continue
        model = document["model"]
        vanish = model["unk_token"] is None and not model.get("byte_fallback")
        columns = [name for name in COLUMNS if name != "offsets" or not vanish]
        added = [token["content"] for token in document["added_tokens"]]
        try:
            both = Both(json.dumps(document))
            both.log.append(words)
            for _ in range(rng.randrange(1, 7)):
                added += both.change(rng)
                texts = [*generated_texts(rng, 3, added, 8)]
                texts.append("".join(rng.choices([*added, " ", "a", "é"], k=5)))
                n_compared += both.compare(texts, columns)
        except tokstream.UnsupportedTokenizerError:
            continue
    assert n_compared > 80
