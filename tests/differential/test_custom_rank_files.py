"""Small rank files of any kind give the reference's ids at every cut.

Merge ranks need not increase along a token's own merges; entries that merging never produces are
honoured as the reference does: only as a whole pretoken.
"""

from __future__ import annotations

import itertools
import pickle
from base64 import b64encode
from typing import TYPE_CHECKING, cast

import pytest
import tiktoken
from hypothesis import event, given, settings
from hypothesis import strategies as st

import tokstream
from cutting import check_single_cuts, check_unit_by_unit
from data import tiktoken_encoding
from tokstream import Tokenizer, VocabularyError
from tokstream.vocabulary import Vocabulary

if TYPE_CHECKING:
    from pathlib import Path

    from hypothesis.strategies import DrawFn

ALPHABET = "ab \nc"
PATTERNS = [
    r"\s+|\S+",
    r"[\s\S]+",
    r" ?[ab]+|\s+(?!\S)|\s|[^ab\s]",
    r"(?:aa|bb)*c|[\s\S]",
    r"(?:ab)+c?|\s*\n|[\s\S]",
]
_BYTES = [bytes([b]) for b in range(256)]


def _table(tokens: list[bytes], step: int = 1) -> dict[bytes, int]:
    """All bytes, then the tokens, in order of rank."""
    return {token: step * k for k, token in enumerate([*_BYTES, *tokens])}


@st.composite
def longer_tokens(draw: DrawFn) -> list[bytes]:
    """Draw tokens that join two earlier ones, and some entries that may have no parts."""
    tokens: list[bytes] = []
    parts = [character.encode() for character in ALPHABET]
    for i, j in draw(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=14)):
        token = parts[i % len(parts)] + parts[j % len(parts)]
        if token not in parts:
            parts.append(token)
            tokens.append(token)
    extra = draw(st.lists(st.text(ALPHABET, min_size=2, max_size=6), max_size=2))
    for text in extra:  # entries that merging may never produce
        if text.encode() not in tokens:
            tokens.insert(draw(st.integers(0, len(tokens))), text.encode())
    return tokens


def _merged(table: dict[bytes, int], piece: bytes) -> tuple[list[bytes], bool]:
    """Merge by definition; also say whether the ranks of the merges ever decreased."""
    parts = [piece[i : i + 1] for i in range(len(piece))]
    highest, decreased = -1, False
    while True:
        pairs = [(table.get(a + b), i) for i, (a, b) in enumerate(itertools.pairwise(parts))]
        ranked = [(rank, i) for rank, i in pairs if rank is not None]
        if not ranked:
            return parts, decreased
        rank, i = min(ranked)
        decreased |= rank < highest
        highest = max(highest, rank)
        parts[i : i + 2] = [parts[i] + parts[i + 1]]


def _has_cascades(table: dict[bytes, int]) -> bool:
    runs = ((token, _merged(table, token)) for token in table)
    return any(parts == [token] and decreased for token, (parts, decreased) in runs)


def _unreachable(table: dict[bytes, int]) -> list[bytes]:
    return [token for token in table if _merged(table, token)[0] != [token]]


@settings(max_examples=300)
@given(
    longer_tokens(),
    st.sampled_from([1, 3]),
    st.sampled_from(PATTERNS),
    st.lists(st.text(ALPHABET, max_size=14), max_size=4),
)
def test_random_vocabularies(
    tokens: list[bytes], step: int, pattern: str, texts: list[str]
) -> None:
    table = _table(tokens, step)
    vocabulary = Vocabulary.from_ranks(table)
    unreachable = _unreachable(table)
    event("unreachable entries" if unreachable else "all entries reachable")
    event("ranks may decrease" if _has_cascades(table) else "ranks increase")
    reference = tiktoken.Encoding(
        "small", pat_str=pattern, mergeable_ranks=table, special_tokens={}
    )
    tokenizer = Tokenizer("small", vocabulary, pattern)
    assert tokenizer.n_vocab == reference.n_vocab
    assert sorted(tokenizer._core.unreachable_ids) == sorted(table[token] for token in unreachable)
    never = set(cast("list[int]", tokenizer.info()["unreachable_ids"]))
    assert never <= {table[token] for token in unreachable}
    texts += [token.decode() for token in unreachable]
    texts += [f"a{token.decode()}" for token in unreachable]
    texts += [f"{token.decode()} b" for token in unreachable]
    for text in texts:
        expected = reference.encode_ordinary(text)
        assert tokenizer.encode(text) == expected
        assert never.isdisjoint(expected)
        check_single_cuts(tokenizer.stream, text, range(len(text) + 1), expected)
        check_unit_by_unit(tokenizer.stream, text, expected)
        check_unit_by_unit(lambda: tokenizer.stream(delay="composition"), text, expected)


