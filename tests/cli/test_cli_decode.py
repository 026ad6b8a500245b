"""`tokstream decode`: what `encode` wrote, in every format, cut anywhere."""

from __future__ import annotations

import io
import json
import struct

import pytest

from tokstream.cli.id_readers import MisreadError, read_ids

TEXT = "Hello, wörld! 漢字 🙂\r\n  x\n\n" * 3000  # several blocks


@pytest.mark.parametrize("format_name", ["ids", "u16", "u32", "npy", "jsonl"])
def test_round_trip(command, format_name):
    (command.directory / "text").write_bytes(TEXT.encode())
    name = f"x.{format_name}"
    command.ok("encode", "-e", "gpt2", "text", "-o", name)
    assert command.ok("decode", "-e", "gpt2", name) == TEXT.encode()
    command.ok("decode", "-e", "gpt2", name, "-o", "back")
    assert (command.directory / "back").read_bytes() == TEXT.encode()


@pytest.mark.parametrize("format_name", ["ids", "jsonl"])
def test_lines_round_trip(command, format_name):
    text = "one\n\nthree 漢\n".encode()
    ids = command.ok("encode", "--lines", "-f", format_name, stdin=text)
    assert command.ok("decode", "--lines", "-f", format_name, stdin=ids) == text
    assert command.ok("decode", "-f", format_name, stdin=ids) == text.replace(b"\n", b"")


def test_bytes_come_out_as_the_tokens_have_them(command, tokenizer):
    ids = tokenizer.encode("🙂")
    out = command.ok("decode", stdin=str(ids[0]).encode())
    assert out == tokenizer.decode_bytes(ids[:1])


@pytest.mark.parametrize("text", [b"[1, 2, 30]", b"1 2\n30\n", b"1,2,30", b"\t1  2\r\n 30 \n\n"])
def test_ids_as_people_write_them(command, tokenizer, text):
    assert command.ok("decode", stdin=text) == tokenizer.decode_bytes([1, 2, 30])


def read(data: bytes, format_name: str, cut: int) -> list[int]:
    blocks = [data[i : i + cut] for i in range(0, len(data), cut)]
    return [value for batch in read_ids(blocks, format_name) for value in batch.ids]


def npy(dtype: str, values: list[int]) -> bytes:
    numpy = pytest.importorskip("numpy")
    file = io.BytesIO()
    numpy.save(file, numpy.array(values, dtype))
    return file.getvalue()


@pytest.mark.parametrize("cut", range(1, 20))
def test_blocks_may_be_cut_anywhere(cut):
    ids = [0, 7, 65535, 70000, 4294967295]
    assert read(b"[0, 7,65535\n\n70000 0004294967295]", "ids", cut) == ids
    assert read(b"0 7 65535 70000 " + b"0" * 40 + b"4294967295", "ids", cut) == ids
    assert read(struct.pack("<5I", *ids), "u32", cut) == ids
    assert read(struct.pack("<3H", *ids[:3]), "u16", cut) == ids[:3]
    assert read(b'[0, 7]\n\n{"ids": [65535, 70000, 4294967295]}', "jsonl", cut) == ids
    for dtype in ("<u4", "<u8", "<i8"):
        assert read(npy(dtype, ids), "npy", cut) == ids
    assert read(npy("<u2", ids[:3]), "npy", cut) == ids[:3]
    assert read(npy("u1", ids[:2]), "npy", cut) == ids[:2]


@pytest.mark.parametrize("cut", [1, 3, 1000])
@pytest.mark.parametrize(
    ("data", "format_name", "words"),
    [
        (b"1 2\n 3 x4", "ids", ["line 2, column 4", "x4"]),
        (b"1 -2", "ids", ["line 1, column 3", "-2"]),
        (b"1 1_0", "ids", ["line 1, column 3", "1_0"]),
        (b"1 4294967296 ", "ids", ["line 1, column 3", "4294967296"]),
        (b"1 " + b"9" * 6000, "ids", ["line 1, column 3"]),
        (b"\x00\x01", "ids", ["line 1, column 1", "--format"]),
        (b"\x01\x00\x02", "u16", ["1 bytes", "offset 2"]),
        (b"\x01\x00\x02\x00\x00\x00\x00", "u32", ["3 bytes", "offset 4"]),
        (b"\x01\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00", "npy", ["not an npy file"]),
        (b"\x93NUMPY\x01\x00\x76", "npy", ["not complete"]),
        (b"\x93NUMPY\x01\x00\x04\x00{1}\n", "npy", ["header"]),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff", "npy", ["header"]),
        (b"[1]\n{", "jsonl", ["at line 2, column 2: ", '"ids"', "--format"]),
        (b"[1]\n\n7", "jsonl", ["line 3", "no list"]),
        (b'[1]\n{"text": 1}', "jsonl", ["line 2", "ids"]),
        (b"[1]\n[1, 2, -3]", "jsonl", ["line 2, id number 2", "-3"]),
        (b"[true]", "jsonl", ["line 1, id number 0"]),
        (b"[1.0]", "jsonl", ["line 1, id number 0"]),
        (b"[4294967296]", "jsonl", ["line 1, id number 0"]),
        (b"\xff", "jsonl", ["line 1"]),
        (b"[" * 100_000, "jsonl", ["line 1"]),
    ],
)
def test_misread_input_says_where(data, format_name, words, cut):
    with pytest.raises(MisreadError) as caught:
        read(data, format_name, cut)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("dtype", "values", "words"),
    [
        ("<f4", [1], ["<f4"]),
        ("<i2", [1], ["<i2"]),
        (">u4", [1], [">u4"]),
        ("<u4", [[1]], ["shape"]),
        ("<i8", [1, -1], ["byte offset 136"]),
    ],
)
def test_other_npy_arrays_are_refused(dtype, values, words):
    with pytest.raises(MisreadError) as caught:
        read(npy(dtype, values), "npy", 1000)
    for word in words:
        assert word in str(caught.value)


def test_npy_of_another_length_is_refused():
    whole = npy("<u4", [1, 2, 3])
    for data in (whole[:-4], whole + whole[-4:]):
        with pytest.raises(MisreadError, match="promises 3"):
            read(data, "npy", 1000)


@pytest.mark.parametrize(
    ("data", "format_name", "place"),
    [
        (b"1 2\n3  4000000000 5", "ids", "line 2, column 4"),
        (struct.pack("<3I", 1, 2, 4000000000), "u32", "byte offset 8"),
        (json.dumps([1, 4000000000]).encode(), "jsonl", "line 1, id number 1"),
    ],
)
def test_an_id_outside_the_vocabulary(command, data, format_name, place):
    message = command.fails(1, "decode", "-f", format_name, "-o", "out", stdin=data)
    assert "4000000000" in message
    assert place in message
    assert command.names() == []


def test_text_before_a_bad_id_reaches_standard_output(command, tokenizer):
    for bad in (b"4000000000", b"9999999999", b"x", b"-1"):
        done = command("decode", stdin=b"1 2 " + bad + b" 3")
        assert (done.returncode, done.stdout) == (1, tokenizer.decode_bytes([1, 2]))


def test_lines_need_a_format_that_has_texts(command):
    assert "u32" in command.fails(2, "decode", "--lines", "-f", "u32")
