"""Texts that may follow: what a stream holds back comes in, continuations that disagree go out.

What a stream may emit is the common beginning of the ids of *all* continuations. Nobody can try
them all; these are the ones that make a difference in practice: nothing, one character of every
kind the pattern knows, runs, the rest of every token that could begin in the held text, special
tokens. The common beginning over a sample is never shorter than the true one.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from heapq import nsmallest
from itertools import chain
from typing import TYPE_CHECKING, Final, Self, final

from tokstream import _core
from tokstream.errors import InputError
from tokstream.formats.characters import BEGIN_MARKER, END_MARKER

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from tokstream import EncodeStream, Tokenizer

__all__ = ["Continuations", "Spelling", "complete_character", "unfinished_bytes"]

SIGN: Final = "\u2581"
MAX_SPECIALS: Final = 64

MAX_TOKENS_PER_SUFFIX: Final = 8
MAX_COMPLETIONS: Final = 600

# Likely to disagree first, so that a search which may stop early does.
SINGLES: Final = (
    *(" ", "a", "\n", "s", "1", ".", "A", "'s", "-", "\r\n", "\t", "é", "漢", "\u0301", "की", "/"),
    *("'", ",", "(", "_", "\u00a0", "\u3000", "🙂", "ʰ", "ª", "\u200d", "Ⅷ", "₂", "ǅ"),
)
LONGER: Final = (
    *("ing", "tion", "er", "ed", "ly", "able", "aa", "aaaaaaaa", "AB", "ABCDEFGh", "Aa", "ll"),
    *(" a", " the", " 1", "  ", "  a", "\n\n", "\n\n\n", "\n  ", "\n    ", " \n", "  \n", "\t\n"),
    *("12", "123", "1234", "0.5", "...", "....", "---", "----------------", "==", "//", "();"),
    *(
        '",',
        "'t",
        "'re",
        "'ll ",
        "'S",
        "中文",
        "漢A",
        "ия",
        "ا",
        "देव",
        "한국",
        "の",
        "\u0301\u0301a",
    ),
    *(" " * n for n in (3, 4, 8, 16, 32, 64, 128, 256)),
    *(" " * n + "\n" for n in (1, 7, 31, 127)),
    *("\n" * n for n in (4, 16)),
    *("-" * n for n in (32, 64, 128)),
)
FOLLOWERS: Final = ("a", " ", "\n", "1", ".", "A", " a", "漢", "\n\n")
TAIL_BYTES: Final = (0x80, 0xBF, 0x81, 0xA0, 0x90, 0xB3, 0x85, 0x99, 0xAC, 0x88)


@final
class Continuations:
    """Gives continuations for what a stream holds; one for a tokenizer and a choice of specials.

    Args:
        tokenizer: whose tokens are completed.
        specials: special tokens whose text may follow.
        seed: of the random part.
    """

    def __init__(self, tokenizer: Tokenizer, specials: Iterable[str] = (), seed: int = 0) -> None:
        self._tokens, self._ranks = sorted_tokens(tokenizer)
        self._spelling = Spelling.of_tokenizer(tokenizer)
        self._longest = max(map(len, self._tokens), default=0)
        self._specials = tuple(name.encode() for name in specials)
        self._random = random.Random(seed)  # noqa: S311 - a sample, no secret
        self._known: dict[bytes, tuple[bytes, ...]] = {}
        self._random_words = tuple(
            b"".join(self._random.choices(self._tokens, k=3)) for _ in range(40)
        )

    def tokens_from(self, beginning: bytes) -> tuple[bytes, ...]:
        """Give tokens longer than `beginning` that begin with it, the frequent ones first.

        Cost: O(log n) and the number of such tokens; once for each `beginning`.
        """
        found = self._known.get(beginning)
        if found is None:
            low, high = self._range(beginning)
            places = nsmallest(MAX_TOKENS_PER_SUFFIX, range(low, high), key=self._ranks.__getitem__)
            chosen = dict.fromkeys(self._tokens[k] for k in places)
            if high - low > MAX_TOKENS_PER_SUFFIX:
                chosen |= dict.fromkeys(
                    self._tokens[self._random.randrange(low, high)] for _ in range(4)
                )
                # the longest run of one character: where most has to be waited for
                chosen[max(self._tokens[low:high], key=len)] = None
            found = self._known[beginning] = tuple(chosen)
            if len(self._known) > 1 << 16:
                self._known.clear()
        return found

    def of(self, held: bytes, *, may_end: bool = True) -> Iterator[bytes]:
        """Yield what may follow a text whose end is `held`.

        Args:
            held: the bytes that no emitted id covers; may end inside a character.
            may_end: whether the text may also stop here.

        Yields:
            Bytes that make valid UTF-8 of `held`, b"" included if the text may end. Those likely
            to disagree come first.
        """
        tail = unfinished_bytes(held)
        n_tail = len(tail)
        if n_tail == 0 or may_end:
            yield b""
        if n_tail:
            characters = tuple(possible_ends(tail))
            yield from (character[n_tail:] for character in characters)
        else:
            yield from (text.encode() for text in SINGLES)
        yield from self._completions(held, tail)
        if n_tail:
            for character in characters:
                yield from (character[n_tail:] + more.encode() for more in FOLLOWERS)
                yield from (character[n_tail:] + more.encode() for more in ("aaaa", "ABCDa"))
            return
        yield from (text.encode() for text in LONGER)
        yield from self._special_texts(held)
        yield from ((one + more).encode() for one in SINGLES for more in FOLLOWERS)
        yield from filter(None, (complete_character(word) for word in self._random_words))

    def _completions(self, held: bytes, tail: bytes) -> Iterator[bytes]:
        """The rest of tokens that begin in `held`, alone and with something behind."""
        n_left = MAX_COMPLETIONS
        for at in range(max(0, len(held) - self._longest), len(held)):
            beginning = held[at:]
            for token in self.tokens_from(beginning):
                rest = complete_character(tail + token[len(beginning) :])
                if rest is None or len(rest) <= len(tail):
                    continue
                rest = rest[len(tail) :]
                yield rest
                yield rest + (b"a" if n_left & 1 else b" ")
                n_left -= 1
                if n_left == 0:
                    return

    def thorough(self, held: bytes) -> Iterator[bytes]:
        """Yield the rest of every token that could begin in `held`, a beginning of UTF-8.

        The longest beginnings come first. There may be as many as tokens in the vocabulary.
        """
        for at in range(max(0, len(held) - self._longest), len(held)):
            low, high = self._range(held[at:])
            for token in self._tokens[low:high]:
                yield from completed(token[len(held) - at :])

    def _range(self, beginning: bytes) -> tuple[int, int]:
        """Places in the sorted tokens of those longer than `beginning` that begin with it."""
        low = bisect_left(self._tokens, beginning)
        high = bisect_left(self._tokens, beginning + b"\xff" * (self._longest + 1))
        return low + (low < high and self._tokens[low] == beginning), high

    def _special_texts(self, held: bytes) -> Iterator[bytes]:
        """Special tokens from here, and the rest of one that has begun."""
        for k, name in enumerate(self._specials):
            for n in range(min(len(name) - 1, len(held)), 0, -1):
                if held.endswith(name[:n]):
                    yield name[n:]
            if k < MAX_SPECIALS:
                yield name

    def common_ids(
        self, stream: EncodeStream, held: bytes, *, may_end: bool = True
    ) -> tuple[list[int], int]:
        """Return the ids that all sampled continuations have in common behind those emitted.

        Args:
            stream: unchanged; each continuation is fed to a copy.
            held: the last `stream.delay_bytes` bytes fed.
            may_end: whether the text may stop here.

        Returns:
            The common ids, and the number of continuations tried: the search stops as soon as
            nothing is common. Between characters, every token is tried before it gives up.

        Cost: some microseconds for each continuation.
        """
        common: list[int] | None = None
        n_tried = 0
        is_whole = not unfinished_bytes(held)
        if is_whole:
            held = self._spelling.normalized(held)
        source = self.of(held, may_end=may_end)
        for rest in chain(source, self.thorough(held)) if is_whole else source:
            fork = stream.copy()
            try:
                ids = fork.feed(rest) if rest else []
                if common is None or len(ids) < len(common):
                    ids += fork.finish()
            except InputError:
                continue  # such a text has no ids
            n_tried += 1
            if common is None:
                common = ids
            else:
                n = n_common(common, ids)
                del common[n:]
            if not common:
                break
        return common or [], n_tried


@lru_cache(maxsize=2)
def sorted_tokens(tokenizer: Tokenizer) -> tuple[list[bytes], list[int]]:
    """Give the tokens in the order of their bytes, as text has them, and the merge rank of each."""
    spelling = Spelling.of_tokenizer(tokenizer)
    vocabulary = tokenizer._vocabulary  # noqa: SLF001 - the package's own
    ranked = {
        spelling.text(token): rank
        for rank, (token, token_id) in enumerate(
            zip(vocabulary.tokens(), vocabulary.ids, strict=True)
        )
        if token_id not in spelling.hidden
    }
    ordered = sorted(ranked.items())
    return [token for token, _ in ordered], [rank for _, rank in ordered]


@dataclass(frozen=True, slots=True)
class Spelling:
    """How the tokens of a tokenizer are spelled in text.

    Attributes:
        tokenizer: whose tokens they are.
        sign: what a space is written as in tokens; b" " if as itself.
        markers: bytes that tokens have at the ends of pretokens.
        hidden: internal ids that are not given out.
        is_exact: whether tokens are as long as the text they stand for, always.
    """

    tokenizer: Tokenizer
    sign: bytes = b" "
    markers: bytes = b""
    hidden: Collection[int] = ()
    is_exact: bool = True

    @classmethod
    def of_tokenizer(cls, tokenizer: Tokenizer) -> Self:
        """Read it off the tokenizer's stages."""
        parts = tokenizer._parts  # noqa: SLF001 - the package's own
        if parts is None:
            return cls(tokenizer)
        sign = " "
        for step in (*parts.normalizer, *parts.levels):
            match step:
                case ("replace", " ", str(content)):
                    sign = content
                case ("sp_normalize", _, _, flags) if flags[2]:
                    sign = SIGN
                case ("metaspace", str(replacement), *_):
                    sign = replacement
                case _:
                    pass
        markers = (BEGIN_MARKER if parts.has_begin_marker else b"") + (
            END_MARKER if parts.has_end_marker else b""
        )
        changes = {"prefix_space", "metaspace"}
        if ("from_byte_level",) not in parts.levels:
            changes.add("byte_level")
        is_exact = not (
            parts.normalizer
            or parts.expansions
            or any(level[0] in changes for level in parts.levels)
            or any(token.lstrip or token.rstrip for token in parts.added_tokens)
        )
        return cls(tokenizer, sign.encode(), markers, parts.expansions.keys(), is_exact)

    def text(self, token: bytes) -> bytes:
        """Return the text that a token's bytes stand for."""
        if self.markers:
            token = token.strip(self.markers)
        return token if self.sign == b" " else token.replace(self.sign, b" ")

    def normalized(self, text: bytes) -> bytes:
        """Return whole characters as tokens would spell them, without what is put before."""
        parts = self.tokenizer._parts  # noqa: SLF001 - the package's own
        if parts is None or not parts.normalizer:
            return text
        normalizer = _core.Normalize(list(parts.normalizer))
        given = normalizer.push(text.decode()) + normalizer.finish()
        changed = self.text(b"".join(part for part, _ in given))
        return changed if text.startswith(b" ") else changed.removeprefix(b" ")

    def of(self, token_id: int) -> bytes:
        """Return the text of the token with this id."""
        return self.text(self.tokenizer.token_bytes(token_id))


