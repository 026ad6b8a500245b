"""What the end of a text may turn into: `encode_with_unstable` and `_encode_bytes`.

Enters: text, or bytes that need not be UTF-8. Leaves: ids, and sequences of ids.
Held back: nothing.

The results are tiktoken's, its approximations included. Its idea: the last piece that the pattern
cut is unstable, and with it the tokens of blanks before it. Some token straddles the end of the
text; so at each place in the unstable bytes, try every token that begins with what follows there.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import takewhile
from typing import TYPE_CHECKING, cast

from tokstream import _core
from tokstream._locks import kept

if TYPE_CHECKING:
    from tokstream._core import SpecialSet
    from tokstream._types import Text
    from tokstream.tokenizer import Tokenizer

__all__ = ["Completions"]

# of these, tiktoken takes a cut between pieces for one that may go away
_BLANK_BYTES = b" \n\t"
# Unicode's White_Space, which `str.isspace` is not
_BLANKS = frozenset(
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
    "\u200a\u2028\u2029\u202f\u205f\u3000"
)
_MAX_CHARACTER_BYTES = 4


class Completions:
    """The unstable end of texts, for one tokenizer of ranks."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._core = tokenizer._core  # noqa: SLF001 - made for it
        self._plain = tokenizer._special.plain  # noqa: SLF001

    def of(self, text: str, specials: SpecialSet) -> tuple[list[int], list[list[int]]]:
        """Return stable ids and sorted completions of a text."""
        ids, n_unstable = self._unstable(text, specials)
        if n_unstable == 0:
            return ids, []
        unstable = self._core.decode(ids[-n_unstable:])
        single, several = self._straddling(unstable)
        single.update(self._ids_beginning_with(unstable))
        last = _last_character(unstable)
        if last in _BLANKS and (before := unstable[: -len(last.encode())]):
            several.add((*self._merge(before), *self._merge(last.encode())))
        completions = [[token_id] for token_id in sorted(single)]
        if several:
            completions += map(list, several)
            completions.sort()
        return ids[:-n_unstable], completions

    def of_bytes(self, data: bytes) -> list[int]:
        """Return the ids of bytes; if they are not UTF-8, the end from there on is one piece."""
        try:
            return cast("list[int]", self._core.encode(data.decode(), self._plain, False, False))  # noqa: FBT003
        except UnicodeDecodeError as error:
            good = error.start
        ids, n_unstable = self._unstable(data[:good].decode(), self._plain)
        rest = data[good:]
        if n_unstable:
            rest = self._core.decode(ids[-n_unstable:]) + rest
            del ids[-n_unstable:]
        whole = self._core.token_id(rest)
        return [*ids, whole] if whole is not None else ids + self._merge(rest)

    def _unstable(self, text: str, specials: SpecialSet) -> tuple[list[int], int]:
        """Return the ids of a text, and how many at the end are unstable."""
        ids = cast("list[int]", self._core.encode(text, specials, False, False))  # noqa: FBT003
        n = self._n_in_last_piece(text, specials)
        if n and self._is_blank(ids[-n]):
            n += sum(1 for _ in takewhile(self._is_blank, reversed(ids[:-n])))
        return ids, n

    def _n_in_last_piece(self, text: str, specials: SpecialSet) -> int:
        """Return how many ids the last piece has; 0 if the text is empty or ends specially."""
        segments = _core.Segments(specials)
        repaired = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        found = segments.push(repaired) + segments.finish()
        if not found or isinstance(found[-1], int):
            return 0
        # what is left of a run of text may come in several parts
        parts = takewhile(lambda part: not isinstance(part, int), reversed(found))
        run = b"".join(reversed(cast("list[bytes]", list(parts))))
        pieces = self._pieces.copy()
        cut = pieces.push(run.decode()) + pieces.finish()
        while cut and cut[-1] is None:
            cut.pop()
        live = takewhile(lambda part: part is not None, reversed(cut))
        piece = b"".join(reversed(cast("list[bytes]", list(live))))
        return len(self._core.merge(piece, True)) if piece else 0  # noqa: FBT003

    def _is_blank(self, token_id: int) -> bool:
        token = self._tokens_by_id.get(token_id)
        return token is not None and not token.strip(_BLANK_BYTES)

    def _straddling(self, unstable: bytes) -> tuple[set[int], set[tuple[int, ...]]]:
        """Return what the bytes turn into with a token that straddles their end.

        Returns:
            Single ids that cover the bytes, and sequences of several.
        """
        n_bytes = len(unstable)
        lengths = self._lengths
        found: list[list[int]] = []
        texts: list[Text] = []
        for at in range(1, n_bytes):
            before = unstable[:at]
            for token in self._tokens_beginning_with(unstable[at:]):
                whole = before + token
                try:
                    texts.append(whole.decode())
                except UnicodeDecodeError:
                    found.append(self._merge(whole))
        if texts:
            found += self._core.encode_batch(texts, self._plain, False, False, 1)  # type: ignore[arg-type]  # noqa: FBT003
        single: set[int] = set()
        several: set[tuple[int, ...]] = set()
        for ids in found:
            if lengths[ids[0]] >= n_bytes:
                single.add(ids[0])
            elif len(ids) == 2 or lengths[ids[0]] + lengths[ids[1]] >= n_bytes:
                several.add((ids[0], ids[1]))
            else:
                several.add(self._covering(ids, n_bytes))
        return single, several

    def _covering(self, ids: list[int], n_bytes: int) -> tuple[int, ...]:
        """Return the ids at the beginning that it takes to cover so many bytes."""
        lengths = self._lengths
        n_covered = 0
        for k, token_id in enumerate(ids, 1):
            n_covered += lengths[token_id]
            if n_covered >= n_bytes:
                return tuple(ids[:k])
        return tuple(ids)

    def _tokens_beginning_with(self, prefix: bytes) -> list[bytes]:
        begin, end = self._range(prefix)
        return self._sorted_tokens[begin:end]

    def _ids_beginning_with(self, prefix: bytes) -> list[int]:
        begin, end = self._range(prefix)
        return self._sorted_ids[begin:end]

    def _range(self, prefix: bytes) -> tuple[int, int]:
        tokens = self._sorted_tokens
        begin = bisect_left(tokens, prefix)
        # the first bytes after all that begin so
        head = prefix.rstrip(b"\xff")
        if not head:
            return begin, len(tokens)
        return begin, bisect_left(tokens, head[:-1] + bytes((head[-1] + 1,)), begin)

    def _merge(self, piece: bytes) -> list[int]:
        """Return the ids of bytes merged as one piece, whatever entry they are as a whole."""
        if len(piece) == 1:
            return self._core.merge(piece, True)  # noqa: FBT003
        return self._core.merge(piece, False)  # noqa: FBT003

    @kept
    def _ids(self) -> dict[bytes, int]:
        return self._tokenizer._vocabulary.to_ranks()  # noqa: SLF001

    @kept
    def _tokens_by_id(self) -> dict[int, bytes]:
        return {token_id: token for token, token_id in self._ids.items()}

    @kept
    def _lengths(self) -> dict[int, int]:
        return {token_id: len(token) for token, token_id in self._ids.items()}

    @kept
    def _sorted_tokens(self) -> list[bytes]:
        return sorted(self._ids)

    @kept
    def _sorted_ids(self) -> list[int]:
        return [self._ids[token] for token in self._sorted_tokens]

    @kept
    def _pieces(self) -> _core.Pretokens:
        return _core.Pretokens(self._tokenizer._automaton_bytes())  # noqa: SLF001


def _last_character(data: bytes) -> str:
    """Return the last character; empty if the bytes end inside one or with one byte too many."""
    for n in range(1, min(_MAX_CHARACTER_BYTES, len(data)) + 1):
        if not 0x80 <= data[-n] < 0xC0:
            return data[-n:].decode("utf-8", "ignore")
    return ""
