"""`encode_batch`: several texts on several threads; an error names the text."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest

from data import corpus, tiktoken_encoding
from nasty import SURROGATE_TEXTS, TEXTS
from tokstream import (
    ConfigurationError,
    DisallowedSpecialTokenError,
    InvalidUtf8Error,
    Tokenizer,
    get_encoding,
)

MANY = [*TEXTS.values(), *SURROGATE_TEXTS.values()]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return get_encoding("o200k_base")


@pytest.mark.parametrize("num_threads", [None, 1, 2, 8, 100])
def test_equals_one_by_one(tokenizer: Tokenizer, num_threads: int | None) -> None:
    reference = tiktoken_encoding("o200k_base")
    expected = [reference.encode_ordinary(text) for text in MANY]
    found = tokenizer.encode_batch(MANY, num_threads=num_threads, disallowed_special=())
    assert found == expected
    arrays = tokenizer.encode_batch_array(MANY, num_threads=num_threads, disallowed_special=())
    assert [array.dtype for array in arrays] == [np.uint32] * len(MANY)
    assert [array.tolist() for array in arrays] == expected


def test_special_tokens(tokenizer: Tokenizer) -> None:
    reference = tiktoken_encoding("o200k_base")
    assert tokenizer.encode_batch(MANY, allowed_special="all") == [
        reference.encode(text, allowed_special="all") for text in MANY
    ]


def test_texts_of_all_kinds_and_sizes(tokenizer: Tokenizer) -> None:
    big = corpus("english", 1 << 18)
    texts: list[Any] = ["", big, b"bytes", bytearray(b"more"), memoryview(b"views"), big.encode()]
    found = tokenizer.encode_batch(texts, disallowed_special=())
    assert found == [tokenizer.encode_ordinary(text) for text in texts]


def test_any_iterable(tokenizer: Tokenizer) -> None:
    expected = [tokenizer.encode("a"), tokenizer.encode("b")]
    kinds: list[Any] = [["a", "b"], ("a", "b"), iter("ab"), {"a": 1, "b": 2}, (c for c in "ab")]
    assert all(tokenizer.encode_batch(texts) == expected for texts in kinds)
    assert tokenizer.encode_batch([]) == []
    assert tokenizer.encode_batch_array(iter(())) == []


@pytest.mark.parametrize(
    "text", ["one text", b"one text", bytearray(b"x"), memoryview(b"x"), None, 5]
)
def test_one_text_is_no_batch(tokenizer: Tokenizer, text: Any) -> None:
    with pytest.raises(TypeError):
        tokenizer.encode_batch(text)


def test_the_first_text_at_fault_is_named(tokenizer: Tokenizer) -> None:
    texts = ["fine", "also fine", "x <|endoftext|>", "fine", "<|endofprompt|>"]
    for num_threads in (1, 4):
        with pytest.raises(DisallowedSpecialTokenError) as caught:
            tokenizer.encode_batch(texts, num_threads=num_threads)
        error: Any = caught.value
        assert (error.index, error.token, error.offset) == (2, "<|endoftext|>", 2)
        assert tokenizer.decode(error.ids) == "x"
        assert any("index 2" in note for note in error.__notes__)


def test_invalid_bytes_in_a_batch(tokenizer: Tokenizer) -> None:
    texts = [b"fine", b"caf\xc3", b"\xff"]
    with pytest.raises(InvalidUtf8Error) as caught:
        tokenizer.encode_batch_array(texts)
    error: Any = caught.value
    assert (error.index, error.offset) == (1, 3)
    found = tokenizer.encode_batch(texts, errors="replace")
    assert found == [tokenizer.encode(text.decode("utf-8", "replace")) for text in texts]


def test_a_wrong_type_in_a_batch(tokenizer: Tokenizer) -> None:
    with pytest.raises(TypeError, match=r"expected str or a contiguous bytes-like") as caught:
        tokenizer.encode_batch(["fine", None, 7])  # type: ignore[list-item]
    error: Any = caught.value
    assert error.index == 1


@pytest.mark.parametrize("num_threads", [0, -1, "two"])
def test_wrong_number_of_threads(tokenizer: Tokenizer, num_threads: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"num_threads is .* 1 or more"):
        tokenizer.encode_batch(["a"], num_threads=num_threads)


def test_the_environment_gives_the_default(
    tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = [tokenizer.encode("a")] * 3
    for setting in ("1", "3", ""):
        monkeypatch.setenv("TOKSTREAM_NUM_THREADS", setting)
        assert tokenizer.encode_batch(["a"] * 3) == expected
    for setting in ("0", "-2", "many"):
        monkeypatch.setenv("TOKSTREAM_NUM_THREADS", setting)
        with pytest.raises(ConfigurationError, match="TOKSTREAM_NUM_THREADS is"):
            tokenizer.encode_batch(["a"])
        assert tokenizer.encode_batch(["a"] * 3, num_threads=2) == expected


def test_other_python_threads_run_meanwhile(tokenizer: Tokenizer) -> None:
    texts = [corpus("code")] * 4
    done = threading.Event()
    beats: list[float] = []

    def beat() -> None:
        while not done.is_set():
            beats.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=beat)
    thread.start()
    try:
        for _ in range(5):  # the other thread may find no core free
            before = len(beats)
            tokenizer.encode_batch_array(texts, num_threads=1, disallowed_special=())
            if len(beats) > before + 3:
                return
        pytest.fail("the GIL was held all the time")
    finally:
        done.set()
        thread.join()


def test_batches_from_several_threads(tokenizer: Tokenizer) -> None:
    expected = [tokenizer.encode(text, disallowed_special=()) for text in MANY]
    found: list[list[list[int]]] = []

    def run() -> None:
        found.append(tokenizer.encode_batch(MANY, num_threads=3, disallowed_special=()))

    threads = [threading.Thread(target=run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 6