def n_common(one: list[int], other: list[int]) -> int:
    """Length of the common beginning."""
    n = min(len(one), len(other))
    return next((k for k in range(n) if one[k] != other[k]), n)


def unfinished_bytes(data: bytes) -> bytes:
    """Return the beginning of a character at the end of valid UTF-8; b"" if the end is whole."""
    for n in range(1, min(3, len(data)) + 1):
        byte = data[-n]
        if byte >= 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return data[len(data) - n :] if n < length else b""
        if byte < 0x80:
            break
    return b""


def possible_ends(tail: bytes, choices: Iterable[int] = TAIL_BYTES) -> Iterator[bytes]:
    """Yield characters that begin with `tail`, of as many kinds as a few can be."""
    first = tail[0]
    length = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    n_missing = length - len(tail)
    for first_byte in choices:
        for other in TAIL_BYTES[: 3 if n_missing > 1 else 1]:
            character = tail + bytes([first_byte, other, other])[:n_missing]
            if is_text(character):
                yield character


def is_text(data: bytes) -> bool:
    """Tell whether `data` is UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def completed(data: bytes) -> Iterator[bytes]:
    """Yield `data` with its last character completed in all ways that `possible_ends` knows."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            for character in possible_ends(data[error.start :], range(0x80, 0xC0)):
                yield data[: error.start] + character
    else:
        yield data


def complete_character(data: bytes) -> bytes | None:
    """Return `data` with its last character completed; None if it is not the beginning of UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            return None
        whole = next(possible_ends(data[error.start :]), None)
        return None if whole is None else data[: error.start] + whole
    return data
