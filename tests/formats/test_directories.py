"""Directories: which file is taken, what tokenizer_config.json says, and the hub."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
import tiktoken
from small_files import added, ranks, sentencepiece, tekken, tokenizer_json

import tokstream
from data import OPEN_RANK_FILES
from small_pairs import write_pair
from tokstream.formats import known

if TYPE_CHECKING:
    from pathlib import Path

PIECES = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("a", -1.0, 1), ("b", -2.0, 1), ("ab", -3.0, 1)]


def test_order(tmp_path: Path) -> None:
    folder = tmp_path / "my-model"
    folder.mkdir()
    with pytest.raises(tokstream.VocabularyError, match="holds no vocabulary file; looked for"):
        tokstream.load(folder)
    for name, content, form in (
        ("tokenizer.model", sentencepiece(PIECES), "sentencepiece"),
        ("tekken.json", tekken(), "tekken.json"),
        ("tokenizer.json", tokenizer_json(), "tokenizer.json"),
    ):
        (folder / name).write_bytes(content)
        tokenizer = tokstream.load(folder)
        assert tokenizer.name == "my-model"
        assert tokenizer.info()["format"] == form
    assert tokstream.load(folder / "tokenizer.json").name == "my-model"
    assert tokstream.load(folder, name="mine").name == "mine"
    assert tokstream.load(tokenizer_json()).name.startswith("tokenizer-")


def test_several_or_other_files(tmp_path: Path) -> None:
    (tmp_path / "a.model").write_bytes(sentencepiece(PIECES))
    (tmp_path / "b.model").write_bytes(sentencepiece(PIECES))
    with pytest.raises(tokstream.VocabularyError, match=r"holds a\.model, b\.model; give the path"):
        tokstream.load(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    (other / "merges.txt").write_text("")
    with pytest.raises(tokstream.VocabularyError, match=r"holds merges\.txt without vocab\.json"):
        tokstream.load(other)
    (other / "merges.txt").rename(other / "vocab.txt")
    with pytest.raises(tokstream.VocabularyError, match="holds no BPE tokenizer"):
        tokstream.load(other)


def test_end_of_text_of_the_config(tmp_path: Path) -> None:
    tokens = [added("</s>", 5), added("<|im_end|>", 6)]
    (tmp_path / "tokenizer.json").write_bytes(tokenizer_json(added_tokens=tokens))
    assert tokstream.load(tmp_path).eos_id == 5
    (tmp_path / "tokenizer_config.json").write_text('{"eos_token": {"content": "<|im_end|>"}}')
    assert tokstream.load(tmp_path).eos_id == 6


def test_rank_files_by_name(tmp_path: Path) -> None:
    (tmp_path / "qwen.tiktoken").write_bytes(ranks())
    with pytest.raises(tokstream.ConfigurationError, match="neither the pretokenization pattern"):
        tokstream.load(tmp_path)
    config = tmp_path / "tokenizer_config.json"
    config.write_text('{"tokenizer_class": "QWenTokenizer"}')
    qwen = tokstream.load(tmp_path)
    assert qwen.special_tokens["<|endoftext|>"] == qwen.eos_id == 257
    assert qwen.special_tokens["<|extra_204|>"] == 257 + 3 + 204
    # its own code normalizes, and allows special tokens in text
    assert qwen.encode("e\u0301<|im_start|>ab") == [0xC3, 0xA9, 258, 256]
    listed = {"258": {"content": "<|begin_of_text|>"}, "259": {"content": "<|start_header_id|>"}}
    config.write_text(json.dumps({"added_tokens_decoder": listed}))
    llama = tokstream.load(tmp_path)
    assert llama.encode("<|begin_of_text|>", add_special_tokens=True) == [258, 258]
    assert r"\p{N}{1,3}" in llama.pattern
    listed["260"] = {"content": "<|header_start|>"}
    config.write_text(json.dumps({"added_tokens_decoder": listed}))
    assert r"\p{Lu}" in tokstream.load(tmp_path).pattern
    config.write_text(json.dumps({"tokenizer_class": "Unheard"}))
    with pytest.raises(tokstream.ConfigurationError, match="pass both"):
        tokstream.load(tmp_path)
    assert tokstream.load(tmp_path, pattern=r"\S+|\s+").encode("ab") == [256]


def test_known_patterns() -> None:
    for name in ("llama3", "llama4", "qwen"):
        assert known._MODELS[name].pattern == OPEN_RANK_FILES[name].pattern


def test_kimi(tmp_path: Path) -> None:
    (tmp_path / "tiktoken.model").write_bytes(ranks())
    listed = {"257": {"content": "[BOS]"}, "258": {"content": "[EOS]"}}
    code = {"auto_map": {"AutoTokenizer": ["tokenization_kimi.TikTokenTokenizer", None]}}
    config = {**code, "added_tokens_decoder": listed}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    kimi = tokstream.load(tmp_path)
    assert kimi.n_vocab == 257 + 256
    assert kimi.special_tokens["<|reserved_token_259|>"] == 259
    ranks_table = {bytes((b,)): b for b in range(256)} | {b"ab": 256}
    reference = tiktoken.Encoding(
        "kimi", pat_str=kimi.pattern, mergeable_ranks=ranks_table, special_tokens={}
    )
    for text in ("\u4e2d\u6587abAB1234 \n x", "\u4e2da\u6587b", "HeLLo'll"):
        assert kimi.encode(text) == reference.encode_ordinary(text)


def test_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str | None, list[str]]] = []

    class Hub:
        @staticmethod
        def snapshot_download(
            repo_id: str, *, revision: str | None, cache_dir: str | None, allow_patterns: list[str]
        ) -> str:
            assert cache_dir is None
            asked.append((repo_id, revision, allow_patterns))
            return str(tmp_path)

    (tmp_path / "tokenizer.json").write_bytes(tokenizer_json())
    monkeypatch.setitem(sys.modules, "huggingface_hub", Hub)
    tokenizer = tokstream.from_hub("owner/model", revision="main")
    assert tokenizer.name == "owner/model"
    assert tokenizer.encode("abc") == [4]
    assert asked[0][:2] == ("owner/model", "main")
    assert "tokenizer.json" in asked[0][2]
    assert not any("safetensors" in pattern for pattern in asked[0][2])
    assert len(asked) == 1
    (tmp_path / "tokenizer.json").unlink()
    write_pair(tmp_path)
    tokenizer = tokstream.from_hub("owner/model", tokenizer_class="GPT2Tokenizer")
    assert tokenizer.info()["format"] == "vocab.json"
    assert {"vocab.json", "merges.txt", "config.json", "added_tokens.json"} <= {*asked[2][2]}
    with pytest.raises(tokstream.ConfigurationError, match="names a tokenizer_class"):
        tokstream.from_hub("owner/model")
    with pytest.raises(tokstream.ConfigurationError, match="name a model on the hub"):
        tokstream.from_hub("")


def test_hub_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(tokstream.MissingDependencyError, match=r"pip install tokstream\[hub\]"):
        tokstream.from_hub("owner/model")
