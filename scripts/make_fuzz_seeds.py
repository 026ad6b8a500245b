"""Make the files of `fuzz/seeds`: compiled patterns and small vocabularies for the fuzz targets.

Enters: the patterns below and the embedded vocabularies. Leaves: `NAME.automaton` (the form that
the core reads) and `NAME.tokens` (one token per line, in hexadecimal, in merge-rank order).

    python scripts/make_fuzz_seeds.py           # write
    python scripts/make_fuzz_seeds.py --check   # change nothing; exit code 1 if a file differs
"""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path

from tokstream.encodings import registry
from tokstream.patterns import compile_pattern

SEEDS = Path(__file__).resolve().parents[1] / "fuzz" / "seeds"

PATTERNS = {
    "gpt2": registry.spec("gpt2").pattern,
    "cl100k": registry.spec("cl100k_base").pattern,
    "o200k": registry.spec("o200k_base").pattern,
    # one pretoken for all: everything is live until the end
    "whole": r"[\s\S]+",
    # a line break claims all blanks before it, however far back
    "blanks": r"\s*\n|\s+|\S+",
    # unbounded lookback: whether a c comes decides about everything before it
    "pairs": r"(?:aa|bb)*c|a|b|c|[^abc]+",
    # the same with two ways to go on
    "lookback": r"a(?:[ab]*c)?|(?:ba)*b1|[\s\S]",
    # the character behind decides
    # many ends become certain at once
    "late": r"a*b|[\s\S]",
    # a first match that stalls, and another inside it
    "stall": r"abc*1|bc*x*2|[\s\S]",
    "lookahead": r"\s+(?!\S)|a+(?=b)|a|\S\s?|\s",
}


def vocabularies() -> dict[str, list[bytes]]:
    """Build every vocabulary: tokens in merge-rank order, all 256 bytes among them."""
    single = [bytes((byte,)) for byte in range(256)]
    runs = [b"a" * n for n in (2, 4, 8, 16, 3, 5)]
    runs += [b" " * n for n in (2, 4, 8, 3, 16, 5)]
    runs += [b"\n\n", b"\r\n", b"\n\n\n\n", b" \n", b" a", b"  a"]
    # tokens that cross, tokens inside characters, tokens that merging never produces
    spellings = [b"ab", b"bc", b"abc", b"ca", b"aba", b"cab", b"abcab", b"bcbc", b"bcabc"]
    spellings += ["é".encode(), b"\xa9a", b"a\xc3", b"\xe6\xbc", "漢".encode(), "漢字".encode()]
    spellings += [b"<a", b">a", b"<|", b"'s", b" '", b"xyz", b"1 2 1", b"acb"]
    return {
        "english": list(islice(registry.vocabulary("cl100k_base").tokens(), 768)),
        "runs": single + runs,
        "spellings": single + spellings,
    }


def files() -> dict[str, bytes]:
    """Build every file's content by name."""
    content = {
        f"{name}.automaton": compile_pattern(pattern).to_bytes()
        for name, pattern in PATTERNS.items()
    }
    for name, tokens in vocabularies().items():
        content[f"{name}.tokens"] = "".join(f"{token.hex()}\n" for token in tokens).encode()
    return content


def main() -> int:
    """Write or check; return the exit code."""
    check = "--check" in sys.argv[1:]
    differing = 0
    for name, content in files().items():
        path = SEEDS / name
        if path.exists() and path.read_bytes() == content:
            continue
        differing += 1
        print(f"{name}: {'differs' if check else 'written'}")
        if not check:
            path.write_bytes(content)
    return 1 if check and differing else 0


if __name__ == "__main__":
    sys.exit(main())
