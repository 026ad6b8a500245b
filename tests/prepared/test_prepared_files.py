"""Prepared files: what is mapped equals what was written, and nothing else is ever used."""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tokstream
import tokstream.encodings
from tokstream import _core, list_encoding_names
from tokstream.prepared import Place, directory, files
from tokstream.tokenizer import Tokenizer

TEXT = "Hello wörld 漢字かな \t\n  12345 don't <|endoftext|> 👩‍👩‍👧 ab" * 3
TABLES = [bytes((byte,)) for byte in range(256)] + [b"ab", b"abc", b"\xe6\xbc\xa2"]
AUTOMATON = tokstream.encodings.load_automaton_bytes("gpt2") or b""


def small_core() -> _core.Core:
    import array  # noqa: PLC0415

    lengths = array.array("I", map(len, TABLES))
    ids = array.array("I", range(len(TABLES)))
    return _core.Core(b"".join(TABLES), lengths, ids, [("<x>", 300)], AUTOMATON)


def encode(core: _core.Core, text: str = TEXT) -> list[int]:
    return core.encode(text, _core.SpecialSet([], []), False, False)  # type: ignore[return-value]  # noqa: FBT003


def keep_small(label: str = "small") -> Place:
    place = Place(label, "identity", "state")
    assert place.keep(small_core(), [b"one", b""]) is not None
    assert place.path is not None
    return place


def own() -> int | None:
    return os.geteuid() if hasattr(os, "geteuid") else None


@pytest.mark.parametrize("name", list_encoding_names())
def test_embedded_encodings_come_back_equal(name: str, cache: Path) -> None:
    assert Path(str(Tokenizer._embedded(name)._tables.path)).parent == cache
    again = Tokenizer._embedded(name)
    plain = _build_in_memory(name)
    assert plain._tables.path is None
    for tokenizer in (plain, again):
        assert tokenizer.encode_ordinary(TEXT) == tokstream.get_encoding(name).encode_ordinary(TEXT)
        assert tokenizer == tokstream.get_encoding(name)
    facts = again.info()
    assert facts.pop("prepared_file") == again._tables.path
    facts_of_plain = plain.info()
    assert facts_of_plain.pop("prepared_file") is None
    assert facts == facts_of_plain
    for token_id in (0, 255, 256, 1000, again.n_vocab - 1):
        assert again._core.token_bytes(token_id) == plain._core.token_bytes(token_id)
    stream = again.stream()
    ids = [k for c in TEXT.replace("<|endoftext|>", "") for k in stream.feed(c)] + stream.finish()
    assert ids == plain.encode(TEXT.replace("<|endoftext|>", ""))


def _build_in_memory(name: str) -> Tokenizer:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOKSTREAM_CACHE_DIR", "off")
        return Tokenizer._embedded(name)


def test_sections_come_back(cache: Path) -> None:
    place = keep_small()
    file = place.open()
    assert file is not None
    assert [file.section(k) for k in range(3)] == [place.key, b"one", b""]
    with pytest.raises(ValueError, match="a section is missing"):
        file.section(3)
    assert encode(file.core(AUTOMATON)) == encode(small_core())
    assert len(list(cache.iterdir())) == 1
    assert Path(str(place.path)).stat().st_mode & 0o777 == 0o600
    assert cache.stat().st_mode & 0o777 == 0o700


def test_every_damaged_byte_is_found(cache: Path) -> None:
    """Any byte that is not padding between sections, and every kind of place."""
    place = keep_small()
    path = Path(str(place.path))
    sound = path.read_bytes()
    rng = random.Random(5)
    places = {*range(400), *(rng.randrange(len(sound)) for _ in range(300))}
    n_found = 0
    for at in sorted(places):
        data = bytearray(sound)
        data[at] ^= 1 << rng.randrange(8)
        path.write_bytes(data)
        try:
            file = _core.Prepared(str(path), own())
            for k in range(3):
                file.section(k)
            core = file.core(AUTOMATON)
        except ValueError:
            n_found += 1
        else:  # padding
            assert encode(core) == encode(small_core())
    assert n_found > 0.9 * len(places)


