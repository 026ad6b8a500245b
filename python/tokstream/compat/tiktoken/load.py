"""Rank files: `load_tiktoken_bpe` and its kin, for code and plug-ins that build encodings.

Enters: a path or an address. Leaves: token bytes to rank.
Held back: what was fetched, in the folder that TIKTOKEN_CACHE_DIR names, as tiktoken does.

OpenAI's rank files are embedded, so nothing is fetched for them. A file that is damaged is refused
with its line, also where tiktoken reads on.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import os
from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tokstream._buffers import plain_if_text
from tokstream.encodings import registry, vocabulary
from tokstream.errors import MissingDependencyError, VocabularyError
from tokstream.formats import alphabet
from tokstream.formats.tiktoken import parse_ranks

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "check_hash",
    "data_gym_to_mergeable_bpe_ranks",
    "dump_tiktoken_bpe",
    "load_tiktoken_bpe",
    "read_file",
    "read_file_cached",
]

_OPENAI = "https://openaipublic.blob.core.windows.net/encodings/"
_CACHE_VARIABLES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")


def load_tiktoken_bpe(tiktoken_bpe_file: str, expected_hash: str | None = None) -> dict[bytes, int]:
    """Return the rank table of a rank file.

    Args:
        tiktoken_bpe_file: a path, or an address that `read_file` reads. For the address or the
            hash of one of OpenAI's files the embedded table is returned and nothing is fetched.
        expected_hash: the file's sha256, in hex.

    Raises:
        VocabularyError: a `ValueError`: a damaged line (with its number), or another hash.
        OSError: the file cannot be read.
    """
    tiktoken_bpe_file = plain_if_text(tiktoken_bpe_file)
    if (name := _embedded(str(tiktoken_bpe_file), expected_hash)) is not None:
        return vocabulary(name).to_ranks()
    contents = read_file_cached(tiktoken_bpe_file, expected_hash)
    lines = contents.splitlines(keepends=True)
    return parse_ranks(lines, str(tiktoken_bpe_file), str(tiktoken_bpe_file))


def dump_tiktoken_bpe(bpe_ranks: Mapping[bytes, int], tiktoken_bpe_file: str) -> None:
    """Write a rank table as a rank file, in order of rank; addresses need `blobfile`."""
    lines = [
        b64encode(token) + b" %d\n" % rank
        for token, rank in sorted(bpe_ranks.items(), key=lambda entry: entry[1])
    ]
    tiktoken_bpe_file = plain_if_text(tiktoken_bpe_file)
    if "://" not in str(tiktoken_bpe_file):
        Path(tiktoken_bpe_file).write_bytes(b"".join(lines))
        return
    with _blobfile().BlobFile(tiktoken_bpe_file, "wb") as file:
        file.write(b"".join(lines))


def data_gym_to_mergeable_bpe_ranks(
    vocab_bpe_file: str,
    encoder_json_file: str,
    vocab_bpe_hash: str | None = None,
    encoder_json_hash: str | None = None,
    clobber_one_byte_tokens: bool = False,
) -> dict[bytes, int]:
    """Return the rank table of a merge list and a vocabulary in GPT-2's format.

    Args:
        vocab_bpe_file: a path or an address; lines of two parts, after a line of version.
        encoder_json_file: a path or an address; token to id, against which the table is checked.
        vocab_bpe_hash: sha256, in hex.
        encoder_json_hash: sha256, in hex.
        clobber_one_byte_tokens: take the ranks of single bytes from the vocabulary.

    Raises:
        VocabularyError: a `ValueError`: a damaged file, another hash, or files that do not agree.
    """
    vocab_bpe_file, encoder_json_file = (
        plain_if_text(vocab_bpe_file),
        plain_if_text(encoder_json_file),
    )

    def bytes_of(text: str) -> bytes:
        if (spelled := alphabet.bytes_of(text)) is not None:
            return spelled
        raise VocabularyError(
            f"{text!r} in {vocab_bpe_file} or {encoder_json_file} is not in GPT-2's alphabet of "
            "bytes; get the files again"
        )

    in_order = sorted(range(256), key=alphabet.CHARACTER_OF.__getitem__)
    ranks = {bytes((byte,)): rank for rank, byte in enumerate(in_order)}
    merges = read_file_cached(vocab_bpe_file, vocab_bpe_hash).decode().split("\n")[1:-1]
    for number, line in enumerate(merges, 2):
        first, separator, second = line.partition(" ")
        if not separator:
            raise VocabularyError(
                f"{vocab_bpe_file}:{number}: {line!r} is not two parts; get the file again",
                str(vocab_bpe_file),
                number,
            )
        ranks[bytes_of(first) + bytes_of(second)] = len(ranks)
    encoder = json.loads(read_file_cached(encoder_json_file, encoder_json_hash))
    expected = {bytes_of(token): rank for token, rank in cast("dict[str, int]", encoder).items()}
    for special in (b"<|endoftext|>", b"<|startoftext|>"):
        expected.pop(special, None)
    if clobber_one_byte_tokens:
        ranks |= {token: rank for token, rank in expected.items() if len(token) == 1}
    if ranks != expected:
        raise VocabularyError(
            f"{vocab_bpe_file} gives {len(ranks)} tokens that are not those of {encoder_json_file} "
            f"({len(expected)}); use the two files of one model"
        )
    return ranks


def read_file(blobpath: str) -> bytes:
    """Return the content of a path, of an http(s) address, or of what `blobfile` reads."""
    blobpath = plain_if_text(blobpath)
    if "://" not in str(blobpath):
        return Path(blobpath).read_bytes()
    if blobpath.startswith(("http://", "https://")):
        from urllib.request import urlopen  # noqa: PLC0415 - heavy, and seldom

        with urlopen(blobpath) as response:  # noqa: S310 - http and https only
            return cast("bytes", response.read())
    return cast("bytes", _blobfile().read_bytes(blobpath))


def read_file_cached(blobpath: str, expected_hash: str | None = None) -> bytes:
    """Do as `read_file`; what is fetched is kept in the folder that TIKTOKEN_CACHE_DIR names.

    File names in that folder are tiktoken's, so that both share it. Without the variable nothing is
    kept, and paths are always read in place.

    Raises:
        VocabularyError: a `ValueError`: the content does not have the expected hash.
    """
    blobpath = plain_if_text(blobpath)
    folder = next((os.environ[name] for name in _CACHE_VARIABLES if name in os.environ), "")
    if not folder or "://" not in str(blobpath):
        return _checked(read_file(blobpath), blobpath, expected_hash)
    path = Path(folder) / hashlib.sha1(blobpath.encode(), usedforsecurity=False).hexdigest()
    with contextlib.suppress(FileNotFoundError, PermissionError):
        data = path.read_bytes()
        if expected_hash is None or check_hash(data, expected_hash):
            return data
    data = _checked(read_file(blobpath), blobpath, expected_hash)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.urandom(8).hex()}.part")
    try:
        with temporary.open("xb") as file:  # for others to read, too, if the umask lets them
            file.write(data)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return data


def check_hash(data: bytes, expected_hash: str) -> bool:
    """Tell whether data has a sha256, given in hex."""
    return hashlib.sha256(data).hexdigest() == expected_hash


def _checked(data: bytes, blobpath: str, expected_hash: str | None) -> bytes:
    if expected_hash and not check_hash(data, expected_hash):
        raise VocabularyError(
            f"{blobpath} does not have the sha256 {expected_hash}; get it again, or correct the "
            "hash",
            str(blobpath),
        )
    return data


def _embedded(blobpath: str, expected_hash: str | None) -> str | None:
    """Return the name of the embedded vocabulary that a file of this address and hash holds."""
    for name, sha256 in registry.RANK_FILE_SHA256.items():
        if expected_hash == sha256 and "://" in blobpath:
            return name
        if expected_hash is None and blobpath == f"{_OPENAI}{name}.tiktoken":
            return name
    return None


def _blobfile() -> Any:  # noqa: ANN401 - a module without types
    try:
        return importlib.import_module("blobfile")
    except ImportError as error:
        raise MissingDependencyError(
            "addresses other than http and https are read by blobfile; pip install blobfile"
        ) from error
