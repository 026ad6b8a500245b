"""What goes wrong around the command: one line, an exit code, nothing half written."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tokstream.cli import run

FULL = Path("/dev/full")
BIG = b"some words and more words, " * 40_000


@pytest.fixture
def old(command):
    """A directory with an output of an earlier run."""
    (command.directory / "out").write_bytes(b"old")
    (command.directory / "text").write_bytes(BIG)
    return command


def untouched(command) -> bool:
    is_old = (command.directory / "out").read_bytes() == b"old"
    return bool(command.names() == ["out", "text"] and is_old)


@pytest.mark.parametrize("verb", ["encode", "decode", "count"])
def test_a_missing_file(command, verb):
    assert "nope: no such file or directory" in command.fails(1, verb, "nope")


@pytest.mark.parametrize("verb", ["encode", "decode"])
def test_a_directory_where_a_file_is_meant(old, verb):
    (old.directory / "directory").mkdir()
    assert "directory: is a directory" in old.fails(1, verb, "directory")
    assert "directory: is a directory" in old.fails(1, verb, "-o", "directory")
    assert "directory" in old.fails(1, verb, "-o", "new/")
    assert "new/x: no such file" in old.fails(1, verb, "-o", "new/x")
    assert old.names() == ["directory", "out", "text"]


def test_an_unreadable_file(command):
    path = command.directory / "secret"
    path.write_text("x", "utf-8")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("root reads everything")
    assert "secret: permission denied" in command.fails(1, "encode", "secret")


def test_a_file_that_opens_but_cannot_be_read(command):
    assert "/proc/self/mem: input/output error" in command.fails(1, "encode", "/proc/self/mem")


def test_the_second_file_is_missing(old):
    old.fails(1, "encode", "text", "nope", "-o", "out")
    assert untouched(old)


@pytest.mark.parametrize("verb", ["encode", "decode", "count", "info"])
def test_full_disk_on_standard_output(command, verb):
    with FULL.open("wb") as full:
        message = command.fails(1, verb, stdin=b"1 2 3", stdout=full)
        assert "standard output: no space left on device" in message
        command.fails(1, verb, "--help", stdout=full)


def test_full_device_as_output(command):
    assert "/dev/full: no space left" in command.fails(1, "encode", "-o", "/dev/full", stdin=BIG)


def test_full_disk_leaves_the_old_file(old):
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    message = old.fails(1, "encode", "text", "-o", "out", "-f", "u32", preexec_fn=limit)
    assert "out: file too large" in message
    assert untouched(old)


def test_a_closed_pipe_ends_quietly(command):
    for verb, data in (("encode", BIG), ("decode", b"1 2 3 " * 400_000)):
        process = command.start(verb)
        process.stdout.close()
        try:
            process.stdin.write(data)
            process.stdin.close()
        except BrokenPipeError:
            pass
        assert process.wait(60) == -signal.SIGPIPE, "what a shell shows as 141"
        assert process.stderr.read() == b""
        process.stderr.close()


def test_head(old):
    shell = f"set -o pipefail; {sys.executable} -m tokstream encode text | head -c 10"
    done = subprocess.run(
        ["bash", "-c", shell],
        cwd=old.directory,
        env=old.environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 141
    assert len(done.stdout) == 10
    assert done.stderr == b""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("verb", ["encode", "decode"])
def test_a_signal_during_a_slow_pipe(old, number, verb):
    def heed() -> None:  # whoever runs the tests may ignore it, as nohup does
        signal.signal(number, signal.SIG_DFL)

    process = old.start(verb, "-o", "out", preexec_fn=heed)
    process.stdin.write(b"1 2 3 ")
    deadline = time.monotonic() + 60
    while len(old.names()) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    parts = [name for name in old.names() if name.endswith(".part")]
    assert len(parts) == 1, "at work under a temporary name"
    process.send_signal(number)
    assert process.wait(60) == -number, "what a shell shows as 128 + the signal"
    assert process.stderr.read() == b""
    process.stdin.close()
    process.stdout.close()
    process.stderr.close()
    assert untouched(old)


def test_a_signal_before_the_command_is_there(command):
    code = """
import os, signal, sys

class Finder:
    def find_spec(name, *rest):
        if name == "tokstream.cli.program":
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Finder)
from tokstream.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, b"")


@pytest.mark.parametrize(("verb", "text"), [("encode", b"hello world \xff"), ("decode", b"64 x")])
def test_a_message_on_a_terminal_has_a_line_of_its_own(command, verb, text):
    pty = pytest.importorskip("pty")
    (command.directory / "text").write_bytes(text)
    leader, follower = pty.openpty()
    try:
        command.fails(1, verb, "text", stdout=follower)
        assert os.read(leader, 100).endswith(b"\r\n")
    finally:
        os.close(leader)
        os.close(follower)
    piped = command(verb, "text").stdout
    assert piped
    assert not piped.endswith(b"\n")


