"""LiteLLM counts, encodes and decodes with tokstream as it does without."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from typing import Any

import pytest

from hf_small import byte_level

if find_spec("litellm") is None:
    pytest.skip('litellm is not installed; pip install "litellm"', allow_module_level=True)

CODE = """
import json, sys
if sys.argv[1] == "tokstream":
    import tokstream.compat.tiktoken
    tokstream.compat.tiktoken.install()
import litellm, tiktoken
found = {}
def ask(name, call):
    try:
        found[name] = call()
    except Exception as error:
        found[name] = {"error": [type(error).__name__, str(error)[:60]]}
TEXTS = [
    "hello world", "", "na\\u00efve \\u6f22\\u5b57 <|endoftext|> x", "a" * 5000 + "\\n" * 30,
    " ".join(map(str, range(3000))), "\\U0001f44d\\U0001f3fd e\\u0301 \\ud55c", "\\ud800 lone",
]
MESSAGES = [
    {"role": "system", "content": "You are a helpful assistant."},
    {"role": "user", "name": "bob", "content": [
        {"type": "text", "text": "what is <|endoftext|> in \\u6f22\\u5b57?"},
        {"type": "text", "text": "word " * 3000},
    ]},
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}},
    ]},
    {"role": "tool", "tool_call_id": "1", "content": "ok"},
]
TOOLS = [{"type": "function", "function": {
    "name": "get_weather", "description": "Get the weather", "parameters": {
        "type": "object", "required": ["place"],
        "properties": {"place": {"type": "string", "description": "a city"},
                       "unit": {"type": "string", "enum": ["c", "f"]}}}}}]
for model in ("gpt-4o", "gpt-3.5-turbo", "o1", "gpt-5", "text-embedding-ada-002", "claude-2",
              "deepseek-chat", "unheard-of", "azure/gpt-4o-2024-08-06", "gpt2", ""):
    for k, text in enumerate(TEXTS):
        ask(f"count {model} {k}", lambda: litellm.token_counter(model=model, text=text))
        ids = lambda: list(litellm.encode(model=model, text=text))
        ask(f"encode {model} {k}", ids)
        ask(f"decode {model} {k}", lambda: litellm.decode(model=model, tokens=ids()))
    ask(f"messages {model}", lambda: litellm.token_counter(model=model, messages=MESSAGES))
    ask(f"tools {model}", lambda: litellm.token_counter(
        model=model, messages=MESSAGES, tools=TOOLS, tool_choice="auto"))
ask("cost", lambda: litellm.completion_cost(model="gpt-4o", prompt="a b " * 50, completion="yes"))
ask("trim", lambda: litellm.utils.trim_messages(
    [{"role": "user", "content": "word " * 5000}], model="gpt-4o", max_tokens=500))
asked = {"model": "gpt-4o", "messages": [{"role": "user", "content": "hi there"}]}
answer = litellm.completion(**asked, mock_response="It's simple to use and easy")
ask("usage", answer.usage.model_dump)
chunks = list(litellm.completion(**asked, mock_response="It's simple to use", stream=True))
ask("stream", lambda: [chunk.choices[0].delta.content for chunk in chunks])
ask("joined", lambda: litellm.stream_chunk_builder(
    chunks, messages=asked["messages"]).usage.model_dump())
document = sys.stdin.read()
if sys.argv[1] == "tokstream":
    import tokstream
    tokenizer = tokstream.load(document.encode()).as_hf()
    custom = {"type": "huggingface_tokenizer", "tokenizer": tokenizer}
else:
    custom = litellm.create_tokenizer(document)
for k, text in enumerate([*TEXTS[:-1], "<s>the <mask>hello</s>"]):
    ids = lambda: litellm.encode(text=text, custom_tokenizer=custom)
    ask(f"custom encode {k}", ids)
    ask(f"custom count {k}", lambda: litellm.token_counter(text=text, custom_tokenizer=custom))
    for skip in (True, False):
        ask(f"custom decode {k} {skip}", lambda: litellm.decode(
            tokens=ids(), custom_tokenizer=custom, skip_special_tokens=skip))
for model in ("", "gpt-4o", "claude-2"):
    ask(f"custom messages {model}", lambda: litellm.token_counter(
        model=model, messages=MESSAGES, custom_tokenizer=custom))
by = [type(tool).__module__.split(".")[0] for tool in (litellm.encoding, custom["tokenizer"])]
print(json.dumps({"by": by, "found": found}))
"""


def run(with_what: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CODE, with_what],
        input=json.dumps(byte_level()),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "HF_HUB_OFFLINE": "1"},
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_equal_results() -> None:
    with ThreadPoolExecutor(2) as pool:
        before, after = pool.map(run, ("others", "tokstream"))
    assert (before["by"], after["by"]) == (["tiktoken", "tokenizers"], ["tokstream"] * 2)
    assert len(before["found"]) > 270
    answers = before["found"].values()
    assert sum(isinstance(answer, dict) and "error" in answer for answer in answers) < 5
    for name, answer in before["found"].items():
        assert after["found"][name] == answer, name
