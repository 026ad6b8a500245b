"""A tokenizer is shared by any number of threads; a stream belongs to one at a time."""

from __future__ import annotations

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

import tokstream
from cutting import feed_all, random_parts
from data import corpus, tiktoken_encoding
from nasty import TEXTS
from tokstream import StreamBusyError, StreamError, get_encoding

if TYPE_CHECKING:
    from collections.abc import Callable


def test_eight_threads_share_one_tokenizer() -> None:
    tokenizer, reference = get_encoding("cl100k_base"), tiktoken_encoding("cl100k_base")
    texts = [*TEXTS.values(), corpus("code", 1 << 16), corpus("chinese", 1 << 16)]
    expected = [reference.encode_ordinary(text) for text in texts]
    start = threading.Barrier(8)

    def work(seed: int) -> int:
        rng = random.Random(seed)
        start.wait()
        for k in rng.sample(range(len(texts)), len(texts)):
            text = texts[k]
            assert tokenizer.encode_ordinary(text) == expected[k]
            stream = tokenizer.stream(disallowed_special=())
            assert feed_all(stream, random_parts(rng, text, 5)) == expected[k]
            assert tokenizer.decode(expected[k]) == text
            assert tokenizer.count(text.encode(), disallowed_special=()) == len(expected[k])
        return seed

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == list(range(8))


def test_several_tokenizers_at_once() -> None:
    # caches of the process belong to one tokenizer at a time
    names = tokstream.list_encoding_names()
    text = corpus("english", 1 << 15)
    expected = {name: tiktoken_encoding(name).encode_ordinary(text) for name in names}

    def work(k: int) -> bool:
        order = names[k % 7 :] + names[: k % 7]
        streams = {name: get_encoding(name).stream(disallowed_special=()) for name in order}
        ids: dict[str, list[int]] = {name: [] for name in order}
        for i in range(0, len(text), 1000):
            for name in order:
                ids[name] += streams[name].feed(text[i : i + 1000])
        return all(ids[n] + streams[n].finish() == expected[n] for n in order)

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(work, range(12)))


def test_get_encoding_from_many_threads_is_one_object() -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(get_encoding, ["p50k_base"] * 16))
    assert all(tokenizer is found[0] for tokenizer in found)


def test_a_stream_in_use_says_so() -> None:
    tokenizer = get_encoding("o200k_base")
    text = corpus("multi") * 8
    stream = tokenizer.stream(disallowed_special=())
    result: list[list[int]] = []
    calls: list[Callable[[], object]] = [
        stream.peek,
        stream.copy,
        lambda: stream.n_tokens,
        lambda: stream.delay_bytes,
        lambda: repr(stream),
        lambda: stream.feed("x"),
        lambda: stream.advance("x"),
        lambda: stream.feed_special("<|endoftext|>"),
        stream.finish,
        stream.reset,
    ]
    n_refused = 0
    thread = threading.Thread(target=lambda: result.append(stream.feed(text)))
    thread.start()
    while thread.is_alive() and not _is_busy(lambda: stream.n_bytes):
        pass
    for call in calls:
        if not _is_busy(lambda: stream.n_bytes):
            break
        with pytest.raises(StreamBusyError, match="another thread"):
            call()
        n_refused += 1
    thread.join()
    assert n_refused == len(calls), "the text was too short for this machine"
    assert issubclass(StreamBusyError, StreamError)
    # the refused calls changed nothing
    assert result[0] + stream.finish() == tokenizer.encode_ordinary(text)


def _is_busy(call: Callable[[], object]) -> bool:
    try:
        call()
    except StreamBusyError:
        return True
    return False


def test_streams_of_one_tokenizer_move_between_threads() -> None:
    tokenizer = get_encoding("cl100k_base")
    text = corpus("code", 1 << 16)
    parts = random_parts(random.Random(3), text, 40)
    stream = tokenizer.stream(disallowed_special=())
    ids: list[int] = []
    with ThreadPoolExecutor(4) as pool:
        for part in parts:
            ids += pool.submit(stream.feed, part).result()
        ids += pool.submit(stream.finish).result()
    assert ids == tokenizer.encode_ordinary(text)


@pytest.mark.parametrize("verb", ["encode_array", "count", "feed_array", "decode", "decode array"])
def test_long_calls_let_other_threads_run(verb: str) -> None:
    tokenizer = get_encoding("cl100k_base")
    text = corpus("english") * 8
    ids = tokenizer.encode_array(text if "decode" in verb else "", disallowed_special=())
    listed = ids.tolist()
    calls: dict[str, Callable[[], object]] = {
        "encode_array": lambda: tokenizer.encode_array(text, disallowed_special=()),
        "count": lambda: tokenizer.count(text, disallowed_special=()),
        "feed_array": lambda: tokenizer.stream(disallowed_special=()).feed_array(text),
        "decode": lambda: tokenizer.decode_bytes(listed),
        "decode array": lambda: tokenizer.decode_bytes(ids),
    }
    turns = 0
    done = threading.Event()

    def other() -> None:
        nonlocal turns
        while not done.wait(0.0005):
            turns += 1

    thread = threading.Thread(target=other)
    thread.start()
    before = turns
    calls[verb]()
    during = turns - before
    done.set()
    thread.join()
    assert during > 5
