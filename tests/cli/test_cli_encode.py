"""`tokstream encode`: the ids of the API, in every format, while the text arrives."""

from __future__ import annotations

import base64
import json
import os
import struct
import subprocess
import sys
import time
from array import array
from typing import TYPE_CHECKING, Any, cast

import pytest

from memory import PEAK_BYTES, needs_proc
from tokstream.cli.id_writers import U16Writer

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "Hello, wörld! 漢字 🙂\r\n  def f(x):\n\treturn 1234567\n\n" * 50


def u32(data: bytes) -> list[int]:
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def write_rank_file(path: Path) -> None:
    """Write a vocabulary of all bytes and `ab`."""
    ranks = {bytes([b]): b for b in range(256)} | {b"ab": 256}
    path.write_bytes(
        b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks.items())
    )


def test_ids_are_one_line_per_file(command, tokenizer):
    (command.directory / "a").write_text("one two", "utf-8")
    (command.directory / "b").write_text("", "utf-8")
    (command.directory / "c").write_text("three\n", "utf-8")
    lines = command.ok("encode", "a", "b", "c").decode().split("\n")
    expected = [tokenizer.encode(text) for text in ("one two", "", "three\n")]
    assert [[int(word) for word in line.split()] for line in lines[:3]] == expected
    assert lines[3:] == [""]


@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_standard_input(command, tokenizer, arguments):
    out = command.ok("encode", *arguments, stdin=TEXT.encode())
    assert [int(word) for word in out.split()] == tokenizer.encode(TEXT)


def test_standard_input_among_files(command, tokenizer):
    (command.directory / "a").write_text("file", "utf-8")
    out = command.ok("encode", "a", "-", "-f", "u32", stdin=b"pipe")
    assert u32(out) == tokenizer.encode("file") + tokenizer.encode("pipe")


def test_u32_and_u16(command, tokenizer, gpt2):
    data = TEXT.encode()
    assert u32(command.ok("encode", "-f", "u32", stdin=data)) == tokenizer.encode(TEXT)
    out = command.ok("encode", "-f", "u16", "-e", "gpt2", stdin=data)
    assert list(struct.unpack(f"<{len(out) // 2}H", out)) == gpt2.encode(TEXT)


def test_u16_needs_a_vocabulary_that_fits(command):
    message = command.fails(2, "encode", "-f", "u16", "-o", "x", stdin=b"text")
    assert "65536" in message
    assert command.names() == []


@pytest.mark.parametrize(("special_id", "code"), [(65535, 0), (65536, 2)])
def test_u16_at_the_boundary(command, special_id, code):
    """A special token's id counts: 65535 is the last that fits."""
    write_rank_file(command.directory / "x.tiktoken")
    options = ["--vocab", "x.tiktoken", "--pattern", r"\w+|\W+", "--special", f"<s>={special_id}"]
    arguments = ["encode", *options, "--special-text", "token", "-f", "u16", "-o", "out"]
    if code:
        assert "65536" in command.fails(code, *arguments, stdin=b"<s>")
        assert command.names() == ["x.tiktoken"]
    else:
        command.ok(*arguments, stdin=b"<s>")
        assert (command.directory / "out").read_bytes() == b"\xff\xff"


def test_npy_is_what_numpy_reads(command, tokenizer):
    numpy = pytest.importorskip("numpy")
    command.ok("encode", "-o", "x.npy", stdin=TEXT.encode())
    ids = numpy.load(command.directory / "x.npy")
    assert ids.dtype == numpy.dtype("<u4")
    assert ids.tolist() == tokenizer.encode(TEXT)


def test_npy_header_by_the_published_format(command):
    command.ok("encode", "-o", "x.npy")
    data = (command.directory / "x.npy").read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00"
    assert int.from_bytes(data[8:10], "little") + 10 == len(data)
    assert len(data) % 64 == 0
    assert data.endswith(b"\n")
    assert eval(data[10:]) == {"descr": "<u4", "fortran_order": False, "shape": (0,)}


def test_npy_cannot_be_streamed(command):
    assert "-o FILE" in command.fails(2, "encode", "-f", "npy")
    assert "/dev/null" in command.fails(2, "encode", "-f", "npy", "-o", "/dev/null")


def test_jsonl_has_one_record_per_file(command, tokenizer):
    (command.directory / 'a"\n').write_text(TEXT, "utf-8")
    (command.directory / "b").write_text("", "utf-8")
    out = command.ok("encode", "-f", "jsonl", 'a"\n', "b")
    first, second = map(json.loads, out.splitlines())
    ids = tokenizer.encode(TEXT)
    n_bytes = len(TEXT.encode())
    assert first == {"path": 'a"\n', "ids": ids, "n_tokens": len(ids), "n_bytes": n_bytes}
    assert second == {"path": "b", "ids": [], "n_tokens": 0, "n_bytes": 0}


