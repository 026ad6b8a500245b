"""Checks of tokens, ids and special tokens, each with what to say of the first at fault.

Enters: what a caller or a file gives. Leaves: the same, checked, or an error that names the entry.
Nothing is held back.
"""

from __future__ import annotations

from array import array
from itertools import islice

from tokstream._buffers import plain
from tokstream._light import TYPE_CHECKING
from tokstream.errors import VocabularyError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from typing import Any

    from tokstream.vocabulary import Vocabulary

__all__ = [
    "MAX_TOKEN_ID",
    "as_table",
    "check_special_tokens",
    "check_tokens",
    "id_out_of_range",
    "wrong_type",
]

MAX_TOKEN_ID = 2**32 - 2
"""The largest id a token can have; 2**32 - 1 means "no token" in the native core."""


def check_special_tokens(
    special_tokens: Mapping[str, int],
    vocabulary: Vocabulary,
    *,
    allow_shared_ids: bool = False,
) -> dict[str, int]:
    """Check special tokens against a vocabulary and each other.

    Args:
        special_tokens: text to id.
        vocabulary: the ordinary tokens, whose ids are taken.
        allow_shared_ids: whether two special tokens may have one id. Encoding is still exact,
            decoding gives the text that comes first. One published encoding needs it.

    Returns:
        A new dict in the same order.

    Raises:
        VocabularyError: a text that is not a non-empty `str` or has no UTF-8 form, an id that is
            not an integer in 0..2**32-2, or an id that is taken.

    Cost: O(tokens + special tokens).
    """
    try:
        checked = dict(special_tokens.items())
    except AttributeError:
        raise VocabularyError(
            f"special_tokens is {type(special_tokens).__name__}, not a mapping; write "
            'special_tokens={"<|endoftext|>": 100257}'
        ) from None
    owners: dict[int, str] = {}
    for text, token_id in checked.items():
        if not isinstance(text, str):
            raise VocabularyError(
                f"special token {text!r} is {type(text).__name__}, not str; "
                "special_tokens maps text to id"
            )
        if not text:
            raise VocabularyError(
                f"the special token with id {token_id!r} has an empty text, which would match "
                "everywhere; give it a text or leave it out"
            )
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise VocabularyError(
                f"special token {text!r} holds a lone surrogate at character {error.start}, "
                "which has no UTF-8 form; write the character itself"
            ) from None
        if isinstance(token_id, bool) or not isinstance(token_id, int):
            raise VocabularyError(
                f"the id of special token {text!r} is {token_id!r}, not an integer; "
                "special_tokens maps text to id"
            )
        if not 0 <= token_id <= MAX_TOKEN_ID:
            raise VocabularyError(id_out_of_range(text, token_id))
        first = owners.setdefault(token_id, text)
        if first != text and not allow_shared_ids:
            raise VocabularyError(
                f"special tokens {first!r} and {text!r} have the same id {token_id}; "
                "give each its own, or leave one out"
            )
    # most have the largest ids of all
    may_be_taken = min(owners, default=MAX_TOKEN_ID) < vocabulary.n_vocab
    taken = owners.keys() & set(vocabulary.ids) if may_be_taken else set()
    if taken:
        token_id = min(taken)
        token = vocabulary.token(vocabulary.ids.index(token_id))
        raise VocabularyError(
            f"special token {owners[token_id]!r} has id {token_id}, which is the id of the "
            f"ordinary token {token!r}; use an id that no token has, such as "
            f"{max(vocabulary.n_vocab, max(owners) + 1)}"
        )
    return {plain(text): token_id for text, token_id in checked.items()}


def as_table(values: Iterable[int], what: str) -> array[int]:
    """Copy numbers into an unsigned 32-bit array; name the first that does not fit."""
    if isinstance(values, array) and values.typecode == "I":
        return array("I", values)
    items = list(values)
    try:
        return array("I", items)
    except (OverflowError, TypeError):
        for k, value in enumerate(items):
            if type(value) is not int or not 0 <= value <= MAX_TOKEN_ID:
                raise VocabularyError(
                    f"the {what} of token {k} in rank order is {value!r}; "
                    f"it must be an integer in 0..{MAX_TOKEN_ID}"
                ) from None
        raise


def check_tokens(
    tokens: Sequence[bytes],
    ids: Sequence[int],
    distinct: AbstractSet[bytes],
    *,
    require_all_bytes: bool,
) -> None:
    """Check tokens in rank order with their ids; raise naming the first entry at fault."""
    if b"" in distinct:
        raise VocabularyError(
            f"the token with id {ids[tokens.index(b'')]} is empty; "
            "every token needs at least one byte"
        )
    if len(distinct) != len(tokens):
        from collections import Counter  # noqa: PLC0415 - only for this message

        token = next(token for token, n in Counter(tokens).items() if n > 1)
        first, second = islice((i for t, i in zip(tokens, ids, strict=True) if t == token), 2)
        raise VocabularyError(
            f"token {token!r} is there twice, with ids {first} and {second}; keep one of them"
        )
    if len(set(ids)) != len(ids):
        from collections import Counter  # noqa: PLC0415 - only for this message

        token_id = next(i for i, n in Counter(ids).items() if n > 1)
        a, b = islice((t for t, i in zip(tokens, ids, strict=True) if i == token_id), 2)
        raise VocabularyError(
            f"id {token_id} is given to two tokens, {a!r} and {b!r}; ids must all be different"
        )
    if require_all_bytes:
        missing = [b for b in range(256) if bytes((b,)) not in distinct]
        if missing:
            raise VocabularyError(_missing_bytes(missing))


def wrong_type(ranks: Mapping[Any, Any]) -> str:
    for token, rank in ranks.items():
        if type(token) is not bytes:
            return (
                f"token {token!r} is {type(token).__name__}, not bytes; "
                "encode the text of a token as UTF-8"
            )
        if type(rank) is not int:
            return (
                f"the rank of token {token!r} is {rank!r}, not an integer; "
                f"give every token a rank in 0..{MAX_TOKEN_ID}"
            )
    return "ranks must map bytes to int"


def _missing_bytes(missing: list[int]) -> str:
    runs: list[list[int]] = []
    for byte in missing:
        if runs and byte == runs[-1][-1] + 1:
            runs[-1].append(byte)
        else:
            runs.append([byte])
    listed = ", ".join(
        f"0x{run[0]:02x}" if len(run) == 1 else f"0x{run[0]:02x}-0x{run[-1]:02x}" for run in runs
    )
    return (
        f"{len(missing)} of the 256 single bytes are no token: {listed}; text that holds them "
        "could not be encoded. add a token for each, or get the complete file"
    )


def id_out_of_range(token: object, token_id: int) -> str:
    return f"the id of token {token!r} is {token_id}, outside 0..{MAX_TOKEN_ID}; use a smaller one"
