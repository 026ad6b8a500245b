"""The real vLLM with mode "tokstream" gives what it gives with its mode "hf".

Skipped where vLLM is not installed; `python scripts/check_integrations.py --vllm` installs it. No GPU
is needed but for the last test, which runs an engine: there a build of vLLM for the CPU will do, too.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import pickle
import random
import re
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
import tokenizers
from tokenizers import AddedToken, decoders, models, normalizers, pre_tokenizers, processors

import tokstream

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of torch, about what vLLM imports
    vllm = pytest.importorskip("vllm")

    from vllm import SamplingParams
    from vllm.config import DeviceConfig, ModelConfig, VllmConfig
    from vllm.platforms import current_platform
    from vllm.plugins import load_general_plugins
    from vllm.reasoning import ReasoningParserManager
    from vllm.renderers.params import ChatParams, TokenizeParams
    from vllm.tokenizers import TokenizerLike, cached_tokenizer_from_config, get_tokenizer
    from vllm.tokenizers.detokenizer_utils import convert_ids_list_to_tokens
    from vllm.tool_parsers import ToolParserManager
    from vllm.v1.engine.detokenizer import (
        FastIncrementalDetokenizer,
        IncrementalDetokenizer,
    )
    from vllm.v1.engine.input_processor import InputProcessor

from tokstream.integrations.transformers import native

if TYPE_CHECKING:
    from pathlib import Path

# warnings of others are not what is tested here
pytestmark = [pytest.mark.timeout(1800), pytest.mark.filterwarnings("ignore")]

MODES = ("hf", "tokstream")
CHAT = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if tools %}{{ tools | tojson }}{% endif %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SPECIAL = ["<|im_start|>", "<|im_end|>"]
ADDED = ["<think>", "</think>", "<tool_call>", "</tool_call>"]
TEXTS = [
    "hello world",
    "  two\n\n lines\t",
    "漢字 é 👍🏽<|im_end|> x",
    "<think>why</think>because<tool_call>{}</tool_call>",
    "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n",
    'def f(x):\n    return {"a": [1, 2.5, null]}  # ok\n' * 6,
    "",
]
MESSAGES = [{"role": "user", "content": "hello 漢"}, {"role": "assistant", "content": "hi"}] * 2


def byte_level() -> tokenizers.Tokenizer:
    return tokenizers.Tokenizer.from_str(tokstream.get_encoding("gpt2").as_hf().to_str())


def byte_fallback() -> tokenizers.Tokenizer:
    """As Llama 2's: blanks are signs, one stands before the text, and unknown bytes are tokens."""
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    tokens += [*"▁abcdefghijklmnopqrstuvwxyz", "he", "ll", "▁w", "or", "▁wor", "lo", "▁▁"]
    merges = [("h", "e"), ("l", "l"), ("▁", "w"), ("o", "r"), ("▁w", "or"), ("l", "o"), ("▁", "▁")]
    made = tokenizers.Tokenizer(
        models.BPE(
            {token: k for k, token in enumerate(tokens)},
            merges,
            unk_token="<unk>",
            fuse_unk=True,
            byte_fallback=True,
        )
    )
    made.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    made.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    made.add_special_tokens(["<unk>", "<s>", "</s>"])
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    return made


def metaspace() -> tokenizers.Tokenizer:
    """The same with the blank signs of a pre-tokenizer, which vLLM asks for."""
    made = byte_fallback()
    made.normalizer = None
    made.pre_tokenizer = pre_tokenizers.Metaspace("▁", prepend_scheme="first", split=False)
    return made


