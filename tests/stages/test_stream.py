"""The joined stages: the promises, on tokenizers small enough to say what is right."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from oracles import ways_to_cut

from tokstream.errors import (
    DisallowedSpecialTokenError,
    InputError,
    InvalidUtf8Error,
    StreamClosedError,
    UnfinishedCharacterError,
    UnknownNameError,
)
from tokstream.patterns import compile_pattern

if TYPE_CHECKING:
    from types import ModuleType

TOKENS = [bytes((i,)) for i in range(256)]
TOKENS += [b"ab", b"aa", b"abab", b" a", b"\xc3\xa9", b" ab", b"\n\n", b"\xef\xbf\xbd", b"zyz"]
SPECIAL = {"<s>": 300, "<s>>": 301, "</s>": 302}
PATTERN = r" ?[a-z]+|(?:\d\d)*!|\s*\n|\s+(?!\S)|\s|[^a-z\s]"
ALPHABET = ["a", "b", " ", "\n", "é", "<s>", ">", "<", "1", "!", "</s>", "s", "zyz"]


def make(implementation: ModuleType, **options: Any) -> Any:
    rules = implementation.MergeRules(TOKENS)
    return implementation.Stream(rules, compile_pattern(PATTERN), SPECIAL, **options)


def run(stream: Any, chunks: Any) -> list[int]:
    ids = [token for chunk in chunks for token in stream.feed(chunk)]
    ids += stream.finish()
    return ids


def naive(text: str, allowed: list[str]) -> list[int]:
    """Seg, Split and Merge of the whole, each by other code than the stages."""
    from oracles import naive_merge  # noqa: PLC0415

    automaton = compile_pattern(PATTERN)
    ids: list[int] = []
    run = ""

    def close() -> None:
        nonlocal run
        for pretoken in automaton.split(run):
            piece = pretoken.encode()
            parts = [piece] if piece in TOKENS else naive_merge(TOKENS, piece)
            ids.extend(TOKENS.index(part) for part in parts)
        run = ""

    i = 0
    while i < len(text):
        name = max((n for n in allowed if text.startswith(n, i)), key=len, default="")
        if name:
            close()
            ids.append(SPECIAL[name])
        else:
            run += text[i]
        i += max(1, len(name))
    close()
    return ids


def texts(seed: int, n: int) -> list[str]:
    rng = random.Random(seed)
    return ["".join(rng.choices(ALPHABET, k=rng.randint(0, 14))) for _ in range(n)]


@pytest.mark.parametrize("allowed", [[], ["<s>", "<s>>"], list(SPECIAL)])
def test_every_cut_gives_the_ids_of_the_whole(
    implementation: ModuleType, allowed: list[str]
) -> None:
    stream = make(implementation, allowed=allowed)
    for text in texts(1, 60):
        expected = naive(text, allowed)
        for chunks in ways_to_cut(text):
            stream.reset()
            assert run(stream, chunks) == expected, (text, chunks)
        data = text.encode()
        stream.reset()
        assert run(stream, [data[i : i + 1] for i in range(len(data))]) == expected
        assert stream.encode(text) == expected


def test_what_was_given_out_stays_right(implementation: ModuleType) -> None:
    samples = texts(2, 40)
    stream = make(implementation, allowed=SPECIAL)
    rng = random.Random(3)
    for text in samples:
        fed = stream.copy().feed(text)
        for more in ["", " ", "\n", "!", "a", ">", "abab", *rng.choices(samples, k=5)]:
            whole = stream.encode(text + more)
            assert whole[: len(fed)] == fed, (text, more)


def test_counters(implementation: ModuleType) -> None:
    lengths = {k: len(token) for k, token in enumerate(TOKENS)}
    lengths |= {token_id: len(name) for name, token_id in SPECIAL.items()}
    stream = make(implementation, allowed=SPECIAL)
    for text in texts(4, 40):
        stream.reset()
        n_tokens = n_covered = n_bytes = 0
        for character in text:
            ids = stream.feed(character)
            n_tokens += len(ids)
            n_covered += sum(lengths[i] for i in ids)
            n_bytes += len(character.encode())
            assert (stream.n_tokens, stream.n_bytes) == (n_tokens, n_bytes)
            assert stream.delay_bytes == n_bytes - n_covered
        stream.finish()
        assert stream.delay_bytes == 0


def test_delay_counts_source_bytes(implementation: ModuleType) -> None:
    stream = make(implementation, errors="replace")
    stream.feed(b"\xff\xff")
    assert (stream.n_bytes, stream.delay_bytes) == (2, 0)
    stream.feed(b"1\xe2\x82")
    assert (stream.n_bytes, stream.delay_bytes) == (5, 2)
    stream.feed("\ud83d\ude00a")
    assert (stream.n_bytes, stream.delay_bytes) == (12, 1)


def test_peek_and_copy_change_nothing(implementation: ModuleType) -> None:
    stream = make(implementation, allowed=SPECIAL)
    for text in texts(5, 40):
        stream.reset()
        for i, character in enumerate(text):
            stream.feed(character)
            state = stream.n_tokens, stream.n_bytes, stream.delay_bytes
            pending = stream.peek()
            assert len(stream.encode(text[: i + 1])) == stream.n_tokens + len(pending)
            twin = stream.copy()
            assert twin.finish() == pending
            assert (stream.n_tokens, stream.n_bytes, stream.delay_bytes) == state
        stream.finish()


def test_special_token_by_name_ends_the_text_before_it(implementation: ModuleType) -> None:
    stream = make(implementation)
    stream.feed("ab <")
    assert stream.feed_special("<s>")[-1] == 300
    assert stream.feed("s>") + stream.finish() == naive("s>", [])
    stream.reset()
    with pytest.raises(UnknownNameError, match="<s>"):
        stream.feed_special("<s")
    assert stream.finish() == []


def test_trust_per_chunk(implementation: ModuleType) -> None:
    stream = make(implementation, allowed=SPECIAL)
    ids = stream.feed("<s>a") + stream.feed("<s>", allowed=()) + stream.feed("<s")
    ids += stream.feed(">", allowed=()) + stream.feed("</s>") + stream.finish()
    expected = [300, *naive("a<s><s>", []), 302]
    assert ids == expected
    stream.reset()
    with pytest.raises(UnknownNameError):
        stream.feed("a", allowed=["<nobody>"])


@pytest.mark.parametrize("n_before", range(8))
def test_errors_carry_what_was_stable(implementation: ModuleType, n_before: int) -> None:
    before = "ab é\n1 a"[:n_before]
    stream = make(implementation, disallowed=["<s>"])
    reference = make(implementation)
    faults: list[tuple[str | bytes, type[InputError]]] = [
        ("<s>", DisallowedSpecialTokenError),
        (b"\xff", InvalidUtf8Error),
    ]
    for bad, kind in faults:
        for first, chunk in [("", before), (before, "")]:
            stream.reset()
            given = stream.feed(first)
            data = chunk.encode() + (bad if isinstance(bad, bytes) else bad.encode())
            with pytest.raises(kind) as caught:
                stream.feed(data)
            assert caught.value.offset == len(before.encode())
            expected = reference.encode(before)
            given = given + caught.value.ids
            assert given == expected[: len(given)]
            assert len(expected) - len(given) <= 3
            assert stream.n_tokens == len(given)
            for call in [lambda: stream.feed("a"), stream.finish, stream.peek]:
                with pytest.raises(kind) as again:
                    call()
                assert str(again.value) == str(caught.value)
                assert again.value.ids == []
            stream.reset()
            assert stream.encode("a") == [97]


def test_error_offset_counts_source_bytes(implementation: ModuleType) -> None:
    stream = make(implementation, disallowed=["<s>"], errors="replace")
    stream.feed(b"a\xffb")
    stream.feed("\ud83d\ude00<")
    with pytest.raises(DisallowedSpecialTokenError, match=r"byte .*9") as caught:
        stream.copy().feed("s>")
    assert caught.value.offset == 9


def test_end_inside_a_character(implementation: ModuleType) -> None:
    stream = make(implementation)
    stream.feed(b"1\xe2")
    with pytest.raises(InvalidUtf8Error) as caught:
        stream.finish()
    assert caught.value.offset == 1
    stream.reset()
    stream.feed(b"1\xe2")
    with pytest.raises(UnfinishedCharacterError):
        stream.feed("a")
    stream = make(implementation)
    stream.feed("\ud800")
    assert stream.finish() == [TOKENS.index(b"\xef\xbf\xbd")]


def test_finished_is_finished(implementation: ModuleType) -> None:
    stream = make(implementation)
    stream.finish()
    for call in [lambda: stream.feed("a"), stream.finish, lambda: stream.feed_special("<s>")]:
        with pytest.raises(StreamClosedError, match="reset"):
            call()


def test_wrong_kind_of_chunk_leaves_the_stream_alone(implementation: ModuleType) -> None:
    stream = make(implementation)
    with pytest.raises(TypeError):
        stream.feed(3)
    assert not issubclass(TypeError, InputError)
    assert stream.feed("1") == [49]


def test_adversarial_runs_are_linear_enough(implementation: ModuleType) -> None:
    stream = make(implementation)
    for text in ["a" * 30_000, " " * 30_000, "\n" + " " * 30_000, "11" * 15_000, "ab" * 15_000]:
        ids = stream.encode(text)
        assert b"".join(TOKENS[i] for i in ids) == text.encode()
