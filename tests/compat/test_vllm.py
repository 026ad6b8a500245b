"""What vLLM is given, without vLLM; with it, see test_vllm_installed.py."""

from __future__ import annotations

import copy
import subprocess
import sys
from types import ModuleType
from typing import Any, cast

import pytest
import tokenizers
import tokenizers.decoders
from tokenizers.tokenizers import decoders as native

import tokstream
from tokstream.integrations import vllm as ours
from tokstream.integrations.decode_stream import share_decode_stream

TEXT = "hello wörld 漢字 👍🏽<|endoftext|> x"


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> type:
    """The real class; what stood in its place, maybe that of a test before, is put back."""
    real: type = native.DecodeStream
    monkeypatch.setattr(tokenizers.decoders, "DecodeStream", real)
    share_decode_stream()
    return real


def test_register(monkeypatch: pytest.MonkeyPatch, shared: type) -> None:
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
    assert tokenizers.decoders.DecodeStream is not shared


def test_without_vllm() -> None:
    code = (
        "import sys; sys.modules['vllm'] = sys.modules['vllm.tokenizers'] = None\n"
        "from tokstream.integrations.vllm import VllmTokenizer\n"
        "try:\n    VllmTokenizer.from_pretrained('gpt2')\n"
        "except ImportError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "accelerate" in done.stdout


def test_a_stream_serves_both_kinds(shared: type) -> None:
    mine: Any = tokstream.get_encoding("gpt2").as_hf()
    theirs = tokenizers.Tokenizer.from_str(mine.to_str())
    ids = mine.encode(TEXT).ids
    for skips in (True, False):
        for n in (0, 3, len(ids) - 1):
            real = shared(ids=ids[:n], skip_special_tokens=skips)
            expected = [real.step(theirs, one) for one in ids[n:]]
            for tokenizer in (mine, theirs):
                stream = tokenizers.decoders.DecodeStream(ids[:n], skip_special_tokens=skips)
                assert [stream.step(tokenizer, one) for one in ids[n:]] == expected


def test_a_shared_stream_keeps_its_prompt(shared: type) -> None:
    """Callers go on using the list that they gave."""
    hf = tokstream.get_encoding("gpt2").as_hf()
    begin, *rest = hf.encode("a👍").ids
    prompt = [begin]
    stream = tokenizers.decoders.DecodeStream(ids=prompt)
    prompt.append(rest[0])
    texts = [stream.step(cast("Any", hf), token_id) for token_id in rest]
    assert "".join(text or "" for text in texts) == "👍"


def test_a_shared_stream_can_be_copied(shared: type) -> None:
    mine: Any = tokstream.get_encoding("gpt2").as_hf()
    theirs = tokenizers.Tokenizer.from_str(mine.to_str())
    ids = mine.encode(" 漢 字").ids
    for tokenizer in (mine, theirs):
        stream = tokenizers.decoders.DecodeStream()
        twins = []
        found = ""
        for one in ids:
            twins.append(copy.copy(stream))
            found += stream.step(tokenizer, one) or ""
        assert found == " 漢 字"
        rest = (copy.deepcopy(twins[0]).step(tokenizer, one) for one in ids[:1])
        assert list(rest) == [twins[0].step(tokenizer, ids[0])]


def test_a_shared_stream_is_shared_once_and_checks_ids(shared: type) -> None:
    first = tokenizers.decoders.DecodeStream
    share_decode_stream()
    assert tokenizers.decoders.DecodeStream is first
    bad: list[Any] = [["a"], [-1], 5]
    for ids in bad:
        with pytest.raises((TypeError, OverflowError)):
            shared(ids=ids)
        with pytest.raises((TypeError, OverflowError)):
            tokenizers.decoders.DecodeStream(ids=ids)
    with pytest.raises(TypeError):
        tokenizers.decoders.DecodeStream().step(cast("Any", object()), 1)
