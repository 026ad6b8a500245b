"""Engines by name: files of a tokenizer come in, functions that encode a text go out.

Each engine gets the file it likes best and the fastest of its verbs; special tokens are plain text,
of which the texts have none. An engine whose package is not installed cannot be loaded.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harness import Ids

__all__ = ["ENGINES", "Engine", "load", "version_of"]


@dataclass(frozen=True)
class Engine:
    """What is measured of an engine.

    Attributes:
        encode: text to ids, in the form that costs least: an array where there is one.
        as_list: text to a list of ids.
        batch: texts and a number of threads to the ids of each.
        first_id: what to subtract from ids before they are compared.
    """

    encode: Callable[[str], Ids]
    as_list: Callable[[str], list[int]] | None = None
    batch: Callable[[list[str], int], Sequence[Any]] | None = None
    first_id: int = 0


def load(engine: str, files: dict[str, Any]) -> Engine:
    """Load a tokenizer; `files` are those of `models.Files`.

    Raises:
        NotImplementedError: the engine cannot read the format.
        ImportError: the package is not installed.
    """
    return ENGINES[engine](files)


def tokstream(files: dict[str, Any]) -> Engine:
    """Give ours."""
    import tokstream as package  # noqa: PLC0415 - one engine a process

    kind = files["kind"]
    if kind == "embedded":
        tokenizer = package.get_encoding(files["name"])
    elif kind == "ranks":
        tokenizer = package.load(files["native"], pattern=files["pattern"])
    else:
        tokenizer = package.load(files["native"])
    if kind == "json":  # the reference recognises special tokens there
        return Engine(
            tokenizer.encode_array,
            tokenizer.encode,
            lambda texts, n: tokenizer.encode_batch_array(texts, num_threads=n),
        )

    def batch(texts: list[str], n_threads: int) -> Sequence[Any]:
        return tokenizer.encode_batch_array(texts, num_threads=n_threads, disallowed_special=())

    first_id = files["first_id"]
    return Engine(tokenizer.encode_ordinary_array, tokenizer.encode_ordinary, batch, first_id)


def tiktoken(files: dict[str, Any]) -> Engine:
    """Give the reference of rank files."""
    import tiktoken as package  # noqa: PLC0415 - one engine a process
    from tiktoken.load import load_tiktoken_bpe  # noqa: PLC0415

    os.environ["TIKTOKEN_CACHE_DIR"] = files["tiktoken_cache"]
    if files["kind"] == "embedded":
        encoding = package.get_encoding(files["name"])
    elif files["kind"] in ("ranks", "tekken"):
        ranks = load_tiktoken_bpe(files["native"]) if files["kind"] == "ranks" else tekken(files)
        encoding = package.Encoding(
            files["name"], pat_str=files["pattern"], mergeable_ranks=ranks, special_tokens={}
        )
    else:
        raise NotImplementedError("tiktoken reads rank files")
    return Engine(
        lambda text: encoding.encode_to_numpy(text, disallowed_special=()),
        encoding.encode_ordinary,
        lambda texts, n: encoding.encode_ordinary_batch(texts, num_threads=n),
    )


def tekken(files: dict[str, Any]) -> dict[bytes, int]:
    """Read the ranks of a tekken.json."""
    import base64  # noqa: PLC0415 - one engine a process
    import json  # noqa: PLC0415
    from pathlib import Path  # noqa: PLC0415

    content = json.loads(Path(files["native"]).read_bytes())
    config = content["config"]
    n_tokens = config["default_vocab_size"] - config["default_num_special_tokens"]
    return {base64.b64decode(t["token_bytes"]): t["rank"] for t in content["vocab"][:n_tokens]}


def tokenizers(files: dict[str, Any]) -> Engine:
    """Give Hugging Face tokenizers, which always makes an object with offsets."""
    from tokenizers import Tokenizer  # noqa: PLC0415 - one engine a process

    tokenizer = Tokenizer.from_file(hf(files))

    def encode(text: str) -> list[int]:
        ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    return Engine(encode, encode)


def sentencepiece(files: dict[str, Any]) -> Engine:
    """Give the reference of SentencePiece models."""
    from sentencepiece import SentencePieceProcessor  # noqa: PLC0415 - one engine a process

    if files["kind"] != "sentencepiece":
        raise NotImplementedError("sentencepiece reads its own models")
    processor = SentencePieceProcessor(model_file=files["native"])
    return Engine(processor.encode_as_numpy, processor.encode)


def gigatoken(files: dict[str, Any]) -> Engine:
    """Give gigatoken."""
    import gigatoken as package  # noqa: PLC0415 - one engine a process

    made = package.Tokenizer
    kind = files["kind"]
    if kind == "embedded" and files["name"] != "p50k_base":  # it refuses the gap in those ids
        tokenizer = made.from_tiktoken(files["native"])
    elif kind == "ranks":
        tokenizer = made.from_tiktoken(files["native"], pretokenizer="o200k")
    elif kind == "sentencepiece":
        tokenizer = made.from_sentencepiece(files["native"])
    else:
        tokenizer = made(hf(files))

    def batch(texts: list[str], n_threads: int) -> Sequence[Any]:
        # Of threads it takes all there are, or one.
        found: Sequence[Any] = tokenizer.encode_batch(texts, parallel=n_threads > 1)
        return found

    as_list = tokenizer.as_tiktoken().encode_ordinary if kind == "embedded" else None
    return Engine(tokenizer.encode, as_list, batch)


def fastokens(files: dict[str, Any]) -> Engine:
    """Give fastokens."""
    from fastokens import Tokenizer  # noqa: PLC0415 - one engine a process

    if files["kind"] in ("embedded", "ranks"):  # it refuses the tokenizer.json made of them
        tokenizer = Tokenizer.from_tiktoken(
            files["native"], pattern=files["pattern"], special_tokens={}
        )
    else:
        tokenizer = Tokenizer.from_file(hf(files))

    def encode(text: str) -> list[int]:
        ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    return Engine(encode, encode)


def tokie(files: dict[str, Any]) -> Engine:
    """Give tokie."""
    from tokie import Tokenizer  # noqa: PLC0415 - one engine a process

    tokenizer = Tokenizer.from_json(hf(files))

    def encode(text: str) -> list[int]:
        ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    return Engine(encode, encode)


def kitoken(files: dict[str, Any]) -> Engine:
    """Give kitoken."""
    from kitoken import Kitoken  # noqa: PLC0415 - one engine a process

    makers = {
        "embedded": Kitoken.from_tiktoken_file,
        "sentencepiece": Kitoken.from_sentencepiece_file,
        "tekken": Kitoken.from_tekken_file,
        "json": Kitoken.from_tokenizers_file,
    }
    if files["kind"] not in makers:
        raise NotImplementedError("kitoken knows no pattern for this rank file")
    tokenizer = makers[files["kind"]](files["native"])
    first_id = files["first_id"]
    return Engine(lambda text: tokenizer.encode(text, False), first_id=first_id)  # noqa: FBT003


def iree(files: dict[str, Any]) -> Engine:
    """Give IREE's tokenizer."""
    from iree.tokenizer import Tokenizer  # noqa: PLC0415 - one engine a process

    tokenizer = Tokenizer.from_file(hf(files))
    return Engine(tokenizer.encode_to_array, tokenizer.encode)


