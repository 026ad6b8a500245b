"""`truncate`: the longest part of a text, at a token boundary, whose own encoding fits."""

from __future__ import annotations

import time
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers.pre_tokenizers import ByteLevel

from data import corpus, tiktoken_encoding
from drawing import texts
from nasty import SURROGATE_TEXTS, TEXTS
from tokstream import (
    ConfigurationError,
    DisallowedSpecialTokenError,
    InvalidUtf8Error,
    Tokenizer,
    Truncated,
    get_encoding,
    load,
)
from tokstream.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable

SIDES: tuple[Literal["right", "left"], ...] = ("right", "left")
PLAIN: dict[str, Any] = {"allowed_special": (), "disallowed_special": ()}


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return get_encoding("cl100k_base")


def _repaired(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _boundaries(name: str, text: str) -> list[int]:
    """Token boundaries of a text without surrogates, cut back to characters, as indexes."""
    data = text.encode()
    lengths = map(len, map(tiktoken_encoding(name).decode_single_token_bytes, _ids(name, text)))
    ends = list(accumulate(lengths, initial=0))
    return [len(data[:end].decode(errors="ignore")) for end in ends]


def _ids(name: str, text: str) -> list[int]:
    return tiktoken_encoding(name).encode_ordinary(text)


def _longest_prefix(name: str, text: str, max_tokens: int) -> str:
    fitting = [b for b in _boundaries(name, text) if len(_ids(name, text[:b])) <= max_tokens]
    return text[: max(fitting)]


def _longest_suffix(name: str, text: str, max_tokens: int) -> str:
    """Of those that begin with one of the last ids; in a character, behind that character."""
    data = text.encode()
    lengths = map(len, map(tiktoken_encoding(name).decode_single_token_bytes, _ids(name, text)))
    starts = list(accumulate(lengths, initial=0))[-max_tokens - 1 :]
    for start in starts:
        while start < len(data) and data[start] & 0xC0 == 0x80:
            start += 1  # noqa: PLW2901
        part = data[start:].decode()
        if len(_ids(name, part)) <= max_tokens:
            return part
    raise AssertionError("the empty suffix fits")


def _check(name: str, text: str, max_tokens: int) -> None:
    tokenizer = get_encoding(name)
    prefix = tokenizer.truncate(text, max_tokens, **PLAIN)
    kept = prefix.text
    assert kept == _longest_prefix(name, text, max_tokens)
    assert prefix.n_tokens == len(_ids(name, kept)) <= max_tokens
    assert prefix.offset == len(kept)
    data = text.encode()
    assert tokenizer.truncate(data, max_tokens, **PLAIN) == (
        kept.encode(),
        prefix.n_tokens,
        len(kept.encode()),
    )
    suffix = tokenizer.truncate(text, max_tokens, side="left", **PLAIN)
    kept = suffix.text
    assert kept == _longest_suffix(name, text, max_tokens)
    assert suffix.n_tokens == len(_ids(name, kept)) <= max_tokens
    assert suffix.offset == len(text) - len(kept)
    assert tokenizer.truncate(data, max_tokens, side="left", **PLAIN) == (
        kept.encode(),
        suffix.n_tokens,
        len(data) - len(kept.encode()),
    )


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_nasty_texts(name: str, text: str) -> None:
    n_tokens = len(_ids(name, text))
    for max_tokens in {0, 1, 2, 3, 7, n_tokens // 2, max(n_tokens - 1, 0), n_tokens, n_tokens + 1}:
        _check(name, text[:200], max_tokens)


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
@settings(max_examples=150)
@given(st.data())
def test_random_texts(name: str, data: st.DataObject) -> None:
    text = data.draw(texts(name))
    _check(name, text, data.draw(st.integers(0, len(text) + 1)))


@pytest.mark.parametrize("text", SURROGATE_TEXTS.values(), ids=SURROGATE_TEXTS)
@pytest.mark.parametrize("side", SIDES)
def test_surrogates_stay_as_they_are(
    tokenizer: Tokenizer, text: str, side: Literal["right", "left"]
) -> None:
    for max_tokens in range(len(_ids("cl100k_base", text)) + 2):
        part, n_tokens, offset = tokenizer.truncate(text, max_tokens, side=side, **PLAIN)
        assert part == (text[:offset] if side == "right" else text[offset:])
        assert n_tokens == len(_ids("cl100k_base", part)) <= max_tokens
        # no pair is cut in two
        assert _repaired(text[:offset]) + _repaired(text[offset:]) == _repaired(text)
        same = tokenizer.truncate(_repaired(text), max_tokens, side=side, **PLAIN)
        assert same.text == _repaired(part)


def test_a_longer_text_may_have_fewer_ids(tokenizer: Tokenizer) -> None:
    # five blanks are one id, but before a digit the last one stands alone
    text = "     1"
    assert len(tokenizer.encode(text)) == 3
    assert tokenizer.truncate(text, 1) == Truncated("     ", 1, 5)
    assert tokenizer.truncate(text, 2) == Truncated("     ", 1, 5)


def test_result_is_a_named_tuple(tokenizer: Tokenizer) -> None:
    result = tokenizer.truncate("one two three four", 2)
    assert result == ("one two", 2, 7)
    assert (result.text, result.n_tokens, result.offset) == result
    assert isinstance(result, Truncated)
    assert tokenizer.truncate("one two three four", 2, side="left") == (" three four", 2, 7)


@pytest.mark.parametrize("side", SIDES)
def test_a_text_that_fits_is_returned_as_it_is(
    tokenizer: Tokenizer, side: Literal["right", "left"]
) -> None:
    text = "a text that fits"
    end = len(text) if side == "right" else 0
    for limit in (4, 5, 10**9):
        result = tokenizer.truncate(text, limit, side=side)
        assert result == (text, 4, end)
        assert result.text is text
    assert tokenizer.truncate("", 0, side=side) == ("", 0, 0)
    assert tokenizer.truncate(b"", 5, side=side) == (b"", 0, 0)


def test_never_inside_a_character(tokenizer: Tokenizer) -> None:
    text = "猫👍🏽ཀ"  # one character, several ids
    for side in SIDES:
        for max_tokens in range(20):
            part = tokenizer.truncate(text, max_tokens, side=side).text
            assert part in text
            data = tokenizer.truncate(text.encode(), max_tokens, side=side).text
            assert data.decode() == part


def test_special_tokens_are_kept_whole(tokenizer: Tokenizer) -> None:
    text = "one<|endoftext|>two<|endofprompt|>three"
    choice: dict[str, Any] = {"allowed_special": "all"}
    assert tokenizer.truncate(text, 2, **choice).text == "one<|endoftext|>"
    assert tokenizer.truncate(text, 4, **choice) == ("one<|endoftext|>two<|endofprompt|>", 4, 34)
    assert tokenizer.truncate(text, 2, side="left", **choice).text == "<|endofprompt|>three"
    with pytest.raises(DisallowedSpecialTokenError):
        tokenizer.truncate(text, 2)


def test_special_tokens_that_share_an_id() -> None:
    harmony = get_encoding("o200k_harmony")
    text = "a<|reserved_200018|>b<|endofprompt|>c"
    choice: dict[str, Any] = {"allowed_special": "all"}
    for k, kept in enumerate(
        ["", "a", "a<|reserved_200018|>", text[:21], text[:-1], text], start=0
    ):
        assert harmony.truncate(text, k, **choice) == (kept, k, len(kept))
        assert harmony.truncate(text, 5 - k, side="left", **choice).text == text[len(kept) :]


def test_kinds_of_buffers(tokenizer: Tokenizer) -> None:
    data = b"one two three"
    kinds: list[Any] = [data, bytearray(data), memoryview(data)]
    for kind in kinds:
        result = tokenizer.truncate(kind, 2)
        assert type(result.text) is bytes
        assert result == (b"one two", 2, 7)


@pytest.mark.parametrize("text", [5, None, [104, 105], 2.0])
def test_wrong_types(tokenizer: Tokenizer, text: Any) -> None:
    for side in SIDES:
        with pytest.raises(TypeError, match="expected str or a contiguous"):
            tokenizer.truncate(text, 3, side=side)


def test_wrong_arguments(tokenizer: Tokenizer) -> None:
    with pytest.raises(ConfigurationError, match="max_tokens is -1"):
        tokenizer.truncate("x", -1)
    wrong: Any = "middle"
    with pytest.raises(ConfigurationError, match="side is 'middle'"):
        tokenizer.truncate("x", 1, side=wrong)
    with pytest.raises(InvalidUtf8Error) as caught:
        tokenizer.truncate(b"ab\xff", 3)
    assert caught.value.offset == 2
    with pytest.raises(InvalidUtf8Error):
        tokenizer.truncate(b"ab\xc3", 3)


def test_long_texts(tokenizer: Tokenizer) -> None:
    text = corpus("multi", 1 << 20)
    n_tokens = len(_ids("cl100k_base", text))
    for max_tokens in (10, 5_000, 5_001, n_tokens - 1):
        _check_long(tokenizer, text, max_tokens)


def _check_long(tokenizer: Tokenizer, text: str, max_tokens: int) -> None:
    for side in SIDES:
        result = tokenizer.truncate(text, max_tokens, side=side, **PLAIN)
        assert result.n_tokens == len(_ids("cl100k_base", result.text)) <= max_tokens
        assert result.n_tokens > max_tokens - 10, "nearly all of what may remain"


def _least_seconds(call: Callable[[], object]) -> float:
    """Other work on the machine only ever adds time."""
    seconds = []
    for _ in range(5):
        begin = time.process_time()
        call()
        seconds.append(time.process_time() - begin)
    return min(seconds)


def test_cost_depends_on_what_is_kept(tokenizer: Tokenizer) -> None:
    text = corpus("english", 1 << 20) * 8
    assert _least_seconds(lambda: tokenizer.truncate(text, 100, **PLAIN)) < 0.25
    data = b"x y " * 10_000_000
    assert _least_seconds(lambda: tokenizer.truncate(data, 100)) < 0.01, "bytes are not copied"


def test_a_pattern_that_decides_late() -> None:
    # (aa)*c is one pretoken, without the c every a is one of its own
    table = {bytes([b]): b for b in range(256)} | {b"aa": 256, b"aaaa": 257}
    tokenizer = Tokenizer("late", Vocabulary.from_ranks(table), r"(?:aa)*c|[\s\S]")
    text = "a" * 4_000 + "c"
    assert len(tokenizer.encode(text)) == 1_001
    assert tokenizer.truncate(text, 50) == ("a" * 48, 48, 48)
    assert tokenizer.truncate(text, 1_000).text == "a" * 1_000
    blanks = "\n" + " " * 1_000_000 + "x"  # undecided up to the end
    other = get_encoding("cl100k_base")
    assert other.truncate(blanks, 5).n_tokens == 5
    assert _least_seconds(lambda: other.truncate(blanks, 5)) < 2
    assert tokenizer.truncate(text, 1_001).text == text
    assert tokenizer.truncate(text, 11, side="left") == ("a" * 40 + "c", 11, 3_960)


@pytest.fixture(scope="module")
def composing(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    """Behind NFC: all bytes, " b" and the composed letters A with a dot, e with an accent."""
    spelled = ByteLevel(add_prefix_space=False, use_regex=False)
    dotted = spelled.pre_tokenize_str("\u1ea0")[0][0]
    acute = spelled.pre_tokenize_str("\u00e9")[0][0]
    blank_b = spelled.pre_tokenize_str(" b")[0][0]
    merges = [
        (dotted[0], dotted[1]),
        (dotted[:2], dotted[2]),
        (acute[0], acute[1]),
        (blank_b[0], blank_b[1]),
    ]
    vocabulary = {letter: k for k, letter in enumerate(sorted(ByteLevel.alphabet()))}
    for left, right in merges:
        vocabulary[left + right] = len(vocabulary)
    made = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, merges))
    made.normalizer = tokenizers.normalizers.NFC()
    made.pre_tokenizer = spelled
    made.decoder = tokenizers.decoders.ByteLevel()
    path = tmp_path_factory.mktemp("composing") / "tokenizer.json"
    made.save(str(path))
    return load(path)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("text", ["cafe\u0301", "A\u0323 b", "A\u0323", "\u0323", "e\u0301e\u0301"])
def test_behind_a_normalizer_the_part_fits(composing, text, side):
    for part in (text, text.encode()):
        for limit in range(len(composing.encode(text)) + 2):
            kept = composing.truncate(part, limit, side=side)
            assert kept.n_tokens == composing.count(kept.text) <= limit
            assert kept.text == (part[: kept.offset] if side == "right" else part[kept.offset :])


def test_nothing_is_kept_of_a_composed_character(composing):
    assert composing.truncate("cafe\u0301", 0, side="left") == ("", 0, 5)
    assert composing.truncate("cafe\u0301".encode(), 0, side="left") == (b"", 0, 6)


def test_a_mark_stays_with_its_letter(composing):
    assert composing.truncate("A\u0323 b", 1) == ("A\u0323", 1, 2)
    assert composing.truncate("A\u0323 b".encode(), 1) == ("A\u0323".encode(), 1, 3)
    assert composing.truncate("e\u0301e\u0301", 1) == ("e\u0301", 1, 2)
    assert composing.truncate("A\u0323 b", 1, side="left") == (" b", 1, 2)


@pytest.mark.parametrize("limit", [None, 1.5, "3"])
def test_a_limit_is_a_whole_number(composing, tokenizer, limit):
    for tok in (tokenizer, composing):
        with pytest.raises(TypeError, match=rf"^max_tokens is {type(limit).__name__}; give"):
            tok.truncate("abc", limit)


def test_invalid_utf8_names_a_remedy_that_exists(composing, tokenizer):
    for tok in (tokenizer, composing):
        for call in (
            lambda text, tok=tok, **more: tok.truncate(text, 9, **more),
            lambda text, tok=tok, **more: tok.truncate(text, 9, side="left", **more),
            tok.encode_with_offsets,
        ):
            for text in (b"a\xff", b"a\xe1"):
                with pytest.raises(InvalidUtf8Error, match=r'errors="replace"') as caught:
                    call(text)
                assert caught.value.offset == 1
                call(text, errors="replace")


def test_bytes_that_are_not_utf_8_may_be_replaced(composing, tokenizer):
    """A part of the bytes as they are; it counts with its U+FFFD, and spans lie in the bytes."""
    data = b"hello \xff\xfe wor\xe6\xbc \xe6\xbc"
    text = data.decode(errors="replace")
    for tok in (tokenizer, composing):
        ids = tok.encode(text)
        by_byte = tok.encode_with_offsets(data, unit="byte", errors="replace")
        assert by_byte[0] == ids
        assert by_byte[1][-1][1] == len(data)
        for start, end in by_byte[1]:
            assert tok.token_bytes(tok.encode(data[start:end], errors="replace")[0])
        assert tok.encode_with_offsets(data, errors="replace") == tok.encode_with_offsets(text)
        for side in ("right", "left"):
            for n in range(len(ids) + 1):
                part = tok.truncate(data, n, side=side, errors="replace")
                assert tok.count(part.text, errors="replace") == part.n_tokens <= n
                whole = data.startswith if side == "right" else data.endswith
                assert whole(part.text)
            assert part.text == data
