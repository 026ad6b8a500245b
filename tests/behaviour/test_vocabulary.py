"""A vocabulary refuses what is not sound, naming the entry, and never changes afterwards."""

from __future__ import annotations

import copy
import pickle
import random
from array import array
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokstream._checks import MAX_TOKEN_ID, check_special_tokens
from tokstream.errors import VocabularyError
from tokstream.formats import read_rank_file
from tokstream.vocabulary import Vocabulary

BYTES = {bytes((b,)): b for b in range(256)}


def test_order_is_merge_rank_whatever_the_order_of_the_dict() -> None:
    ranks = {**BYTES, b"ab": 300, b"abc": 1000}
    items = list(ranks.items())
    random.Random(1).shuffle(items)
    shuffled, plain = Vocabulary.from_ranks(dict(items)), Vocabulary.from_ranks(ranks)
    assert shuffled == plain
    assert list(plain.ids[256:]) == [300, 1000]
    assert plain.token(257) == b"abc"
    assert len(plain) == 258
    assert plain.n_vocab == 1001
    assert plain.max_token_bytes == 3
    assert plain.to_ranks() == ranks
    assert list(plain.tokens()) == sorted(ranks, key=ranks.__getitem__)
    assert list(plain.starts)[-2:] == [258, 261]


def test_ids_may_differ_from_ranks() -> None:
    vocabulary = Vocabulary.from_tables(
        bytes(range(256)) + b"ab", [1] * 256 + [2], range(256, -1, -1)
    )
    assert vocabulary.token(256) == b"ab"
    assert vocabulary.ids[256] == 0
    with pytest.raises(VocabularyError, match="merge rank"):
        vocabulary.to_rank_file()


BAD_RANKS: list[tuple[Any, str]] = [
    ({}, "no tokens"),
    ({**BYTES, b"": 256}, "id 256 is empty"),
    ({**BYTES, b"ab": 97}, "id 97 is given to two tokens, b'a' and b'ab'"),
    ({**BYTES, b"ab": -1}, "b'ab' is -1, outside 0..4294967294"),
    ({**BYTES, b"ab": MAX_TOKEN_ID + 1}, "b'ab' is 4294967295, outside"),
    ({**BYTES, b"ab": 1 << 70}, "outside"),
    ({**BYTES, b"ab": 256.0}, "256.0, not an integer"),
    ({**BYTES, b"ab": True}, "True, not an integer"),
    ({**BYTES, "ab": 256}, "'ab' is str, not bytes"),
    ({t: r for t, r in BYTES.items() if r not in {0, 65, 66, 255}}, "0x00, 0x41-0x42, 0xff;"),
]


@pytest.mark.parametrize(("ranks", "expected"), BAD_RANKS)
def test_bad_ranks(ranks: Any, expected: str) -> None:
    with pytest.raises(VocabularyError) as caught:
        Vocabulary.from_ranks(ranks)
    assert expected in str(caught.value)


ALL = bytes(range(256))


@pytest.mark.parametrize(
    ("blob", "lengths", "ids", "expected"),
    [
        (ALL, [1] * 256, range(255), "256 token lengths but 255 ids"),
        (ALL, [1] * 255 + [2], range(256), "add up to 257 bytes but the tokens have 256"),
        (ALL, [1] * 256 + [0], range(257), "id 256 is empty"),
        (ALL + b"a", [1] * 257, range(257), "b'a' is there twice, with ids 97 and 256"),
        (ALL + b"ab", [1] * 256 + [2], [*range(256), 7], "id 7 is given to two tokens, b'\\x07'"),
        (ALL + b"ab", [1] * 256 + [2], [*range(256), MAX_TOKEN_ID + 1], "outside"),
        (ALL + b"ab", [1] * 256 + [2], [*range(256), -1], "id of token 256 in rank order is -1"),
        (ALL + b"ab", [1] * 256 + [-2], range(257), "length of token 256 in rank order is -2"),
        (b"", [], [], "no tokens"),
    ],
)
def test_bad_tables(blob: bytes, lengths: Any, ids: Any, expected: str) -> None:
    with pytest.raises(VocabularyError) as caught:
        Vocabulary.from_tables(blob, lengths, ids)
    assert expected in str(caught.value)


def test_largest_id() -> None:
    assert Vocabulary.from_ranks({**BYTES, b"ab": MAX_TOKEN_ID}).n_vocab == MAX_TOKEN_ID + 1


