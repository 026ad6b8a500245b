"""`tokstream bench`: a group of commands; `delay` measures what the API says, `speed` times."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, cast

import pytest

from tokstream.diagnostics import others, speed
from tokstream.diagnostics.delay import measure

if TYPE_CHECKING:
    from tokstream import Tokenizer

TEXT = "Some words, 漢字 and\n\n   lines.\n".encode() * 3


def test_the_group_lists_its_commands(command):
    text = command.ok("bench", "--help").decode()
    assert text.startswith("usage: tokstream bench COMMAND")
    assert "\n  delay " in text
    assert "\n  speed " in text
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
    assert "--max-bytes 0" in command.fails(2, "bench", "delay", "--max-bytes", "0", stdin=TEXT)
    assert "empty" in command.fails(1, "bench", "delay", stdin=b"")
    assert ".svg" in command.fails(2, "bench", "delay", "--plot", "delay.png", stdin=TEXT)
    assert command.names() == ["text"]


def test_speed_as_json(command, tokenizer):
    text = TEXT * 50
    found = json.loads(command.ok("bench", "speed", "--json", "--rounds", "1", stdin=text))
    assert found["encoding"] == "o200k_base"
    (one,) = found["texts"]
    assert one["n_bytes"] == len(text)
    assert one["n_tokens"] == len(tokenizer.encode(text))
    assert [chunk["chunk_bytes"] for chunk in one["chunks"]] == [16, 64, 1024, 4096]
    for chunk in one["chunks"]:
        assert 0 < chunk["p50_us"] <= chunk["p99_us"]
        assert 0 <= chunk["mean_delay_bytes"] <= chunk["max_delay_bytes"] < 200
        assert chunk["mb_per_s"] > 0 < chunk["relative"]
    for rate in ("first_pass_mb_per_s", "array_mb_per_s", "cores_mb_per_s", "growth"):
        assert one[rate] > 0
    (tiktoken,) = one["others"]
    assert tiktoken["name"].startswith("tiktoken ")
    assert tiktoken["is_same"]


def test_speed_as_table(command):
    (command.directory / "one.txt").write_bytes(TEXT)
    plain = command.ok("bench", "speed", "-e", "gpt2", "one.txt", "one.txt").decode()
    assert plain.startswith("gpt2, tokstream ")
    assert plain.count(f"one.txt: {len(TEXT)} bytes") == 2
    assert plain.count("  one call ") == plain.count("times as slow") == 2
    for row in ("first pass", "arrays", "all cores"):
        assert len(re.findall(rf"^  {row} +[0-9.]+ MB/s$", plain, re.MULTILINE)) == 2
    assert plain.count(" times the time for twice the text") == 2


def test_other_ids_are_not_compared(command):
    text = b"a <|endoftext|> b"
    plain = command.ok("bench", "speed", "--special-text", "token", stdin=text).decode()
    assert "other ids: not compared" in plain
    assert "times as slow" not in plain


def test_speed_on_text_that_ends_inside_a_character(command):
    broken = TEXT + b"\xe6\xbc"
    assert "UTF-8" in command.fails(1, "bench", "speed", stdin=broken)
    assert b"one call" in command.ok("bench", "speed", "--errors", "replace", stdin=broken)


def test_mistakes_of_speed(command):
    assert "empty" in command.fails(1, "bench", "speed", stdin=b"")
    assert "--rounds 0" in command.fails(2, "bench", "speed", "--rounds", "0", stdin=TEXT)
    assert "--max-bytes 0" in command.fails(2, "bench", "speed", "--max-bytes", "0", stdin=TEXT)
    assert "no such file" in command.fails(1, "bench", "speed", "absent")
    (command.directory / "text").write_bytes(b"a <|endoftext|>")
    assert "--special-text" in command.fails(1, "bench", "speed", "text")


class Recorder:
    """A tokenizer that notes on how many threads texts are encoded."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        self.threads = []

    def __getattr__(self, name):
        return getattr(self.tokenizer, name)

    def encode(self, text, **options):
        self.threads.append(options.get("num_threads"))
        return self.tokenizer.encode(text, **options)


def test_one_thread_but_where_it_is_said(tokenizer):
    recorder = Recorder(tokenizer)
    found = speed.measure(cast("Tokenizer", recorder), "é".encode() * 300, n_rounds=5)
    assert recorder.threads.count(None) == 5, "all cores"
    assert set(recorder.threads) == {1, None}
    assert found.growth is not None


def test_a_text_without_a_half_does_not_grow(tokenizer):
    for text in ("a", "é", "漢"):
        assert speed.measure(tokenizer, text.encode(), n_rounds=1).growth is None
    assert speed.measure(tokenizer, b"ab", n_rounds=1).growth is not None


def test_without_numpy_there_are_no_arrays(tokenizer, monkeypatch):
    monkeypatch.setattr(speed, "find_spec", lambda _: None)
    assert speed.measure(tokenizer, b"ab", n_rounds=1).array_mb_per_s is None


def test_nothing_to_measure(tokenizer):
    with pytest.raises(ValueError, match="nothing to measure"):
        speed.measure(tokenizer, b"")


def test_without_other_engines(tokenizer, monkeypatch):
    assert others.others_for(tokenizer)
    monkeypatch.setattr(others, "find_spec", lambda _: None)
    assert others.others_for(tokenizer) == {}
