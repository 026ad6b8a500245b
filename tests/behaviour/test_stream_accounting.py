"""`n_tokens`, `n_bytes`, `delay_bytes`: delay is what was fed minus what the ids given out cover."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutting import random_parts
from drawing import byte_parts, texts
from memory import needs_proc, run_child
from nasty import INVALID_BYTES, SURROGATE_TEXTS, TEXTS
from tokstream import Tokenizer, get_encoding


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return get_encoding("cl100k_base")


def _check(tokenizer: Tokenizer, chunks: list[bytes], *, honoured: bool) -> None:
    """Valid UTF-8: every emitted id covers its own bytes of the source."""
    stream = (
        tokenizer.stream(allowed_special="all")
        if honoured
        else tokenizer.stream(disallowed_special=())
    )
    ids: list[int] = []
    n_bytes = 0
    for chunk in chunks:
        ids += stream.feed(chunk)
        n_bytes += len(chunk)
        assert stream.n_bytes == n_bytes
        assert stream.n_tokens == len(ids)
        assert stream.delay_bytes == n_bytes - len(tokenizer.decode_bytes(ids))
    ids += stream.finish()
    assert (stream.n_bytes, stream.n_tokens, stream.delay_bytes) == (n_bytes, len(ids), 0)


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_every_chunking_of_nasty_texts(name: str, text: str) -> None:
    tokenizer = get_encoding(name)
    data = text.encode()
    rng = random.Random(len(data))
    chunkings = [[data], [data[i : i + 1] for i in range(len(data))]]
    chunkings += [random_parts(rng, data, n) for n in (1, 2, 5, 20)]
    for chunks in chunkings:
        for honoured in (False, True):
            _check(tokenizer, chunks, honoured=honoured)


@settings(max_examples=150)
@given(byte_parts(texts("cl100k_base")), st.booleans())
def test_random_texts(chunks: list[bytes], honoured: bool) -> None:
    _check(get_encoding("cl100k_base"), chunks, honoured=honoured)


def test_a_str_counts_as_its_utf8(tokenizer: Tokenizer) -> None:
    stream = tokenizer.stream()
    stream.feed("é漢👍")
    assert stream.n_bytes == 2 + 3 + 4
    stream.feed_array("x")
    stream.advance("é")
    assert stream.n_bytes == 12
    assert stream.n_tokens <= len(tokenizer.encode("é漢👍xé"))


def _source_edges(data: bytes) -> list[int]:
    """Where each character of `data.decode("utf-8", "replace")` ends in the source."""
    edges = [0]
    while edges[-1] < len(data):
        rest = data[edges[-1] :]
        try:
            good, n_bad = rest.decode(), 0
        except UnicodeDecodeError as error:
            good, n_bad = rest[: error.start].decode(), error.end - error.start
        for character in good:
            edges.append(edges[-1] + len(character.encode()))
        if n_bad:
            edges.append(edges[-1] + n_bad)
    return edges


@pytest.mark.parametrize("data", INVALID_BYTES.values(), ids=INVALID_BYTES)
def test_replaced_bytes_count_as_they_were_fed(tokenizer: Tokenizer, data: bytes) -> None:
    # U+FFFD has three bytes, what it stands for has one to three
    edges = _source_edges(data)
    for chunks in ([data], [data[i : i + 1] for i in range(len(data))]):
        stream = tokenizer.stream(errors="replace", disallowed_special=())
        ids: list[int] = []
        n_bytes = 0
        for chunk in chunks:
            ids += stream.feed(chunk)
            n_bytes += len(chunk)
            assert stream.n_bytes == n_bytes
            assert 0 <= stream.delay_bytes <= n_bytes
            covered = tokenizer.decode_bytes(ids)
            if covered.decode(errors="ignore").encode() == covered:  # whole characters
                assert stream.delay_bytes == n_bytes - edges[len(covered.decode())]
        stream.finish()
        assert (stream.n_bytes, stream.delay_bytes) == (len(data), 0)


@pytest.mark.parametrize("text", SURROGATE_TEXTS.values(), ids=SURROGATE_TEXTS)
def test_surrogates(tokenizer: Tokenizer, text: str) -> None:
    """A surrogate counts three bytes, also where two of them are one character of four."""
    repaired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    edges, at = [0], 0
    for character in repaired:
        is_pair = ord(character) > 0xFFFF and text[at] < "\ue000"
        edges.append(edges[-1] + (6 if is_pair else len(character.encode())))
        at += 2 if is_pair else 1
    for chunks in ([text], list(text)):
        stream = tokenizer.stream(disallowed_special=())
        ids: list[int] = []
        n_bytes = 0
        for chunk in chunks:
            ids += stream.feed(chunk)
            n_bytes += len(chunk.encode("utf-8", "surrogatepass"))
            assert stream.n_bytes == n_bytes
            covered = tokenizer.decode_bytes(ids)
            if covered.decode(errors="ignore").encode() == covered:
                assert stream.delay_bytes == n_bytes - edges[len(covered.decode())]
        stream.finish()
        assert stream.delay_bytes == 0


def test_unfinished_characters_are_pending(tokenizer: Tokenizer) -> None:
    stream = tokenizer.stream()
    for k, byte in enumerate("👍".encode()[:3], 1):
        assert stream.feed(bytes([byte])) == []
        assert stream.delay_bytes == stream.n_bytes == k
    stream.reset()
    stream.feed("\ud83d")
    assert stream.delay_bytes == stream.n_bytes == 3


def test_the_beginning_of_a_special_token_is_pending(tokenizer: Tokenizer) -> None:
    for choice in ({"allowed_special": "all"}, {}):
        stream = tokenizer.stream(**choice)  # type: ignore[arg-type]
        stream.feed("x ")
        text = "<|endoftext|"
        stream.feed(text)
        assert stream.delay_bytes >= len(text)
    plain = tokenizer.stream(disallowed_special=())
    plain.feed("x <|endoftext|")
    assert plain.delay_bytes < len(text)


def test_a_special_token_out_of_band_is_no_source(tokenizer: Tokenizer) -> None:
    stream = tokenizer.stream()
    stream.feed("hello")
    stream.feed_special("<|endoftext|>")
    assert (stream.n_tokens, stream.n_bytes, stream.delay_bytes) == (2, 5, 0)
    stream.feed("wor")
    assert (stream.n_tokens, stream.n_bytes, stream.delay_bytes) == (2, 8, 3)


def test_counters_are_read_only(tokenizer: Tokenizer) -> None:
    stream = tokenizer.stream()
    for name in ("n_tokens", "n_bytes", "delay_bytes"):
        with pytest.raises(AttributeError):
            setattr(stream, name, 5)
    with pytest.raises(AttributeError):
        stream.something = 5  # type: ignore[attr-defined]


_MANY_STREAMS = """
from tokstream import get_encoding
tokenizer = get_encoding("cl100k_base")
text = "Some words of a prompt that is still arriving, and then som"
tokenizer.stream().feed(text)
forget_peak()  # of loading
before = peak_bytes()
streams = [tokenizer.stream() for _ in range(10_000)]
for stream in streams:
    stream.feed(text)
    stream.feed("e")
print((peak_bytes() - before) // len(streams))
"""


@needs_proc
def test_thousands_of_streams_are_small() -> None:
    (bytes_per_stream,) = run_child(_MANY_STREAMS)
    assert 50 < bytes_per_stream < 4096
