"""Other engines beside a tokenizer: what is installed and reads the same file comes out.

Enters: a tokenizer, and the file that it came from. Leaves: functions from text to ids, by name and
version. Nothing is fetched: tiktoken is given the vocabulary that is at hand.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokstream import Tokenizer

__all__ = ["others_for"]


def others_for(
    tokenizer: Tokenizer, path: str | None = None
) -> dict[str, Callable[[str], list[int]]]:
    """Return the installed engines that can be compared, special tokens as plain text.

    Args:
        tokenizer: an embedded encoding, or what `load` gave.
        path: the file that was loaded; None for an embedded encoding.
    """
    kind = tokenizer.info().get("format", "rank-file")
    makers = {
        "rank-file": ("tiktoken", _tiktoken),
        "tokenizer.json": ("tokenizers", _tokenizers),
        "sentencepiece": ("sentencepiece", _sentencepiece),
    }
    found: dict[str, Callable[[str], list[int]]] = {}
    if not isinstance(kind, str) or kind not in makers:
        return found
    package, make = makers[kind]
    if find_spec(package) is None:
        return found
    try:
        found[f"{package} {version(package)}"] = make(tokenizer, path or "")
    except (PackageNotFoundError, OSError, RuntimeError, ValueError):
        return {}  # a directory, or a file that only we can read
    return found


def _tiktoken(tokenizer: Tokenizer, _: str) -> Callable[[str], list[int]]:
    import tiktoken  # noqa: PLC0415 - optional

    encoding = tiktoken.Encoding(
        tokenizer.name,
        pat_str=tokenizer.pattern,
        mergeable_ranks=tokenizer._vocabulary.to_ranks(),  # noqa: SLF001
        special_tokens={},
    )
    return encoding.encode_ordinary


def _tokenizers(_: Tokenizer, path: str) -> Callable[[str], list[int]]:
    from tokenizers import Tokenizer as Other  # noqa: PLC0415 - optional

    encoding = Other.from_file(path)

    def encode(text: str) -> list[int]:
        ids: list[int] = encoding.encode(text, add_special_tokens=False).ids
        return ids

    return encode


def _sentencepiece(_: Tokenizer, path: str) -> Callable[[str], list[int]]:
    from sentencepiece import SentencePieceProcessor  # noqa: PLC0415 - optional

    processor = SentencePieceProcessor(model_file=path)

    def encode(text: str) -> list[int]:
        ids: list[int] = processor.encode(text)
        return ids

    return encode
