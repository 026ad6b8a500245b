"""Rank files: read as the reference reads them, or refused with the line and the remedy."""

from __future__ import annotations

import base64
import gzip
import os
import random
import threading
from pathlib import Path  # noqa: TC003 - annotations of fixtures
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiktoken.load import load_tiktoken_bpe

from data import OPEN_RANK_FILES, open_encoding, open_rank_file
from tokstream.encodings import registry
from tokstream.errors import ConfigurationError, VocabularyError
from tokstream.formats import load_parts, read_rank_file
from tokstream.vocabulary import Vocabulary

LINES = [base64.b64encode(bytes((b,))) + b" %d\n" % b for b in range(256)]
GOOD = b"".join(LINES)
PLAIN = Vocabulary.from_ranks({bytes((b,)): b for b in range(256)})


def changed(line: int, content: bytes) -> bytes:
    """Return a good file with one (1-based) line replaced."""
    return b"".join([*LINES[: line - 1], content, *LINES[line:]])


# --- what is read --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["str", "Path", "PathLike", "bytes", "bytearray", "memoryview"])
def test_every_kind_of_source(kind: str, tmp_path: Path) -> None:
    class Like(os.PathLike[str]):
        def __fspath__(self) -> str:
            return str(path)

    path = tmp_path / "a.tiktoken"
    path.write_bytes(GOOD)
    sources: dict[str, Any] = {
        "str": str(path),
        "Path": path,
        "PathLike": Like(),
        "bytes": GOOD,
        "bytearray": bytearray(GOOD),
        "memoryview": memoryview(GOOD),
    }
    assert read_rank_file(sources[kind]) == PLAIN


