"""Tokenizers from files and directories: the second load equals the first, changes are noticed."""

from __future__ import annotations

import json
import os
import pickle
import random
import shutil
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pytest
import small_files

import tokstream
from format_configurations import configuration
from format_texts import generated_texts, random_cuts
from small_pairs import TEXTS, tokens, write_pair
from tokstream import formats
from tokstream.prepared import plain, sources
from tokstream.tokenizer import Tokenizer

if TYPE_CHECKING:
    from pathlib import Path

PIECES = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), *((c, -9.0, 1) for c in "\u2581ab"), ("ab", -1.0, 1)]
RANKS: dict[str, Any] = {"pattern": r"\s+|\S+", "special_tokens": {"<x>": 300}}


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was read rather than mapped."""
    seen: list[str] = []
    read = formats.load_parts

    def load_parts(source: Any, *arguments: Any, **options: Any) -> Any:
        seen.append(str(source))
        return read(source, *arguments, **options)

    monkeypatch.setattr(formats, "load_parts", load_parts)
    return seen


def same(one: Tokenizer, other: Tokenizer, texts: list[str]) -> None:
    rng = random.Random(3)
    assert one == other
    assert hash(one) == hash(other)
    for text in texts:
        ids = one.encode(text)
        assert other.encode(text) == ids
        assert other.encode(text, add_special_tokens=True) == one.encode(
            text, add_special_tokens=True
        )
        assert other.encode_ordinary(text) == one.encode_ordinary(text)
        assert other.encode_with_offsets(text) == one.encode_with_offsets(text)
        assert other.decode(ids) == one.decode(ids)
        assert other.decode_bytes(ids) == one.decode_bytes(ids)
        stream = other.stream()
        chunks = random_cuts(rng, text.encode(), 5)
        assert [k for chunk in chunks for k in stream.feed(chunk)] + stream.finish() == ids
    for name in ("name", "pattern", "n_vocab", "special_tokens", "eos_id"):
        assert getattr(one, name) == getattr(other, name)
    facts, facts_of_other = one.info(), other.info()
    facts.pop("prepared_file"), facts_of_other.pop("prepared_file")
    assert facts == facts_of_other
    if one._parts is not None:
        assert other._parts is not None
        for field in fields(one._parts):
            if field.name != "origin":
                found = getattr(other._parts, field.name)
                assert repr(found) == repr(getattr(one._parts, field.name)), field.name
    again = pickle.loads(pickle.dumps(other))
    assert again == one
    assert [again.encode(text) for text in texts] == [one.encode(text) for text in texts]


@pytest.mark.parametrize("seed", range(40))
def test_configurations(seed: int, cache: Path, tmp_path: Path, reads: list[str]) -> None:
    rng = random.Random(7000 + seed)
    description, document = configuration(rng)
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(document))
    try:
        built = tokstream.load(path.read_bytes(), name=tmp_path.name)
    except tokstream.TokstreamError:
        with pytest.raises(tokstream.TokstreamError):
            tokstream.load(path)
        assert not list(cache.glob("*"))
        return
    texts = list(generated_texts(rng, 8, ["<s>", "[a]"]))
    expected = [built.encode(text) for text in texts]
    reads.clear()
    first = tokstream.load(path)
    assert first.name == built.name
    assert [first.encode(text) for text in texts] == expected, description
    assert first._tables.path is not None, description
    assert len(reads) == 1
    second = tokstream.load(path)
    assert len(reads) == 1, "it was mapped"
    assert second._parts is not None
    assert second._parts.origin == first._parts.origin  # type: ignore[union-attr]
    same(built, second, texts)


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("x.tiktoken", small_files.ranks(), RANKS),
        ("tekken.json", small_files.tekken(), {}),
        ("x.model", small_files.sentencepiece(PIECES), {}),
    ],
)
def test_other_formats(
    name: str, content: bytes, options: Any, cache: Path, tmp_path: Path, reads: list[str]
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    first = tokstream.load(path, **options)
    assert first._tables.path is not None
    second = tokstream.load(path, **options)
    assert len(reads) == 1
    in_memory = tokstream.load(content, name=first.name, **options)
    assert len(reads) == 2
    for tokenizer in (first, second):
        same(in_memory, tokenizer, ["a b ab <x>"] if name != "x.tiktoken" else ["a b ab"])


def test_another_file_is_read(cache: Path, tmp_path: Path, reads: list[str]) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(small_files.tokenizer_json())
    assert tokstream.load(path).encode("ab") == [3]
    assert tokstream.load(path).encode("ab") == [3]
    assert len(reads) == 1
    # as long as before, and as old
    state = path.stat()
    other = small_files.tokenizer_json({"vocab": {"a": 0, "b": 1, "c": 2, "ab": 4, "abc": 3}})
    assert len(other) == state.st_size
    path.write_bytes(other)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert tokstream.load(path).encode("ab") == [4]
    assert tokstream.load(path).encode("ab") == [4]
    assert len(reads) == 2
    assert len(list(cache.iterdir())) == 1, "the old one is replaced"


def test_arguments_matter(cache: Path, tmp_path: Path, reads: list[str]) -> None:
    path = tmp_path / "x.tiktoken"
    path.write_bytes(small_files.ranks())
    choices: list[dict[str, Any]] = [
        RANKS,
        RANKS | {"pattern": r"\s|\S"},
        RANKS | {"special_tokens": {"<x>": 301}},
        RANKS | {"special_tokens": None},
        RANKS | {"name": "other"},
    ]
    for _ in range(2):
        for options in choices:
            tokenizer = tokstream.load(path, **options)
            assert tokenizer.pattern == options["pattern"]
            assert tokenizer.special_tokens == (options["special_tokens"] or {})
            assert tokenizer.name == options.get("name", "x")
    assert len(reads) == len(choices)
    with pytest.raises(tokstream.ConfigurationError):
        tokstream.load(path)
    with pytest.raises(tokstream.ConfigurationError):
        tokstream.load(path, pattern=3)  # type: ignore[arg-type]
    with pytest.raises(tokstream.VocabularyError, match="not a mapping"):
        tokstream.load(path, **RANKS | {"special_tokens": ["<x>"]})


def test_directories(cache: Path, tmp_path: Path, reads: list[str]) -> None:
    model = tmp_path / "model"
    model.mkdir()
    (model / "tokenizer.json").write_bytes(
        small_files.tokenizer_json(added_tokens=[small_files.added("<e>", 5)])
    )
    (model / "model.safetensors").write_bytes(b"weights")
    (model / "model").mkdir()
    assert tokstream.load(model).eos_id is None
    assert tokstream.load(model).eos_id is None
    assert len(reads) == 1
    (model / "model.safetensors").write_bytes(b"other weights")
    tokstream.load(model)
    assert len(reads) == 1
    (model / "tokenizer_config.json").write_text('{"eos_token": "<e>"}')
    assert tokstream.load(model).eos_id == 5
    assert tokstream.load(model).eos_id == 5
    assert len(reads) == 2
    (model / "tokenizer_config.json").unlink()
    assert tokstream.load(model).eos_id is None
    assert len(reads) == 3
    moved = tmp_path / "moved"
    shutil.move(model, moved)
    assert tokstream.load(moved).name == "moved"


def test_vocabulary_and_merges(cache: Path, tmp_path: Path, reads: list[str]) -> None:
    folder = write_pair(tmp_path / "model", tokenizer_config={"tokenizer_class": "GPT2Tokenizer"})
    vocab, merges = folder / "vocab.json", folder / "merges.txt"
    calls: list[tuple[Path, dict[str, Any]]] = [
        (folder, {}),
        (vocab, {}),
        (vocab, {"merges": merges}),
        (folder, {"tokenizer_class": "RobertaTokenizer"}),
    ]
    built = [tokstream.load(source, **options) for source, options in calls]
    assert len(reads) == len(calls)
    again = [tokstream.load(source, **options) for source, options in calls]
    assert len(reads) == len(calls)
    for one, other in zip(built, again, strict=True):
        assert other._tables.path is not None
        same(one, other, list(TEXTS))
        assert other.as_hf().encode("<s>hello").ids == one.encode(
            "<s>hello", add_special_tokens=True
        )
    assert built[0] == built[1] == built[2] != built[3]
    # what stands beside it matters
    (folder / "added_tokens.json").write_text(json.dumps({"<a>": len(tokens())}))
    for source, options in calls:
        assert tokstream.load(source, **options).encode("<a>") == [len(tokens())]
    assert len(reads) == 2 * len(calls)
    content = tokstream.load(
        vocab.read_bytes(), merges=merges.read_bytes(), tokenizer_class="GPT2Tokenizer"
    )
    assert content._tables.path is None


def test_a_link_to_another_file(cache: Path, tmp_path: Path) -> None:
    one, two, link = tmp_path / "1.json", tmp_path / "2.json", tmp_path / "tokenizer.json"
    one.write_bytes(small_files.tokenizer_json())
    two.write_bytes(
        small_files.tokenizer_json({"vocab": {"a": 0, "b": 1, "c": 2, "ab": 4, "abc": 3}})
    )
    link.symlink_to(one)
    assert tokstream.load(link).encode("ab") == [3]
    link.unlink()
    link.symlink_to(two)
    assert tokstream.load(link).encode("ab") == [4]


def test_damage_is_repaired(cache: Path, tmp_path: Path, reads: list[str]) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(small_files.tokenizer_json())
    tokstream.load(path)
    (file,) = cache.iterdir()
    sound = file.read_bytes()
    rng = random.Random(1)
    for n in range(60):
        data = bytearray(sound)
        data[rng.randrange(len(data))] ^= 255
        file.unlink()  # as `Place.keep`: nothing mapped changes
        file.write_bytes(data[: rng.randrange(len(data))] if n % 3 == 0 else data)
        file.chmod(0o600)
        tokenizer = tokstream.load(path)
        assert tokenizer.encode("abcab") == [4, 3]
        assert tokenizer.decode([4, 3]) == "abc ab"
    assert len(reads) > 20


def test_small_and_fresh_files_are_not_kept(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(small_files.tokenizer_json())
    monkeypatch.setattr(sources, "MIN_BYTES", 10_000)
    assert tokstream.load(path)._tables.path is None
    monkeypatch.setattr(sources, "MIN_BYTES", 0)
    monkeypatch.setattr(sources, "_TICK_NS", 3600 * 10**9)
    assert tokstream.load(path)._tables.path is None
    assert not cache.exists()


def test_what_changes_while_it_is_read_is_not_kept(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(small_files.tokenizer_json())
    read = formats.load_parts

    def load_parts(source: Any, *arguments: Any, **options: Any) -> Any:
        parts = read(source, *arguments)
        path.write_bytes(small_files.tokenizer_json() + b"\n")
        return parts

    monkeypatch.setattr(formats, "load_parts", load_parts)
    assert tokstream.load(path)._tables.path is None


def test_parts_without_a_plain_form_are_not_kept(cache: Path, tmp_path: Path) -> None:
    from dataclasses import replace  # noqa: PLC0415

    from tokstream.prepared import Place  # noqa: PLC0415

    parts = formats.load_parts(small_files.tokenizer_json())
    odd = replace(parts, normalizer=(("strip", True, 1.5),), levels=())
    with pytest.raises(TypeError):
        plain.dumps(1.5)
    with pytest.raises(TypeError):
        plain.dumps([{1}])
    place = Place("odd", "odd")
    kept = replace(parts, eos=odd)  # type: ignore[arg-type]
    tokenizer = Tokenizer._from_parts(kept, place)
    assert tokenizer._tables.path is None
    assert tokenizer.encode("ab") == [3]


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        1 << 70,
        "\ud800 é\0",
        b"\0\xff",
        (),
        [],
        ("split", b"abc", [("a", (1, None)), [b""]], "b", False),
    ],
)
def test_plain_values(value: object) -> None:
    again = plain.loads(plain.dumps(value))
    assert repr(again) == repr(value)
