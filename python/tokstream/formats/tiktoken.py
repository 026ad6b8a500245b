"""Rank files: lines of `base64 SP rank`, the format of OpenAI's, Llama 3's and Qwen's files.

Enters: a path, or the content as bytes.
Leaves: a `Vocabulary`; the rank of a token is its id. A rank file holds nothing else: neither the
pattern nor special tokens.
Held back: one line at a time.

Blank lines, CRLF, a byte-order mark and a missing last newline are accepted, as tiktoken does.
Refused, where tiktoken goes on: characters that are not base64 (it drops them, which gives other
tokens), numbers with a sign or underscores, a token or a rank given twice, missing bytes.
"""

from __future__ import annotations

import codecs
from binascii import a2b_base64
from itertools import chain
from typing import TYPE_CHECKING

from tokstream._checks import MAX_TOKEN_ID
from tokstream.errors import VocabularyError
from tokstream.formats.detect import HEAD_BYTES, RANK_FILE, UNKNOWN_TEXT, detect_content
from tokstream.formats.source import open_source
from tokstream.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokstream.formats.source import Source

__all__ = ["parse_ranks", "read_rank_file"]

_SHOWN = 60
_REMEDY = "get the file again, or correct the line"


def read_rank_file(source: Source) -> Vocabulary:
    """Read a rank file.

    Args:
        source: a path, or the content as a bytes-like object.

    Returns:
        The vocabulary; ids are the ranks, in increasing order, with the holes the file has.

    Raises:
        VocabularyError: another format (named), a damaged line (with its number), a token or
            rank given twice, or a missing single byte.
        OSError: the file cannot be read.

    Cost: O(bytes); about 0.2 s for 200,000 tokens.
    """
    file, path, label = open_source(source)
    with file:
        head = file.peek(HEAD_BYTES)
        found = detect_content(head[:HEAD_BYTES])
        if found not in (RANK_FILE, UNKNOWN_TEXT):
            if found.kind == "json":  # the rest tells which document it is
                file.read(len(head[:HEAD_BYTES]))
                found = detect_content(head[:HEAD_BYTES], file)
            remedy = found.remedy or "tokstream.load reads it"
            raise VocabularyError(f"{label} is {found.what}, not a rank file; {remedy}", path)
        ranks = parse_ranks(file, path, label)
    try:
        return Vocabulary.from_ranks(ranks)
    except VocabularyError as error:
        raise VocabularyError(f"{label}: {error}", path) from None


def parse_ranks(lines: Iterable[bytes], path: str | None, label: str) -> dict[bytes, int]:
    """Turn lines into a rank table; every token and every rank once.

    Raises:
        VocabularyError: a damaged line (with its number), or a token or rank given twice.
    """
    ranks: dict[bytes, int] = {}
    blank: list[int] = []
    lines = iter(lines)
    first = next(lines, b"").removeprefix(codecs.BOM_UTF8)
    for number, line in enumerate(chain((first,), lines), 1):
        try:
            text, digits = line.split()
            token = a2b_base64(text, strict_mode=True)
        except ValueError:
            if not line.strip():
                blank.append(number)
                continue
            raise VocabularyError(f"{label}:{number}: {_fault(line)}", path, number) from None
        if not digits.isdigit() or len(digits) > 10 or token in ranks:
            message = _fault(line)
            if token in ranks:
                earlier = _line_of(list(ranks).index(token), blank)
                message = (
                    f"token {token!r} was given on line {earlier} already, with rank "
                    f"{ranks[token]}; keep one of the two lines"
                )
            raise VocabularyError(f"{label}:{number}: {message}", path, number)
        ranks[token] = int(digits)
    if len(set(ranks.values())) != len(ranks) or max(ranks.values(), default=0) > MAX_TOKEN_ID:
        number, message = _rank_fault(ranks, blank)
        raise VocabularyError(f"{label}:{number}: {message}", path, number)
    return ranks


def _fault(line: bytes) -> str:
    """Say what is wrong with a line that is not `base64 SP rank`, and what to do."""
    shown = repr(line.strip()[:_SHOWN])[1:]
    if len(line.strip()) > _SHOWN:
        shown += "..."
    # a line without its end is the last one
    remedy = _REMEDY if line.endswith(b"\n") else "the file may be cut short; " + _REMEDY
    fields = line.split()
    if len(fields) == 1:
        return f"no rank after {shown}, expected `base64 rank`; {remedy}"
    if len(fields) > 2:
        if b"\r" in line.strip():
            return "lines end with a carriage return alone; convert them to line feeds"
        return f"{len(fields)} fields in {shown}, expected `base64 rank`; {remedy}"
    return _field_fault(fields[0], fields[1], shown, remedy)


def _field_fault(text: bytes, digits: bytes, shown: str, remedy: str) -> str:
    """Say what is wrong with one of the two fields of a line."""
    try:
        a2b_base64(text, strict_mode=True)
    except ValueError as error:
        return f"{shown} does not begin with valid base64 ({str(error).lower()}); {remedy}"
    rank = repr(digits[:_SHOWN])[1:]
    if digits[:1] == b"-" and digits[1:].isdigit():
        return f"rank {rank} is negative; ranks are 0..{MAX_TOKEN_ID}"
    if digits.isdigit():
        return f"rank {rank} is too large; ranks are 0..{MAX_TOKEN_ID}"
    return f"rank {rank} is not a whole number; {remedy}"


def _rank_fault(ranks: dict[bytes, int], blank: list[int]) -> tuple[int, str]:
    """Return line and message for the first rank that is too large or given twice."""
    owners: dict[int, tuple[int, bytes]] = {}
    for k, (token, rank) in enumerate(ranks.items()):
        number = _line_of(k, blank)
        if rank > MAX_TOKEN_ID:
            return number, f"rank {rank} is too large; ranks are 0..{MAX_TOKEN_ID}"
        if rank in owners:
            earlier, other = owners[rank]
            return number, (
                f"rank {rank} of token {token!r} belongs to token {other!r} on line {earlier} "
                f"already; {'the file may be cut short; ' if k + 1 == len(ranks) else ''}{_REMEDY}"
            )
        owners[rank] = (number, token)
    return 1, "the ranks are not sound"


def _line_of(k: int, blank: list[int]) -> int:
    """Return the 1-based line of the k-th entry, given the blank lines in order."""
    number = k + 1
    for line in blank:
        if line > number:
            break
        number += 1
    return number
