"""Trust per chunk: a special token never forms across a change of trust, ordinary tokens do.

Compared with the definition: text of equal trust is cut at its special tokens, what remains of
neighbouring texts is joined, and each joined text is what the reference encodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data import tiktoken_encoding
from special_model import find_refused, join_texts, resolve, split
from tokstream import (
    DisallowedSpecialTokenError,
    InvalidUtf8Error,
    UnknownNameError,
    get_encoding,
)

if TYPE_CHECKING:
    from special_model import Segment

EOT, PROMPT = "<|endoftext|>", "<|endofprompt|>"
NAME = "cl100k_base"
PLAIN: dict[str, Any] = {"allowed_special": (), "disallowed_special": ()}
TRUSTED: dict[str, Any] = {"allowed_special": "all"}
SOME: dict[str, Any] = {"allowed_special": {EOT}, "disallowed_special": ()}
GUARDED: dict[str, Any] = {"allowed_special": (), "disallowed_special": {PROMPT}}


def _expected(chunks: list[tuple[str, dict[str, Any]]]) -> list[int] | str:
    """Ids by definition, or the refused token."""
    names = tiktoken_encoding(NAME)._special_tokens
    stretches: list[tuple[str, dict[str, Any]]] = []
    for text, trust in chunks:
        if stretches and stretches[-1][1] == trust:
            stretches[-1] = (stretches[-1][0] + text, trust)
        else:
            stretches.append((text, trust))
    segments: list[Segment] = []
    for text, trust in stretches:
        honoured, refused = resolve(
            names, trust["allowed_special"], trust.get("disallowed_special")
        )
        if found := find_refused(text, refused):
            return found.token
        segments += split(text, {name: names[name] for name in honoured})
    ids: list[int] = []
    for segment in join_texts(segments):
        if isinstance(segment, int):
            ids.append(segment)
        else:
            ids += tiktoken_encoding(NAME).encode_ordinary(segment)
    return ids


def _found(chunks: list[tuple[str, dict[str, Any]]]) -> list[int] | str:
    stream = get_encoding(NAME).stream(disallowed_special=())
    ids: list[int] = []
    try:
        for text, trust in chunks:
            ids += stream.feed(text, **trust)
        return ids + stream.finish()
    except DisallowedSpecialTokenError as error:
        return error.token


_texts = st.lists(
    st.sampled_from([EOT, PROMPT, "<|endof", "text|>", "prompt|>", "<|", "a", " wor", "ld", "\n "]),
    max_size=3,
).map("".join)


@settings(max_examples=400)
@given(st.lists(st.tuples(_texts, st.sampled_from([PLAIN, TRUSTED, SOME, GUARDED])), max_size=6))
def test_random_chunks(chunks: list[tuple[str, dict[str, Any]]]) -> None:
    assert _found(chunks) == _expected(chunks)


@pytest.mark.parametrize("cut", range(1, len(EOT)))
def test_no_special_token_forms_across_a_change(cut: int) -> None:
    reference = tiktoken_encoding(NAME)
    for first, second in ((TRUSTED, PLAIN), (PLAIN, TRUSTED), (TRUSTED, SOME), (SOME, TRUSTED)):
        ids = _found([(f"a {EOT[:cut]}", first), (f"{EOT[cut:]} b", second)])
        assert ids == reference.encode_ordinary(f"a {EOT} b")
    same = _found([(f"a {EOT[:cut]}", TRUSTED), (f"{EOT[cut:]} b", TRUSTED)])
    assert same == reference.encode(f"a {EOT} b", allowed_special="all")


def test_ordinary_tokens_form_across_a_change() -> None:
    assert _found([("hel", TRUSTED), ("lo wor", PLAIN), ("ld", GUARDED)]) == [15339, 1917]


def test_a_chunk_without_a_choice_has_the_choice_of_the_stream() -> None:
    stream = get_encoding(NAME).stream(allowed_special={EOT}, disallowed_special=())
    ids = stream.feed(EOT) + stream.feed(EOT, **PLAIN) + stream.feed(EOT)
    ids += stream.finish()
    plain = tiktoken_encoding(NAME).encode_ordinary(EOT)
    assert ids == [100257, *plain, 100257]


def test_each_argument_left_out_is_the_one_of_the_stream() -> None:
    # so that a chunk of untrusted text takes one argument, and is plain text
    plain = tiktoken_encoding(NAME).encode_ordinary(EOT)
    stream = get_encoding(NAME).stream(allowed_special="all", disallowed_special=())
    assert stream.feed(EOT, allowed_special=()) + stream.finish() == plain
    strict = get_encoding(NAME).stream(allowed_special={EOT})
    with pytest.raises(DisallowedSpecialTokenError, match="endofprompt"):
        strict.feed(EOT + PROMPT, allowed_special={EOT})
    lenient = get_encoding(NAME).stream(allowed_special={EOT})
    ids = lenient.feed(EOT + PROMPT, disallowed_special=()) + lenient.finish()
    assert ids == [100257, *tiktoken_encoding(NAME).encode_ordinary(PROMPT)]


def test_the_choice_counts_by_content_however_many_others_were_made_between() -> None:
    tokenizer = get_encoding(NAME)
    stream = tokenizer.stream()
    ids = stream.feed("<|endof", allowed_special={EOT}, disallowed_special=())
    for k in range(300):
        tokenizer.encode("x", allowed_special={EOT}, disallowed_special={f"refused {k}"})
    ids += stream.feed("text|>", allowed_special=[EOT], disallowed_special=[])
    assert ids + stream.finish() == [100257]


def test_held_text_is_refused_by_the_choice_it_was_fed_with() -> None:
    stream = get_encoding(NAME).stream(allowed_special="all")
    stream.feed("x<|endof")
    with pytest.raises(DisallowedSpecialTokenError) as caught:
        stream.feed("text|>" + EOT, allowed_special=())
    assert caught.value.offset == len("x<|endoftext|>")


def test_a_change_inside_a_character() -> None:
    stream = get_encoding(NAME).stream(disallowed_special=())
    ids = stream.feed("漢".encode()[:1], **TRUSTED) + stream.feed("漢".encode()[1:] + b"x", **PLAIN)
    assert ids + stream.finish() == tiktoken_encoding(NAME).encode_ordinary("漢x")
    pair = get_encoding(NAME).stream(disallowed_special=())
    ids = pair.feed("\ud83d", **TRUSTED) + pair.feed("\udc4d", **PLAIN) + pair.finish()
    assert ids == tiktoken_encoding(NAME).encode_ordinary("👍")


def test_advance_takes_the_same_choices() -> None:
    stream = get_encoding(NAME).stream(disallowed_special=())
    n_tokens = stream.advance(EOT, **TRUSTED) + stream.advance(EOT, **PLAIN)
    n_tokens += len(stream.finish_array())
    assert n_tokens == 1 + len(tiktoken_encoding(NAME).encode_ordinary(EOT))
    with pytest.raises(DisallowedSpecialTokenError):
        get_encoding(NAME).stream().feed_array(EOT, **GUARDED | {"disallowed_special": {EOT}})


# --- feed_special --------------------------------------------------------------------------------


@pytest.mark.parametrize("before", ["", "hello wor", "x  ", "a\n ", "<|endof", "<|endoftext|", "é"])
@pytest.mark.parametrize("after", ["", "ld", "  y", "\n", "text|>"])
def test_feed_special_ends_the_text_before(before: str, after: str) -> None:
    reference = tiktoken_encoding(NAME)
    expected = [*reference.encode_ordinary(before), 100276, *reference.encode_ordinary(after)]
    for choice in ({}, PLAIN, TRUSTED):
        for size in (1, 100):
            stream = get_encoding(NAME).stream(**choice)
            ids: list[int] = []
            for i in range(0, len(before), size):
                ids += stream.feed(before[i : i + size])
            ids += stream.feed_special(PROMPT)
            assert ids == [*reference.encode_ordinary(before), 100276]
            assert stream.delay_bytes == 0
            assert stream.n_bytes == len(before.encode())
            ids += stream.feed(after) + stream.finish()
            assert ids == expected
            assert stream.n_tokens == len(ids)


def test_feed_special_of_an_unknown_name() -> None:
    stream = get_encoding(NAME).stream()
    stream.feed("abc de")
    with pytest.raises(UnknownNameError, match=r"endoftext"):
        stream.feed_special("<|endoftxt|>")
    with pytest.raises(UnknownNameError):
        stream.feed_special("hello")
    assert stream.finish() == tiktoken_encoding(NAME).encode_ordinary(" de"), "still usable"


def test_feed_special_inside_a_character() -> None:
    strict = get_encoding(NAME).stream()
    strict.feed(b"a\xe6\xbc")
    with pytest.raises(InvalidUtf8Error) as caught:
        strict.feed_special(EOT)
    assert caught.value.offset == 1
    replacing = get_encoding(NAME).stream(errors="replace")
    ids = replacing.feed(b"a\xe6\xbc") + replacing.feed_special(EOT)
    assert ids == [*tiktoken_encoding(NAME).encode_ordinary("a\ufffd"), 100257]
    surrogate = get_encoding(NAME).stream()
    ids = surrogate.feed("a\ud83d") + surrogate.feed_special(EOT) + surrogate.feed("\udc4d")
    expected = [*tiktoken_encoding(NAME).encode_ordinary("a\ufffd"), 100257]
    assert ids + surrogate.finish() == expected + tiktoken_encoding(NAME).encode_ordinary("\ufffd")


def test_feed_special_twice() -> None:
    stream = get_encoding("o200k_harmony").stream()
    ids = (
        stream.feed_special("<|start|>") + stream.feed("user") + stream.feed_special("<|message|>")
    )
    ids += stream.feed_special("<|end|>") + stream.finish()
    text = "<|start|>user<|message|><|end|>"
    assert ids == tiktoken_encoding("o200k_harmony").encode(text, allowed_special="all")
