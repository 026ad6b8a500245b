"""After `fork` a child process uses the tokenizers of its parent, also while threads were busy."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import pytest

from tokstream import get_encoding

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning"),
]


def _run(code: str, timeout: int = 120) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=timeout, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


_AFTER_USE = """
import os
from tokstream import get_encoding
tokenizer = get_encoding("cl100k_base")
texts = ["hello world", "goodbye"] * 500
expected = tokenizer.encode_batch(texts, num_threads=4)
stream = tokenizer.stream()
first = stream.feed("hello wor")
child = os.fork()
if child == 0:
    ok = tokenizer.encode_batch(texts, num_threads=4) == expected
    ok = ok and first + stream.feed("ld") + stream.finish() == [15339, 1917]
    ok = ok and get_encoding("gpt2").encode("hello world") == [31373, 995]
    ok = ok and list(tokenizer.encode_iter("hello world")) == [[15339], [1917]]
    os._exit(0 if ok else 1)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 0
assert first + stream.feed("ld") + stream.finish() == [15339, 1917]
print("fine")
"""


def test_encode_batch_in_the_child_after_use_in_the_parent() -> None:
    assert _run(_AFTER_USE) == "fine\n"


_WHILE_BUSY = """
import os, signal, threading, time, warnings
from tokstream import get_encoding
warnings.simplefilter("ignore")
tokenizer = get_encoding("gpt2")
texts = ["a b", "c"] * 20_000
expected = tokenizer.encode("hello world, and so on")
stop = threading.Event()
def busy():
    while not stop.is_set():
        tokenizer.encode_batch_array(texts, num_threads=2)
thread = threading.Thread(target=busy)
thread.start()
hung = wrong = 0
for _ in range(150):
    child = os.fork()
    if child == 0:
        signal.alarm(5)
        ok = tokenizer.encode("hello world, and so on") == expected
        ok = ok and tokenizer.encode_batch(["hello world, and so on"] * 3, num_threads=2) == [expected] * 3
        os._exit(0 if ok else 1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    hung += code == -signal.SIGALRM
    wrong += code not in (0, -signal.SIGALRM)
    if hung:
        break
stop.set()
thread.join()
print(hung, wrong)
"""


def test_fork_while_other_threads_encode() -> None:
    # a lock that another thread holds at the moment of the fork is held for ever in the child
    hung, wrong = map(int, _run(_WHILE_BUSY, timeout=300).split())
    assert (hung, wrong) == (0, 0)


def _encode(text: str) -> list[int]:
    return get_encoding("cl100k_base").encode(text)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_process_pools(method: str) -> None:
    tokenizer = get_encoding("cl100k_base")
    texts = [f"text number {k}" for k in range(20)]
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        assert list(pool.map(_encode, texts)) == [tokenizer.encode(text) for text in texts]
        # the tokenizer itself goes to the other process too
        assert list(pool.map(tokenizer.encode, texts)) == [tokenizer.encode(text) for text in texts]
