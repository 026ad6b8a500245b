"""Ctrl-C during a long call: it ends soon, with the ids so far, and leaves a stream failed."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")

_BEGIN = """
import os, signal, sys, threading, time
import tokstream
N_TRIES = 6  # other work on the machine delays the signal, or what follows it
signal.signal(signal.SIGINT, signal.default_int_handler)
tokenizer = tokstream.get_encoding("cl100k_base")
text = "".join(f"line {k} of a long text, with words and numbers like {k * k}\\n" for k in range(400_000))
plain = dict(disallowed_special=())
stream = tokenizer.stream(**plain)

def interrupted(call, share):
    # the seconds that `call` takes whole, those from the signal to its end, and its error
    for _ in range(N_TRIES):
        stream.reset()
        seconds = whole(call)
        stream.reset()
        timer = threading.Timer(seconds * share, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        begin = time.monotonic()
        ended = False
        try:
            call()
            ended = True
            while time.monotonic() - begin < 60:
                time.sleep(0.01)
        except KeyboardInterrupt as error:
            if not ended:
                return seconds, time.monotonic() - begin - seconds * share, error
    raise SystemExit("the call ended before the interrupt")

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
    "encode_array": "lambda: tokenizer.encode_array(long)",
    "encode_ordinary": "lambda: tokenizer.encode_ordinary(text)",
    "count": "lambda: tokenizer.count(long)",
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
long = text * 4 if "long" in {_CALLS[verb]!r} else None  # for what ends within some hundredths
array = bytearray(data) if "bytearray" in {verb!r} else None
accents = text.replace("words", "wörds") if "other" in {verb!r} else None
call = {_CALLS[verb]}
seen = []
for _ in range(N_TRIES):
    seconds, late, error = interrupted(call, 0.1)
    seen.append(f"{{late:.3f}} s behind the signal, of {{seconds:.3f}} s")
    if late < 0.5 * seconds + 0.02:
        print("soon")
        break
else:
    print(*seen, sep=", ")
"""
    assert _run(code) == "soon\n"


def test_the_ids_so_far_are_in_the_exception() -> None:
    out = _run("""
ids = tokenizer.encode(text)
call = lambda: tokenizer.encode(text)
_, _, error = interrupted(call, 0.25)
print(0 < len(error.ids) < len(ids), ids[:len(error.ids)] == error.ids)
""")
    assert out.split() == ["True", "True"]


def test_an_interrupted_stream_has_failed() -> None:
    out = _run("""
_, _, error = interrupted(lambda: stream.feed(text), 0.25)
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
while not seen:
    time.sleep(0.01)
print(len(seen))
""")
    assert out == "1\n"
