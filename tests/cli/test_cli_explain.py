"""`tokstream explain`: what it draws, where colour goes, what it refuses."""

from __future__ import annotations

import json
import os
import re

import pytest

from tokstream.cli.terminal import pad, visible, width_of
from tokstream.diagnostics.explanation import explain


def test_json_is_the_explanation(command, tokenizer):
    found = json.loads(command.ok("explain", "hello world", "--json"))
    assert found == json.loads(json.dumps(explain(tokenizer, "hello world").as_json()))


def test_the_cuts(command, tokenizer):
    lines = command.ok("explain", "--cuts", "hello wörld\tof 漢").decode().splitlines()
    assert lines[0].startswith("o200k_base  ")
    rows = {line.split()[0]: line for line in lines[2:]}
    assert list(rows) == ["segment", "pretoken", "token", "id"]
    ids = rows["id"].split()[1:]
    assert list(map(int, ids)) == tokenizer.encode("hello wörld\tof 漢")
    cells = rows["token"].split("│")[1:-1]
    assert len(cells) == len(ids)
    assert "".join(cells).replace(" ", "").startswith("hello·w")
    # bars stand under bars
    bars = {k for k, c in enumerate(rows["token"]) if c == "│"}
    assert {k for k, c in enumerate(rows["segment"].split("漢")[0]) if c == "│"} <= bars


def test_long_texts_are_drawn_in_bands(command):
    text = "some words that do not fit into one line " * 8
    lines = command.ok("explain", "--cuts", text).decode().splitlines()
    assert max(map(len, lines)) <= 100
    drawn = "".join(line[10:].replace("│", "") for line in lines if line.startswith("segment"))
    assert drawn.replace(" ", "").replace("·", " ") == text


def test_the_steps(command):
    text = command.ok("explain", "--steps", "-e", "cl100k_base", "-E", r"foo\n  ").decode()
    assert re.search(r"^fed +emitted +held +why$", text, re.MULTILINE)
    assert re.search(r"^↵ +foo +↵ +tokens: ", text, re.MULTILINE)
    assert "pretokens: the pattern has not decided: before 'a' " in text
    assert re.search(r"^end +\S+$", text, re.MULTILINE)


def test_where_the_text_comes_from(command):
    (command.directory / "text").write_bytes(b"a b")
    for arguments, stdin in ((["a b"], b""), (["-"], b"a b"), (["--file", "text"], b"")):
        found = json.loads(command.ok("explain", *arguments, "--json", stdin=stdin))
        assert [token["text"] for token in found["tokens"]] == ["a", " b"]
    assert "which text?" in command.fails(2, "explain")
    assert "which text?" in command.fails(2, "explain", "a", "--file", "text")
    assert "no such file" in command.fails(1, "explain", "--file", "absent")


def test_escapes(command):
    found = json.loads(command.ok("explain", "-E", r"a\n\t\\\x41\u6f22", "--json"))
    assert "".join(token["text"] for token in found["segments"]) == "a\n\t\\A漢"
    assert r"\\q" in command.fails(2, "explain", "-E", r"a\q")
    assert "invalid UTF-8" in command.fails(1, "explain", "-E", r"\xff")
    replaced = json.loads(command.ok("explain", "-E", r"\xff", "--errors", "replace", "--json"))
    assert replaced["segments"][0]["text"] == "\ufffd"


def test_long_text_is_refused_with_a_remedy(command):
    message = command.fails(1, "explain", "-", stdin=b"x" * 5000)
    assert "4096 bytes" in message
    assert "bench delay" in message
    command.ok("explain", "--cuts", "-", stdin=b"xy " * 1365)


def test_special_text(command):
    assert "--special-text" in command.fails(1, "explain", "a <|endoftext|>")
    text = command.ok("explain", "a <|endoftext|>", "--special-text", "token").decode()
    assert "a special token may still form: <|endoftext|>" in text


def test_colour_only_if_wanted(command):
    assert b"\x1b" not in command.ok("explain", "hello")
    assert b"\x1b[" in command.ok("explain", "hello", "--color", "always")


@pytest.mark.parametrize("no_color", ["", "1"])
def test_colour_on_a_terminal(command, no_color):
    pty = pytest.importorskip("pty")
    leader, follower = pty.openpty()
    command.environment |= {"NO_COLOR": no_color, "TERM": "xterm"}
    done = command("explain", "hello", stdout=follower)
    os.close(follower)
    seen = os.read(leader, 65536)
    os.close(leader)
    assert done.returncode == 0
    assert (b"\x1b[" in seen) == (not no_color)


def test_visible_text():
    assert visible(b" a\n\t\r") == "·a↵→␍"
    assert visible(b"\xe6a\x00\x1b") == r"\xe6a\x00\x1b"
    assert visible("\u0301".encode()) == "◌\u0301"
    assert (width_of("a漢\u0301"), pad("漢", 3)) == (3, "漢 ")
