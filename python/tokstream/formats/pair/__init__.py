"""vocab.json and merges.txt: a byte-level BPE model in two files, a tokenizer of a known class out.

Enters: the two files, the settings beside them, perhaps the name of the class. Leaves: the
`TokenizerParts` of the tokenizer.json that `transformers` makes of them. The two files say neither
how text is split nor what stands around it: that is the recipe of the class, from `recipes`.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokstream.errors import UnsupportedTokenizerError, VocabularyError
from tokstream.formats.detect import HEAD_BYTES, detect_content, document_kind
from tokstream.formats.directory import VOCAB
from tokstream.formats.document import Node, parse_document
from tokstream.formats.huggingface import read_tokenizer_json
from tokstream.formats.huggingface.model import check_ids
from tokstream.formats.pair.merges import find_fault, read_merges
from tokstream.formats.pair.recipes import CLASSES, chosen_class, named_class
from tokstream.formats.pair.settings import read_settings
from tokstream.formats.pair.template import BYTE_LEVEL, post_processor
from tokstream.formats.pair.tokens import read_tokens
from tokstream.formats.source import open_source

if TYPE_CHECKING:
    from tokstream.formats.pair.recipes import Recipe
    from tokstream.formats.parts import AddedToken, TokenizerParts
    from tokstream.formats.source import Source

__all__ = ["Converted", "convert", "read_pair"]


@dataclass(frozen=True, slots=True)
class Converted:
    """The tokenizer.json of a vocabulary and its merges.

    Attributes:
        document: its content.
        tokenizer_class: the class whose recipe it is.
        eos: the text of the token that ends a text, None if there is none.
        digest: SHA-256 of all that it was made of.
        merges: content of the merge list, what it is called and its path; for messages.
    """

    document: Node
    tokenizer_class: str
    eos: str | None
    digest: bytes
    merges: tuple[bytes, str, str | None]


def read_pair(
    vocab: Source, merges: Source, tokenizer_class: str | None, name: str | None
) -> TokenizerParts:
    """Read a vocabulary and its merges.

    Args:
        vocab: vocab.json, as a path or its content.
        merges: merges.txt.
        tokenizer_class: the class whose recipe it is; None: the files beside the vocabulary say it.
        name: what to call the tokenizer; None: by a digest of its content.

    Raises:
        ConfigurationError: nothing says which class it is, or the argument is none that is known.
        VocabularyError: a damaged file; the message says at which line or JSON path.
        UnsupportedTokenizerError: a class whose recipe is not known, or something that cannot be
            honoured exactly.
        OSError: a file cannot be read.
    """
    converted = convert(vocab, merges, tokenizer_class)
    document = converted.document
    name = name if name is not None else f"tokenizer-{converted.digest.hex()[:12]}"
    try:
        parts = read_tokenizer_json(document, name)
    except (VocabularyError, UnsupportedTokenizerError):
        table = document.value["model"]["vocab"]
        fault = find_fault(converted.merges[0], table, *converted.merges[1:])
        if fault is None:
            raise
        raise fault from None
    origin: tuple[tuple[str, str] | bytes, bytes]
    if isinstance(vocab, bytes | bytearray | memoryview) or isinstance(
        merges, bytes | bytearray | memoryview
    ):
        content = json.dumps(document.value, ensure_ascii=False, separators=(",", ":")).encode()
        origin = content, hashlib.sha256(content).digest()
    else:
        files = str(Path(vocab).absolute()), str(Path(merges).absolute())
        origin = files, converted.digest
    return replace(
        parts,
        format=VOCAB,
        tokenizer_class=converted.tokenizer_class,
        eos=converted.eos if converted.eos in parts.special_tokens else None,
        origin=origin,
    )


def convert(vocab: Source, merges: Source, tokenizer_class: str | None) -> Converted:
    """Return the tokenizer.json; arguments and errors are those of `read_pair`.

    Cost: O(bytes); a tenth of a second for 50,000 tokens.
    """
    folder = None if isinstance(vocab, bytes | bytearray | memoryview) else Path(vocab).parent
    data, table = _read_vocab(vocab)
    settings = read_settings(folder)
    if tokenizer_class is None:
        tokenizer_class = chosen_class(settings, table.label)
    else:
        tokenizer_class = named_class(tokenizer_class)
    file, path, label = open_source(merges)
    with file:
        lines = file.read()
    pairs = read_merges(lines, label, path)
    recipe = CLASSES[tokenizer_class]
    roles, added = read_tokens(recipe, settings, table.value)
    small = _document(recipe, settings.config, roles, added)
    digest = hashlib.sha256(json.dumps(small).encode())
    for content in (data, lines):
        digest.update(hashlib.sha256(content).digest())
    small["model"] |= {"vocab": table.value, "merges": pairs}
    document = Node(small, "$", f"{table.label} (as a tokenizer.json)", table.path)
    eos = roles.get("eos_token")
    return Converted(document, tokenizer_class, eos, digest.digest(), (lines, label, path))


def _read_vocab(source: Source) -> tuple[bytes, Node]:
    file, path, label = open_source(source)
    with file:
        data = file.read()
    found = detect_content(data[:HEAD_BYTES])
    if found.kind != "json":
        raise VocabularyError(
            f"{label} is {found.what}, not the vocabulary that belongs to a merge list; give the "
            f"path of {VOCAB}",
            path,
        )
    table = parse_document(data, label, path)
    found = document_kind(table.value)
    if found.kind not in (VOCAB, "json"):
        raise VocabularyError(
            f"{label} is {found.what}, not the vocabulary that belongs to a merge list; "
            f"{found.remedy or 'load it without merges and tokenizer_class'}",
            path,
        )
    tokens = table.members()
    if not tokens:
        raise table.wrong("has no tokens")
    check_ids(table, list(tokens), list(tokens.values()))
    return data, table


def _document(
    recipe: Recipe, config: Node | None, roles: dict[str, str | None], added: list[AddedToken]
) -> dict[str, Any]:
    """Return the tokenizer.json without vocabulary and merges."""
    has_prefix = config is not None and config.flag("add_prefix_space", default=False)
    if config is not None and config.flag("split_special_tokens", default=False):
        raise config["split_special_tokens"].unsupported(
            "split_special_tokens",
            "it is asked for in each call: allowed_special=(), disallowed_special=(); take it out",
        )
    ids = {token.content: token.id for token in added}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [token._asdict() for token in added],
        "normalizer": None if recipe.normalizer is None else {"type": recipe.normalizer},
        "pre_tokenizer": recipe.pre_tokenizer(add_prefix_space=has_prefix),
        "post_processor": post_processor(recipe, config, roles, ids),
        "decoder": BYTE_LEVEL,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": "",
            "end_of_word_suffix": "",
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
        },
    }