@pytest.mark.parametrize(
    "content",
    [
        GOOD.replace(b"\n", b"\r\n"),
        GOOD.removesuffix(b"\n"),
        GOOD.replace(b"\n", b"\r\n").removesuffix(b"\r\n"),
        GOOD.replace(b"\n", b"\n\n"),
        b"\n\r\n\n" + GOOD + b"\n\n",
        GOOD.replace(b" ", b"\t"),
        GOOD.replace(b" ", b"   ").replace(b"\n", b"  \n"),
        b"\xef\xbb\xbf" + GOOD,
        b"".join(random.Random(3).sample(LINES, 256)),
    ],
    ids=["crlf", "cut", "crlf-cut", "blank", "blank-ends", "tab", "spaces", "bom", "shuffled"],
)
def test_tolerated_as_the_reference_does(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.tiktoken"
    path.write_bytes(content)
    assert load_tiktoken_bpe(str(path)) == PLAIN.to_ranks()
    assert read_rank_file(path) == PLAIN


def test_lines_of_blanks_are_skipped() -> None:
    # the reference stops there; nothing else could be meant
    assert read_rank_file(b"  \n" + GOOD + b"\t\r\n ") == PLAIN


def test_holes_are_kept() -> None:
    vocabulary = read_rank_file(GOOD + b"YWI= 300\n")
    assert vocabulary.ids[-1] == 300
    assert vocabulary.n_vocab == 301


@pytest.mark.parametrize("name", sorted(OPEN_RANK_FILES))
def test_open_models(name: str) -> None:
    vocabulary = read_rank_file(open_rank_file(name))
    assert len(vocabulary) == OPEN_RANK_FILES[name].n_tokens
    assert vocabulary.to_ranks() == open_encoding(name)._mergeable_ranks


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_named_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(GOOD,))
    writer.start()
    assert read_rank_file(path) == PLAIN
    writer.join()


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "content", "expected"),
    [
        (7, b"Bg==\n", "no rank after 'Bg=='"),
        (7, b"6\n", "no rank after '6'"),
        (7, b"Bg== 6 6\n", "3 fields in 'Bg== 6 6'"),
        (7, b"Bg== 6 # six\n", "4 fields"),
        (7, b"Bg 6\n", "'Bg 6' does not begin with valid base64 ("),
        (7, b"B%== 6\n", "valid base64 ("),
        (7, b"_w== 6\n", "valid base64"),
        (7, b"Bg==Bg== 6\n", "valid base64"),
        (7, b"\xff\xfe 6\n", "valid base64"),
        (7, b"= 6\n", "valid base64"),
        (7, b"Bg== six\n", "rank 'six' is not a whole number"),
        (7, b"Bg== 6.0\n", "rank '6.0' is not a whole number"),
        (7, b"Bg== 1_0\n", "rank '1_0' is not a whole number"),
        (7, b"Bg== +6\n", "rank '+6' is not a whole number"),
        (7, b"Bg== -6\n", "rank '-6' is negative"),
        (7, b"Bg== 4294967295\n", "rank 4294967295 is too large"),
        (7, b"Bg== " + b"9" * 5000 + b"\n", "is too large"),
        (7, LINES[2], "token b'\\x02' was given on line 3 already, with rank 2"),
        (7, b"Bg== 2\n", "rank 2 of token b'\\x06' belongs to token b'\\x02' on line 3"),
        (256, b"/w== ", "no rank after '/w=='"),
        (256, b"/w", "expected `base64 rank`; the file may be cut short"),
        (256, b"/w== 25", "already; the file may be cut short"),
        (256, LINES[255] + b"garbage", "no rank after 'garbage'"),
        (256, LINES[255] + b"\x00\x00\x00", "no rank after '\\x00\\x00\\x00'"),
        (1, b"AA== 0\rAQ== 1\r", "carriage return"),
        (9, b"x" * 100_000 + b"\n", "xxx'..., expected"),
    ],
)
def test_damaged_line(line: int, content: bytes, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "a.tiktoken"
    path.write_bytes(changed(line, content))
    number = line + content.count(b"\n", 0, -1)
    for source, label in ((path, str(path)), (path.read_bytes(), "<bytes>")):
        with pytest.raises(VocabularyError) as caught:
            read_rank_file(source)
        message = str(caught.value)
        assert message.startswith(f"{label}:{number}: "), message
        assert expected in message
        assert len(message) < 400 + len(label)
        assert caught.value.line == number
        assert caught.value.path == (label if source is path else None)


def test_blank_lines_count() -> None:
    with pytest.raises(VocabularyError) as caught:
        read_rank_file(b"\n\n" + LINES[0] + b"\n" + GOOD)
    assert caught.value.line == 5
    assert "line 3 already" in str(caught.value)
    with pytest.raises(VocabularyError) as caught:
        read_rank_file(b"\n" + LINES[0] + b"\n\n" + b"AQ== 0\n")
    assert caught.value.line == 5
    assert "on line 2 already" in str(caught.value)


def test_missing_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.tiktoken"
    path.write_bytes(b"".join(LINES[:200]))
    with pytest.raises(VocabularyError) as caught:
        read_rank_file(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: 56 of the 256 single bytes are no token: 0xc8-0xff; ")
    assert "get the complete file" in message
    assert caught.value.path == str(path)


@given(st.integers(0, len(GOOD) - 2))
def test_no_cut_file_is_taken(end: int) -> None:
    with pytest.raises(VocabularyError):
        read_rank_file(GOOD[:end])


@given(st.integers(0, len(GOOD) - 1), st.integers(1, 255))
def test_a_changed_byte_is_refused_or_read_as_the_reference_reads_it(at: int, flip: int) -> None:
    damaged = bytearray(GOOD)
    damaged[at] ^= flip
    try:
        vocabulary = read_rank_file(damaged)
    except VocabularyError:
        return
    lines = (line.split() for line in bytes(damaged).splitlines() if line)
    assert vocabulary.to_ranks() == {base64.b64decode(t): int(r) for t, r in lines}


@given(st.binary(max_size=300))
def test_any_bytes_give_a_named_error(content: bytes) -> None:
    with pytest.raises(VocabularyError):
        read_rank_file(content)


def test_compressed_rank_file_is_named() -> None:
    with pytest.raises(VocabularyError, match=r"<bytes> is gzip data, .*gunzip"):
        read_rank_file(gzip.compress(GOOD))


# --- files that are not there --------------------------------------------------------------------


def test_directory(tmp_path: Path) -> None:
    with pytest.raises(VocabularyError, match=r"is a directory.*give the path of the vocabulary"):
        read_rank_file(tmp_path)
    (tmp_path / "tokenizer.model").write_bytes(GOOD)
    with pytest.raises(VocabularyError) as caught:
        read_rank_file(str(tmp_path))
    assert repr(str(tmp_path / "tokenizer.model")) in str(caught.value)
    assert caught.value.path == str(tmp_path)


def test_missing_file(tmp_path: Path) -> None:
    path = str(tmp_path / "none.tiktoken")
    with pytest.raises(FileNotFoundError, match="no such file or directory") as caught:
        read_rank_file(path)
    assert caught.value.filename == path


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("cl100k_base", r"tokstream.get_encoding\('cl100k_base'\)"),
        ("https://example.org/a.tiktoken", "never uses the network"),
    ],
)
def test_names_that_are_no_files(
    source: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match=expected):
        read_rank_file(source)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_unreadable_file(tmp_path: Path) -> None:
    path = tmp_path / "a.tiktoken"
    path.write_bytes(GOOD)
    path.chmod(0)
    with pytest.raises(PermissionError):
        read_rank_file(path)


