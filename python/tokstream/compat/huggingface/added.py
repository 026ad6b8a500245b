"""Added tokens: what they are, and the ids they get when more of them are added.

Enters: `AddedToken`s of this module or of the `tokenizers` package, or their texts. Leaves: an
immutable table with the ids that the reference gives them. Held back: nothing.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, final

from tokstream._locks import kept
from tokstream.compat.huggingface.arguments import checked_flag, checked_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["WHITE_SPACE", "AddedToken", "AddedVocabulary", "as_added_tokens"]

WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""Characters that Unicode calls White_Space; `str.isspace` has others, too."""

_FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


@final
class AddedToken:
    """A token that is found in the text before it is cut into pretokens.

    Args:
        content: its text.
        single_word: find it only where no word character is next to it.
        lstrip: let it take the blanks before it.
        rstrip: let it take the blanks behind it.
        normalized: look for it behind the normalizer; by default it is so unless special.
        special: leave it out of decoded text where special tokens are skipped.

    >>> AddedToken("<mask>", lstrip=True).normalized
    True
    """

    __slots__ = ("_content", "_lstrip", "_normalized", "_rstrip", "_single_word", "special")

    special: bool

    def __init__(
        self,
        content: str | None = None,
        *,
        single_word: bool = False,
        lstrip: bool = False,
        rstrip: bool = False,
        normalized: bool | None = None,
        special: bool = False,
        **others: object,
    ) -> None:
        for name in others:
            warnings.warn(f"{name} says nothing of an added token, and is ignored", stacklevel=2)
        self.content = "" if content is None else content
        self._single_word = checked_flag("single_word", single_word)
        self._lstrip = checked_flag("lstrip", lstrip)
        self._rstrip = checked_flag("rstrip", rstrip)
        self._normalized = None if normalized is None else checked_flag("normalized", normalized)
        self.special = checked_flag("special", special)

    @property
    def content(self) -> str:
        """Its text; may be set."""
        return self._content

    @content.setter
    def content(self, value: str) -> None:
        self._content = checked_text("the content of an added token", value)

    @property
    def single_word(self) -> bool:
        """Whether it is only found with no word character next to it."""
        return self._single_word

    @property
    def lstrip(self) -> bool:
        """Whether it takes the blanks before it."""
        return self._lstrip

    @property
    def rstrip(self) -> bool:
        """Whether it takes the blanks behind it."""
        return self._rstrip

    @property
    def normalized(self) -> bool:
        """Whether it is looked for behind the normalizer: unless it is special, if not said."""
        return not self.special if self._normalized is None else self._normalized

    def __getstate__(self) -> dict[str, Any]:
        return {"content": self.content, **{name: getattr(self, name) for name in _FLAGS}}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__init__(**state)

    def __eq__(self, other: object) -> bool:
        names = ("content", *_FLAGS)
        if not all(hasattr(other, name) for name in names):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in names)

    def __hash__(self) -> int:
        return hash(self.content)

    def __str__(self) -> str:
        return self.content

    def __repr__(self) -> str:
        flags = ("rstrip", "lstrip", "single_word", "normalized", "special")
        shown = ", ".join(f"{name}={getattr(self, name)}" for name in flags)
        return f'AddedToken("{self.content}", {shown})'


def as_added_tokens(tokens: object, *, special: bool) -> list[AddedToken]:
    """Return copies of a caller's tokens.

    Args:
        tokens: a list of texts and of added tokens, ours or those of `tokenizers`.
        special: whether all of them are special; the caller's objects are, too, from then on.

    Raises:
        TypeError: no list, or something else in it.
    """
    if not isinstance(tokens, list | tuple):
        raise TypeError(
            f"tokens is {type(tokens).__name__}, not a list; give a list of str or AddedToken"
        )
    found = []
    for at, token in enumerate(tokens):
        if isinstance(token, str):
            found.append(AddedToken(token, special=special))
            continue
        try:
            if special:
                token.special = True  # before the rest is read, some of which depends on it
            flags = {name: bool(getattr(token, name)) for name in _FLAGS}
            content = token.content
        except AttributeError:
            raise TypeError(
                f"the token at index {at} is {type(token).__name__}; give a str or an AddedToken"
            ) from None
        found.append(AddedToken(content, **flags))
    for at, token in enumerate(found):
        try:
            token.content.encode()
        except UnicodeEncodeError:
            raise TypeError(
                f"the token at index {at} holds a lone surrogate, which no text has"
            ) from None
    return found


@final
class AddedVocabulary:
    """The added tokens of one tokenizer; immutable.

    Args:
        by_id: tokens by their id.
        ids: ids by text; an id may have been given to another token since.
        specials: texts that were ever added as special.
        once_normalized: ids of tokens that were added as normalized and later otherwise; they are
            decoded as the normalizer makes them until there is another one.
    """

    def __init__(
        self,
        by_id: Mapping[int, AddedToken],
        ids: Mapping[str, int],
        specials: frozenset[str],
        once_normalized: frozenset[int] = frozenset(),
    ) -> None:
        self.by_id = dict(by_id)
        self.ids = dict(ids)
        self.specials = specials
        self.once_normalized = once_normalized

    def anew(self) -> AddedVocabulary:
        """Return the same tokens as another normalizer has them, which forgets what they were."""
        return AddedVocabulary(self.by_id, self.ids, self.specials)

    @kept
    def odd_ids(self) -> frozenset[int]:
        """Ids of tokens whose text may differ from what was found: they take blanks with them."""
        return frozenset(
            {
                token_id
                for token_id, token in self.by_id.items()
                if token.lstrip or token.rstrip or token.normalized
            }
        )

    def extended(
        self, tokens: Iterable[AddedToken], model: Mapping[str, int]
    ) -> tuple[AddedVocabulary, int]:
        """Return the vocabulary with more tokens, and how many of them were not there yet.

        A token of the model keeps its id; others get the next free one.

        Cost: O(added tokens).
        """
        by_id, ids, specials = dict(self.by_id), dict(self.ids), set(self.specials)
        known = set(map(_key, by_id.values()))
        once_normalized = set(self.once_normalized)
        largest = max(ids.values(), default=-1)
        n_added = 0
        for token in tokens:
            if token.special and token.content:
                specials.add(token.content)
            if not token.content or _key(token) in known:
                continue
            token_id = ids.get(token.content, model.get(token.content))
            if token_id is None:
                token_id = max(largest + 1, len(model))
            if token_id in by_id:
                known.discard(_key(by_id[token_id]))
                if by_id[token_id].normalized:
                    once_normalized.add(token_id)
            known.add(_key(token))
            by_id[token_id] = token
            ids[token.content] = token_id
            largest = max(largest, token_id)
            n_added += 1
        frozen = frozenset(specials), frozenset(once_normalized)
        return AddedVocabulary(by_id, ids, *frozen), n_added


def _key(token: AddedToken) -> tuple[object, ...]:
    return token.content, *(getattr(token, name) for name in _FLAGS)
