"""`tokstream bench`: a group of commands; `delay` measures what the API says."""

from __future__ import annotations

import json

from tokstream.diagnostics.delay import measure

TEXT = "Some words, 漢字 and\n\n   lines.\n".encode() * 3


def test_the_group_lists_its_commands(command):
    text = command.ok("bench", "--help").decode()
    assert text.startswith("usage: tokstream bench COMMAND")
    assert "\n  delay " in text
    assert "--version" not in text
    assert "delay" in command.fails(2, "bench")
    assert "did you mean delay?" in command.fails(2, "bench", "dely")


def test_json_is_what_the_api_measures(command, tokenizer):
    found = json.loads(command.ok("bench", "delay", "--json", "--seed", "5", stdin=TEXT))
    expected = measure(tokenizer, TEXT, name="-", n_samples=2000, seed=5)
    assert found["texts"] == json.loads(json.dumps([expected.as_json()]))
    assert found["encoding"] == "o200k_base"


def test_the_tables_name_each_text(command):
    for name in ("one.txt", "two.txt"):
        (command.directory / name).write_bytes(TEXT)
    arguments = ["bench", "delay", "-e", "gpt2", "one.txt", "two.txt", "--samples", "50"]
    plain = command.ok(*arguments).decode()
    assert plain.startswith("gpt2\n")
    assert plain.count("lower bound") == 2
    marked = command.ok(*arguments, "--markdown").decode()
    assert marked.count("| one.txt |") == marked.count("| two.txt |") == 2
    assert "50 sampled places per text, seed 0" in marked


def test_the_picture(command):
    command.ok("bench", "delay", "--plot", "delay.svg", "--samples", "9", stdin=TEXT)
    assert command.names() == ["delay.svg"]
    assert (command.directory / "delay.svg").read_text("utf-8").startswith("<svg ")


def test_a_text_is_cut_at_a_character(command):
    found = json.loads(command.ok("bench", "delay", "--json", "--max-bytes", "14", stdin=TEXT))
    assert found["texts"][0]["n_bytes"] == 12


def test_mistakes(command):
    (command.directory / "text").write_bytes(b"a <|endoftext|>")
    assert "--special-text" in command.fails(1, "bench", "delay", "text")
    command.ok("bench", "delay", "text", "--special-text", "token")
    assert "no such file" in command.fails(1, "bench", "delay", "absent")
    assert "another picture" in command.fails(2, "bench", "delay", "text", "--plot", "text")
    assert "not a whole number" in command.fails(2, "bench", "delay", "text", "--samples", "few")
