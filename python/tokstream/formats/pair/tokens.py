"""Special and added tokens of a tokenizer without a tokenizer.json.

Enters: the settings files and the vocabulary. Leaves: the texts of the tokens with a role, and the
added tokens with the ids that `transformers` gives them: those of the vocabulary, or the next free
ones. Refused: an id in the files that `transformers` would change silently, and settings that its
versions 4 and 5 read in two ways.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tokstream._checks import MAX_TOKEN_ID
from tokstream.formats.document import shown
from tokstream.formats.parts import AddedToken

if TYPE_CHECKING:
    from tokstream.formats.document import Node
    from tokstream.formats.pair.recipes import Recipe
    from tokstream.formats.pair.settings import Settings

__all__ = ["TWO_READINGS", "read_tokens"]

TWO_READINGS = (
    "transformers 4 and transformers 5 read it in two ways; save the tokenizer as tokenizer.json"
)

_ROLES = (  # in the order in which new ones get their ids
    "bos_token",
    "eos_token",
    "unk_token",
    "sep_token",
    "pad_token",
    "cls_token",
    "mask_token",
)
_MORE = ("additional_special_tokens", "extra_special_tokens")
_NO_ID = -1


@dataclass(slots=True)
class _Named:
    """Special tokens that the files name.

    Attributes:
        roles: by role; None: there is none.
        more: those without a role, by text.
        said: the texts of those that a file names, rather than the recipe.
    """

    roles: dict[str, AddedToken | None]
    more: dict[str, AddedToken] = field(default_factory=dict)
    said: dict[str, Node] = field(default_factory=dict)


def read_tokens(
    recipe: Recipe, settings: Settings, vocab: dict[str, int]
) -> tuple[dict[str, str | None], list[AddedToken]]:
    """Return the texts of the tokens with a role, and all added tokens in order of id.

    Raises:
        VocabularyError: an entry that is damaged.
        UnsupportedTokenizerError: an id that is not what `transformers` makes of it, or something
            that its versions read in two ways.

    Cost: O(files).
    """
    listed = None if settings.config is None else settings.config.get("added_tokens_decoder")
    named = _Named({role: _named_only(recipe, role, text) for role, text in recipe.tokens.items()})
    # a list with ids and flags has come to stand for the other two files
    for source in (settings.config, settings.tokens if listed is None else None):
        if source is not None:
            _read_named(named, source, recipe)
    if listed is not None:
        numbered = [(_listed(item, key), item) for key, item in _items(listed)]
    elif settings.added is not None:
        special = {*_texts(named), *named.more}
        numbered = [(_counted(item, text, special), item) for text, item in _items(settings.added)]
    else:
        numbered = []
    numbered.sort(key=lambda entry: entry[0].id)
    with_role = [token for role in _ROLES if (token := named.roles.get(role)) is not None]
    _refuse_two_kinds(named, {token.content for token, _ in numbered})
    special = {token.content for token in with_role} | named.more.keys()
    found: dict[str, AddedToken] = {}
    next_id = len(vocab)
    for token, node in [
        *numbered,
        *((token, None) for token in (*with_role, *named.more.values())),
    ]:
        text = token.content
        if text in found or not text:
            continue
        token_id = vocab.get(text, next_id)
        if node is not None and token.id != token_id:
            raise node.unsupported(
                f"id {token.id} of the added token {shown(text)}",
                f"transformers gives it id {token_id}, that of the vocabulary or the next free one",
            )
        next_id = max(next_id, token_id + 1)
        found[text] = token._replace(id=token_id, special=token.special or text in special)
    texts = {role: token and token.content for role, token in named.roles.items()}
    return texts, sorted(found.values(), key=lambda token: token.id)


def _read_named(named: _Named, source: Node, recipe: Recipe) -> None:
    """Read the special tokens that a file names; they take the place of those known before."""
    for key, item in _items(source):
        if key in _ROLES:
            named.said.pop(key, None)
            named.roles[key] = None
            if item.value is not None:
                named.roles[key] = _described(item, recipe, key)
                named.said[key] = item
        elif key in _MORE and item.value:
            if isinstance(item.value, dict):
                raise item.unsupported(f"{key} with names", TWO_READINGS)
            for part in item:
                token = _described(part, recipe)
                named.more.setdefault(token.content, token)
        elif key.endswith("_token") and isinstance(item.value, str | dict):
            raise item.unsupported(f"a token with the role {shown(key)}", TWO_READINGS)


def _described(item: Node, recipe: Recipe, role: str = "") -> AddedToken:
    """Return the special token that a value describes: its text, or an object with flags."""
    if isinstance(item.value, dict):
        return _flagged(item)._replace(special=True)
    return _named_only(recipe, role, item.text())


def _named_only(recipe: Recipe, role: str, text: str) -> AddedToken:
    """Return a special token of which nothing is said but its text."""
    lstrip = role == "mask_token" and recipe.mask_takes_blanks
    return AddedToken(text, _NO_ID, lstrip=lstrip)


def _flagged(item: Node, token_id: int = _NO_ID) -> AddedToken:
    special = item.flag("special", default=False)
    return AddedToken(
        item["content"].text(),
        token_id,
        special,
        item.flag("normalized", default=not special),
        *(item.flag(name, default=False) for name in ("lstrip", "rstrip", "single_word")),
    )


def _listed(item: Node, key: str) -> AddedToken:
    """Read an entry of `added_tokens_decoder`; the id is its key."""
    if not (key.isascii() and key.isdecimal()) or int(key[:20]) > MAX_TOKEN_ID:
        raise item.wrong("stands under a key that is no id")
    return _flagged(item, int(key))


def _counted(item: Node, text: str, special: set[str]) -> AddedToken:
    """Read an entry of added_tokens.json: text to id."""
    is_special = text in special
    return AddedToken(text, item.number(0, MAX_TOKEN_ID), is_special, normalized=not is_special)


def _texts(named: _Named) -> set[str]:
    """Return the texts of the tokens with a role that a file names."""
    return {token.content for role in named.said if (token := named.roles[role]) is not None}


def _refuse_two_kinds(named: _Named, listed: set[str]) -> None:
    """Refuse one text with two roles and other flags in each, unless a list of tokens has flags."""
    known: dict[str, AddedToken] = {}
    for role, token in named.roles.items():
        if token is None or token.content in listed:
            continue
        if known.setdefault(token.content, token) != token and (node := named.said.get(role)):
            raise node.unsupported(
                f"the token {shown(token.content)}, with other flags than in another role",
                TWO_READINGS,
            )


def _items(node: Node) -> list[tuple[str, Node]]:
    return [(key, node.child(value, f"[{key!r}]")) for key, value in node.members().items()]