KINDS = (byte_level, byte_fallback, metaspace)


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: kind.__name__)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model without weights."""
    path: Path = tmp_path_factory.mktemp("model")
    made = request.param()
    made.add_special_tokens(SPECIAL)
    made.add_tokens([AddedToken(token, special=False) for token in ADDED])
    made.save(str(path / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": "<|im_end|>",
        "model_max_length": 512,
        "chat_template": CHAT,
        "clean_up_tokenization_spaces": False,
    }
    (path / "tokenizer_config.json").write_text(json.dumps(settings))
    model = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": 64,
        "intermediate_size": 64,
        "num_hidden_layers": 1,
        "num_attention_heads": 1,
        "num_key_value_heads": 1,
        "head_dim": 64,
        "vocab_size": made.get_vocab_size(),
        "max_position_embeddings": 512,
        "torch_dtype": "float32",
        "eos_token_id": made.token_to_id("<|im_end|>"),
    }
    (path / "config.json").write_text(json.dumps(model))
    return path


@pytest.fixture(scope="module")
def configurations(folder: Path) -> dict[str, VllmConfig]:
    load_general_plugins()  # as each process of vLLM does: it finds ours by itself
    return {
        mode: VllmConfig(
            model_config=ModelConfig(model=str(folder), tokenizer_mode=mode, dtype="float32"),
            device_config=DeviceConfig(device="cpu"),
        )
        for mode in MODES
    }


@pytest.fixture(scope="module")
def processors_of(configurations: dict[str, VllmConfig]) -> dict[str, InputProcessor]:
    return {mode: InputProcessor(found) for mode, found in configurations.items()}


@pytest.fixture(scope="module")
def both(configurations: dict[str, VllmConfig]) -> tuple[Any, Any]:
    """Mode "hf"'s tokenizer, and ours."""
    hf, ours = (cached_tokenizer_from_config(c.model_config) for c in configurations.values())
    assert native(ours).n_vocab == len(hf)
    with pytest.raises(TypeError, match="accelerate"):
        native(hf)
    return hf, ours


def outcome(verb: Any, *arguments: Any, **choice: Any) -> Any:
    """What a call gives, or what it raises."""
    try:
        return verb(*arguments, **choice)
    except Exception as error:  # noqa: BLE001 - which one is the question
        return type(error), str(error)


def test_the_protocol(both: tuple[Any, Any]) -> None:
    _, ours = both
    for name, member in vars(TokenizerLike).items():
        if name.startswith("_") and name not in ("__len__", "__call__", "__hash__"):
            continue
        found = inspect.getattr_static(type(ours), name, None)
        assert hasattr(ours, name), name
        if not inspect.isfunction(member) or name in ("__hash__", "__len__"):
            continue
        assert found is not None, name
        wanted = [p for p in inspect.signature(member).parameters.values() if p.name != "self"]
        takes = inspect.signature(getattr(ours, name)).parameters
        extra = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in takes.values())
        for parameter in wanted:
            by_place = name.startswith(("convert", "decode")) and parameter is wanted[0]
            assert parameter.name in takes or extra or by_place, (name, parameter)


def test_facts(both: tuple[Any, Any]) -> None:
    hf, ours = both
    for name in (
        *("all_special_tokens", "all_special_ids", "bos_token_id", "eos_token_id", "pad_token_id"),
        *("is_fast", "vocab_size", "max_token_id", "max_chars_per_token", "truncation_side"),
        *("name_or_path", "chat_template", "special_tokens_map", "model_max_length"),
    ):
        assert getattr(ours, name) == getattr(hf, name), name
    assert len(ours) == len(hf)
    assert ours.get_vocab() == hf.get_vocab()
    assert ours.get_added_vocab() == hf.get_added_vocab()
    assert ours.num_special_tokens_to_add() == hf.num_special_tokens_to_add()


def test_ids_and_texts(both: tuple[Any, Any]) -> None:
    hf, ours = both
    for text in TEXTS:
        for adds in (True, False):
            ids = hf.encode(text, add_special_tokens=adds)
            assert ours.encode(text, add_special_tokens=adds) == ids
            assert native(ours).encode(text, add_special_tokens=adds) == ids
            cut = {"truncation": True, "max_length": 5, "add_special_tokens": adds}
            assert ours(text, **cut) == hf(text, **cut)
            assert convert_ids_list_to_tokens(ours, ids) == convert_ids_list_to_tokens(hf, ids)
            for skips in (True, False):
                assert ours.decode(ids, skip_special_tokens=skips) == hf.decode(
                    ids, skip_special_tokens=skips
                )
                tokens = hf.convert_ids_to_tokens(ids, skip_special_tokens=skips)
                assert ours.convert_ids_to_tokens(ids, skip_special_tokens=skips) == tokens
                assert ours.convert_tokens_to_ids(tokens) == hf.convert_tokens_to_ids(tokens)
                assert ours.convert_tokens_to_string(tokens) == hf.convert_tokens_to_string(tokens)
    assert ours(TEXTS) == hf(TEXTS)
    assert outcome(ours.decode, [10**9]) == outcome(hf.decode, [10**9])


