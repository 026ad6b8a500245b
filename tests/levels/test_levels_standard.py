"""Pre-tokenizers without a pattern of the user's, on every code point and on random text."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest
from cascade import check, cut, expected, levels_of
from pattern_texts import ALPHABET
from tokenizers import pre_tokenizers as hf

from tokstream import _core
from tokstream.errors import ConfigurationError, VocabularyError
from tokstream.patterns import levels as made

BEHAVIOURS = ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous")
KINDS: list[Any] = [
    hf.Digits(individual_digits=True),
    hf.Digits(individual_digits=False),
    hf.Whitespace(),
    hf.WhitespaceSplit(),
    hf.BertPreTokenizer(),
    hf.UnicodeScripts(),
    *(hf.Punctuation(behaviour) for behaviour in BEHAVIOURS),
    *(hf.CharDelimiterSplit(delimiter) for delimiter in "-é中 "),
    *(hf.FixedLength(length) for length in (1, 3, 7)),
    *(
        hf.ByteLevel(add_prefix_space=prefix, use_regex=words)
        for prefix, words in product((False, True), (False, True))
    ),
    *(
        hf.Metaspace(replacement, scheme, split)
        for replacement, scheme, split in product(
            "▁_é", ("always", "first", "never"), (True, False)
        )
    ),
]
# Every code point matters to these only.
BY_CODE_POINT = KINDS[:7]
TEXTS = (
    "",
    " ",
    "  ",
    "▁",
    " ▁ ",
    "▁a b",
    "a  b ",
    "_",
    "a▁_ b",
    "é-é",
    "中-",
    " -",
    "--",
    "a. .b",
)


@pytest.mark.slow
@pytest.mark.parametrize("kind", BY_CODE_POINT, ids=str)
def test_every_code_point(kind: Any) -> None:
    levels = levels_of(kind)
    points = [chr(cp) for cp in range(0x110000) if not 0xD800 <= cp <= 0xDFFF]
    for at in range(0, len(points), 8192):
        text = "".join(f"x{c}й {c}" for c in points[at : at + 8192] if c != "‖")
        assert cut(levels, text).pieces() == expected(kind, text), at


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_random_text(kind: Any) -> None:
    levels = levels_of(kind)
    rng = random.Random(str(kind))
    for text in TEXTS:
        check(kind, levels, text)
    for number in range(30):
        letters = rng.choices(ALPHABET + "▁_ -", k=5) if number % 2 else ALPHABET + "▁_    -é"
        check(kind, levels, "".join(rng.choices(letters, k=rng.randint(1, 20))))


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_offsets(kind: Any) -> None:
    """The source of a piece without changes is where the reference finds it."""
    rng = random.Random(str(kind))
    for _ in range(20):
        text = "".join(rng.choices("ab ▁_-.1é中", k=12))
        reference = kind.pre_tokenize_str(text)
        bytes_before = [len(text[:at].encode()) for at in range(len(text) + 1)]
        wanted = [(bytes_before[begin], bytes_before[end]) for _, (begin, end) in reference]
        assert cut(levels_of(kind), text).source == wanted, text


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="fixed length is 0; use 1"):
        made.fixed_length(0)
    with pytest.raises(ConfigurationError, match="exactly one character"):
        made.metaspace("ab", "always", split=True)
    with pytest.raises(ConfigurationError, match="scheme 'last'; use one of always"):
        made.metaspace("a", "last", split=True)
    with pytest.raises(ConfigurationError, match="behaviour 'Removed'; use one of removed"):
        made.split("a", "Removed")  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="exactly one character"):
        made.char_delimiter_split("")


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ([("fixed_length", 0)], r"levels\[0\]: a fixed length of 0"),
        ([("byte_level",), ("no",)], r"levels\[1\]: no level \"no\" with 0 parameters"),
        ([("metaspace", "a", "last", True)], r"unknown prepend scheme"),
        ([("split", made.split("a", "isolated")[1], "no", True)], r"unknown behaviour"),
        ([("split", b"", "isolated", True)], r"cut short"),
        ([("from_byte_level",)], r"for the end, behind byte_level"),
        ([("byte_level",), ("metaspace", "a", "first", True)], r"scheme first behind byte_level"),
        ([("byte_level",), ("prefix_space",), ("from_byte_level",)], r"cannot read"),
    ],
)
def test_wrong_descriptions_are_refused(levels: list[made.Level], message: str) -> None:
    with pytest.raises(VocabularyError, match=message):
        _core.Levels(levels)
