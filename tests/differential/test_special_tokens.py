"""`allowed_special` and `disallowed_special` mean what they mean in the reference, at every cut.

Where two special tokens begin at one place, the reference takes the one that comes first in a hash
table, which changes from run to run; there it is not compared with, and the longest one counts.
"""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from data import tiktoken_encoding
from special_model import Refused, find_refused, is_ambiguous, resolve, split
from tokstream import DisallowedSpecialTokenError, Tokenizer, get_encoding
from tokstream.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable

EOT, PROMPT, PREFIX = "<|endoftext|>", "<|endofprompt|>", "<|fim_prefix|>"

TEXTS = [
    "plain text, no special token",
    "A<|endoftext|>B<|endoftext|>C",
    "<|endoftext|>",
    "<|fim_prefix|>a<|fim_middle|> b<|fim_suffix|>\n<|endofprompt|>",
    "<|endoftext|<|endoftext|>|> foo<|endoftext|",
    "漢<|endofprompt|>é  <|endoftext|>  \n",
    "unknown <|im_start|> and <|endoftext|> known",
    "the next one ends it: <|endof",
]
ALLOWED: list[Any] = [None, "all", {EOT}, {PROMPT, PREFIX}, {"<|im_start|>", EOT}, {"text"}, set()]
DISALLOWED: list[Any] = [None, "all", (), {EOT}, [PROMPT], {"<|im_start|>"}, {"text"}, {PREFIX}]

Choice = dict[str, Any]
Outcome = list[int] | str | Refused


def _choices(allowed: object, disallowed: object) -> Choice:
    """Keyword arguments; None is left out, as a caller would."""
    pairs = {"allowed_special": allowed, "disallowed_special": disallowed}
    return {key: value for key, value in pairs.items() if value is not None}


def _reference(encoding: tiktoken.Encoding, text: str, choice: Choice) -> list[int] | str:
    """Ids, or the refused token."""
    try:
        return encoding.encode(text, **choice)
    except ValueError as error:
        return str(error).split("'")[1]


def _ours(tokenizer: Tokenizer, parts: Iterable[str | bytes], choice: Choice) -> Outcome:
    """Ids, or the refused token; checks what the error says about ids."""
    stream = tokenizer.stream(**choice)
    ids: list[int] = []
    try:
        for part in parts:
            ids += stream.feed(part)
        return ids + stream.finish()
    except DisallowedSpecialTokenError as caught:
        error = caught
    assert error.offset is not None
    whole = b"".join(p.encode() if isinstance(p, str) else p for p in parts)
    before = whole[: error.offset].decode()
    honoured, _ = resolve(tokenizer.special_tokens, choice.get("allowed_special"), ())
    complete = tokenizer.encode(before, allowed_special=honoured, disallowed_special=())
    ids += error.ids
    assert complete[: len(ids)] == ids
    assert repr(error.token)[1:-1] in str(error)
    assert str(error.offset) in str(error)
    return Refused(error.offset, error.token)


@pytest.mark.parametrize("name", ["r50k_base", "cl100k_base", "o200k_harmony"])
@pytest.mark.parametrize("text", TEXTS)
def test_all_choices(name: str, text: str) -> None:
    tokenizer, reference = get_encoding(name), tiktoken_encoding(name)
    for allowed, disallowed in product(ALLOWED, DISALLOWED):
        choice = _choices(allowed, disallowed)
        expected = _reference(reference, text, choice)
        found = _ours(tokenizer, [text], choice)
        if isinstance(found, Refused):
            assert found.token == expected, choice
            assert text.encode()[found.offset :].startswith(found.token.encode())
        else:
            assert found == expected, choice
        for whole in (text, text.encode()):
            for cut in range(len(whole) + 1):
                assert _ours(tokenizer, [whole[:cut], whole[cut:]], choice) == found
        if isinstance(found, Refused):
            for verb in (tokenizer.encode, tokenizer.count):
                with pytest.raises(DisallowedSpecialTokenError) as refused:
                    verb(text, **choice)
                assert Refused(refused.value.offset or 0, refused.value.token) == found
        else:
            assert tokenizer.encode(text, **choice) == found
            assert tokenizer.count(text, **choice) == len(found)


def test_the_ids_of_an_error_do_not_depend_on_the_cut() -> None:
    tokenizer = get_encoding("cl100k_base")
    text = "some words, then<|endofprompt|>  and <|endoftext|> more"
    choice: Choice = {"allowed_special": {PROMPT}}
    seen = set()
    for cut in range(len(text) + 1):
        stream = tokenizer.stream(**choice)
        ids: list[int] = []
        with pytest.raises(DisallowedSpecialTokenError) as caught:  # noqa: PT012 - either may
            for part in (text[:cut], text[cut:]):
                ids += stream.feed(part)
        seen.add((*ids, *caught.value.ids))
        assert stream.n_tokens == len(ids) + len(caught.value.ids)
    with pytest.raises(DisallowedSpecialTokenError) as caught:
        tokenizer.encode(text, **choice)
    assert seen == {tuple(caught.value.ids)}
    assert tokenizer.decode(caught.value.ids) == "some words, then<|endofprompt|>  and"


def test_honoured_names_in_any_collection() -> None:
    tokenizer = get_encoding("cl100k_base")
    kinds: list[Any] = [{EOT}, [EOT], (EOT,), frozenset([EOT]), {EOT: 1}, {EOT: 1}.keys()]
    for names in kinds:
        assert tokenizer.encode(EOT, allowed_special=names) == [100257]
        assert len(tokenizer.encode(EOT, disallowed_special=set())) > 1
        with pytest.raises(DisallowedSpecialTokenError):
            tokenizer.encode(EOT, disallowed_special=names)


