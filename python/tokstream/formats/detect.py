"""What a vocabulary file is, told by its content; a file's name is never trusted.

Enters: the first bytes of a file, and the rest of it only where a JSON document must be told
from another.
Leaves: a `Detected`: the kind, how to call it in a sentence, and the remedy if it cannot be read.
Held back: nothing.
"""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import BinaryIO

__all__ = [
    "HEAD_BYTES",
    "RANK_FILE",
    "UNKNOWN_TEXT",
    "Detected",
    "detect_content",
    "document_kind",
]

HEAD_BYTES = 4096
"""How much of a file is looked at first."""

_MAX_JSON_BYTES = 1 << 28

_READS = (
    "tokstream reads tokenizer.json, tekken.json, SentencePiece models and rank files (lines of "
    "base64 and rank, usually *.tiktoken); give one of the same tokenizer"
)

_PAIR = (
    "it goes with another file: give the directory that holds vocab.json and merges.txt, or both "
    'files as tokstream.load(vocab, merges=merges, tokenizer_class="...")'
)


@dataclass(frozen=True, slots=True)
class Detected:
    """A kind of file.

    Attributes:
        kind: a short fixed name, such as "rank-file" or "tokenizer.json".
        what: the same for a sentence, with details such as the model type.
        remedy: what to do instead; empty if the kind can be read.
    """

    kind: str
    what: str
    remedy: str = ""


RANK_FILE = Detected("rank-file", "a rank file")
UNKNOWN_TEXT = Detected("text", "text of no known vocabulary format", _READS)

_RANK_LINE = re.compile(rb"\s*[A-Za-z0-9+/]*={0,2}[ \t]+[0-9]+[ \t\r]*(\n|\Z)")
_TEXT_CONTROLS = frozenset(b"\t\n\v\f\r")
_ASCII = "a rank file is ASCII; save it as UTF-8"

_SIGNATURES = tuple(
    (re.compile(signature, re.DOTALL | re.IGNORECASE), Detected(kind, what, remedy))
    for signature, kind, what, remedy in (
        (rb"\s*\Z", "empty", "empty", "it may have been cut short; get the file again"),
        (rb"\x1f\x8b", "gzip", "gzip data", "decompress it first (gunzip)"),
        (rb"\xfd7zXZ\x00", "xz", "xz data", "decompress it first (unxz)"),
        (rb"\x28\xb5\x2f\xfd", "zstd", "zstd data", "decompress it first (unzstd)"),
        (rb"BZh[1-9]", "bzip2", "bzip2 data", "decompress it first (bunzip2)"),
        (rb"PK\x03\x04", "zip", "zip data", "unpack it and give the vocabulary file inside"),
        (rb"\xff\xfe\0\0|\0\0\xfe\xff", "utf-32", "UTF-32 text", _ASCII),
        # with a byte-order mark, or ASCII with every second byte zero
        (
            rb"\xff\xfe|\xfe\xff|([\t-~]\0){2,32}|(\0[\t-~]){2,32}",
            "utf-16",
            "UTF-16 text",
            _ASCII,
        ),
        (
            rb"version https://git-lfs",
            "git-lfs",
            "a Git LFS pointer, not the file itself",
            "get the content with `git lfs pull`",
        ),
        (
            rb"\s*<(!doctype|html|\?xml|error)",
            "markup",
            "a web page or an error document",
            "the download failed; get the file again",
        ),
        (rb"#version", "merges.txt", "a merge list (merges.txt, vocab.bpe)", _PAIR),
        (rb"GGUF", "gguf", "a GGUF model", _READS),
        (rb".{4}\0{4}\{", "safetensors", "a safetensors file (weights)", _READS),
    )
)
_SENTENCEPIECE = Detected("sentencepiece", "a SentencePiece model")
_JSON = Detected("json", "a JSON document")
_BINARY = Detected("binary", "binary data of no known vocabulary format", _READS)


def detect_content(head: bytes, rest: BinaryIO | None = None) -> Detected:
    """Say what a file is.

    Args:
        head: its first bytes, `HEAD_BYTES` of them or the whole file.
        rest: where to read what follows `head`; without it, a JSON document is only called so.

    Cost: O(head); for a JSON document, one parse of the whole.
    """
    text = head.removeprefix(codecs.BOM_UTF8)
    if _RANK_LINE.match(text):
        return RANK_FILE
    if _is_sentencepiece(head):
        return _SENTENCEPIECE
    for signature, detected in _SIGNATURES:
        if signature.match(head):
            return detected
    if text.lstrip()[:1] in {b"{", b"["}:
        return _JSON if rest is None else _json_kind(text + rest.read(_MAX_JSON_BYTES))
    if any(byte < 32 and byte not in _TEXT_CONTROLS for byte in head):
        return _BINARY
    return UNKNOWN_TEXT


def _json_kind(data: bytes) -> Detected:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        return Detected("json", f"JSON that cannot be parsed ({error})", _READS)
    return document_kind(document)


def document_kind(document: object) -> Detected:
    """Say what a parsed JSON document is."""
    kind, what, remedy = "json", "a JSON document of no known vocabulary format", _READS
    if isinstance(document, dict):
        model = document.get("model")
        if isinstance(model, dict) and "vocab" in model:
            # old files leave the type out; their content says it
            model_type = model.get("type") or ("BPE" if "merges" in model else "unknown")
            kind, remedy = "tokenizer.json", ""
            what = f"a Hugging Face tokenizer.json (model type {model_type})"
            if model_type != "BPE":
                remedy = "tokstream is for byte-pair encoding; use the `tokenizers` package"
        elif isinstance(document.get("config"), dict) and isinstance(document.get("vocab"), list):
            kind, what, remedy = "tekken.json", "a tekken.json (Mistral)", ""
        elif "tokenizer_class" in document or "added_tokens_decoder" in document:
            kind = "tokenizer_config.json"
            what = "a tokenizer_config.json, which holds settings but no vocabulary"
            remedy = "give the directory it is in, or the vocabulary file beside it"
        elif document and all(type(value) is int for value in document.values()):
            kind = "vocab.json"
            what = "a vocabulary in JSON (vocab.json, encoder.json), which has no merge ranks"
            remedy = _PAIR
    return Detected(kind, what, remedy)


def _is_sentencepiece(head: bytes) -> bool:
    # protobuf: message 1 (a piece) { string 1 = text; float 2 = score; ... }, again and again
    if len(head) < 6 or head[0] != 0x0A or head[2] != 0x0A or head[1] >= 0x80:
        return False
    end = 4 + head[3]
    return head[end : end + 1] == b"\x15"