def test_renderers_and_input(processors_of: dict[str, InputProcessor]) -> None:
    """Chats and prompts become what the engine's queue takes."""
    requests: dict[str, list[Any]] = {}
    for mode, made in processors_of.items():
        renderer = made.renderer
        found: list[Any] = []
        for choice in ({}, {"add_generation_prompt": True}, {"tools": [{"name": "f"}]}):
            chat = ChatParams(chat_template_kwargs={"tokenize": False, **choice})
            params = TokenizeParams(max_total_tokens=512, return_token_offsets=True)
            found.append(renderer.render_chat([MESSAGES], chat, params)[1])
        for limit in (None, 7):
            for offsets in (False, True):
                params = TokenizeParams(
                    max_total_tokens=None,
                    truncate_prompt_tokens=limit,
                    return_token_offsets=offsets,
                )
                prompts = [{"prompt": text} for text in TEXTS]
                found.append(renderer.tokenize_prompts(prompts, params))
        for text in TEXTS[:-1]:
            prompt = renderer.render_cmpl([{"prompt": text}])[0]
            request = made.process_inputs("1", prompt, SamplingParams(stop=["x"]), ("generate",))
            found.append(request.prompt_token_ids)
        requests[mode] = [json.loads(json.dumps(one, default=str)) for one in found]
        for rendered in (value for one in requests[mode][:3] for value in one):
            rendered.pop("arrival_time", None)
    assert requests["tokstream"] == requests["hf"]


