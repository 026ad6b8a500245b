"""`tokstream count`: numbers as `wc` prints them, a limit that stops early."""

from __future__ import annotations

import json
import os
import time

import pytest

TEXTS = {"a.txt": "one two three", "b/c.txt": "漢字 four\n" * 30, "b/d.txt": "", "z": "five"}


@pytest.fixture
def tree(command):
    for name, text in TEXTS.items():
        path = command.directory / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    (command.directory / ".hidden").write_text("no", "utf-8")
    (command.directory / "b" / ".git").mkdir()
    (command.directory / "b" / ".git" / "x").write_text("no", "utf-8")
    (command.directory / "b" / "loop").symlink_to(command.directory)
    os.mkfifo(command.directory / "b" / "pipe")
    return command


def test_standard_input_is_a_bare_number(command, tokenizer):
    assert command.ok("count", stdin=b"one two") == b"%d\n" % tokenizer.count("one two")


def test_one_file(tree, tokenizer):
    assert tree.ok("count", "a.txt") == b"%d a.txt\n" % tokenizer.count(TEXTS["a.txt"])


def test_a_directory_in_sorted_order_with_a_total(tree, tokenizer):
    lines = tree.ok("count", ".").decode().splitlines()
    counts = {f"./{name}": tokenizer.count(text) for name, text in TEXTS.items()}
    assert [line.split() for line in lines] == [
        *([str(n), name] for name, n in counts.items()),
        [str(sum(counts.values())), "total"],
    ]
    assert len({line.index(line.split()[1]) for line in lines}) == 1, "numbers end in one column"


def test_hidden_names_count_when_named(tree, tokenizer):
    assert tree.ok("count", ".hidden") == b"%d .hidden\n" % tokenizer.count("no")


def test_json(tree, tokenizer):
    result = json.loads(tree.ok("count", "--json", "a.txt", "z"))
    counts = [tokenizer.count(TEXTS[name]) for name in ("a.txt", "z")]
    assert result == {
        "encoding": "o200k_base",
        "n_tokens": sum(counts),
        "n_bytes": 17,
        "files": [
            {"path": "a.txt", "n_tokens": counts[0], "n_bytes": 13},
            {"path": "z", "n_tokens": counts[1], "n_bytes": 4},
        ],
    }


def test_a_bad_file_does_not_stop_the_others(tree, tokenizer):
    (tree.directory / "bad").write_bytes(b"x\xff")
    done = tree("count", "bad", "missing", "z", "--json")
    assert done.returncode == 1
    errors = done.stderr.decode().splitlines()
    assert len(errors) == 2
    assert "bad: " in errors[0]
    assert "byte offset 1" in errors[0]
    assert "missing: no such file" in errors[1]
    result = json.loads(done.stdout)
    assert result["n_tokens"] == tokenizer.count(TEXTS["z"])
    assert "byte offset 1" in result["files"][0]["error"]
    assert tree.ok("count", "--errors", "replace", "bad")


def test_an_unreadable_directory_does_not_stop_the_others(tree):
    locked = tree.directory / "b" / "locked"
    locked.mkdir(mode=0)
    try:
        if os.access(locked, os.R_OK):
            pytest.skip("root reads everything")
        done = tree("count", ".")
        assert done.returncode == 1
        assert b"locked: permission denied" in done.stderr
        assert b"total" in done.stdout
    finally:
        locked.chmod(0o700)


def test_limit(tree, tokenizer):
    n = tokenizer.count(TEXTS["a.txt"])
    assert tree.ok("count", "--limit", str(n), "a.txt") == b"%d a.txt\n" % n
    done = tree("count", "--limit", str(n - 1), "a.txt")
    assert (done.returncode, done.stdout, done.stderr) == (1, b">%d a.txt\n" % (n - 1), b"")


def test_limit_concerns_the_total(tree, tokenizer):
    counts = [tokenizer.count(TEXTS[name]) for name in ("a.txt", "z")]
    assert tree("count", "--limit", str(sum(counts)), "a.txt", "z").returncode == 0
    done = tree("count", "--limit", str(sum(counts) - 1), "a.txt", "z", "missing")
    assert done.returncode == 1
    assert done.stdout.decode().split()[-2:] == [f">{sum(counts) - 1}", "total"]


def test_limit_in_json(tree):
    done = tree("count", "--limit", "0", "--json", "z", "a.txt")
    result = json.loads(done.stdout)
    assert (done.returncode, result["n_tokens"], result["exceeds_limit"]) == (1, 1, True)
    assert [entry["path"] for entry in result["files"]] == ["z"]
    within = json.loads(tree.ok("count", "--limit", "1_000", "--json", "z"))
    assert (within["limit"], within["exceeds_limit"]) == (1000, False)


def test_with_a_limit_a_bad_file_is_no_answer(tree):
    tree.fails(2, "count", "--limit", "1000", "missing")


def test_limit_stops_reading(command):
    process = command.start("count", "--limit", "10")
    try:
        process.stdin.write(b"many words that are more than ten tokens in all, surely and by far ")
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        assert process.returncode == 1, "the pipe is still open"
        assert process.stdout.read() == b">10\n"
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("limit", ["-1", "x", "1e3", ""])
def test_limit_must_be_a_number(command, limit):
    command.fails(2, "count", f"--limit={limit}")