def test_every_section_is_guarded(cache: Path) -> None:
    place = keep_small()
    path = Path(str(place.path))
    sound = path.read_bytes()
    n_sections = int.from_bytes(sound[20:24], sys.byteorder)
    assert n_sections > 20
    header = 88
    for k in range(n_sections):
        entry = header + 24 * k
        begin = int.from_bytes(sound[entry : entry + 8], sys.byteorder)
        n_bytes = int.from_bytes(sound[entry + 8 : entry + 16], sys.byteorder)
        if not n_bytes:
            continue
        for at in (begin, begin + n_bytes // 2, begin + n_bytes - 1):
            data = bytearray(sound)
            data[at] ^= 0x40
            path.write_bytes(data)
            with pytest.raises(ValueError, match="damaged"):  # noqa: PT012
                file = _core.Prepared(str(path), own())
                for index in range(3):
                    file.section(index)
                file.core(AUTOMATON)


def test_every_truncation_is_found(cache: Path) -> None:
    path = Path(str(keep_small().path))
    sound = path.read_bytes()
    lengths = {*range(300), *range(0, len(sound), 997), len(sound) - 1}
    for n in sorted(lengths):
        path.write_bytes(sound[:n])
        with pytest.raises(ValueError, match="not usable"):
            _core.Prepared(str(path), own())
    path.write_bytes(sound + b"\0")
    with pytest.raises(ValueError, match="not usable"):
        _core.Prepared(str(path), own())


@pytest.mark.parametrize("field", ["magic", "order", "format", "pointer", "build"])
def test_files_of_others_are_not_used(field: str, cache: Path) -> None:
    place = keep_small()
    path = Path(str(place.path))
    data = bytearray(path.read_bytes())
    begin, end = {
        "magic": (0, 8),
        "order": (8, 12),
        "format": (12, 16),
        "pointer": (16, 20),
        "build": (32, 40),
    }[field]
    data[begin:end] = data[begin:end][::-1] if field != "pointer" else b"\x02\0\0\0"
    path.write_bytes(data)
    with pytest.raises(ValueError, match="not usable"):
        _core.Prepared(str(path), own())
    assert place.open() is None
    assert place.keep(small_core(), []) is not None, "it is replaced"


def test_another_key_is_out_of_date(cache: Path) -> None:
    keep_small()
    assert Place("small", "identity", "another state").open() is None
    assert Place("small", "another identity", "state").open() is None
    assert Place("small", "identity", "state").open() is not None


@pytest.mark.skipif(os.name != "posix", reason="files have owners and modes")
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_files_that_others_may_write_are_not_used(mode: int, cache: Path) -> None:
    place = keep_small()
    Path(str(place.path)).chmod(mode)
    with pytest.raises(ValueError, match="others may write it"):
        _core.Prepared(str(place.path), own())
    assert place.open() is None
    # what is damaged or not trusted is replaced without a word
    tokenizer = Tokenizer._embedded("gpt2")
    path = Path(str(tokenizer._tables.path))
    path.chmod(mode)
    del tokenizer
    assert Tokenizer._embedded("gpt2").encode("hello") == [31373]
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.name != "posix", reason="files have owners and modes")
def test_files_of_another_user_are_not_used(cache: Path) -> None:
    place = keep_small()
    with pytest.raises(ValueError, match="belongs to another user"):
        _core.Prepared(str(place.path), os.geteuid() + 1)


def test_what_is_no_file_is_not_used(cache: Path) -> None:
    cache.mkdir()
    for path in (cache, cache / "nothing", Path(os.devnull)):
        with pytest.raises(ValueError, match="not usable"):
            _core.Prepared(str(path), None)


_ENCODE = "import tokstream; print(tokstream.get_encoding('gpt2').encode('hello'))"