def bpe_openai(files: dict[str, Any]) -> Engine:
    """Give rust-gems' bpe by way of bpe-openai, which takes less than a million characters."""
    import bpe_openai as package  # noqa: PLC0415 - one engine a process

    if files["kind"] != "embedded":
        raise NotImplementedError("bpe-openai has encodings of its own only")
    encoding = package.get_encoding(files["name"])
    return Engine(encoding.encode_to_numpy, encoding.encode_ordinary)


def hf(files: dict[str, Any]) -> str:
    """Return the tokenizer.json.

    Raises:
        NotImplementedError: the format has none.
    """
    path: str = files["hf"]
    if not path:
        raise NotImplementedError("there is no tokenizer.json")
    return path


ENGINES: dict[str, Callable[[dict[str, Any]], Engine]] = {
    "tokstream": tokstream,
    "tiktoken": tiktoken,
    "tokenizers": tokenizers,
    "sentencepiece": sentencepiece,
    "gigatoken": gigatoken,
    "fastokens": fastokens,
    "tokie": tokie,
    "kitoken": kitoken,
    "iree-tokenizer": iree,
    "bpe-openai": bpe_openai,
}


def version_of(engine: str) -> str:
    """Return the installed version of an engine."""
    from importlib.metadata import version  # noqa: PLC0415 - slow, and no part of a start

    return version(engine)
