"""Sixteen threads that share one object, each with settings of its own."""

from __future__ import annotations

import copy
import json
import os
import pickle
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from tokenizers import Tokenizer as Peer

import tokstream
from hf_compare import assert_equal, run_threads
from hf_small import byte_level
from tokstream.compat.huggingface import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokstream.formats.parts import TokenizerParts

CONTENT = json.dumps(byte_level())
TEXT = "hello the World <mask> 1234 naïve don't"


def settings(k: int, tokenizer: Any) -> None:
    tokenizer.enable_truncation(4 + k, stride=k % 2, direction="left" if k % 3 else "right")
    if k % 2:
        tokenizer.enable_padding(length=8 + k, pad_id=k, direction="right" if k % 3 else "left")
    else:
        tokenizer.no_padding()
    tokenizer.encode_special_tokens = k % 4 == 0


def test_threads_with_differing_settings() -> None:
    shared = Tokenizer.from_str(CONTENT)
    shared.enable_truncation(3)

    def work(k: int) -> None:
        peer = Peer.from_str(CONTENT)
        settings(k, peer)
        for _ in range(30):
            settings(k, shared)
            assert_equal(shared.encode(TEXT), peer.encode(TEXT))
            assert shared.truncation == peer.truncation
            assert shared.padding == peer.padding
            for got, expected in zip(
                shared.encode_batch([TEXT, "a"]), peer.encode_batch([TEXT, "a"]), strict=True
            ):
                assert_equal(got, expected)

    run_threads(work, 16)
    assert shared.truncation == {
        "max_length": 3,
        "stride": 0,
        "strategy": "longest_first",
        "direction": "right",
    }
    assert shared.padding is None
    assert not shared.encode_special_tokens


def test_threads_without_settings_see_those_of_the_owner() -> None:
    shared = Tokenizer.from_str(CONTENT)
    seen: list[int] = []
    for n in (3, 5):
        shared.enable_truncation(n)
        run_threads(lambda _: seen.append(len(shared.encode(TEXT))), 1)
    assert seen == [3, 5]


def test_a_thread_with_the_ident_of_one_that_ended_is_another_one() -> None:
    made: list[Tokenizer] = []
    idents: list[int] = []

    def make(_: int) -> None:
        made.append(Tokenizer.from_str(CONTENT))
        idents.append(threading.get_ident())

    def change(_: int) -> None:
        made[-1].enable_truncation(3)
        assert len(made[-1].encode(TEXT)) == 3
        idents.append(threading.get_ident())

    for _ in range(200):
        run_threads(make, 1)
        run_threads(change, 1)
        assert len(made[-1].encode(TEXT)) > 3
        if idents[-1] == idents[-2]:
            return
    pytest.skip("no ident was given out again")


def pickled(tokenizer: Tokenizer) -> Tokenizer:
    found: Tokenizer = pickle.loads(pickle.dumps(tokenizer))
    return found


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickled])
def test_a_copy_belongs_to_the_thread_that_makes_it(
    again: Callable[[Tokenizer], Tokenizer],
) -> None:
    shared = Tokenizer.from_str(CONTENT)
    shared.enable_truncation(3)
    lengths: list[int] = []

    def work(_: int) -> None:
        twin = again(shared)
        twin.enable_truncation(2)
        run_threads(lambda _: lengths.append(len(twin.encode(TEXT))), 1)

    run_threads(work, 1)
    assert lengths == [2]
    assert len(shared.encode(TEXT)) == 3


def test_tokens_are_added_while_others_encode() -> None:
    shared = Tokenizer.from_str(CONTENT)
    before, after = shared.encode(TEXT).ids, None

    def work(k: int) -> None:
        if k == 0:
            for n in range(20):
                shared.add_tokens([f"<new {n}>"])
            return
        for _ in range(40):
            assert shared.encode(TEXT).ids == before
            assert len(shared.encode("<new 0>", add_special_tokens=False)) >= 1

    run_threads(work, 8)
    after = shared.encode("<new 0><new 19>", add_special_tokens=False)
    assert after.tokens == ["<new 0>", "<new 19>"]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_after_a_fork() -> None:
    """Threads that encoded a batch before are not there any more in the child."""
    shared = Tokenizer.from_str(CONTENT)
    texts = [TEXT, "a"] * 200
    expected = [encoding.ids for encoding in shared.encode_batch(texts)]
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            found = [encoding.ids for encoding in shared.encode_batch(texts)]
            os.write(writer, b"same" if found == expected else b"else")
        finally:
            os._exit(0)
    os.close(writer)
    assert os.read(reader, 4) == b"same"
    os.close(reader)
    os.waitpid(child, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_the_thread_that_forks_makes_the_shared_settings_in_the_child() -> None:
    """It is the child's main thread, and made the object."""

    def work(_: int) -> None:
        shared = Tokenizer.from_str(CONTENT)
        seen: list[int] = []
        child = os.fork()
        if not child:
            try:
                shared.enable_truncation(2)
                run_threads(lambda _: seen.append(len(shared.encode(TEXT))), 1)
            finally:
                os._exit(seen != [2])
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert len(shared.encode(TEXT)) > 2

    run_threads(work, 1)


def test_tables_are_made_once_for_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = Tokenizer.from_str(json.dumps(byte_level()))
    tokenizer.add_tokens(["<|later|>"])
    n_made = 0
    made = tokstream.Tokenizer._from_parts

    def slowly(parts: TokenizerParts) -> tokstream.Tokenizer:
        nonlocal n_made
        n_made += 1
        time.sleep(0.1)
        return made(parts)

    monkeypatch.setattr(tokstream.Tokenizer, "_from_parts", staticmethod(slowly))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: tokenizer.encode("a<|later|>").ids, range(8)))
    assert n_made == 1
    assert all(ids == found[0] for ids in found)
