"""The class satisfies vLLM's protocol; its results are those of transformers' tokenizers."""

from __future__ import annotations

import asyncio
import copy
import inspect
import json
import pickle
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
import tokenizers
from tokenizers import AddedToken, decoders, models, pre_tokenizers, processors
from vllm_protocol import RECORDED, installed_members

import tokstream
from tokstream.integrations import vllm as ours
from tokstream.integrations.vllm import VllmTokenizer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<|{{ message['role'] }}|>"
    "{{ message['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
MESSAGES = [{"role": "user", "content": "ab cab 漢"}, {"role": "assistant", "content": "abc"}]
TEXTS = ["", "ab cab", "<|user|>ab<|end|>", "漢字 é 👍", "  a\n\n b", "[x]ab[x] cab"]


def small() -> tokenizers.Tokenizer:
    """A byte-level tokenizer with a template, special tokens and one that is not special."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("a", "b"), ("Ġ", "c"), ("ab", "c")]
    vocabulary = {token: k for k, token in enumerate([*letters, *map("".join, merges)])}
    made = tokenizers.Tokenizer(models.BPE(vocabulary, merges))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens(["<s>", "<|end|>", "<|user|>", "<|assistant|>"])
    made.add_tokens([AddedToken("[x]", special=False)])
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", made.token_to_id("<s>"))]
    )
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model")
    small().save(str(path / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": {"content": "<s>", "__type": "AddedToken"},
        "eos_token": "<|end|>",
        "additional_special_tokens": ["<|user|>"],
        "chat_template": TEMPLATE,
        "clean_up_tokenization_spaces": False,
    }
    (path / "tokenizer_config.json").write_text(json.dumps(settings))
    return path


@pytest.fixture(scope="module")
def mine(folder: Path) -> VllmTokenizer:
    return VllmTokenizer.from_pretrained(folder, trust_remote_code=False, revision=None)


@pytest.fixture(scope="module")
def theirs(folder: Path) -> Any:
    transformers = pytest.importorskip("transformers")
    return transformers.AutoTokenizer.from_pretrained(folder)


def test_the_protocol() -> None:
    found = installed_members()
    for name, parameters in {**RECORDED, **(found or {})}.items():
        member = inspect.getattr_static(VllmTokenizer, name, None)
        if parameters is None:
            assert isinstance(member, property) or name in ("is_fast", "truncation_side"), name
            continue
        assert member is not None, name
        function = getattr(VllmTokenizer, name)
        names = [p for p in inspect.signature(function).parameters if p != "self"]
        positional = [p for p in names if p not in ("args", "kwargs")]
        assert tuple(positional[: len(parameters)]) == parameters, name


def test_facts(mine: VllmTokenizer, theirs: Any) -> None:
    assert mine.get_vocab() == theirs.get_vocab()
    assert mine.get_added_vocab() == theirs.get_added_vocab()
    assert len(mine) == len(theirs)
    for name in ("vocab_size", "bos_token_id", "eos_token_id", "pad_token_id", "is_fast"):
        assert getattr(mine, name) == getattr(theirs, name), name
    for name in ("bos_token", "eos_token", "pad_token"):
        assert getattr(mine, name) == getattr(theirs, name), name
    assert mine.all_special_ids == theirs.all_special_ids
    assert mine.all_special_tokens == theirs.all_special_tokens == ["<s>", "<|end|>", "<|user|>"]
    assert mine.num_special_tokens_to_add() == theirs.num_special_tokens_to_add() == 1
    assert mine.max_token_id == max(theirs.get_vocab().values())
    assert mine.max_chars_per_token == max(map(len, theirs.get_vocab()))


@pytest.mark.parametrize("text", TEXTS)
def test_encode_and_decode(mine: VllmTokenizer, theirs: Any, text: str) -> None:
    for adds in (True, False):
        ids = theirs.encode(text, add_special_tokens=adds)
        assert mine.encode(text, add_special_tokens=adds) == ids
        found = mine(text, add_special_tokens=adds)
        assert found["input_ids"] == ids
        assert found["attention_mask"] == [1] * len(ids)
        for skips in (True, False):
            assert mine.decode(ids, skip_special_tokens=skips) == theirs.decode(
                ids, skip_special_tokens=skips
            )
            tokens = theirs.convert_ids_to_tokens(ids, skip_special_tokens=skips)
            assert mine.convert_ids_to_tokens(ids, skip_special_tokens=skips) == tokens
            assert mine.convert_tokens_to_ids(tokens) == theirs.convert_tokens_to_ids(tokens)
            if tokens:
                assert mine.convert_tokens_to_string(tokens) == theirs.convert_tokens_to_string(
                    tokens
                )
    assert mine([text, "a"])["input_ids"] == theirs([text, "a"])["input_ids"]
    assert mine.convert_tokens_to_ids("no token") is None
    assert mine.decode(5) == theirs.decode(5)


@pytest.mark.parametrize("side", ["left", "right"])
def test_truncation(folder: Path, theirs: Any, side: str) -> None:
    mine = VllmTokenizer.from_pretrained(folder, truncation_side=side)
    same = copy.deepcopy(theirs)
    same.truncation_side = side
    text = "ab cab 漢 abc <|end|> b"
    for most in range(1, 12):
        for adds in (True, False):
            arguments: dict[str, Any] = {
                "truncation": True,
                "max_length": most,
                "add_special_tokens": adds,
            }
            assert mine.encode(text, **arguments) == same.encode(text, **arguments)
    assert mine.encode(text, max_length=0) == []
    assert len(mine.encode(text, truncation=False, max_length=2)) > 2
    assert len(mine.encode(text, max_length=2)) == 2


def test_chat(mine: VllmTokenizer, theirs: Any) -> None:
    choices: list[dict[str, Any]] = [
        {},
        {"add_generation_prompt": True},
        {"continue_final_message": True},
    ]
    for choice in choices:
        text = theirs.apply_chat_template(MESSAGES, tokenize=False, **choice)
        assert mine.apply_chat_template(MESSAGES, tokenize=False, **choice) == text
        ids = theirs.apply_chat_template(MESSAGES, return_dict=False, **choice)
        assert mine.apply_chat_template(conversation=MESSAGES, return_dict=False, **choice) == ids
    assert mine.get_chat_template() == TEMPLATE
    plain = VllmTokenizer(tokstream.get_encoding("cl100k_base"))
    with pytest.raises(ValueError, match="no chat template"):
        plain.apply_chat_template(MESSAGES)
    assert plain.apply_chat_template(MESSAGES, chat_template="<|endoftext|>x") == [100257, 87]


def test_prompts_in_pieces(mine: VllmTokenizer) -> None:
    text = "<|user|>ab cab 漢字<|end|><|assistant|>"

    async def arriving() -> AsyncIterator[str]:
        for character in text:
            yield character

    async def collected(pieces: Any, **choice: bool) -> list[int]:
        return [i async for ids in mine.encode_pieces(pieces, **choice) for i in ids]

    for choice in ({}, {"add_special_tokens": False}):
        assert asyncio.run(collected(arriving(), **choice)) == mine.encode(text, **choice)
        assert asyncio.run(collected(list(text), **choice)) == mine.encode(text, **choice)
    stream = mine.stream(add_special_tokens=False)
    ids = stream.feed("<|user|>ab cab")
    fork = stream.copy()
    assert ids + stream.feed(" ab") + stream.finish() == mine.native.encode("<|user|>ab cab ab")
    assert ids + fork.finish() == mine.native.encode("<|user|>ab cab")


def test_conversations(mine: VllmTokenizer) -> None:
    conversation = mine.conversation()
    prompt = ""
    for turn in range(20):
        prompt += f"<|user|>ab cab {turn}" * 50 + "<|end|>"
        for tail in ("<|assistant|>", "<|assistant|>abc"):
            assert conversation.encode(prompt + tail) == mine.encode(prompt + tail)
    assert conversation.n_reused > 0.8 * len(prompt)


def test_rank_files_know_special_tokens_in_prompts() -> None:
    tokenizer = VllmTokenizer(tokstream.get_encoding("cl100k_base"))
    assert tokenizer.encode("a<|endoftext|>") == [64, 100257]
    assert tokenizer.eos_token_id == 100257
    assert tokenizer.conversation().encode("a<|endoftext|>") == [64, 100257]
    assert tokenizer.decode([64, 100257], skip_special_tokens=True) == "a"


def test_what_vllm_reads_beyond_its_protocol(mine: VllmTokenizer, theirs: Any) -> None:
    """Where a blank is a marker, single tokens of log probabilities get theirs back."""
    found, expected = (json.loads(one.backend_tokenizer.to_str()) for one in (mine, theirs))
    assert found["pre_tokenizer"] == expected["pre_tokenizer"] is not None
    mine._vllm_space_marker_cache = None  # type: ignore[attr-defined]  # vLLM keeps it there


def test_copies(mine: VllmTokenizer) -> None:
    again = pickle.loads(pickle.dumps(mine))
    assert again.encode("ab<|end|>") == mine.encode("ab<|end|>")
    assert again.chat_template == TEMPLATE
    assert copy.deepcopy(mine).encode("ab") == mine.encode("ab")
    assert {mine: 1}[mine] == 1
    assert mine != again


def test_faults(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="truncation_side"):
        VllmTokenizer(tokstream.get_encoding("gpt2"), truncation_side="middle")
    (tmp_path / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    (tmp_path / "tokenizer_config.json").write_text("{")
    with pytest.raises(ValueError, match=r"tokenizer_config\.json is no JSON"):
        VllmTokenizer.from_pretrained(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text("{}")
    (tmp_path / "chat_template.jinja").write_text(TEMPLATE)
    found = VllmTokenizer.from_pretrained(tmp_path)
    assert found.chat_template == TEMPLATE
    assert found.bos_token_id is None
    with pytest.raises(ValueError, match="pairs"):
        found("a", "b")


def test_register(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the two registries of vLLM stood in for: it takes torch to import them."""
    calls = []

    class Registry:
        @staticmethod
        def register(*arguments: str) -> None:
            calls.append(arguments)

    for name in ("vllm", "vllm.tokenizers", "vllm.renderers", "vllm.renderers.registry"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setattr(
        sys.modules["vllm.tokenizers"], "TokenizerRegistry", Registry, raising=False
    )
    monkeypatch.setattr(
        sys.modules["vllm.renderers.registry"], "RENDERER_REGISTRY", Registry, raising=False
    )
    ours.register()
    assert calls == [
        ("tokstream", "tokstream.integrations.vllm", "VllmTokenizer"),
        ("tokstream", "vllm.renderers.hf", "HfRenderer"),
    ]