@settings(max_examples=60)
@given(longer_tokens(), st.sampled_from(PATTERNS), st.text(ALPHABET, max_size=9))
def test_stability_against_all_short_continuations(
    tokens: list[bytes], pattern: str, text: str
) -> None:
    table = _table(tokens)
    reference = tiktoken.Encoding(
        "small", pat_str=pattern, mergeable_ranks=table, special_tokens={}
    )
    continuations = ["".join(y) for n in range(4) for y in itertools.product(ALPHABET, repeat=n)]
    tokenizer = Tokenizer("small", Vocabulary.from_ranks(table), pattern)
    stream, held_longer = tokenizer.stream(), tokenizer.stream(delay="composition")
    ids: list[int] = []
    for k, character in enumerate(text):
        ids += stream.feed(character)
        held_longer.advance(character)
        assert held_longer.n_tokens <= len(ids)
        for y in continuations:
            assert reference.encode_ordinary(text[: k + 1] + y)[: len(ids)] == ids, (k, y)


# --- by example ----------------------------------------------------------------------------------


def _small(tokens: list[bytes], pattern: str = r"\s+|\S+") -> tuple[Tokenizer, tiktoken.Encoding]:
    table = _table(tokens)
    reference = tiktoken.Encoding(
        "small", pat_str=pattern, mergeable_ranks=table, special_tokens={}
    )
    return Tokenizer("small", Vocabulary.from_ranks(table), pattern), reference


def test_an_unreachable_entry_counts_as_a_whole_pretoken_only() -> None:
    tokenizer, reference = _small([b"ab", b"bc", b"abc", b"xyz"])  # xyz has no parts
    assert tokenizer._core.unreachable_ids == [259]
    assert tokenizer.info()["unreachable_ids"] == []  # encode("xyz") gives it
    assert tokenizer.info()["n_tokens"] == 260
    for text in ("xyz", "xyz xyz", "axyz", "xyzx", "xyz\n", "abc xy z xyzxyz xyz"):
        expected = reference.encode_ordinary(text)
        assert tokenizer.encode(text) == expected
        check_single_cuts(tokenizer.stream, text, range(len(text) + 1), expected)
    assert tokenizer.encode("xyz") == [259]
    assert len(tokenizer.encode("xyzx")) == 4
    assert tokenizer.decode([259]) == "xyz"
    assert tokenizer.token_to_id(b"xyz") == 259


def test_an_unreachable_entry_is_waited_for() -> None:
    tokenizer, _ = _small([b"xyz"])
    stream = tokenizer.stream()
    assert stream.feed("xy") == [], "it may become xyz, or not"
    assert stream.feed("q") == [120, 121, 113]
    assert stream.feed("xyz") == [120, 121, 122], "inside the same pretoken it cannot form"
    assert stream.feed(" xyz") == [32]
    assert stream.finish() == [256]


def test_ranks_may_decrease_along_a_token_s_own_merges() -> None:
    tokenizer, reference = _small([b"abc", b"ab", b"bab", b"ba"])
    for text in ("abc", "abab", "bababc", "ababcab ab", "abcabcbab"):
        expected = reference.encode_ordinary(text)
        assert tokenizer.encode(text) == expected
        check_single_cuts(tokenizer.stream, text, range(len(text) + 1), expected)


def _file(table: dict[bytes, int]) -> bytes:
    return b"".join(b"%b %d\n" % (b64encode(token), rank) for token, rank in table.items())


@pytest.mark.parametrize("missing", [b"\x00", b"a", b"\xff"])
def test_missing_bytes_are_refused(missing: bytes) -> None:
    # the reference panics at the first text with such a byte
    table = {token: k for k, token in enumerate(_BYTES) if token != missing}
    with pytest.raises(VocabularyError, match=f"(?i)0x{missing.hex()}"):
        tokstream.load(_file(table), pattern=r"\S+|\s+")


def test_a_file_is_loaded_from_path_and_bytes(tmp_path: Path) -> None:
    reference = tiktoken_encoding("gpt2")
    content = _file(reference._mergeable_ranks)
    path = tmp_path / "mine.tiktoken"
    path.write_bytes(content)
    specials = {"<|endoftext|>": 50256, "<|mine|>": 60000}
    tokenizer = tokstream.load(path, pattern=reference._pat_str, special_tokens=specials)
    same = tokstream.load(content, pattern=reference._pat_str, special_tokens=specials, name="mine")
    assert tokenizer == same
    assert hash(tokenizer) == hash(same)
    assert tokenizer.name == "mine"
    assert (tokenizer.n_vocab, tokenizer.eos_id) == (60001, 50256)
    text = "Hello <|endoftext|> world <|mine|>"
    ids = tokenizer.encode(text, allowed_special="all")
    mine = tiktoken.Encoding(
        "mine",
        pat_str=reference._pat_str,
        mergeable_ranks=reference._mergeable_ranks,
        special_tokens=specials,
    )
    assert ids == mine.encode(text, allowed_special="all")
    assert tokenizer.n_vocab == mine.n_vocab
    again = pickle.loads(pickle.dumps(tokenizer))
    assert again == tokenizer
    assert again.encode(text, allowed_special="all") == ids
    assert (again.eos_id, again.name, again.pattern) == (50256, "mine", tokenizer.pattern)
