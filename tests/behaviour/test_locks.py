"""A forked child does not wait for threads that it does not have."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from typing import TYPE_CHECKING

import pytest

from tokstream._locks import Lock, kept

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks there")


def in_a_child(act: Callable[[], object]) -> int:
    """Return the exit code of a forked child that acts, or minus the signal that ended it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of forks beside threads, which is the question
        child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(20)
            act()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("is_reentrant", [False, True])
def test_a_lock_that_another_thread_held(is_reentrant: bool) -> None:
    lock = Lock(is_reentrant=is_reentrant)
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            done.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(60)
    try:
        assert in_a_child(lock.__enter__) == 0
    finally:
        done.set()
        thread.join()
    with lock:  # this process's is as it was
        if is_reentrant:
            with lock:
                pass


def test_a_lock_that_the_forking_thread_holds() -> None:
    lock = Lock()

    def leave_and_take() -> None:
        lock.__exit__()
        with lock:
            pass

    with lock:
        assert in_a_child(leave_and_take) == 0
    with lock:
        pass


class Slow:
    """Works something out that takes its time."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.n_times = 0

    @kept
    def value(self) -> object:
        """Something new each time that it is worked out."""
        self.n_times += 1
        time.sleep(self.seconds)
        return object()


def test_a_value_that_another_thread_works_out() -> None:
    slow, other = Slow(1), Slow(0)
    thread = threading.Thread(target=lambda: slow.value)
    thread.start()
    while not slow.n_times:
        time.sleep(0.001)
    assert in_a_child(lambda: (other.value, slow.value)) == 0
    thread.join()


def test_a_value_is_kept_and_the_same_for_all() -> None:
    slow = Slow(0.05)
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(slow.value)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({*map(id, found), id(slow.value)}) == 1
    n_times = slow.n_times
    assert slow.value is found[0]
    assert slow.n_times == n_times
    assert isinstance(Slow.value, kept)
    assert Slow.value.__doc__ == "Something new each time that it is worked out."
