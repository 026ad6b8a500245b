"""Texts long enough for several threads: the same ids and errors, `num_threads`, Ctrl-C, fork."""

from __future__ import annotations

import multiprocessing
import os
import re
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import tokenizers

from data import corpus
from tokstream import (
    ConfigurationError,
    DisallowedSpecialTokenError,
    InvalidUtf8Error,
    Tokenizer,
    _core,
    get_encoding,
    load,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LENGTH = 3 << 20


def _long(name: str) -> str:
    text = corpus(name).replace("<|endoftext|>", "\n").encode()
    return (text * (LENGTH // len(text) + 1))[:LENGTH].decode(errors="ignore")


def _texts() -> dict[str, str]:
    chinese = _long("chinese")
    return {
        "english": _long("english"),
        "code": _long("code"),
        "chinese": chinese,
        "characters only": re.sub(r"[^\u4e00-\u9fff]", "", chinese),
        "one run": "a" * (LENGTH // 2),
        "accents": "naïve café " * (LENGTH // 11),
    }


@pytest.fixture(scope="module", params=["cl100k_base", "o200k_base"])
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    return get_encoding(request.param)


@pytest.mark.parametrize(
    "kind", ["english", "code", "chinese", "characters only", "one run", "accents"]
)
def test_the_ids_are_those_of_one_thread(tokenizer: Tokenizer, kind: str) -> None:
    text = _texts()[kind]
    expected = tokenizer.encode_ordinary_array(text, num_threads=1)
    data = text.encode()
    for source in (text, data, bytearray(data), memoryview(data)[:], memoryview(bytearray(data))):
        assert np.array_equal(tokenizer.encode_ordinary_array(source, num_threads=2), expected)
    verbs: list[Callable[..., Any]] = [tokenizer.encode_array, tokenizer.encode]
    for verb in verbs:
        assert np.array_equal(verb(text, num_threads=3, disallowed_special=()), expected)
    assert tokenizer.encode_ordinary(text, num_threads=2) == expected.tolist()
    assert tokenizer.count(text, num_threads=2, disallowed_special=()) == len(expected)
    for number in (1, 2):
        batch = tokenizer.encode_batch_array(
            ["a", text, data], num_threads=number, disallowed_special=()
        )
        assert np.array_equal(batch[1], expected)
        assert np.array_equal(batch[2], expected)


@pytest.mark.parametrize("character", ["é", "字", "😀", "\ud800"])
def test_blocks_of_a_text_in_a_batch_do_not_cut_characters(
    tokenizer: Tokenizer, character: str
) -> None:
    # a text on one thread is read in blocks of 1 MiB
    for n_before in range(4):
        text = "a" * n_before + f"{character} " * (3 << 19)
        expected = tokenizer.encode_ordinary_array(text, num_threads=1)
        for number in (1, 2):
            (found,) = tokenizer.encode_batch_array(
                [text], num_threads=number, disallowed_special=()
            )
            assert np.array_equal(found, expected)


def test_long_texts_of_every_kind_follow_each_other_in_a_batch(tokenizer: Tokenizer) -> None:
    text = _texts()["accents"]
    wide = text[: len(text) // 2] + "😀" + text
    # the parts before a lone surrogate are text without one
    broken = text + "\ud800" + text
    data = text.encode()
    batch: list[Any] = [
        text,
        "a",
        data,
        wide,
        bytearray(data),
        "",
        memoryview(bytearray(data)),
        broken,
        text,
    ]
    expected = [tokenizer.encode_ordinary_array(one, num_threads=1) for one in batch]
    for number in (1, 2, 3):
        found = tokenizer.encode_batch_array(batch, num_threads=number, disallowed_special=())
        assert len(found) == len(batch)
        assert all(map(np.array_equal, found, expected))
        lists = tokenizer.encode_batch(batch[3:7], num_threads=number, disallowed_special=())
        assert lists == [ids.tolist() for ids in expected[3:7]]


@pytest.mark.parametrize("place", [0, LENGTH // 2, LENGTH - 20])
def test_errors_are_those_of_one_thread(tokenizer: Tokenizer, place: int) -> None:
    text = _long("english").encode()
    for wrong, kind in (
        (b"<|endoftext|>", DisallowedSpecialTokenError),
        (b"\xff", InvalidUtf8Error),
    ):
        data = text[:place] + wrong + text[place:]
        calls: list[Callable[..., object]] = [
            partial(tokenizer.encode, data),
            partial(tokenizer.encode_array, data),
            partial(tokenizer.count, data),
            partial(tokenizer.encode_batch, ["a", data]),
        ]
        with pytest.raises(kind) as one:
            calls[0](num_threads=1)
        for call in calls:
            with pytest.raises(kind) as several:
                call(num_threads=2)
            assert str(several.value) == str(one.value)
            assert several.value.offset == one.value.offset == place
            assert several.value.ids == one.value.ids


def test_the_first_text_at_fault_is_named_whatever_its_size(tokenizer: Tokenizer) -> None:
    text = _long("english")
    wrong: list[Any] = [text, "fine", text + "<|endoftext|>", None, "<|endoftext|>"]
    for n_threads in (1, 2, 4):
        with pytest.raises(DisallowedSpecialTokenError) as caught:
            tokenizer.encode_batch_array(wrong, num_threads=n_threads)
        assert (caught.value.index, caught.value.offset) == (2, len(text.encode()))  # type: ignore[attr-defined]
        with pytest.raises(TypeError) as refused:
            tokenizer.encode_batch_array(wrong[3:] + wrong[:2], num_threads=n_threads)
        assert refused.value.index == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("number", [0, -3, "two", "2", 2.5, None])
def test_numbers_of_threads_that_mean_nothing(
    tokenizer: Tokenizer, number: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "word " * (LENGTH // 5)
    if number is None:
        monkeypatch.setenv("TOKSTREAM_NUM_THREADS", "all of them")
        message = r"TOKSTREAM_NUM_THREADS is 'all of them'.* 1 or more"
        tokenizer.encode("short texts need no threads")
    else:
        message = rf"num_threads is {re.escape(repr(number))}.* 1 or more"
    for call in (
        lambda: tokenizer.encode(text, num_threads=number),
        lambda: tokenizer.encode_array(text, num_threads=number),
        lambda: tokenizer.encode_ordinary(text, num_threads=number),
        lambda: tokenizer.encode_ordinary_array(text, num_threads=number),
        lambda: tokenizer.count(text, num_threads=number),
        lambda: tokenizer.encode_batch([text], num_threads=number),
    ):
        with pytest.raises(ConfigurationError, match=message):
            call()
    assert len(tokenizer.encode_array(text, num_threads=1)) > 0


def test_many_threads_are_no_fault(tokenizer: Tokenizer) -> None:
    text = "word " * (LENGTH // 5)
    expected = tokenizer.encode_array(text, num_threads=1)
    numbers: list[Any] = [50, 10**9, np.int64(2), True]
    for number in numbers:
        assert np.array_equal(tokenizer.encode_array(text, num_threads=number), expected)
    assert 1 <= _core.usable_cores() <= _core.MAX_THREADS


_BEGIN = """
import os, signal, sys, threading, time, warnings
import numpy as np
from tokstream import get_encoding
warnings.simplefilter("ignore")
tokenizer = get_encoding("cl100k_base")
text = "".join(f"line {k} of a long text, with words and numbers like {k * k}\\n" for k in range(60_000))
"""

_FORK = """
expected = tokenizer.encode_array(text, num_threads=2)
stop = threading.Event()
def busy():
    while not stop.is_set():
        tokenizer.encode_array(text, num_threads=3)
        tokenizer.encode_batch_array([text.replace("words", "wörds"), "a"] * 2, num_threads=3)
thread = threading.Thread(target=busy)
thread.start()
wrong = 0
for _ in range(12):
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        ok = np.array_equal(tokenizer.encode_array(text, num_threads=2), expected)
        ok = ok and tokenizer.count(text, num_threads=2) == len(expected)
        ok = ok and np.array_equal(tokenizer.encode_batch_array([text, "a"])[0], expected)
        os._exit(0 if ok else 1)
    wrong += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0
stop.set()
thread.join()
print(wrong)
"""

_INTERRUPT = """
signal.signal(signal.SIGINT, signal.default_int_handler)
text *= 12
for _ in range(6):  # other work on the machine delays the signal, or what follows it
    begin = time.monotonic()
    expected = tokenizer.encode(text, num_threads=2)
    seconds = time.monotonic() - begin
    timer = threading.Timer(seconds / 5, os.kill, (os.getpid(), signal.SIGINT))
    begin = time.monotonic()
    timer.start()
    ended = False
    try:
        CALL
        ended = True
        time.sleep(60)
        raise SystemExit("no interrupt")
    except KeyboardInterrupt as error:
        late = time.monotonic() - begin - seconds / 5
        ids = getattr(error, "ids", [])
        right = ids == expected[: len(ids)]
        # the ids so far are made into a list before the error is there
        soon = not ended and late < 0.5 * seconds + 0.4 and len(ids) < 0.9 * len(expected)
    if soon or not right:
        break
print(soon, right)
"""


def _run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", _BEGIN + code],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
def test_fork_while_a_text_is_on_several_threads() -> None:
    assert _run(_FORK) == "0\n"


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
@pytest.mark.parametrize(
    "call",
    [
        "tokenizer.encode(text, num_threads=2)",
        "tokenizer.encode_array(text.encode(), num_threads=2)",
        "tokenizer.count(text.replace('words', 'wörds'), num_threads=2)",
        "tokenizer.encode_batch([text] * 3, num_threads=2)",
    ],
)
def test_ctrl_c(call: str) -> None:
    assert _run(_INTERRUPT.replace("CALL", call)) == "True True\n"


def _count(text: str) -> int:
    return get_encoding("cl100k_base").count(text, num_threads=2)


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_process_pools(method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip("not on this platform")
    text = "word " * (LENGTH // 5)
    expected = get_encoding("cl100k_base").count(text, num_threads=2)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        assert list(pool.map(_count, [text] * 3)) == [expected] * 3


def test_texts_that_are_one_pretoken(tmp_path: Path) -> None:
    names = [*(f"<0x{byte:02X}>" for byte in range(256)), *"▁then", "▁t", "he", "▁the", "<s>"]
    vocabulary = {name: k for k, name in enumerate(names)}
    merges = [("▁", "t"), ("h", "e"), ("▁t", "he")]
    model = tokenizers.models.BPE(vocabulary, merges, byte_fallback=True)
    made = tokenizers.Tokenizer(model)
    signs = [tokenizers.normalizers.Prepend("▁"), tokenizers.normalizers.Replace(" ", "▁")]
    made.normalizer = tokenizers.normalizers.Sequence(signs)
    made.add_special_tokens(["<s>"])
    made.save(str(tmp_path / "tokenizer.json"))
    loaded = load(tmp_path / "tokenizer.json")
    assert loaded.info()["taken_apart"] == "before it is normalized"
    text = "the thé  的字 then<s> the字的 \n" * (LENGTH // 80)
    expected = loaded.encode_array(text, num_threads=1)
    assert expected.tolist() == made.encode(text).ids
    for source in (text, text.encode()):
        assert np.array_equal(loaded.encode_array(source, num_threads=2), expected)
        assert loaded.count(source, num_threads=3) == len(expected)
        assert np.array_equal(loaded.encode_batch_array([source], num_threads=2)[0], expected)