@pytest.mark.parametrize("lines", [(), ("--lines",)])
def test_every_line_of_jsonl_is_a_record_even_if_an_input_is_bad(command, tokenizer, lines):
    (command.directory / "good").write_text("good one", "utf-8")
    (command.directory / "bad").write_bytes(b"and then \xff")
    done = command("encode", "-f", "jsonl", *lines, "good", "bad", "good")
    assert done.returncode == 1
    assert done.stdout.endswith(b"}\n")
    first, second = map(json.loads, done.stdout.splitlines())
    assert first["ids"] == tokenizer.encode("good one")
    assert second["path"] == "bad"
    assert tokenizer.encode("and then ")[: second["n_tokens"]] == second["ids"] != []
    assert "n_bytes" not in second
    assert second["error"] in done.stderr.decode()


def test_jsonl_begins_no_record_for_an_input_that_is_missing(command):
    (command.directory / "good").write_text("good one", "utf-8")
    done = command("encode", "-f", "jsonl", "good", "missing")
    assert done.returncode == 1
    assert [json.loads(line)["path"] for line in done.stdout.splitlines()] == ["good"]


@pytest.mark.parametrize(
    ("name", "format_name"),
    [
        ("x.u32", "u32"),
        ("x.bin", "u32"),
        ("x.BIN", "u32"),
        ("x.u16", "u16"),
        ("x.jsonl", "jsonl"),
        ("x.txt", "ids"),
        ("x", "ids"),
    ],
)
def test_the_suffix_decides(command, name, format_name):
    expected = command.ok("encode", "-e", "gpt2", "-f", format_name, stdin=b"some text")
    command.ok("encode", "-e", "gpt2", "-o", name, stdin=b"some text")
    assert (command.directory / name).read_bytes() == expected


def test_the_format_option_beats_the_suffix(command):
    command.ok("encode", "-f", "ids", "-o", "x.bin", stdin=b"some text")
    assert (command.directory / "x.bin").read_bytes().replace(b" ", b"").strip().isdigit()


@pytest.mark.parametrize("text", ["a\nb\n", "a\nb", "a\n\nb", "", "\n", "a\r\nb", "x" * 700_000])
def test_lines_are_texts(command, tokenizer, text):
    expected = text.split("\n")
    if not expected[-1]:
        expected.pop()
    out = command.ok("encode", "--lines", "-f", "jsonl", stdin=text.encode())
    records = [json.loads(line) for line in out.splitlines()]
    assert [record["ids"] for record in records] == [tokenizer.encode(line) for line in expected]
    assert [record["line"] for record in records] == list(range(1, len(expected) + 1))


def test_eot_follows_each_text(command, tokenizer):
    out = command.ok("encode", "--lines", "--eot", stdin=b"a\nb\n")
    texts = [[*tokenizer.encode(text), tokenizer.eos_id] for text in "ab"]
    assert [[int(word) for word in line.split()] for line in out.splitlines()] == texts


def test_special_text(command, tokenizer):
    text = "a <|endoftext|> b"

    def ids(option: str) -> list[int]:
        out = command.ok("encode", "--special-text", option, stdin=text.encode())
        return [int(word) for word in out.split()]

    assert ids("token") == tokenizer.encode(text, allowed_special="all")
    assert ids("plain") == tokenizer.encode(text, allowed_special=(), disallowed_special=())
    for arguments in [(), ("--special-text", "error")]:
        message = command.fails(1, "encode", *arguments, stdin=text.encode())
        assert "<|endoftext|>" in message
        assert "byte offset 2" in message
        assert "--special-text" in message


def test_invalid_utf8(command, tokenizer):
    (command.directory / "bad.txt").write_bytes(b"x" * 300_000 + b"\xff tail")
    message = command.fails(1, "encode", "bad.txt", "-o", "out")
    assert "bad.txt" in message
    assert "byte offset 300000" in message
    assert "--errors replace" in message
    assert command.names() == ["bad.txt"]
    out = command.ok("encode", "--errors", "replace", stdin=b"a\xffb")
    assert [int(word) for word in out.split()] == tokenizer.encode("a\ufffdb")


def test_an_error_names_the_line(command):
    message = command.fails(1, "encode", "--lines", stdin=b"good\nb\xffd\n")
    assert "line 2" in message
    assert "byte offset 1" in message


