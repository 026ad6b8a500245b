"""Pickles of tokenizers: tables come from prepared files, whatever becomes of the files."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from typing import TYPE_CHECKING, Any

import pytest
import small_files

import tokstream
from tokstream.formats.parts import TokenizerParts
from tokstream.prepared import pickles, ranks
from tokstream.prepared.parts import Carried, StoredParts
from tokstream.tokenizer import Tokenizer
from tokstream.vocabulary import Vocabulary

if TYPE_CHECKING:
    from pathlib import Path

PIECES = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), *((c, -9.0, 1) for c in "\u2581ab"), ("ab", -1.0, 1)]
TEXTS = ["", "ab ab <x> <s>", "aab  b", "a" * 50]
FILES = [
    ("x.tiktoken", small_files.ranks(), {"pattern": r"\s+|\S+", "special_tokens": {"<x>": 300}}),
    ("tekken.json", small_files.tekken(), {}),
    ("x.model", small_files.sentencepiece(PIECES), {}),
    ("tokenizer.json", small_files.tokenizer_json(), {}),
]


@pytest.fixture
def alone(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As in a process of its own: no tables are there already, and small files are kept, too."""
    monkeypatch.setattr(pickles, "MIN_BYTES", 0)
    monkeypatch.setattr(pickles, "known_tables", lambda _: None)
    monkeypatch.setattr(ranks, "MIN_BYTES", 0)
    monkeypatch.setattr(ranks, "related_tables", lambda *_: None)
    monkeypatch.setattr("tokstream.tokenizer.related_tables", lambda *_: None)
    return cache


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Whose tables were made rather than mapped."""
    seen: list[str] = []
    build, built = TokenizerParts.build, ranks._built

    def counted(self: TokenizerParts) -> Any:
        seen.append(self.name)
        return build(self)

    def counted_ranks(*arguments: Any) -> Any:
        seen.append("ranks")
        return built(*arguments)

    monkeypatch.setattr(TokenizerParts, "build", counted)
    monkeypatch.setattr(ranks, "_built", counted_ranks)
    return seen


def loaded(folder: Path, case: int) -> Tokenizer:
    name, content, options = FILES[case]
    path = folder / name
    path.write_bytes(content)
    return tokstream.load(path, **options)  # type: ignore[arg-type]


def same(one: Tokenizer, other: Tokenizer) -> None:
    assert one == other
    assert one.name == other.name
    for text in TEXTS:
        plain = {"allowed_special": (), "disallowed_special": ()}
        for options in ({"allowed_special": "all"}, plain):
            ids = one.encode(text, **options)
            assert other.encode(text, **options) == ids
            assert other.decode(ids) == one.decode(ids)
    assert one._vocabulary == other._vocabulary
    assert one.special_tokens == other.special_tokens


def replace(path: Path, content: bytes) -> None:
    """Put another file in place of one that may be mapped."""
    path.unlink()
    path.write_bytes(content)


@pytest.mark.parametrize("case", range(len(FILES)), ids=[name for name, *_ in FILES])
def test_tables_are_mapped(case: int, alone: Path, tmp_path: Path, made: list[str]) -> None:
    first = loaded(tmp_path, case)
    assert len(made) == 1
    for tokenizer in (first, tokstream.load(tmp_path / FILES[case][0], **FILES[case][2])):  # type: ignore[arg-type]
        data = pickle.dumps(tokenizer)
        again = pickle.loads(data)
        assert len(made) == 1
        assert again._tables.path == first._tables.path
        same(first, again)
        same(first, pickle.loads(pickle.dumps(again)))
        assert copy.deepcopy([tokenizer])[0] is tokenizer
    # the source changes, or goes: what a pickle holds is what it was made of
    (tmp_path / FILES[case][0]).unlink()
    same(first, pickle.loads(data))
    assert len(made) == 1


@pytest.mark.parametrize("case", range(len(FILES)), ids=[name for name, *_ in FILES])
def test_without_the_file_tables_are_made_once(
    case: int, alone: Path, tmp_path: Path, made: list[str]
) -> None:
    first = loaded(tmp_path, case)
    data = pickle.dumps(first)
    for path in alone.iterdir():
        replace(path, b"damaged" * 100)
    made.clear()
    again = pickle.loads(data)
    assert len(made) == 1
    same(first, again)
    for _ in range(2):
        third = pickle.loads(data)
        assert len(made) == 1, "the tables that were made were kept"
        assert third._tables.path is not None
        same(first, third)
        same(first, pickle.loads(pickle.dumps(third)))


def test_another_tokenizers_file_is_not_taken(alone: Path, tmp_path: Path, made: list[str]) -> None:
    tokenizers = [loaded(tmp_path, case) for case in range(len(FILES))]
    for one in tokenizers:
        assert one._stored is not None
        for other in tokenizers:
            made.clear()
            found = pickles.from_sections(other._tables.path, one._stored.sections())
            same(one, found)
    named = tokstream.load(tmp_path / "tekken.json", name="another name")
    again = pickle.loads(pickle.dumps(named))
    assert again.name == "another name"


def test_nothing_is_kept(
    alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: list[str]
) -> None:
    kept = [loaded(tmp_path, case) for case in range(len(FILES))]
    data = [pickle.dumps(tokenizer) for tokenizer in kept]
    for path in alone.iterdir():
        path.unlink()
    monkeypatch.setenv("TOKSTREAM_CACHE_DIR", "off")
    made.clear()
    for tokenizer, pickled in zip(kept, data, strict=True):
        same(tokenizer, pickle.loads(pickled))
    assert len(made) == len(kept)
    assert not list(alone.iterdir())


def test_ranks_of_a_program_are_kept_without_special_tokens(alone: Path, made: list[str]) -> None:
    vocabulary = Vocabulary.from_ranks({bytes((byte,)): byte for byte in range(256)} | {b"ab": 256})
    first = Tokenizer("one", vocabulary, r"\s+|\S+", {"<x>": 300})
    second = Tokenizer("two", vocabulary, r"\s+|\S+", {"<y>": 300, "<s>": 301})
    assert made == ["ranks"]
    assert [path.name.split("-")[0] for path in alone.iterdir()] == ["ranks"]
    assert first.encode("ab<x><y>", allowed_special="all", disallowed_special=()) == [
        *(256, 300),
        *b"<y>",
    ]
    assert second.encode("ab<y>", allowed_special="all") == [256, 300]
    assert (first.decode([300]), second.decode([300])) == ("<x>", "<y>")
    same(first, pickle.loads(pickle.dumps(first)))
    assert made == ["ranks"]
    for path in alone.iterdir():
        replace(path, path.read_bytes()[:-1])
    same(first, pickle.loads(pickle.dumps(first)))
    assert made == ["ranks"] * 2


def test_damaged_sections_are_refused(alone: Path, tmp_path: Path) -> None:
    first = loaded(tmp_path, 3)
    assert first._stored is not None
    sections = list(first._stored.sections())
    assert StoredParts(Carried(sections)).parts().vocabulary == first._vocabulary
    for damaged in ([b"", *sections[1:]], [*sections[:3], b"\0" * 8, *sections[4:]], sections[:2]):
        with pytest.raises((ValueError, IndexError)):
            pickles.from_sections(None, damaged)


def encode_in_a_child(tokenizer: Tokenizer) -> tuple[str | None, list[list[int]]]:
    return tokenizer._tables.path, [tokenizer.encode(text) for text in TEXTS]


def test_spawned_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokstream.prepared.sources.MIN_BYTES", 0)
    monkeypatch.setattr("tokstream.prepared.sources._TICK_NS", 0)
    tokenizer = loaded(tmp_path, 3)
    assert tokenizer._tables.path is not None
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        path, ids = pool.apply(encode_in_a_child, (tokenizer,))
    assert path == tokenizer._tables.path
    assert ids == [tokenizer.encode(text) for text in TEXTS]
