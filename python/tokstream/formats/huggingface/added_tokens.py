"""The member `added_tokens` of a tokenizer.json.

Enters: the node, or None, and the model. Leaves: added tokens with the ids that the reference gives
them. Refused: an id that the reference would change silently.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokstream._checks import MAX_TOKEN_ID
from tokstream.formats.document import shown
from tokstream.formats.parts import AddedToken

if TYPE_CHECKING:
    from tokstream.errors import ConfigurationError
    from tokstream.formats.document import Node
    from tokstream.formats.huggingface.model import BpeModel

__all__ = ["read_added_tokens"]

_FLAGS = ("special", "normalized", "lstrip", "rstrip", "single_word")


def read_added_tokens(node: Node | None, model: BpeModel) -> list[AddedToken]:
    """Read the added tokens, in the file's order.

    Raises:
        VocabularyError: a damaged one, one given twice, an id given twice.
        UnsupportedTokenizerError: an id that is not what the reference makes of it.
    """
    if node is None:
        return []
    found: dict[str, AddedToken] = {}
    owners: dict[int, str] = {}
    model_ids = set(model.ids) if node.elements() else set()
    n_model = len(model.tokens)
    next_id = n_model
    for k, value in enumerate(node.elements()):
        token = _plain(value) or _checked(node.child(value, f"[{k}]"))
        content, token_id = token.content, token.id
        if not content:
            continue  # the reference ignores it, too
        # the reference numbers anew what the model does not have
        in_model = model.table.get(content)
        expected = next_id if in_model is None else in_model
        if content in found or token_id != expected or token_id in owners:
            if found.get(content) == token:
                continue  # given twice, the same both times
            raise _fault(node.child(value, f"[{k}]"), token, found, owners, expected)
        if in_model is None and token_id in model_ids:
            raise node.child(value, f"[{k}]").unsupported(
                f"the added token {shown(content)}",
                f"tokenizers would give it id {expected}, which the model has given away",
            )
        owners[token_id] = content
        found[content] = token
        next_id = max(next_id, token_id + 1)
    return list(found.values())


def _fault(
    item: Node,
    token: AddedToken,
    found: dict[str, AddedToken],
    owners: dict[int, str],
    expected: int,
) -> ConfigurationError:
    """Say what is wrong with a token that does not fit those before it."""
    content, token_id = token.content, token.id
    if (first := found.get(content)) is not None:
        return item.wrong(
            f"gives {shown(content)} a second time, with id {token_id} after {first.id} or with "
            "other flags; keep one of the two",
            "get the file again, or correct it",
        )
    if token_id != expected:
        return item["id"].unsupported(
            f"id {token_id} of the added token {shown(content)}",
            f"the reference, tokenizers, reads the file with id {expected} for it; write that id, "
            "or order the added tokens by id without holes",
        )
    return item["id"].wrong(
        f"is {token_id}, which {shown(owners[token_id])} has already",
        "an id belongs to one token; correct one of them",
    )


def _plain(value: object) -> AddedToken | None:
    """Return the token if all is as it should be; there may be thousands."""
    if type(value) is not dict:
        return None
    content, token_id = value.get("content"), value.get("id")
    flags: list[Any] = [value.get(name) for name in _FLAGS]
    if type(content) is not str or type(token_id) is not int or set(map(type, flags)) != {bool}:
        return None
    if not content.isascii() or not 0 <= token_id <= MAX_TOKEN_ID:
        return None
    return AddedToken(content, token_id, *flags)


def _checked(item: Node) -> AddedToken:
    """Return the token, or say what is wrong with it."""
    content, token_id = item["content"].text(), item["id"].number()
    special, normalized, lstrip, rstrip, single_word = (item.flag(name) for name in _FLAGS)
    return AddedToken(content, token_id, special, normalized, lstrip, rstrip, single_word)
