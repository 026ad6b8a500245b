r"""Stage 4 for vocabularies of characters: merging by bytes, and ids of what no token covers.

Enters: the internal ids that merging bytes gives, pretoken by pretoken.
Leaves: ids of the vocabulary: one for each token, and for a character that it lacks one per byte
(`byte_fallback`), that of the unknown token, or none.
Held back: nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokstream.errors import VocabularyError
from tokstream.reference.rulelists import RuleList

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["CharacterVocabulary", "Expansion"]


class CharacterVocabulary:
    r"""A vocabulary whose merges begin with characters, as one whose merges begin with bytes.

    All other stages know bytes only. So the first rules make the characters of the vocabulary out
    of their bytes, by way of *hidden tokens*, the beginnings of their UTF-8. No character's UTF-8
    begins another's, nor does it lie across two of them: before any real merge each character of
    the vocabulary is one token, whatever is beside it.

    What is left of a character that the vocabulary lacks are its bytes, some of them together in a
    hidden token. Nothing merges with those. Their *expansion* is

        with byte_fallback       the ids of the bytes
        with an unknown token    its id for the part with the character's first byte, else nothing

    With neither, such a character is dropped before anything merges, so that its neighbours are
    neighbours then: `Tokens` is to be given what `known` leaves.

    >>> vocabulary = CharacterVocabulary({"é": 0, "a": 1, "éa": 2, "?": 3}, [("é", "a")], unknown=3)
    >>> parts = vocabulary.rules.merge("éaêa".encode())     # ê shares its first byte with é
    >>> parts
    [b'\xc3\xa9a', b'\xc3', b'\xaa', b'a']
    >>> [vocabulary.expand(vocabulary.rules.ids[part]) for part in parts]
    [(2,), (3,), (), (1,)]
    >>> CharacterVocabulary({"é": 0}, []).known("éaé")
    'éé'

    Args:
        ids: id of each token by its text.
        merges: pairs of tokens by rank.
        byte_ids: with byte_fallback, the id of each of the 256 bytes.
        unknown: id of the unknown token. Byte fallback goes first.

    Raises:
        VocabularyError: a merge of, or into, something that is no token; not 256 bytes.

    Cost: O(m) for m rules; merging as `RuleList`.
    """

    def __init__(
        self,
        ids: Mapping[str, int],
        merges: Iterable[tuple[str, str]],
        *,
        byte_ids: Sequence[int] | None = None,
        unknown: int | None = None,
    ) -> None:
        if byte_ids is not None and len(byte_ids) != 256:
            raise VocabularyError(f"byte_ids has {len(byte_ids)} entries; give one for each byte")
        merges = list(merges)
        for left, right in merges:
            for token in (left, right, left + right):
                if token not in ids:
                    raise VocabularyError(
                        f"the merge of {left!r} and {right!r} needs the token {token!r}; add it"
                    )
        characters = [token.encode() for token in sorted(ids) if len(token) == 1]
        hidden = [
            (character[:k], character[k : k + 1])
            for character in characters
            for k in range(1, len(character))
        ]
        hidden.sort(key=lambda pair: len(pair[0]))
        real = [(left.encode(), right.encode()) for left, right in merges]
        self.rules = RuleList([*hidden, *real], bytes(range(256)), "H")
        """The rules by which bytes merge."""
        by_bytes = {token.encode(): token_id for token, token_id in ids.items()}
        self._expansions: dict[int, tuple[int, ...]] = {}
        for part, internal in self.rules.ids.items():
            if part in by_bytes:
                expansion: tuple[int, ...] = (by_bytes[part],)
            elif byte_ids is not None:
                expansion = tuple(byte_ids[byte] for byte in part)
            else:
                is_first = part[0] & 0xC0 != 0x80
                expansion = (unknown,) if unknown is not None and is_first else ()
            self._expansions[internal] = expansion
        self.unknown = unknown
        self._drops = byte_ids is None and unknown is None
        self._characters = frozenset(token for token in ids if len(token) == 1)

    def known(self, text: str) -> str:
        """Return what is merged of a text: all, if there are ids for what no token covers."""
        if not self._drops:
            return text
        return "".join(character for character in text if character in self._characters)

    def expand(self, internal: int) -> tuple[int, ...]:
        """Return the ids of the vocabulary that an internal id stands for."""
        return self._expansions[internal]


class Expansion:
    r"""From the internal ids of a stream to those of the vocabulary.

    Fusing makes one of the unknown tokens that are neighbours in a pretoken: the first goes out,
    those behind it do not.

    >>> vocabulary = CharacterVocabulary({"a": 0, "?": 1}, [], unknown=1)
    >>> expansion = Expansion(vocabulary, fuses_unknown=True)
    >>> expansion.push(b"bc"), expansion.push(b"da"), expansion.cut(), expansion.push(b"bb")
    ([1], [0], None, [1])

    Args:
        vocabulary: says what each internal id stands for.
        fuses_unknown: whether neighbouring unknown tokens become one.

    Cost: O(1) per id.
    """

    def __init__(self, vocabulary: CharacterVocabulary, *, fuses_unknown: bool = False) -> None:
        self._vocabulary = vocabulary
        self._fuses_unknown = fuses_unknown
        self._last: int | None = None  # id given out last in this pretoken

    def push(self, internal: Iterable[int]) -> list[int]:
        """Take internal ids of the live pretoken, return those that they stand for."""
        out: list[int] = []
        for one in internal:
            for token_id in self._vocabulary.expand(one):
                is_repeated = token_id == self._vocabulary.unknown == self._last
                if not (self._fuses_unknown and is_repeated):
                    out.append(token_id)
                self._last = token_id
        return out

    def cut(self) -> None:
        """End the pretoken."""
        self._last = None