@pytest.mark.parametrize(
    "choice",
    [
        {},
        {"skip_special_tokens": False},
        {"skip_special_tokens": False, "spaces_between_special_tokens": False},
        {"stop": ["l"]},
        {"stop": ["zz", "字 é"], "include_stop_str_in_output": True},
        {"stop": ["k>"], "min_tokens": 3},
    ],
    ids=str,
)
def test_detokenizers(
    both: tuple[Any, Any], processors_of: dict[str, InputProcessor], choice: dict[str, Any]
) -> None:
    hf, ours = both
    for text in TEXTS[:-1]:
        ids = hf.encode(text)
        for n in {1, len(ids) // 2, len(ids) - 1} - {0}:
            prompt, rest = ids[:n], [*ids[n:], *ids, len(hf) + 5]
            found = []
            for tokenizer, made in zip((hf, ours), processors_of.values(), strict=True):
                request = made.process_inputs(
                    "1",
                    {"type": "token", "prompt_token_ids": prompt},
                    SamplingParams(**choice),
                    ("generate",),
                )
                detokenizer = IncrementalDetokenizer.from_new_request(tokenizer, request)
                assert type(detokenizer) is FastIncrementalDetokenizer
                parts: list[Any] = []
                for one in rest:
                    stop = detokenizer.update([one], stop_terminated=False)
                    parts.append((stop, detokenizer.get_next_output_text(bool(stop), delta=True)))
                    if stop:
                        break
                found.append((parts, detokenizer.output_text, detokenizer.output_token_ids))
            assert found[1] == found[0], (text, n)


def test_detokenizers_of_odd_bytes(
    both: tuple[Any, Any], processors_of: dict[str, InputProcessor]
) -> None:
    """Ids at random: where the fast detokenizer begins a new stream with "hf", text is lost there."""
    rng = random.Random(3)
    for _ in range(60):
        prompt, *rest = [rng.randrange(len(both[0])) for _ in range(50)]
        texts = []
        for tokenizer, made in zip(both, processors_of.values(), strict=True):
            one = {"type": "token", "prompt_token_ids": [prompt]}
            request = made.process_inputs("1", one, SamplingParams(), ("generate",))
            detokenizer = IncrementalDetokenizer.from_new_request(tokenizer, request)
            detokenizer.update(rest, stop_terminated=False)
            texts.append(detokenizer.output_text)
        check_text(tokenizer, texts[1], texts[0])


def check_text(tokenizer: Any, ours: str, theirs: str) -> None:
    """Equal texts; with byte fallback all but odd bytes, of which vLLM drops some with "hf"."""
    if "<0x00>" not in tokenizer.get_vocab():
        assert ours == theirs
        return
    assert ours.count("\ufffd") >= theirs.count("\ufffd")
    assert re.sub("[\ufffd ]", "", ours) == re.sub("[\ufffd ]", "", theirs)


def outlines_entries(vocabulary: Any) -> dict[str, set[str]]:
    """Bytes of tokens, and the ids of each in any order: that of "hf" itself changes."""
    entries = re.findall(r"\[([\d,\s]*)\]: \[([\d,\s]*)\]", repr(vocabulary))
    return {"".join(token.split()): set(ids.replace(",", " ").split()) for token, ids in entries}


def test_grammars(both: tuple[Any, Any]) -> None:
    """Structured output reads the whole vocabulary out of a tokenizer."""
    guidance: Any = importlib.import_module("llguidance.hf")  # these come with vLLM
    xgrammar: Any = importlib.import_module("xgrammar")
    from vllm.v1.structured_output.utils import get_outlines_vocabulary  # noqa: PLC0415

    hf, ours = both
    infos = [xgrammar.TokenizerInfo.from_huggingface(one, vocab_size=len(hf)) for one in both]
    assert infos[1].dump_metadata() == infos[0].dump_metadata()
    assert infos[1].decoded_vocab == infos[0].decoded_vocab
    guides = [guidance.from_tokenizer(one, len(hf)) for one in both]
    for text in TEXTS:
        assert guides[1].tokenize_str(text) == guides[0].tokenize_str(text)
    vocabularies = [outcome(get_outlines_vocabulary, one) for one in (hf, ours)]
    read = [outlines_entries(getattr(one, "inner", one)) for one in vocabularies]
    assert read[1] == read[0]
    assert read[0]


def test_parsers_of_tools_and_of_reasoning(both: tuple[Any, Any]) -> None:
    n_made = 0
    ids = both[0].encode(TEXTS[3])
    for manager, get in (
        (ToolParserManager, ToolParserManager.get_tool_parser),
        (ReasoningParserManager, ReasoningParserManager.get_reasoning_parser),
    ):
        for name in manager.list_registered():
            made = [outcome(lambda one, name=name, get=get: get(name)(one), one) for one in both]
            if isinstance(made[0], tuple):
                assert made[1] == made[0], name
                continue
            n_made += 1
            assert type(made[1]) is type(made[0]), name
            for verb in ("is_reasoning_end", "extract_content_ids", "count_reasoning_tokens"):
                if hasattr(made[0], verb):
                    hf, ours = (outcome(getattr(one, verb), ids) for one in made)
                    assert ours == hf, (name, verb)
    assert n_made > 20


def test_another_process(both: tuple[Any, Any]) -> None:
    hf, ours = both
    code = (
        "import pickle, sys\n"
        "one = pickle.load(sys.stdin.buffer)\n"
        "from tokstream.integrations.transformers import native\n"
        "print(type(one).__name__, one.encode(sys.argv[1]), native(one).encode('a') != [])\n"
    )
    text = TEXTS[2]
    done = subprocess.run(
        [sys.executable, "-c", code, text],
        input=pickle.dumps(ours),
        capture_output=True,
        check=True,
    )
    last = done.stdout.decode().splitlines()[-1]
    assert last == f"{type(hf).__name__} {hf.encode(text)} True"


def test_threads_of_a_renderer(processors_of: dict[str, InputProcessor]) -> None:
    hf, ours = (made.renderer.get_tokenizer() for made in processors_of.values())

    def cut(k: int) -> list[int]:
        ids: list[int] = ours.encode(TEXTS[5], truncation=True, max_length=1 + k % 9)
        return ids

    expected = [hf.encode(TEXTS[5], truncation=True, max_length=n) for n in range(1, 10)]
    with ThreadPoolExecutor(8) as pool:
        for k, ids in enumerate(pool.map(cut, range(300))):
            assert ids == expected[k % 9]


def test_it_is_found_by_name(folder: Path, both: tuple[Any, Any]) -> None:
    found = get_tokenizer(str(folder), tokenizer_mode="tokstream")
    assert found.encode(TEXTS[2]) == both[0].encode(TEXTS[2])
    with pytest.raises(OSError, match="nowhere"):
        get_tokenizer(str(folder / "nowhere"), tokenizer_mode="tokstream")


ENGINE = """
import json, sys
from vllm import LLM, SamplingParams
from vllm.sampling_params import StructuredOutputsParams

if __name__ == "__main__":
    llm = LLM(sys.argv[1], tokenizer_mode=sys.argv[2], load_format="dummy", enforce_eager=True,
              max_model_len=512, seed=1, dtype="float32")
    grammars = [{"choice": ["yes", "no"]}, {"regex": "[a-c]{3}x"}, {"json": {"type": "integer"}}]
    choices = [{}, {"logprobs": 2, "prompt_logprobs": 1}, {"stop": ["e", "a"]},
               {"skip_special_tokens": False, "spaces_between_special_tokens": False}]
    choices += [{"structured_outputs": StructuredOutputsParams(**one)} for one in grammars]
    found = []
    for choice in choices:
        choice = SamplingParams(max_tokens=16, temperature=0.0, **choice)
        for done in llm.generate(["hello world", "漢字 é<|im_end|>"], choice, use_tqdm=False):
            found += [done.prompt_token_ids, str(done.prompt_logprobs), str(done.outputs)]
    chat = llm.chat([{"role": "user", "content": "hi"}], choice, use_tqdm=False)
    found += [chat[0].prompt_token_ids, str(chat[0].outputs)]
    print("FOUND", json.dumps(found))
"""


def run_engine(code: str, folder: Path, mode: str, scratch: Path) -> list[str]:
    """Return what a program with an engine of its own prints."""
    script = scratch / "engine.py"
    script.write_text(code)
    done = subprocess.run(
        [sys.executable, str(script), str(folder), mode],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "VLLM_CPU_KVCACHE_SPACE": "1"},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


@pytest.mark.skipif(current_platform.is_unspecified(), reason="vLLM has no device to run on")
def test_an_engine(folder: Path, tmp_path: Path) -> None:
    """Weights at random, so texts without sense: but the same ones."""
    found = []
    for mode in MODES:
        lines = run_engine(ENGINE, folder, mode, tmp_path)
        found.append(next(x for x in lines if x.startswith("FOUND")))
    assert found[1] == found[0]


STREAMS = """
import asyncio, json, sys
from vllm import SamplingParams
from vllm.engine.arg_utils import AsyncEngineArgs
from vllm.engine.protocol import StreamingInput
from vllm.sampling_params import RequestOutputKind
from vllm.v1.engine.async_llm import AsyncLLM

PROMPTS = ["hello world", "\\u6f22\\u5b57 \\u00e9 x", "The quick brown fox jumps. " * 6]
DELTA = {"output_kind": RequestOutputKind.DELTA}

async def main():
    llm = AsyncLLM.from_engine_args(AsyncEngineArgs(
        sys.argv[1], tokenizer_mode=sys.argv[2], load_format="dummy", enforce_eager=True,
        max_model_len=512, seed=1, dtype="float32"))
    tokenizer = llm.get_tokenizer()
    n = 0

    async def answer(prompt, **choice):
        nonlocal n
        n += 1
        text, ids = "", []
        async for part in llm.generate(prompt, SamplingParams(**choice, **DELTA), str(n)):
            text += part.outputs[0].text
            ids += part.outputs[0].token_ids
        return list(part.prompt_token_ids), text, ids, part.outputs[0].finish_reason

    found = []
    for prompt in PROMPTS:
        for choice in ({"temperature": 0.0}, {"seed": 7}, {"seed": 8, "stop": ["a", "e"]},
                       {"seed": 9, "skip_special_tokens": False, "ignore_eos": True}):
            found.append(await answer(prompt, max_tokens=32, **choice))
    if sys.argv[2] == "tokstream":
        from tokstream.integrations.transformers import native

        async def arriving():
            for k in range(0, len(PROMPTS[2]), 7):
                yield PROMPTS[2][k : k + 7]

        async def pieces():
            async for ids in native(tokenizer).encode_aiter(arriving(), add_special_tokens=True):
                if ids:
                    yield StreamingInput(prompt={"prompt_token_ids": ids})

        whole = await answer(PROMPTS[2], max_tokens=8, temperature=0.0)
        parts = await answer(pieces(), max_tokens=8, temperature=0.0)
        # each piece is answered; what follows the last one is the answer to the whole
        print("PIECES", parts[0] == whole[0], len(parts[2]) > 8, parts[2][-8:] == whole[2])
    print("FOUND", json.dumps(found))
    llm.shutdown()

if __name__ == "__main__":
    asyncio.run(main())
"""


@pytest.mark.skipif(current_platform.is_unspecified(), reason="vLLM has no device to run on")
def test_an_engine_that_streams(folder: Path, tmp_path: Path, both: tuple[Any, Any]) -> None:
    """Text comes as before, and a prompt that arrives in pieces is answered as the whole is."""
    lines = {mode: run_engine(STREAMS, folder, mode, tmp_path) for mode in MODES}
    found = {
        mode: json.loads(next(x for x in printed if x.startswith("FOUND "))[6:])
        for mode, printed in lines.items()
    }
    for ours, theirs in zip(found["tokstream"], found["hf"], strict=True):
        check_text(both[0], ours.pop(1), theirs.pop(1))
        assert ours == theirs
    assert "PIECES True True True" in lines["tokstream"]