def run(code: str = _ENCODE, **environment: str | None) -> subprocess.Popen[str]:
    values = {**os.environ, **environment}
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code],
        env={name: value for name, value in values.items() if value is not None},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def done(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    return out


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    occupied = tmp_path / "file"
    occupied.write_text("")
    nowhere = [{"TOKSTREAM_CACHE_DIR": str(occupied / "cache")}, {"TOKSTREAM_CACHE_DIR": ""}]
    nowhere += [{"TOKSTREAM_CACHE_DIR": "/proc/nothing"}, {"TOKSTREAM_CACHE_DIR": "off"}]
    for environment in nowhere:
        assert done(run(**environment)) == "[31373]\n"
    if os.geteuid() != 0:
        closed = tmp_path / "closed"
        closed.mkdir(mode=0o500)
        assert done(run(TOKSTREAM_CACHE_DIR=str(closed / "cache"))) == "[31373]\n"
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == ["file"]


def test_a_full_disk(cache: Path) -> None:
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))\n"
        "import tokstream; t = tokstream.get_encoding('gpt2')\n"
        "print(t.encode('hello'), t.info()['prepared_file'])"
    )
    assert resource.RLIMIT_FSIZE
    assert done(run(code)) == "[31373] None\n"
    assert list(cache.iterdir()) == [], "nothing is left behind"


def test_processes_at_once(cache: Path) -> None:
    processes = [run() for _ in range(4)]
    assert {done(process) for process in processes} == {"[31373]\n"}
    (file,) = cache.iterdir()
    before = file.stat()
    assert done(run()) == "[31373]\n"
    after = file.stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns), "it was used"


def test_a_mapped_file_outlives_its_name(cache: Path) -> None:
    place = keep_small()
    file = place.open()
    assert file is not None
    core = file.core(AUTOMATON)
    expected = encode(core)
    keep_small()  # a new file of the same name
    assert encode(core) == expected
    Path(str(place.path)).unlink()
    assert encode(core) == expected
    del file
    assert encode(core, "abab漢") == encode(small_core(), "abab漢")


def test_the_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TOKSTREAM_CACHE_DIR", "relative")
    assert directory() == str(Path.cwd() / "relative")
    monkeypatch.delenv("TOKSTREAM_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert directory() == str(tmp_path / "tokstream")
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")  # is to be ignored, the standard says
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert directory() == str(tmp_path / ".cache" / "tokstream")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert directory() == str(tmp_path / "Library" / "Caches" / "tokstream")
    monkeypatch.setenv("HOME", str(tmp_path / "nothing"))
    assert directory() is None, "a home is not made"
    if hasattr(os, "geteuid"):
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
        assert directory() is None, "another's home is left alone"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert directory() == str(tmp_path / "local" / "tokstream")
    monkeypatch.delenv("LOCALAPPDATA")
    assert directory() is None


def test_the_files_not_used_for_longest_go_first(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.mkdir()
    now = time.time()
    for k, name in enumerate(["oldest", "old", "new", "newest"]):
        path = cache / f"{name}.prepared"
        path.write_bytes(bytes(1000))
        os.utime(path, (now - 4000 + k, now - 4000 + k))
    (cache / "other.txt").write_bytes(bytes(5000))
    (cache / "a.prepared.1-2.new").write_bytes(b"abandoned")
    os.utime(cache / "a.prepared.1-2.new", (now - 4000, now - 4000))
    (cache / "b.prepared.1-2.new").write_bytes(b"being written")
    kept = str(cache / "oldest.prepared")
    files.evict(str(cache), keep=kept, max_bytes=2500)
    left = sorted(path.name for path in cache.iterdir())
    assert left == ["b.prepared.1-2.new", "newest.prepared", "oldest.prepared", "other.txt"]
    files.evict(str(cache / "nothing"))
    monkeypatch.setattr(files, "MAX_BYTES", 100)
    place = keep_small()
    assert place.open() is not None, "what was just written stays"
    assert sorted(cache.glob("*.prepared")) == [Path(str(place.path))]


def test_use_is_noted_once_a_day(cache: Path) -> None:
    place = keep_small()
    path = Path(str(place.path))
    for age, is_noted in ((1000, False), (100_000, True)):
        then = time.time() - age
        os.utime(path, (then, then))
        assert place.open() is not None
        assert (path.stat().st_mtime > then + 500) == is_noted


def test_labels_are_file_names(cache: Path) -> None:
    place = keep_small("a/../b\0\ud800 " + "c" * 300)
    assert Path(str(place.path)).parent == cache
    assert place.open() is not None
