"""Ctrl-C during a long call: it ends soon, with the ids so far, and leaves a stream failed."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")

_BEGIN = """
import os, signal, sys, threading, time
import tokstream
signal.signal(signal.SIGINT, signal.default_int_handler)
tokenizer = tokstream.get_encoding("cl100k_base")
text = "".join(f"line {k} of a long text, with words and numbers like {k * k}\\n" for k in range(400_000))
plain = dict(disallowed_special=())
stream = tokenizer.stream(**plain)

def interrupted(call, after):
    timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    try:
        call()
        while time.monotonic() - begin < 5:
            time.sleep(0.01)
        raise SystemExit("the call ended before the interrupt")
    except KeyboardInterrupt as error:
        return time.monotonic() - begin - after, error

def whole(call):
    begin = time.monotonic()
    call()
    return time.monotonic() - begin
"""

# One call each; some tenths of a second to seconds without an interrupt.
_CALLS = {
    "encode": "lambda: tokenizer.encode(text)",
    "encode of bytes": "lambda: tokenizer.encode(data)",
    "encode of a bytearray": "lambda: tokenizer.encode(array)",
    "encode of other characters": "lambda: tokenizer.encode(accents)",
    "encode_array": "lambda: tokenizer.encode_array(text)",
    "encode_ordinary": "lambda: tokenizer.encode_ordinary(text)",
    "count": "lambda: tokenizer.count(text)",
    "feed": "lambda: stream.feed(text)",
    "advance": "lambda: stream.advance(data)",
    "encode_batch": "lambda: tokenizer.encode_batch_array([text[:1 << 20]] * 40, num_threads=1)",
    "encode_iter": "lambda: [len(ids) for ids in tokenizer.encode_iter(text)]",
    "truncate": "lambda: tokenizer.truncate(text, 10**7, side='left')",
}


def _run(code: str) -> str:
    command = [sys.executable, "-c", _BEGIN + code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-1500:]
    return done.stdout


@pytest.mark.parametrize("verb", _CALLS)
def test_a_long_call_ends_soon(verb: str) -> None:
    code = f"""
data = text.encode()
array = bytearray(data) if "bytearray" in {verb!r} else None
accents = text.replace("words", "wörds") if "other" in {verb!r} else None
call = {_CALLS[verb]}
seconds = whole(call)
stream.reset()
late, error = interrupted(call, seconds / 10)
print(seconds, late)
"""
    seconds, late = map(float, _run(code).split())
    assert late < 0.5 * seconds + 0.02, f"{late:.3f} s behind the signal, of {seconds:.3f} s"


def test_the_ids_so_far_are_in_the_exception() -> None:
    out = _run("""
ids = tokenizer.encode(text)
call = lambda: tokenizer.encode(text)
late, error = interrupted(call, whole(call) / 4)
print(0 < len(error.ids) < len(ids), ids[:len(error.ids)] == error.ids)
""")
    assert out.split() == ["True", "True"]


def test_an_interrupted_stream_has_failed() -> None:
    out = _run("""
seconds = whole(lambda: stream.feed(text))
stream.reset()
late, error = interrupted(lambda: stream.feed(text), seconds / 4)
ids = tokenizer.encode(text)
assert ids[:len(error.ids)] == error.ids and error.ids
assert stream.n_tokens == len(error.ids)
assert 0 < stream.n_bytes < len(text)
for call in (lambda: stream.feed("x"), stream.finish, stream.peek):
    try:
        call()
        raise SystemExit("no error")
    except tokstream.StreamError as again:
        assert "interrupted" in str(again) and "reset" in str(again), again
stream.reset()
assert stream.feed("hello world") + stream.finish() == [15339, 1917]
print("fine")
""")
    assert out == "fine\n"


def test_a_handler_that_does_not_raise_changes_nothing() -> None:
    out = _run("""
seen = []
signal.signal(signal.SIGINT, lambda *_: seen.append(1))
expected = tokenizer.encode(text)
threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
assert tokenizer.encode(text) == expected
time.sleep(0.2)
print(len(seen))
""")
    assert out == "1\n"