def test_output_before_an_error_reaches_standard_output(command, tokenizer):
    done = command("encode", "-f", "u32", stdin=b"one two three \xff")
    assert done.returncode == 1
    ids = u32(done.stdout)
    assert ids == tokenizer.encode("one two three ")[: len(ids)]
    assert len(ids) >= 2


def test_ids_flow_while_the_pipe_is_open(command, tokenizer):
    process = command.start("encode", "-f", "u32")
    try:
        process.stdin.write(b"The first words of a text that goes on and on")
        os.set_blocking(process.stdout.fileno(), False)
        data, deadline = b"", time.monotonic() + 60
        while len(data) < 4 * 8 and time.monotonic() < deadline:
            data += process.stdout.read(65536) or b""
            time.sleep(0.01)
        assert u32(data)[:8] == tokenizer.encode("The first words of a text that goes")[:8]
    finally:
        process.kill()
        process.communicate()


def test_a_vocabulary_file(command, tmp_path):
    write_rank_file(tmp_path / "x.tiktoken")
    options = ["--vocab", "x.tiktoken", "--pattern", r"\w+|\W+"]
    out = command.ok("encode", *options, stdin=b"abc ab")
    assert out.split() == [b"256", b"99", b"32", b"256"]
    special = ["--special", "<s>=300", "--special-text", "token"]
    assert command.ok("encode", *options, *special, stdin=b"<s>a").split() == [b"300", b"97"]
    assert "pattern" in command.fails(2, "encode", "--vocab", "x.tiktoken")
    command.fails(2, "encode", "--vocab", "x.tiktoken", "--pattern", "(")
    (tmp_path / "broken.tiktoken").write_bytes(b"!!! 1\n")
    assert "broken.tiktoken" in command.fails(
        1, "encode", "--vocab", "broken.tiktoken", *options[2:]
    )


def test_a_model_names_its_encoding(command, tokenizer):
    out = command.ok("encode", "-m", "gpt-4o", stdin=TEXT.encode())
    assert [int(word) for word in out.split()] == tokenizer.encode(TEXT)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-e", "o200k_bse"], ["o200k_base"]),
        (["-m", "gpt-4oo-nope"], ["gpt-4oo-nope"]),
        (["-e", "gpt2", "-m", "gpt-4o"], ["not allowed"]),
        (["--pattern", "x"], ["--vocab"]),
        (["--tokenizer-class", "GPT2Tokenizer"], ["--tokenizer-class", "--vocab"]),
        (["--special", "a=1"], ["--vocab"]),
        (["--special", "a"], ["NAME=ID"]),
        (["--format", "u64"], ["u64", "jsonl"]),
        (["--form", "u32"], ["--form", "--help"]),
    ],
)
def test_usage_errors(command, arguments, words):
    message = command.fails(2, "encode", *arguments)
    for word in words:
        assert word in message


@pytest.mark.parametrize("format_name", ["ids", "u16", "u32", "npy", "jsonl"])
def test_no_format_needs_numpy(command, format_name):
    code = "import sys; sys.modules['numpy'] = None; import tokstream.cli as c; c.main()"
    arguments = ["encode", "-e", "gpt2", "-f", format_name, "-o"]
    process = [sys.executable, "-c", code, *arguments, "without"]
    subprocess.run(process, input=TEXT.encode(), cwd=command.directory, check=True)
    command.ok(*arguments, "with", stdin=TEXT.encode())
    names = ("with", "without")
    assert len({(command.directory / name).read_bytes() for name in names}) == 1


@pytest.mark.slow
@needs_proc
def test_memory_does_not_depend_on_the_input(tmp_path):
    """Peak memory of a process for 8 MB and for 64 MB through a pipe."""
    block = TEXT.encode() * 40
    code = """
import sys
from tokstream.cli import run
assert run(["encode", "-o", sys.argv[1]]) == 0
print(peak_bytes())
"""

    def peak(n_bytes: int) -> int:
        process = subprocess.Popen(
            [sys.executable, "-c", PEAK_BYTES + code, str(tmp_path / "out.u32")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=tmp_path,
        )
        assert process.stdin is not None
        for _ in range(n_bytes // len(block)):
            process.stdin.write(block)
        printed, _ = process.communicate(timeout=120)
        assert process.returncode == 0
        return int(printed)

    small, large = peak(8_000_000), peak(64_000_000)
    assert large - small < 2_000_000
    assert large < 120_000_000


def test_the_writers_gather_like_array():
    """The strided copy behind u16 equals the plain conversion."""
    ids = array("I", [0, 1, 255, 256, 65535, 4660])
    narrow = array("H", ids)
    writer = U16Writer(cast("Any", None))
    assert bytes(writer.encoded(memoryview(ids))) == struct.pack("<6H", *narrow)
