"""The command with vocabularies of other formats than rank files."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64encode
from typing import TYPE_CHECKING

from small_pairs import write_pair

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tokstream", *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def document(tmp_path: Path, **members: object) -> str:
    content = {
        "normalizer": {"type": "Lowercase"},
        "decoder": {"type": "Fuse"},
        "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]},
    }
    (tmp_path / "tokenizer.json").write_text(json.dumps(content | members), encoding="utf-8")
    return str(tmp_path)


def test_a_directory(tmp_path: Path) -> None:
    folder = document(tmp_path)
    done = run("encode", "--vocab", folder, text="ABba")
    assert done.stdout.split() == ["2", "1", "0"]
    assert run("decode", "--vocab", folder, text="2 1 0").stdout.strip() == "abba"
    info = json.loads(run("info", "--json", "--vocab", folder).stdout)
    assert (info["format"], info["normalizer"]) == ("tokenizer.json", ["lowercase"])


def test_refusals(tmp_path: Path) -> None:
    folder = document(tmp_path, decoder={"type": "CTC"})
    done = run("encode", "--vocab", folder, text="a")
    assert done.returncode == 2
    assert "$.decoder: a decoder of type CTC cannot be honoured exactly" in done.stderr
    assert "Traceback" not in done.stderr


def test_diagnostics(tmp_path: Path) -> None:
    """Where a tokenizer changes text, the lower bound is marked as an estimate."""
    folder = document(tmp_path, normalizer={"type": "Lowercase"})
    done = run("explain", "--vocab", folder, "AB")
    assert (done.returncode, done.stderr) == (0, "")
    assert "a longer token may still begin here: 'ab'" in done.stdout
    done = run("bench", "delay", "-q", "--vocab", folder, text="ABAB")
    assert "lower bound (estimate)" in done.stdout


def test_remedies_name_options(tmp_path: Path) -> None:
    """The library names functions; at the shell there are options."""
    ranks = "".join(f"{b64encode(bytes([b])).decode()} {b}\n" for b in range(256))
    path = tmp_path / "small.tiktoken"
    path.write_text(ranks, encoding="ascii")
    file = str(path)
    expected = {
        ("--vocab", file): "pass both: --pattern '...' --special '<|endoftext|>=256'",
        ("--vocab", file, "--pattern", "gpt2"): "see `tokstream info --json gpt2`",
        ("--vocab", "gpt2"): "write --encoding gpt2",
        ("--vocab", str(tmp_path / "nope")): "no such file or directory; give the path",
        ("--model", "nonesuch"): "pass its vocabulary file to --vocab",
        ("--model", "cl100k_base"): "write --encoding cl100k_base",
        ("--encoding", "nonesuch"): "use --vocab",
    }
    for options, remedy in expected.items():
        message = run("encode", *options, text="a").stderr
        assert remedy in message
        assert "tokstream." not in message


def test_a_vocabulary_with_merges(tmp_path: Path) -> None:
    """A folder that does not say how text is split gets an option, as the message says."""
    folder = str(write_pair(tmp_path / "model"))
    done = run("count", "--vocab", folder, text="hello hello")
    assert done.returncode == 2
    assert 'pass --tokenizer-class "..." if you know' in done.stderr
    assert "tokstream." not in done.stderr
    options = ("--vocab", folder, "--tokenizer-class", "RobertaTokenizer")
    done = run("count", "--add-special-tokens", *options, text="hello hello")
    assert (done.returncode, done.stdout) == (0, "5\n")


def test_the_template_is_asked_for(tmp_path: Path) -> None:
    """`encode` and `count` put its ids around each text."""
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    folder = document(
        tmp_path,
        added_tokens=[{"id": 0, "content": "a", "special": True} | flags],
        post_processor={"type": "RobertaProcessing", "sep": ["a", 0], "cls": ["a", 0]},
    )
    assert run("encode", "--vocab", folder, text="b").stdout == "1\n"
    done = run("encode", "--add-special-tokens", "--vocab", folder, text="b")
    assert done.stdout == "0 1 0\n", done.stderr
    assert run("count", "--add-special-tokens", "--vocab", folder, text="b").stdout == "3\n"
