"""Send long documents through the command, with tokenizers for which a document is one pretoken.

Enters: tokenizers (files or directories), a text. Leaves: a line for each: peak resident memory for
a short and a long pipe, the longest delay of a stream in chunks of 4 KB, and whether the ids are
those of one call, and of the reference for as much of the text as it is given; exit code 1 if any
is not.

    python scripts/check_pipes.py TEXT TOKENIZER [TOKENIZER ...] [--mebibytes N]
                                  [--reference-bytes N]

The text is repeated to the length. Prepared files are used: the first run of a tokenizer makes its
tables, and its peak would be that of making them.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import threading
from array import array
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(_ROOT / "benchmarks" / "engines"))

import tokstream  # noqa: E402 - below the line above

_PEAKS = _ROOT / "benchmarks" / "engines" / "peaks.py"
_CHUNK = 1 << 12


def through_the_command(path: Path, text: bytes) -> tuple[float, array[int]]:
    """Return the peak in MiB and the ids of the command."""
    command = [sys.executable, str(_PEAKS), "encode", "-", "--vocab", str(path)]
    command += ["--format", "u32", "--quiet", "--special-text", "plain"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None

        def feed() -> None:
            with process.stdin:  # type: ignore[union-attr]
                process.stdin.write(text)  # type: ignore[union-attr]

        threading.Thread(target=feed, daemon=True).start()
        ids = array("I", process.stdout.read())
        said = process.stderr.read().decode()
    if process.returncode:
        sys.exit(f"{path}: {said}")
    return int(said.split()[-1]) / (1 << 20), ids


def longest_delay(tokenizer: tokstream.Tokenizer, text: bytes) -> int:
    """Return the most bytes that a stream was behind."""
    longest = 0
    with tokenizer.stream(allowed_special=(), disallowed_special=()) as stream:
        for at in range(0, len(text), _CHUNK):
            stream.advance(text[at : at + _CHUNK])
            longest = max(longest, stream.delay_bytes)
        stream.finish()
    return longest


def ids_of_reference(path: Path, text: str) -> list[int] | None:
    """Return the ids of the library that the format comes from, None if it is not installed."""
    try:
        if path.name.endswith(".json"):
            from tokenizers import Tokenizer  # noqa: PLC0415 - optional

            reference = Tokenizer.from_file(str(path))
            return list(reference.encode(text, add_special_tokens=False).ids)
        from sentencepiece import SentencePieceProcessor  # noqa: PLC0415 - optional

        model = SentencePieceProcessor(model_file=str(path))
        return list(model.encode(text))
    except ImportError:
        return None


def main() -> int:
    """Run the command; return its exit code."""
    lines = (__doc__ or "").splitlines()
    parser = argparse.ArgumentParser(description=lines[0])
    parser.add_argument("text", type=Path)
    parser.add_argument("tokenizers", type=Path, nargs="+")
    parser.add_argument("--mebibytes", type=int, default=64, help="length of the long pipe")
    parser.add_argument("--reference-bytes", type=int, default=4_000_000)
    job = parser.parse_args()
    whole = job.text.read_text("utf-8").replace("<|endoftext|>", "\n")
    size = job.mebibytes << 20
    text = (whole.encode() * (size // len(whole) + 1))[:size].decode(errors="ignore").encode()
    beginning = text[: job.reference_bytes].decode(errors="ignore")
    is_right = True
    for path in job.tokenizers:
        tokenizer = tokstream.load(path)
        expected = tokenizer.encode_ordinary(text)
        short_peak, _ = through_the_command(path, text[: size // 64])
        peak, ids = through_the_command(path, text)
        found = {"one call": ids.tolist() == expected}
        reference = ids_of_reference(path, beginning)
        if reference is not None:
            found["reference"] = tokenizer.encode_ordinary(beginning) == reference
        is_right &= all(found.values())
        words = ", ".join(f"{name} {'equal' if same else 'OTHER'}" for name, same in found.items())
        print(
            f"{path}: {short_peak:.1f} MiB for {size >> 26} MiB, {peak:.1f} MiB for "
            f"{size >> 20} MiB, delay at most {longest_delay(tokenizer, text)} bytes, {words}",
            flush=True,
        )
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
