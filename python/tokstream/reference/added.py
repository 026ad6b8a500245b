r"""Stage 2 for tokenizers with added tokens: some before the normalizer, some behind it.

Enters: text, cut anywhere between characters.
Leaves: runs of normalized text, and the added tokens between them, in order.
Held back: a suffix that may still become an added token; whitespace that a token may swallow; a
token whose right neighbour is not known; what the normalizer holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from unicodedata import category

from tokstream.errors import ConfigurationError
from tokstream.reference.normalize import Normalizer, is_whitespace, joined
from tokstream.reference.segments import Segment, SpecialToken, Spellings

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["AddedToken", "AddedTokens", "NormalizedSegments", "is_word_character"]

JOINERS = "\u200c\u200d"


@dataclass(frozen=True, slots=True)
class AddedToken:
    """A token that is matched before pretokens are cut.

    Attributes:
        text: how it is spelled.
        id: what it is written as.
        normalized: found in normalized text, spelled as the normalizer spells it.
        lstrip: it swallows whitespace on its left.
        rstrip: it swallows whitespace on its right.
        single_word: no letter, digit or the like may stand beside it.
    """

    text: str
    id: int
    normalized: bool = False
    lstrip: bool = False
    rstrip: bool = False
    single_word: bool = False


class AddedTokens:
    r"""One pass: the added tokens of a text, leftmost, then longest, and the runs between them.

    A token that stands beside a word character though it must not is passed over as text, all of
    it: no other token is looked for inside.

    Whitespace that a token swallows belongs to it. But swallowing on the right moves no search: a
    token that begins in that whitespace is found there, and what follows it is text again, unless
    it is whitespace itself and swallows on its left. That is how `tokenizers` does it.

    >>> end, word = AddedToken("<a>", 1, rstrip=True), AddedToken("on", 2, single_word=True)
    >>> tokens = AddedTokens([end, word])
    >>> tokens.push("<a>"), tokens.push(" \n"), tokens.push(" on")
    ([SpecialToken(text='<a>', id=1)], [], [])
    >>> tokens.push("e on"), tokens.finish()
    (['one '], [SpecialToken(text='on', id=2)])

    Args:
        tokens: those of this pass.

    Raises:
        ConfigurationError: two are spelled alike (`tokenizers` takes one of them, now this, now
            that), or one is empty.

    Cost: O(n L) time, L different lengths of tokens; memory the longest one, and, if a token
        swallows whitespace on its left, the last run of whitespace, which has no greatest length.
    """

    def __init__(self, tokens: Iterable[AddedToken]) -> None:
        self._tokens: dict[str, AddedToken] = {}
        for token in tokens:
            if token.text in self._tokens:
                raise ConfigurationError(
                    f"two added tokens are spelled {token.text!r} when they are looked for; "
                    "leave one out"
                )
            self._tokens[token.text] = token
        self._spellings = Spellings(self._tokens)
        self._keeps_whitespace = any(token.lstrip for token in self._tokens.values())
        self._begin()

    def _begin(self) -> None:
        self._held = ""  # what is not decided
        self._run = ""  # text that is decided, with whitespace at its end that may be swallowed
        self._before = ""  # the character in front of `_held`
        self._swallows = False  # whitespace here belongs to the token before

    @property
    def n_held(self) -> int:
        """UTF-8 bytes of text held back."""
        return len((self._run + self._held).encode())

    def push(self, text: str) -> list[Segment]:
        """Take text, return the segments that are certain; runs are never empty."""
        self._held += text
        return self._read(final=False)

    def finish(self) -> list[Segment]:
        """End the text, return the rest. Ready for another text."""
        out = self._read(final=True)
        self._begin()
        return out

    def _read(self, *, final: bool) -> list[Segment]:
        out: list[Segment] = []
        held, place = self._held, 0
        while place < len(held):
            if not final and self._spellings.may_begin(held, place):
                break
            spelling = self._spellings.longest(held, place)
            end = place + max(1, len(spelling))
            token = self._tokens.get(spelling)
            if token is not None and token.single_word:
                if end == len(held) and not final:
                    break
                if is_word_character(self._before) or is_word_character(held[end : end + 1]):
                    token = None
            if token is None:
                self._add_text(held[place:end])
            elif self._swallows and token.lstrip and not _rstripped(spelling):
                pass  # whitespace that the token before has swallowed already
            else:
                self._give_run(out, len(_rstripped(self._run) if token.lstrip else self._run))
                self._run = ""
                out.append(SpecialToken(token.text, token.id))
                self._swallows = token.rstrip
            self._before = held[end - 1]
            place = end
        self._held = held[place:]
        keeps = self._keeps_whitespace and not final
        self._give_run(out, len(_rstripped(self._run) if keeps else self._run))
        return out

    def _add_text(self, text: str) -> None:
        while self._swallows and text:
            self._swallows = is_whitespace(text[0])
            text = text[self._swallows :]
        self._run += text

    def _give_run(self, out: list[Segment], n: int) -> None:
        """Give out the first `n` characters of the run."""
        if n:
            out.append(self._run[:n])
        self._run = self._run[n:]


class NormalizedSegments:
    r"""Both passes, and the normalizer between them.

    The first finds the tokens that are not normalized. Each run between them is a segment for the
    normalizer. In what that gives the second pass finds the normalized tokens, spelled as the
    normalizer spells their text, and gives the runs from which pretokens are cut.

    >>> from tokstream.reference.normalize import Lowercase
    >>> tokens = [AddedToken("<A>", 1), AddedToken("Yes", 2, normalized=True)]
    >>> segments = NormalizedSegments(tokens, Normalizer([Lowercase()]))
    >>> segments.push("NO <A>y"), segments.push("ES!"), segments.finish()
    (['no ', SpecialToken(text='<A>', id=1)], [SpecialToken(text='yes', id=2), '!'], [])

    Args:
        tokens: all added tokens.
        normalizer: at the beginning of a segment.

    Raises:
        ConfigurationError: as `AddedTokens`, for what the normalizer makes of the tokens.

    Cost: the sum of the three stages'.
    """

    def __init__(self, tokens: Iterable[AddedToken], normalizer: Normalizer) -> None:
        tokens = list(tokens)
        self._normalizer = normalizer.copy()
        self._first = AddedTokens(token for token in tokens if not token.normalized)
        self._second = AddedTokens(
            AddedToken(
                normalizer.normalize(token.text),
                token.id,
                lstrip=token.lstrip,
                rstrip=token.rstrip,
                single_word=token.single_word,
            )
            for token in tokens
            if token.normalized
        )

    def push(self, text: str) -> list[Segment]:
        """Take text, return the segments that are certain."""
        return self._run(self._first.push(text))

    def finish(self) -> list[Segment]:
        """End the text, return the rest. Ready for another text."""
        return [*self._run(self._first.finish()), *self._end_run()]

    def _run(self, segments: Iterable[Segment]) -> list[Segment]:
        out: list[Segment] = []
        for segment in segments:
            if isinstance(segment, str):
                out += self._second.push(joined(self._normalizer.push(segment)))
            else:
                out += [*self._end_run(), segment]
        return out

    def _end_run(self) -> list[Segment]:
        rest = self._second.push(joined(self._normalizer.finish()))
        return rest + self._second.finish()


def is_word_character(character: str) -> bool:
    r"""Whether a character matches `\w`: a letter, mark, decimal digit, connector, or a joiner.

    No character at all does not. By the tables of `unicodedata`; letters that it only calls so by
    the property Alphabetic (circled letters) are missing.
    """
    return bool(character) and (
        category(character)[0] in "LM"
        or category(character) in {"Nd", "Nl", "Pc"}
        or character in JOINERS
    )


def _rstripped(text: str) -> str:
    end = len(text)
    while end and is_whitespace(text[end - 1]):
        end -= 1
    return text[:end]
