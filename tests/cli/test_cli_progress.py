"""Progress: on a terminal only, for long work only, wiped at the end."""

from __future__ import annotations

import os
import select
import time

import pytest

from tokstream.cli.progress import Progress, clock, human_bytes

pty = pytest.importorskip("pty")


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1 kB"),
        (999_600, "1 MB"),
        (1_234_567, "1.23 MB"),
        (2**31, "2.15 GB"),
        (10**16, "1e+04 TB"),
    ],
)
def test_human_bytes(n_bytes, text):
    assert human_bytes(n_bytes) == text


@pytest.mark.parametrize(("seconds", "text"), [(0.2, "0:00"), (65, "1:05"), (3725, "1:02:05")])
def test_clock(seconds, text):
    assert clock(seconds) == text


def test_the_line_has_share_rate_tokens_and_eta():
    progress = Progress(4_000_000, enabled=False)
    progress.advance(1_000_000, 250_000)
    assert progress.line(250_000, 2.0) == (" 25%  1 MB of 4 MB  500 kB/s  250,000 tokens  ETA 0:06")
    progress.total_bytes = None
    assert progress.line(250_000, 2.0) == "1 MB  500 kB/s  250,000 tokens"


def output_on_terminal(command, *arguments: str, seconds: float) -> bytes:
    """Feed a slow pipe for `seconds`; give what a terminal on stderr received."""
    leader, follower = pty.openpty()
    seen = b""
    process = command.start("encode", "-o", "out", *arguments, stderr=follower)
    os.close(follower)
    try:
        end = time.monotonic() + seconds
        while time.monotonic() < end or (seconds > 1 and arguments == () and b"tokens" not in seen):
            process.stdin.write(b"some words ")
            time.sleep(0.05)
            while select.select([leader], [], [], 0)[0]:
                seen += os.read(leader, 65536)
            assert time.monotonic() < end + 60, "no progress"
        process.stdin.close()
        assert process.wait(60) == 0
        while select.select([leader], [], [], 0)[0]:
            try:
                seen += os.read(leader, 65536)
            except OSError:  # the last writer has gone
                break
    finally:
        os.close(leader)
        process.stdout.close()
    return seen


def test_long_work_shows_a_line_and_wipes_it(command):
    seen = output_on_terminal(command, seconds=1.5)
    assert b"tokens" in seen
    assert b"B/s" in seen
    assert seen.endswith(b"\r\x1b[K")


def test_quiet_and_short_work_show_nothing(command):
    assert output_on_terminal(command, "--quiet", seconds=1.5) == b""
    assert command.ok("encode", "-o", "out", stdin=b"x") == b""