def test_missing_bytes_may_be_allowed() -> None:
    assert len(Vocabulary.from_tables(b"ab", [1, 1], [0, 1], require_all_bytes=False)) == 2


def test_immutable() -> None:
    vocabulary = Vocabulary.from_ranks(BYTES)
    with pytest.raises(AttributeError, match="immutable"):
        vocabulary.blob = b""
    with pytest.raises(AttributeError, match="immutable"):
        del vocabulary.blob
    with pytest.raises(TypeError, match="from_ranks"):
        Vocabulary()
    lengths = array("I", [1] * 256)
    taken = Vocabulary.from_tables(ALL, lengths, range(256))
    lengths[0] = 2  # the caller's table is not ours
    assert taken == vocabulary
    assert copy.copy(vocabulary) is copy.deepcopy(vocabulary) is vocabulary


@pytest.mark.parametrize("rank", [-1, 256])
def test_token_out_of_range(rank: int) -> None:
    with pytest.raises(IndexError, match="256 tokens"):
        Vocabulary.from_ranks(BYTES).token(rank)


def test_digest_and_equality_follow_the_content() -> None:
    plain = Vocabulary.from_ranks(BYTES)
    again = pickle.loads(pickle.dumps(plain))
    assert again == plain
    assert again is not plain
    assert hash(again) == hash(plain)
    assert again.content_digest() == plain.content_digest()
    others = [
        Vocabulary.from_ranks({**BYTES, b"ab": 256}),
        Vocabulary.from_ranks({**BYTES, b"ab": 257}),
        Vocabulary.from_ranks({**BYTES, b"ba": 256}),
        Vocabulary.from_tables(ALL, [1] * 256, reversed(range(256))),
    ]
    assert len({v.content_digest() for v in (plain, *others)}) == 5
    assert len({plain, again, *others}) == 5
    assert not any(plain == other for other in others)
    assert plain != 3
    # pinned: caches and pickles of other machines depend on it
    assert (
        plain.content_digest() == "8d5c5ec99f608285b9b50b8d15c382f440914c6ad80bc3137ce1dc1e5b1ce53e"
    )


def test_damaged_pickle_is_refused() -> None:
    function, (blob, lengths, ids) = Vocabulary.from_ranks(BYTES).__reduce__()
    with pytest.raises(VocabularyError, match="add up"):
        function(blob[:-1], lengths, ids)


@given(st.dictionaries(st.binary(min_size=2, max_size=5), st.integers(256, 5000), max_size=20))
def test_round_trip_through_a_rank_file(extra: dict[bytes, int]) -> None:
    unique = {rank: token for token, rank in extra.items()}
    ranks = BYTES | {token: rank for rank, token in unique.items()}
    vocabulary = Vocabulary.from_ranks(ranks)
    assert vocabulary.to_ranks() == dict(sorted(ranks.items(), key=lambda item: item[1]))
    assert read_rank_file(vocabulary.to_rank_file()) == vocabulary


# --- special tokens ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("special", "expected"),
    [
        ({"": 256}, "id 256 has an empty text"),
        ({b"x": 256}, "b'x' is bytes, not str"),
        ({"<a>": "256"}, "'<a>' is '256', not an integer"),
        ({"<a>": True}, "not an integer"),
        ({"<a>": -1}, "outside"),
        ({"<a>": MAX_TOKEN_ID + 1}, "outside"),
        ({"<a>": 256, "<b>": 256}, "'<a>' and '<b>' have the same id 256"),
        ({"<b>": 300, "<a>": 97}, "'<a>' has id 97, which is the id of the ordinary token b'a'"),
        ({"<b>": 300, "<a>": 97}, "such as 301"),
        ({"<\ud800>": 256}, "lone surrogate at character 1"),
        (["<a>"], "special_tokens is list, not a mapping"),
    ],
)
def test_bad_special_tokens(special: Any, expected: str) -> None:
    with pytest.raises(VocabularyError) as caught:
        check_special_tokens(special, Vocabulary.from_ranks(BYTES))
    assert expected in str(caught.value)


def test_good_special_tokens() -> None:
    vocabulary = Vocabulary.from_ranks(BYTES)
    special = {"<b>": 257, "<a>": 256, "a": 300}
    checked = check_special_tokens(special, vocabulary)
    assert list(checked.items()) == list(special.items())
    assert checked is not special
    assert check_special_tokens({}, vocabulary) == {}
    shared = {"<a>": 256, "<b>": 256}
    assert check_special_tokens(shared, vocabulary, allow_shared_ids=True) == shared
