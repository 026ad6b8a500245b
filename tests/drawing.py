"""Hypothesis strategies: texts that are hard to tokenize in a stream, and ways to cut them.

Enters: the name of an encoding. Leaves: texts made of its own tokens and parts of them, blanks,
contractions, marks, emoji, special tokens and what looks like them; optionally surrogates.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from data import tiktoken_encoding

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

__all__ = ["byte_parts", "parts", "text_tokens", "texts"]

_BLANKS = ["", " ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", "\r", " \n", "\n ", "\xa0", "\u3000"]
_BLANKS += ["\u2028", "\x85", "\v", " " * 17, "\n" * 9]
_WORDS = ["'s", "'S", "'ſ", "'t", "'ll", "'LL", "'re", "'Ve", "'d", "'", "''", "I'm", "x'll", "K"]
_WORDS += ["a", "A", "b", "the", "The", "THE", "iPhone", "HTMLParser", "foo_bar", "don't", "ǅ", "ʰ"]
_SIGNS = ["0", "1", "12", "123", "1234", "²", "½", "٣", "!", "!!", "/", "//", "//\n", ".", "...\n"]
_SIGNS += ["-" * 9, "=" * 20, "#", "{", '"}', "://", "\0", "\x7f"]
_MARKS = ["\u0301", "e\u0301", "é", "\u200d", "\u200b", "\ufeff", "\ufe0f", "\u20e3", "\u0903"]
_OTHERS = ["漢", "漢字", "かな", "한국어", "ไทย", "नमस्ते", "שלום", "👍🏽", "😀", "\U0001f468\u200d"]
_OTHERS += ["\ufffd", "\U0010ffff", "\ue000", "\u0378", "\uffff"]
_NEARLY = ["<", "<|", "<|end", "<|endoftext", "endoftext|>", "|>", "<|fim_", "<|end|>", "<|<|"]
_SURROGATES = ["\ud83d", "\udc4d", "\ud83d\udc4d", "\ud800", "\udfff", "\ud83d ", " \udc4d"]


@cache
def text_tokens(name: str) -> list[str]:
    """Return the tokens of an encoding that are whole characters, without special ones."""
    tokens = []
    for token in tiktoken_encoding(name)._mergeable_ranks:
        try:
            tokens.append(token.decode())
        except UnicodeDecodeError:
            continue
    return tokens


@cache
def texts(name: str, *, surrogates: bool = False, max_parts: int = 24) -> SearchStrategy[str]:
    """Return texts of an encoding, usually of some tens of characters."""
    tokens = st.sampled_from(text_tokens(name))
    beginning = st.builds(lambda token, n: token[: n % (len(token) + 1)], tokens, st.integers(0, 9))
    end = st.builds(lambda token, n: token[n % (len(token) + 1) :], tokens, st.integers(0, 9))
    special = st.sampled_from([*sorted(tiktoken_encoding(name).special_tokens_set)[:12], *_NEARLY])
    fixed = [_BLANKS, _WORDS, _SIGNS, _MARKS, _OTHERS, *([_SURROGATES] if surrogates else [])]
    single = st.characters(exclude_categories=[] if surrogates else ["Cs"])
    part = st.one_of(tokens, beginning, end, special, *map(st.sampled_from, fixed), single)
    short = st.lists(part, max_size=max_parts // 4)
    long = st.lists(part, min_size=max_parts // 2, max_size=max_parts)
    return st.one_of(short, long, long).map("".join)


def _cuts(n: int, max_cuts: int) -> SearchStrategy[list[int]]:
    few = st.lists(st.integers(0, n), max_size=2)
    many = st.lists(st.integers(0, n), min_size=2, max_size=max_cuts)
    return st.one_of(few, many).map(sorted)


@st.composite
def parts(draw: DrawFn, text: SearchStrategy[str], max_cuts: int = 12) -> list[str]:
    """Draw a text, and where to cut it between characters (surrogates are characters)."""
    whole = draw(text)
    cuts = draw(_cuts(len(whole), max_cuts))
    return [whole[i:j] for i, j in zip([0, *cuts], [*cuts, len(whole)], strict=True)]


@st.composite
def byte_parts(draw: DrawFn, text: SearchStrategy[str], max_cuts: int = 12) -> list[bytes]:
    """Draw a text as UTF-8, and where to cut it, also inside characters."""
    whole = draw(text).encode()
    cuts = draw(_cuts(len(whole), max_cuts))
    return [whole[i:j] for i, j in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
