"""`tokstream info`: what the API says, for people and for programs."""

from __future__ import annotations

import importlib.metadata
import json

import tokstream


def test_without_a_name_the_encodings_are_listed(command):
    names = list(tokstream.list_encoding_names())
    assert command.ok("info").decode().split() == names
    assert json.loads(command.ok("info", "--json")) == {
        "encodings": names,
        "default": "o200k_base",
    }


def test_json_is_the_info_of_the_api(command, gpt2):
    for arguments in (["gpt2"], ["-e", "gpt2"]):
        result = json.loads(command.ok("info", *arguments, "--json"))
        assert result == json.loads(json.dumps(gpt2.info(), default=str))


def test_the_table_has_every_key(command, gpt2):
    text = command.ok("info", "gpt2").decode()
    keys = {line.split()[0] for line in text.splitlines() if not line.startswith(" ")}
    assert keys == set(gpt2.info())
    assert "<|endoftext|>" in text
    assert str(gpt2.n_vocab) in text


def test_one_name_only(command):
    assert "gpt2" in command.fails(2, "info", "gpt2", "-e", "gpt2")
    assert "gpt2" in command.fails(2, "info", "gpt3")
    assert "is named ''" in command.fails(2, "info", "")
    assert "is named ''" in command.fails(2, "count", "-e", "")


def test_version(command):
    assert (
        command.ok("--version").decode() == f"tokstream {importlib.metadata.version('tokstream')}\n"
    )


def test_the_table_is_short_and_says_what_it_leaves_out(command):
    text = command.ok("info", "o200k_harmony").decode()
    assert len(text.splitlines()) < 50
    assert "more; --json has all" in text
    assert max(map(len, text.splitlines())) < 500
    assert (
        "<|return|>" in json.loads(command.ok("info", "o200k_harmony", "--json"))["special_tokens"]
    )
