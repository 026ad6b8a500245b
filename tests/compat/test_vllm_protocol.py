"""vLLM's protocol of tokenizers, as 0.33 defines it, without vLLM; with it, see test_vllm_installed."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import tokenizers

import tokstream

transformers = pytest.importorskip("transformers")
integration = pytest.importorskip("tokstream.integrations.transformers")

FACTS = (
    "all_special_tokens",
    "all_special_ids",
    "bos_token_id",
    "eos_token_id",
    "pad_token_id",
    "is_fast",
    "vocab_size",
    "truncation_side",
)
"""Properties, but for `max_token_id` and `max_chars_per_token`, which vLLM itself adds."""
VERBS = {
    "num_special_tokens_to_add": (),
    "get_vocab": (),
    "get_added_vocab": (),
    "encode": ("text", "truncation", "max_length", "add_special_tokens"),
    "__call__": ("text", "text_pair", "add_special_tokens", "truncation", "max_length"),
    "get_chat_template": ("chat_template", "tools"),
    "apply_chat_template": ("tools",),
    "convert_tokens_to_ids": ("tokens",),
    "convert_tokens_to_string": ("tokens",),
    "decode": ("skip_special_tokens",),
    "convert_ids_to_tokens": ("ids", "skip_special_tokens"),
}
"""Verbs, and the arguments that are given by name or in this order."""
TEXTS = ["", "hello wörld 漢字 👍🏽", "<|endoftext|> x  y\n"]


TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"


def wrapped(backend: Any) -> Any:
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend,
        bos_token="<|endoftext|>",
        eos_token="<|endoftext|>",
        chat_template=TEMPLATE,
    )


@pytest.fixture(scope="module")
def both() -> tuple[Any, Any]:
    """A tokenizer as `tokenizers` makes it, and one with tokstream under it."""
    content = tokstream.get_encoding("gpt2").as_hf().to_str()
    peer = wrapped(tokenizers.Tokenizer.from_str(content))
    return peer, integration.accelerate(wrapped(tokenizers.Tokenizer.from_str(content)))


def test_members(both: tuple[Any, Any]) -> None:
    peer, ours = both
    for name in FACTS:
        assert getattr(ours, name) == getattr(peer, name), name
    assert len(ours) == len(peer)
    assert isinstance(hash(ours), int)
    for name, wanted in VERBS.items():
        takes = inspect.signature(getattr(ours, name)).parameters
        takes_any = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in takes.values())
        for argument in wanted:
            assert argument in takes or takes_any, (name, argument)


def test_results(both: tuple[Any, Any]) -> None:
    peer, ours = both
    assert ours.get_vocab() == peer.get_vocab()
    assert ours.get_added_vocab() == peer.get_added_vocab()
    assert ours.num_special_tokens_to_add() == peer.num_special_tokens_to_add()
    for text in TEXTS:
        for cut in ({}, {"truncation": True, "max_length": 3}):
            for adds in (True, False):
                ids = peer.encode(text, add_special_tokens=adds, **cut)
                assert ours.encode(text, add_special_tokens=adds, **cut) == ids
                assert ours(text, add_special_tokens=adds, **cut) == peer(
                    text, add_special_tokens=adds, **cut
                )
        assert ours([text, "a"]) == peer([text, "a"])
        for skips in (True, False):
            tokens = peer.convert_ids_to_tokens(ids, skip_special_tokens=skips)
            assert ours.convert_ids_to_tokens(ids, skip_special_tokens=skips) == tokens
            assert ours.decode(ids, skip_special_tokens=skips) == peer.decode(
                ids, skip_special_tokens=skips
            )
            assert ours.convert_tokens_to_ids(tokens) == peer.convert_tokens_to_ids(tokens)
            assert ours.convert_tokens_to_string(tokens) == peer.convert_tokens_to_string(tokens)
    chat = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "漢字"}]
    for arguments in ({"tokenize": False}, {"tokenize": True}):
        assert ours.apply_chat_template(chat, **arguments) == peer.apply_chat_template(
            chat, **arguments
        )
    assert ours.get_chat_template() == peer.get_chat_template()
