"""`info`: how far behind a stream may be, and on what ground that is said."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
import tokenizers

import tokstream
from tokstream.diagnostics.probe import probe, waiting_runs
from tokstream.patterns import compile_pattern
from tokstream.vocabulary import Vocabulary

RANKS = {bytes([b]): b for b in range(256)} | {b"aa": 256, b"bb": 257}


def small(pattern: str) -> tokstream.Tokenizer:
    return tokstream.Tokenizer("small", Vocabulary.from_ranks(RANKS), pattern, {"<|end|>": 300})


def streaming_facts(tok: tokstream.Tokenizer) -> dict[str, Any]:
    return cast("dict[str, Any]", tok.info()["streaming"])


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_published_encodings(name):
    streaming = streaming_facts(tokstream.get_encoding(name))
    assert streaming["memory"] == "bounded"
    assert 8 < streaming["measured_delay_bytes"] < 200
    if name == "gpt2":
        assert (streaming["lookback"], streaming["ground"]) == (2, "finite lookback")
        assert streaming["measured_delay_bytes"] < streaming["proved_delay_bytes"]
    else:
        # a line break and blanks, without end: no proof, and none is claimed
        assert (streaming["lookback"], streaming["ground"]) == (None, "measured only")
        assert streaming["proved_delay_bytes"] is None
    json.dumps(streaming)


def test_a_pattern_that_makes_every_algorithm_wait():
    """Whether 256 pairs are `aa` and `bb` or single letters depends on what follows them."""
    streaming = streaming_facts(small(r"(?:aa|bb)*c|a|b|c|[^abc]"))
    assert streaming["memory"] == "grows with the undecided text"
    assert streaming["lookback"] is None
    assert streaming["measured_delay_bytes"] > 8000


def test_a_finite_lookback_is_proof_enough():
    streaming = streaming_facts(small(r"a{0,99}b|[^b]"))
    assert streaming["lookback"] == 99
    assert (streaming["memory"], streaming["ground"]) == ("bounded", "finite lookback")
    # 3 bytes of a character, 7 of a special token, 99 code points, 2 merges and 1 of 2 bytes
    assert streaming["proved_delay_bytes"] == 3 + 7 + 4 * 99 + 3 * 2
    assert 90 <= streaming["measured_delay_bytes"] <= streaming["proved_delay_bytes"]


@pytest.mark.parametrize(
    "pattern", [r"(?:aa|bb)*c|a|b|c|[^abc]", r"\s*[\r\n]+|\s|\S+", r"a*b|[^b]|b"]
)
def test_runs_keep_the_match_open(pattern):
    """However often the round is repeated, the match has a possible end behind and ahead."""
    automaton = compile_pattern(pattern)
    runs = [run for run in waiting_runs(automaton) if run[0]]
    assert runs
    for beginning, round_ in runs:
        n_pretokens = {len(automaton.split(beginning + round_ * n)) for n in (1, 2, 3)}
        assert len(n_pretokens) > 1


def test_patterns_with_many_classes_are_read_plainly():
    """Blocks have room for some sixty classes of characters; the ids are the same."""
    letters = [chr(0x4E00 + k) for k in range(70)]
    for n, reads_by_blocks in ((20, True), (70, False)):
        tok = small("|".join(f"{letter}+" for letter in letters[:n]) + r"|[\s\S]")
        facts = tok.info()
        assert facts["path"] == "one automaton"
        assert (facts["reads_by"] != "plain") == reads_by_blocks
        text = "".join(letters) * 90
        assert tok.encode(text) == list(text.encode())


def test_no_loop_no_run():
    automaton = compile_pattern(r"a{0,5}b|[\s\S]")
    assert all(beginning == "" for beginning, _ in waiting_runs(automaton))


def test_the_probe_names_its_worst_text():
    tok = small(r"a*b|[^b]|b")
    found = probe(tok, compile_pattern(tok.pattern))
    assert found.keeps_growing
    beginning, round_ = found.worst
    stream = tok.stream()
    stream.feed(beginning + round_ * 1000)
    assert stream.delay_bytes > 900


def test_unreachable_ids_are_those_that_no_text_becomes():
    """`xyz` is a token if it is a pretoken, which this pattern lets it be; `x y` never is one."""
    ranks = RANKS | {b"xyz": 258, b"x y": 259, b"\xff\xfe\xfd": 260}
    tok = tokstream.Tokenizer("odd", Vocabulary.from_ranks(ranks), r"\s+|\S+", {"<|end|>": 300})
    info = tok.info()
    assert tok.encode("xyz") == [258]
    assert (info["unreachable_ids"], info["n_tokens"]) == ([259, 260], 259)


def test_byte_fallback_and_added_tokens_are_reachable(tmp_path):
    """`<0xC3>` and its like are what unknown characters become; `<0x61>` is not, as `a` is known."""
    names = ["<unk>", "<s>", *(f"<0x{byte:02X}>" for byte in range(256)), "a", "b", "ab", "abba"]
    vocabulary = {name: k for k, name in enumerate(names)}
    model = tokenizers.models.BPE(vocabulary, [("a", "b")], unk_token="<unk>", byte_fallback=True)
    made = tokenizers.Tokenizer(model)
    made.add_special_tokens(["<s>"])
    made.add_tokens(["abba", "new"])
    made.save(str(tmp_path / "tokenizer.json"))
    tok = tokstream.load(tmp_path / "tokenizer.json")
    info = tok.info()
    unreachable = set(cast("list[int]", info["unreachable_ids"]))
    assert vocabulary["<0x61>"] in unreachable
    text = "".join(map(chr, range(0x250))) + "\U0001f600 abba new <s>"
    returned = set(made.encode(text).ids)
    assert set(tok.encode(text)) == returned
    assert {vocabulary["<0xC3>"], vocabulary["abba"], vocabulary["<s>"]} <= returned
    assert unreachable.isdisjoint(returned)
    assert info["n_tokens"] == tok.n_vocab - len(unreachable) - len(tok.special_tokens)


@pytest.mark.parametrize(
    ("normalizer", "ignore_merges", "taken_apart"),
    [
        (tokenizers.normalizers.Replace(" ", "\u2581"), False, "before it is normalized"),
        (tokenizers.normalizers.Lowercase(), False, "behind the normalizer"),
        (tokenizers.normalizers.Replace(" ", "\u2581"), True, "no"),
    ],
)
def test_text_that_is_one_pretoken(tmp_path, normalizer, ignore_merges, taken_apart):
    names = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "a", "b", "\u2581", "ab", "aab"]
    vocabulary = {name: k for k, name in enumerate(names)}
    model = tokenizers.models.BPE(
        vocabulary,
        [("a", "b")],
        unk_token="<unk>",
        byte_fallback=True,
        ignore_merges=ignore_merges,
    )
    made = tokenizers.Tokenizer(model)
    made.normalizer = normalizer
    made.save(str(tmp_path / "tokenizer.json"))
    tok = tokstream.load(tmp_path / "tokenizer.json")
    facts = tok.info()
    assert facts["path"] == "normalizer, one pretoken, expansions"
    assert facts["taken_apart"] == taken_apart
    for text in ("aab ab aab b\u00e9 A", "aab", "b aab " * 40):
        assert tok.encode(text) == made.encode(text).ids
