"""The embedded encodings are OpenAI's: same tokens, patterns, special tokens, model names.

Checked twice: against published hashes, and against the installed reference.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import types
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path  # noqa: TC003 - annotations of fixtures
from typing import Any

import pytest
import tiktoken.model

import tokstream.encodings as encodings
from data import gpt2_merge_list, gpt2_vocabulary_json, tiktoken_encoding
from tokstream._checks import check_special_tokens
from tokstream.encodings import compact, models, registry
from tokstream.errors import MissingDependencyError, UnknownNameError, VocabularyError
from tokstream.patterns import compile_pattern
from tokstream.vocabulary import Vocabulary

NAMES = registry.ENCODING_NAMES


@pytest.mark.parametrize("name", sorted(registry.RANK_FILE_SHA256))
def test_rank_file_has_the_published_hash(name: str) -> None:
    content = registry.vocabulary(name).to_rank_file()
    assert hashlib.sha256(content).hexdigest() == registry.RANK_FILE_SHA256[name]


def test_gpt2_files_have_the_published_hashes() -> None:
    assert (
        hashlib.sha256(gpt2_merge_list()).hexdigest()
        == "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5"
    )
    assert (
        hashlib.sha256(gpt2_vocabulary_json()).hexdigest()
        == "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783"
    )


def test_vocabularies_are_one_object_in_every_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_vocabularies", {})
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(registry.vocabulary, ["gpt2", "p50k_base", "r50k_base", "p50k_edit"]))
    assert found[0] is found[2]
    assert found[1] is found[3]
    assert found[0] is registry.vocabulary("gpt2")


def test_shared_vocabularies_are_one_object() -> None:
    assert registry.vocabulary("gpt2") is registry.vocabulary("r50k_base")
    assert registry.vocabulary("p50k_base") is registry.vocabulary("p50k_edit")
    assert registry.vocabulary("o200k_base") is registry.vocabulary("o200k_harmony")


@pytest.mark.parametrize("name", NAMES)
def test_encoding_equals_the_reference(name: str) -> None:
    reference = tiktoken_encoding(name)
    spec = registry.spec(name)
    assert spec.name == name
    assert spec.pattern == reference._pat_str
    assert list(spec.special_tokens.items()) == list(reference._special_tokens.items())
    assert spec.n_vocab == reference.n_vocab
    assert spec.eos_id == reference.eot_token
    assert registry.vocabulary(name).to_ranks() == reference._mergeable_ranks


def test_names_are_the_reference_names() -> None:
    assert sorted(NAMES) == sorted(tiktoken.list_encoding_names())
    assert encodings.list_encoding_names() == list(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_embedded_tables_pass_the_full_check(name: str) -> None:
    # they are read without it
    trusted = registry.vocabulary(name)
    checked = Vocabulary.from_tables(trusted.blob, trusted.lengths, trusted.ids)
    assert checked == trusted
    shared = name == "o200k_harmony"
    check_special_tokens(registry.spec(name).special_tokens, checked, allow_shared_ids=shared)


def test_decoding_of_the_shared_id_follows_the_order_of_special_tokens() -> None:
    special = registry.spec("o200k_harmony").special_tokens
    first = next(text for text, token_id in special.items() if token_id == 200018)
    assert tiktoken_encoding("o200k_harmony").decode([200018]) == first


def test_specs_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        registry.spec("gpt2").special_tokens["x"] = 1  # type: ignore[index]


@pytest.mark.parametrize("name", NAMES)
def test_stored_automaton_is_a_fresh_compilation(name: str) -> None:
    stored = registry.load_automaton_bytes(name)
    assert stored is not None, "run scripts/make_encodings.py --automata"
    fresh = compile_pattern(registry.spec(name).pattern).to_bytes()
    assert stored == fresh, "the compiler changed; run scripts/make_encodings.py --automata"


def test_missing_automaton_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(registry, "_DATA", tmp_path)
    assert registry.load_automaton_bytes("gpt2") is None


# --- the compact form ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["r50k_base", "p50k_base", "cl100k_base"])
def test_compact_form_round_trip(name: str) -> None:
    vocabulary = registry.vocabulary(name)  # p50k_base has a hole in its ids
    assert compact.unpack(compact.pack(vocabulary)) == vocabulary


def test_compact_form_refuses_what_it_cannot_hold() -> None:
    table = [bytes((b,)) for b in range(256)]
    long = Vocabulary.from_ranks({t: k for k, t in enumerate([*table, b"x" * 256])})
    with pytest.raises(VocabularyError, match="256 bytes"):
        compact.pack(long)
    shuffled = Vocabulary.from_tables(b"".join(table), [1] * 256, reversed(range(256)))
    with pytest.raises(VocabularyError, match="increase"):
        compact.pack(shuffled)


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "foreign", "short", "header"])
def test_damaged_compact_file(damage: str) -> None:
    data = bytearray(compact.pack(registry.vocabulary("r50k_base")))
    if damage == "cut":
        del data[-100:]
    elif damage == "flipped":
        data[len(data) // 2] ^= 1
    elif damage == "empty":
        data.clear()
    elif damage == "foreign":
        data = bytearray(compact.compress(b"something else entirely"))
    elif damage == "short":
        data = bytearray(compact.compress(compact.decompress(bytes(data))[:-1]))
    else:
        data = bytearray(compact.compress(b"TK"))
    with pytest.raises(VocabularyError, match="install the package again"):
        compact.unpack(bytes(data))


def test_python_without_lzma(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lzma", None)
    with pytest.raises(MissingDependencyError, match="liblzma-dev"):
        compact.decompress(b"")


# --- models --------------------------------------------------------------------------------------


def test_model_names_are_the_reference_names() -> None:
    assert dict(models.MODELS) == tiktoken.model.MODEL_TO_ENCODING
    prefixes = tiktoken.model.MODEL_PREFIX_TO_ENCODING
    assert list(models.MODEL_PREFIXES.items()) == list(prefixes.items())


@pytest.mark.parametrize(
    "model",
    [
        "gpt-4o-2024-08-06",
        "gpt-5-mini",
        "gpt-4-32k",
        "ft:gpt-4o-mini:me::1",
        "gpt-oss-120b",
        "o1-x",
    ],
)
def test_model_prefixes(model: str) -> None:
    expected = tiktoken.model.encoding_name_for_model(model)
    assert models.encoding_name_for_model(model) == expected


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("gpt4o", "did you mean 'gpt-4o'"),
        ("GPT-4O", "did you mean 'gpt-4o'"),
        ("cl100k_base", "tokstream.get_encoding('cl100k_base')"),
        ("llama", "tokstream.load"),
        ("", "is not known"),
        (None, "is not known"),
    ],
)
def test_unknown_model(model: Any, expected: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        models.encoding_name_for_model(model)
    assert expected in str(caught.value)
    assert isinstance(caught.value, KeyError)  # as the reference raises


@pytest.mark.parametrize("call", [registry.spec, registry.vocabulary, encodings.get_encoding])
@pytest.mark.parametrize("name", ["cl100k", "nothing like it", "", None, []])
def test_unknown_encoding(call: Any, name: Any) -> None:
    with pytest.raises(UnknownNameError) as caught:
        call(name)
    message = str(caught.value)
    assert all(known in message for known in NAMES)
    assert ("did you mean 'cl100k_base'" in message) == (name == "cl100k")


# --- one tokenizer per process -------------------------------------------------------------------


def test_get_encoding_builds_once(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[str] = []
    started = threading.Barrier(8)

    class Tokenizer:
        @classmethod
        def _embedded(cls, name: str) -> Tokenizer:
            built.append(name)
            return cls()

    module = types.ModuleType("tokstream.tokenizer")
    module.Tokenizer = Tokenizer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tokstream.tokenizer", module)
    monkeypatch.setattr(encodings, "_tokenizers", {})
    results: list[object] = []

    def work() -> None:
        started.wait()
        results.append(encodings.get_encoding("cl100k_base"))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert built == ["cl100k_base"]
    assert len(results) == 8
    assert len(set(map(id, results))) == 1
    assert encodings.encoding_for_model("gpt-4") is results[0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_while_another_thread_builds_does_not_hang() -> None:
    with encodings._lock:
        child = os.fork()
        if child == 0:
            os._exit(0 if encodings._lock.acquire(timeout=5) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
