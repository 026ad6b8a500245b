"""The reference implementation of each tokenizer in a folder, behind one face.

Enters: a folder with one folder per tokenizer. Leaves: `Reference`s: what the reference encodes and
decodes, and how tokstream loads the same file.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

import tiktoken
from tiktoken.load import load_tiktoken_bpe

import tokstream
from data import OPEN_RANK_FILES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from tokstream import Tokenizer

__all__ = ["Reference", "references"]


@dataclass(frozen=True)
class Reference:
    """A tokenizer of the reference.

    Attributes:
        name: folder and file.
        what: the reference's name and version.
        load: how tokstream loads it.
        encode: text to ids, as the reference does it by default but without a template.
        decode: ids to text, special tokens kept.
        added: texts of its special and other added tokens.
        ids: all ids.
    """

    name: str
    what: str
    load: Callable[[], Tokenizer]
    encode: Callable[[str], list[int]]
    decode: Callable[[list[int]], str]
    added: Sequence[str]
    ids: Sequence[int]


def references(folder: Path, names: Sequence[str] = ()) -> Iterator[Reference]:
    """Yield the reference of every tokenizer, or of some, that lie in folders of `folder`."""
    for path in sorted(folder.glob("*/*")):
        name = f"{path.parent.name}/{path.name}"
        if names and name not in names:
            continue
        if path.name == "tokenizer.json":
            yield hugging_face(path, name)
        elif path.name.startswith("tekken"):
            yield tekken(path, name)
        elif path.suffix == ".tiktoken" or path.name.startswith("tokenizer.model"):
            if path.read_bytes()[:1] == b"\n":
                yield sentencepiece(path, name)
            elif path.parent.name in OPEN_RANK_FILES:
                yield rank_file(path, name)


def hugging_face(path: Path, name: str) -> Reference:
    """A tokenizer.json."""
    from tokenizers import Tokenizer as HuggingFace  # noqa: PLC0415 - heavy

    reference = HuggingFace.from_file(str(path))
    return Reference(
        name,
        f"tokenizers {version('tokenizers')}",
        lambda: tokstream.load(path),
        lambda text: reference.encode(text, add_special_tokens=False).ids,
        lambda ids: reference.decode(ids, skip_special_tokens=False),
        [token.content for token in reference.get_added_tokens_decoder().values()],
        sorted(reference.get_vocab(with_added_tokens=True).values()),
    )


def sentencepiece(path: Path, name: str) -> Reference:
    """A SentencePiece model."""
    from sentencepiece import SentencePieceProcessor  # noqa: PLC0415 - heavy

    reference = SentencePieceProcessor(model_file=str(path))
    n_ids = reference.vocab_size()
    added = [
        reference.id_to_piece(k)
        for k in range(n_ids)
        if reference.is_control(k) or reference.is_unknown(k)
    ][:40]
    added += [piece for k in range(n_ids) if "DOC" in (piece := reference.id_to_piece(k))]
    return Reference(
        name,
        f"sentencepiece {version('sentencepiece')}",
        lambda: tokstream.load(path),
        reference.encode,
        reference.decode,
        added,
        range(n_ids),
    )


def tekken(path: Path, name: str) -> Reference:
    """A tekken.json; its own package hands the text to tiktoken and shifts the ids."""
    data = json.loads(path.read_text(encoding="utf-8"))
    config = data["config"]
    n_special = config["default_num_special_tokens"]
    n_ranks = config["default_vocab_size"] - n_special
    ranks = {base64.b64decode(t["token_bytes"]): t["rank"] for t in data["vocab"][:n_ranks]}
    reference = tiktoken.Encoding(
        "tekken", pat_str=config["pattern"], mergeable_ranks=ranks, special_tokens={}
    )
    return Reference(
        name,
        f"tiktoken {version('tiktoken')}",
        lambda: tokstream.load(path),
        lambda text: [k + n_special for k in reference.encode_ordinary(text)],
        lambda ids: reference.decode([k - n_special for k in ids]),
        ["<s>", "</s>", "[INST]", "[/INST]", "<unk>"],
        range(n_special, n_special + n_ranks),
    )


def rank_file(path: Path, name: str) -> Reference:
    """A rank file with the pattern of its model."""
    pattern = OPEN_RANK_FILES[path.parent.name].pattern
    ranks = load_tiktoken_bpe(str(path))
    reference = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return Reference(
        name,
        f"tiktoken {version('tiktoken')}",
        lambda: tokstream.load(path, pattern=pattern),
        reference.encode_ordinary,
        reference.decode,
        [],
        sorted(ranks.values()),
    )
