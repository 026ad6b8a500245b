"""Refusals: by name and offset, for every construct that cannot be honoured, and for garbage."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pattern_drawing import draw_pattern

from tokstream.errors import PatternError
from tokstream.patterns import compile_pattern

BOTH = [
    (r"^a|[\s\S]", 0, "^"),
    (r"x|\Aa", 2, "start anchor"),
    (r"x\Ga", 1, "start anchor"),
    (r"a\Z", 1, "end anchor"),
    (r"ab\b", 2, "word boundary"),
    (r"ab\B", 2, "word boundary"),
    (r"(a)\1", 3, "backreference"),
    (r"(?<n>a)\k<n>", 7, "backreference"),
    (r"(?<=a)b", 0, "lookbehind"),
    (r"a(?<!a)b", 1, "lookbehind"),
    (r"a(?!bc)", 1, "lookahead"),
    (r"a(?=b+c)", 1, "lookahead"),
    (r"a(?!(?:b|cd))", 1, "lookahead"),
    (r"a(?!b{2})", 1, "lookahead"),
    (r"a(?#no)b", 1, "comment"),
    (r"(?(1)a|b)", 0, "conditional"),
    (r"(?~a)", 0, "absence"),
    (r"(?x) a", 2, "flag"),
    (r"a\K", 1, "match reset"),
    (r"a|\R", 2, "line break"),
    (r"\X", 0, "grapheme"),
    (r"[a", 0, "not closed"),
    (r"a[b-a]", 2, "larger end"),
    (r"[a-\d]", 1, "range"),
    (r"[\d-a]", 1, "range"),
    (r"[[:nope:]]", 1, "[:nope"),
    (r"[[]", 1, "not closed"),
    (r"[--a]", 1, "--"),
    (r"(a", 0, "not closed"),
    (r"a)", 1, ")"),
    (r"a|*b", 2, "nothing to repeat"),
    (r"+", 0, "nothing to repeat"),
    (r"{2}", 0, "nothing to repeat"),
    (r"a{3,2}", 1, "larger count"),
    (r"a{2000}", 1, "repeat of more than"),
    (r"a**", 2, "repeat of a repeat"),
    (r"a+{2}", 2, "repeat of a repeat"),
    (r"$+a", 1, "repeat of nothing"),
    (r"(?=a)*b", 5, "repeat of nothing"),
    (r"b(a*)+", 1, "may be empty"),
    (r"b(?:a|b?){2}", 1, "may be empty"),
    (r"\p{Nonsense}", 0, "property"),
    (r"a\p{L", 1, "property"),
    (r"\q", 0, "escape"),
    (r"a\x{110000}", 1, "code point"),
    (r"\x{D800}", 0, "code point"),
    (r"\xg1", 0, "escape"),
    ("a\\", 2, "unexpected end"),
    (r"(?<a-b>x)", 0, "group name"),
    ("a\ud800", 1, "surrogate"),
    (r".++b", 0, "possessive"),
    (r"a|(?>ab|a)b", 2, "atomic"),
    (r"x(?>ab|a)(?!c)", 1, "atomic"),
    (r"a?+a", 0, "possessive"),
]


@pytest.mark.parametrize("dialect", ["tiktoken", "tokenizers"])
@pytest.mark.parametrize(("pattern", "offset", "construct"), BOTH, ids=[ascii(r[0]) for r in BOTH])
def test_constructs_are_refused_by_name_and_offset(pattern, offset, construct, dialect):
    with pytest.raises(PatternError) as caught:
        compile_pattern(pattern, dialect)
    message = str(caught.value)
    assert construct in message
    assert caught.value.offset == offset
    assert f"at offset {offset}" in message


ONE = [
    ("tiktoken", r"a\<b", 1, "word boundary"),
    ("tiktoken", r"(?:x|((?i)a))", 6, "inline flag"),
    ("tiktoken", r"(?-u)a", 3, "flag"),
    ("tokenizers", r"(?s).", 2, "flag"),
    ("tokenizers", r"(?P<n>a)", 2, "flag"),
    ("tokenizers", r"\pL", 0, "property without braces"),
    ("tokenizers", r"a\u{41}", 1, "escape"),
    ("tokenizers", r"\xE9", 0, "byte escape"),
    ("tokenizers", r"\p{Script=Han}", 0, "property"),
    ("tokenizers", r"a{2}?", 1, "{m}?"),
    ("tokenizers", r"ba{0,2}+", 2, "{m,n}+"),
    ("tokenizers", r"(?i:ss)", 5, "case ignored"),
    ("tokenizers", r"(?i:a|xfi)", 8, "case ignored"),
    ("tokenizers", r"(?i:f(?:i))", 8, "case ignored"),
    ("tokenizers", r"(?i:ß)", 4, "case ignored"),
    ("tokenizers", r"(?i:[ß])", 4, "fold"),
    ("tokenizers", r"(?i:[\p{L}a])", 5, "ignores case"),
    ("tokenizers", r"(?i:[[:upper:]])", 5, "ignores case"),
    ("tokenizers", r"(?i:[a&&b])", 4, "ignores case"),
    ("tokenizers", r"[a--b]", 2, "--"),
]


@pytest.mark.parametrize(("dialect", "pattern", "offset", "construct"), ONE)
def test_constructs_of_one_dialect(dialect, pattern, offset, construct):
    with pytest.raises(PatternError) as caught:
        compile_pattern(pattern, dialect)
    assert construct in str(caught.value)
    assert caught.value.offset == offset


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("", "empty string"),
        ("a*", "empty string, for example before"),
        ("a|$", "empty string, for example at the end"),
        ("(?!a)|a", "empty string"),
        ("a", "not total: it does not match at the beginning of 'b'"),
        (r"ab|[^a]", "not total: it does not match at the beginning of 'a'"),
        (r"\s+$|\S", "not total"),
        (r"[^\s\S]", "not total"),
    ],
)
def test_patterns_that_do_not_cut_every_text(pattern, message):
    with pytest.raises(PatternError) as caught:
        compile_pattern(pattern)
    assert message in str(caught.value)
    assert caught.value.offset is None


def test_sizes_are_limited():
    with pytest.raises(PatternError, match="states"):
        compile_pattern(r"(?:[ab]*a[ab]{14}|[\s\S])")
    with pytest.raises(PatternError, match="nodes"):
        compile_pattern(r"(?:(?:a{50}){50}){50}|[\s\S]")
    with pytest.raises(PatternError, match="active at once"):
        compile_pattern("a?" * 900 + r"b|[\s\S]")
    many = "|".join(f"\\x{{{0x400 + 2 * n:X}}}a{{{n % 9 + 1}}}" for n in range(300))
    assert compile_pattern(f"{many}|[\\s\\S]").n_classes <= 255
    with pytest.raises(PatternError, match="classes"):
        compile_pattern(
            "|".join(f"{chr(0x4E00 + n)}{chr(0x4E01 + n)}" for n in range(300)) + "|.|\\n"
        )


def test_deep_and_long_patterns_do_not_overflow():
    for deep in ("(" * 5_000, "(?:" * 5_000 + "a" + ")" * 5_000, "[" * 5_000, "(?i)" * 5_000):
        with pytest.raises(PatternError):
            compile_pattern(deep)
        with pytest.raises(PatternError):
            compile_pattern(deep, "tokenizers")
    long = compile_pattern("|".join(["ab"] * 3_000) + r"|[\s\S]")
    assert long.split("abc") == ["ab", "c"]


@pytest.mark.parametrize("dialect", ["tiktoken", "tokenizers"])
@given(
    pattern=st.one_of(
        st.text(max_size=30),
        st.text(r"()[]{}|*+?\^$-&:!=<>,.:ipPxuU#aAzs1 0"),
        st.text("()[]|*+?{},12\\pL&-^"),
    )
)
def test_garbage_is_refused_or_compiled(pattern, dialect):
    try:
        automaton = compile_pattern(pattern, dialect, gaps=True)
    except PatternError as error:
        caught = error
    else:
        assert "".join(automaton.split(pattern)) == pattern
        return
    assert str(caught)
    assert caught.offset is None or 0 <= caught.offset <= len(pattern)


def test_damaged_patterns_are_refused_or_compiled():
    rng = random.Random(11)
    for _ in range(400):
        text = list(draw_pattern(rng))
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(text))
            text[at] = rng.choice("()[]{}|*+?\\^$-&:")
        try:
            compile_pattern("".join(text), rng.choice(("tiktoken", "tokenizers")))
        except PatternError:
            continue


def test_unknown_dialect():
    with pytest.raises(PatternError, match="tiktoken"):
        compile_pattern("a", "perl")