@pytest.mark.parametrize("k", range(len(EOT) + 1))
def test_across_the_blocks_of_long_text(k: int) -> None:
    # long bytes are read in blocks of 2**20 bytes, long text in slices of 2**18 characters
    tokenizer = get_encoding("r50k_base")
    n_ascii, n_text = (1 << 20) - k, (1 << 18) - k
    word, rest = "word ", " end"
    ascii_text = (word * n_ascii)[:n_ascii] + EOT + rest
    text = "é" + (word * n_text)[: n_text - 1] + EOT + rest
    sources: list[tuple[str | bytes, int]] = [
        (ascii_text, n_ascii),
        (ascii_text.encode(), n_ascii),
        (text, n_text + 1),
    ]
    for source, offset in sources:
        ids = tokenizer.encode(source, allowed_special="all")
        assert ids.count(50256) == 1
        assert ids[ids.index(50256) + 1 :] == [886]
        with pytest.raises(DisallowedSpecialTokenError) as caught:
            tokenizer.encode(source)
        assert caught.value.offset == offset
        plain = tokenizer.encode(source, disallowed_special=())
        assert tokenizer.decode(plain[-9:]).endswith(EOT + rest)


# --- special tokens of one's own, prefixes of each other, overlapping ------------------------------

_PATTERN = r"\s+|\S"
_BYTES = {bytes([b]): b for b in range(256)}
_RANKS = {**_BYTES, b"ab": 256, b"ba": 257, b"<a": 258, b"a>": 259, b"  ": 260}
_FAMILIES = [
    ["<a>", "<a><b>", "<b>"],
    ["ab", "abcd", "bc"],
    ["aab", "ab", "a>"],
    ["<", "<<", "<<<"],
    ["a b", "b a", " "],
    ["é", "éa", "漢"],
    ["\ufffd", "x\ufffd"],
]
_ALPHABETS = ["<ab>", "abcd", "ab>", "<a", "ab ", "é漢a", "\ufffdxé"]


def _pair(names: list[str]) -> tuple[Tokenizer, tiktoken.Encoding]:
    specials = {name: 300 + k for k, name in enumerate(names)}
    tokenizer = Tokenizer("small", Vocabulary.from_ranks(_RANKS), _PATTERN, specials)
    reference = tiktoken.Encoding(
        "small", pat_str=_PATTERN, mergeable_ranks=_RANKS, special_tokens=specials
    )
    return tokenizer, reference


def _by_definition(
    tokenizer: Tokenizer, reference: tiktoken.Encoding, text: str, choice: Choice
) -> list[int] | Refused:
    specials = tokenizer.special_tokens
    honoured, refused = resolve(
        specials, choice.get("allowed_special"), choice.get("disallowed_special")
    )
    if found := find_refused(text, refused):
        return found
    ids: list[int] = []
    for segment in split(text, {name: specials[name] for name in honoured if name in specials}):
        ids += [segment] if isinstance(segment, int) else reference.encode_ordinary(segment)
    return ids


def _check_everywhere(
    tokenizer: Tokenizer, reference: tiktoken.Encoding, text: str, choice: Choice
) -> None:
    expected = _by_definition(tokenizer, reference, text, choice)
    refused = choice.get("disallowed_special")
    # The peer refuses one of several names that begin alike, in the order of a set.
    refused_names = set() if refused is None or isinstance(refused, str) else set(refused)
    if not is_ambiguous(text, {*tokenizer.special_tokens, *refused_names}):
        peer = _reference(reference, text, choice)
        assert peer == (expected.token if isinstance(expected, Refused) else expected)
    data = text.encode()
    assert _ours(tokenizer, [text], choice) == expected
    assert _ours(tokenizer, [data[i : i + 1] for i in range(len(data))], choice) == expected
    for cut in range(len(data) + 1):
        assert _ours(tokenizer, [data[:cut], data[cut:]], choice) == expected, (cut, choice)


@pytest.mark.parametrize(("family", "alphabet"), list(zip(_FAMILIES, _ALPHABETS, strict=True)))
def test_families_of_names(family: list[str], alphabet: str) -> None:
    tokenizer, reference = _pair(family)
    rng = random.Random(len(alphabet))
    texts = ["".join(rng.choices(alphabet, k=rng.randint(0, 9))) for _ in range(40)]
    texts += ["".join(rng.choices(family, k=rng.randint(1, 4))) for _ in range(10)]
    subsets = [[n for k, n in enumerate(family) if mask >> k & 1] for mask in range(8)]
    for text in texts:
        for allowed in ["all", *subsets]:
            names = set(allowed) if isinstance(allowed, list) else allowed
            for disallowed in [(), None, rng.choice(subsets)]:
                choice = _choices(names, disallowed)
                _check_everywhere(tokenizer, reference, text, choice)


_names = st.lists(st.text("ab<|> ", min_size=1, max_size=4), min_size=1, max_size=6, unique=True)


@settings(max_examples=200)
@given(st.data(), _names)
def test_random_names(data: st.DataObject, names: list[str]) -> None:
    tokenizer, reference = _pair(names)
    pieces = st.one_of(st.sampled_from(names), st.text("ab<|> é", max_size=3))
    text = "".join(data.draw(st.lists(pieces, max_size=6)))
    allowed = data.draw(st.sets(st.sampled_from(names)))
    disallowed = data.draw(
        st.one_of(st.none(), st.just(()), st.sets(st.text("ab<", min_size=1, max_size=3)))
    )
    _check_everywhere(tokenizer, reference, text, _choices(allowed, disallowed))