@pytest.mark.parametrize("source", [None, 3, ["a"], {b"a": 0}])
def test_source_of_another_type(source: Any) -> None:
    with pytest.raises(TypeError, match="give a path"):
        read_rank_file(source)


# --- load_parts ----------------------------------------------------------------------------------

PATTERN = r"\S+|\s+"


def test_load_parts(tmp_path: Path) -> None:
    path = tmp_path / "my.bpe.tiktoken"
    path.write_bytes(GOOD)
    special = {"<|end|>": 256}
    parts = load_parts(path, PATTERN, special)
    assert (parts.vocabulary, parts.pattern) == (PLAIN, PATTERN)
    assert (parts.special_tokens, parts.name, parts.n_vocab) == (special, "my.bpe", 257)
    assert parts.special_tokens is not special
    mine = load_parts(path, PATTERN, name="mine")
    assert (mine.special_tokens, mine.name) == ({}, "mine")
    assert load_parts(GOOD, PATTERN).name.startswith("vocabulary-")


def test_pattern_is_never_guessed(tmp_path: Path) -> None:
    path = tmp_path / "a.tiktoken"
    path.write_bytes(GOOD)
    with pytest.raises(ConfigurationError) as caught:
        load_parts(path)
    message = str(caught.value)
    call = f'tokstream.load({str(path)!r}, pattern=r"...", special_tokens={{"<|endoftext|>": 256}})'
    assert call in message
    assert "get_encoding" not in message
    with pytest.raises(ConfigurationError, match=r"tokstream.load\(data, pattern="):
        load_parts(GOOD, special_tokens={"<|end|>": 256})


def test_openai_rank_file_without_pattern_points_to_the_encoding() -> None:
    content = registry.vocabulary("r50k_base").to_rank_file()
    with pytest.raises(ConfigurationError, match=r"tokstream.get_encoding\('r50k_base'\)"):
        load_parts(content)


def test_a_wrong_file_is_told_before_a_missing_pattern() -> None:
    with pytest.raises(VocabularyError, match="JSON"):
        load_parts(b"{}")


def test_pattern_that_is_no_pattern() -> None:
    with pytest.raises(ConfigurationError, match=r"get_encoding\('gpt2'\)\.pattern"):
        load_parts(GOOD, "gpt2")
    with pytest.raises(ConfigurationError, match="pattern is bytes, not str"):
        load_parts(GOOD, b"x")  # type: ignore[arg-type]


def test_special_tokens_are_checked() -> None:
    with pytest.raises(VocabularyError, match="ordinary token b'a'"):
        load_parts(GOOD, PATTERN, {"<|end|>": 97})
    with pytest.raises(VocabularyError, match="not a mapping"):
        load_parts(GOOD, PATTERN, ["<|end|>"])  # type: ignore[arg-type]