def test_an_ignored_signal_stays_ignored(old):
    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    process = old.start("encode", "-o", "out", preexec_fn=ignore)
    deadline = time.monotonic() + 60
    while len(old.names()) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGHUP)
    _, errors = process.communicate(b"text", timeout=60)
    assert (process.returncode, errors) == (0, b"")
    assert (old.directory / "out").read_bytes() != b"old"


def test_the_output_appears_only_when_complete(command):
    process = command.start("encode", "-o", "new.bin")
    process.stdin.write(BIG)
    assert "new.bin" not in command.names()
    process.communicate(timeout=60)
    assert command.names() == ["new.bin"]


def test_a_replaced_file_keeps_its_permissions_and_links_are_followed(old):
    (old.directory / "out").chmod(0o640)
    (old.directory / "link").symlink_to("out")
    old.ok("encode", "text", "-o", "link")
    assert (old.directory / "link").is_symlink()
    assert (old.directory / "out").stat().st_mode & 0o777 == 0o640
    assert (old.directory / "out").read_bytes() != b"old"


def test_a_new_file_obeys_the_umask(command):
    command.ok("encode", "-o", "new")
    plain = command.directory / "plain"
    plain.touch()
    assert (command.directory / "new").stat().st_mode == plain.stat().st_mode


@pytest.mark.parametrize("verb", ["encode", "decode"])
def test_an_input_is_not_replaced_by_its_output(old, verb):
    (old.directory / "link").symlink_to("text")
    assert "text" in old.fails(2, verb, "text", "-o", "text")
    assert "link" in old.fails(2, verb, "text", "-o", "link")
    assert (old.directory / "text").read_bytes() == BIG


def test_binary_is_not_written_to_a_terminal(command):
    pty = pytest.importorskip("pty")
    leader, follower = pty.openpty()
    try:
        message = command.fails(2, "encode", "-f", "u32", stdin=b"text", stdout=follower)
        assert "terminal" in message
    finally:
        os.close(leader)
        os.close(follower)


def test_names_that_look_like_options(command):
    (command.directory / "-x").write_text("text", "utf-8")
    expected = command.ok("encode", "./-x")
    assert command.ok("encode", "--", "-x") == expected
    assert command.ok("encode", "-q", "--", "-x") == expected
    assert command.ok("encode", "./-x", "-q", "./-x") == 2 * expected


def test_empty_names(command):
    assert "'': no such file" in command.fails(1, "encode", "")
    assert "empty name" in command.fails(2, "encode", "-o", "")
    assert command.names() == []


def test_standard_output_by_its_device(command):
    assert command.ok("encode", "-o", "/dev/stdout", stdin=b"x") == command.ok("encode", stdin=b"x")


def test_a_named_pipe_as_output(command):
    os.mkfifo(command.directory / "pipe")
    process = command.start("encode", "-o", "pipe")
    with (command.directory / "pipe").open("rb") as pipe:
        process.communicate(b"x", timeout=60)
        assert pipe.read() == command.ok("encode", stdin=b"x")
    assert command.names() == ["pipe"]


def test_nobody_listens_on_stderr(command):
    with FULL.open("wb") as full:
        process = command.start("encode", "nope", stderr=full)
        process.communicate(timeout=60)
    assert process.returncode == 1


def test_standard_streams_that_are_closed(command):
    message = command.fails(1, "encode", preexec_fn=lambda: os.close(1))
    assert "standard output: bad file descriptor" in message
    message = command.fails(1, "encode", preexec_fn=lambda: os.close(0))
    assert "standard input: bad file descriptor" in message


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["which command", "encode, decode, count, explain, info, bench"]),
        (["encod"], ["'encod'", "did you mean encode"]),
        (["zzz"], ["there are encode, decode"]),
        (["--nope"], ["--nope"]),
        (["decode", "a", "b"], ["b"]),
    ],
)
def test_usage(command, arguments, words):
    message = command.fails(2, *arguments)
    for word in words:
        assert word in message


def test_a_message_is_one_line_whatever_the_name(command):
    assert "a\\nb: no such file" in command.fails(1, "encode", "a\nb")


def test_in_process_the_signals_are_given_back(tmp_path, capfd):
    before = signal.getsignal(signal.SIGINT)
    assert run(["encode", str(tmp_path / "nope")]) == 1
    assert signal.getsignal(signal.SIGINT) is before
    assert "no such file" in capfd.readouterr().err


def test_help_needs_nothing_heavy(command):
    code = "import sys, tokstream.cli as c; c.run(['--help']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"numpy", "rich", "importlib.metadata", "tokstream.patterns", "asyncio"}
