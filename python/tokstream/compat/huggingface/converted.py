"""Ranks → the tokenizer.json that they are usually converted to.

Enters: a native tokenizer of an embedded encoding, a rank file or a tekken.json. Leaves: a state
whose ids are the same; tokens in the byte-level alphabet, a split by the pattern, special tokens
that are recognised. They are in the model's vocabulary, too, so that they keep their ids. Held
back: merges, until they are asked for.

A merge is written for each way in which two entries join to an entry, the result's rank first: so
the merges of one result come together, and which of them is first does not matter, since pretokens
that are entries are taken whole and others merge by the rank of the result.
"""

from __future__ import annotations

import re
from array import array
from functools import partial
from typing import TYPE_CHECKING, Any

from tokstream.compat.huggingface.added import AddedToken, AddedVocabulary
from tokstream.compat.huggingface.definition import Definition
from tokstream.compat.huggingface.processing import template_around
from tokstream.compat.huggingface.state import State
from tokstream.errors import PatternError, UnsupportedTokenizerError
from tokstream.formats.alphabet import CHARACTER_OF
from tokstream.formats.parts import AddedToken as PlainToken
from tokstream.formats.parts import Template, TokenizerParts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokstream.tokenizer import Tokenizer

__all__ = ["converted"]


def converted(native: Tokenizer) -> State:
    """Return the state of a tokenizer by ranks.

    Raises:
        UnsupportedTokenizerError: special tokens that share an id or are a token of the ranks, a
            normalizer other than NFC, or a pattern that cannot be written exactly in the notation
            of tokenizers.

    Cost: O(bytes · longest token); a second for 200,000 tokens.
    """
    vocabulary = native._vocabulary  # noqa: SLF001 - of the same package
    special = native.special_tokens
    if len(set(special.values())) != len(special):
        raise UnsupportedTokenizerError(
            f"{native.name}: two special tokens have one id, which a tokenizer.json cannot say; "
            "load a tokenizer.json of this model",
            "special tokens",
        )
    given = native._parts  # noqa: SLF001 - of the same package
    normalizer = () if given is None else given.normalizer
    if normalizer not in ((), (("nfc",),)):
        raise UnsupportedTokenizerError(
            f"{native.name}: as_hf knows no tokenizer.json for the normalizer {normalizer!r}; "
            "load a tokenizer.json of this model",
            "normalizer",
        )
    opening = () if given is None else given.template.opening
    ranks = vocabulary.to_ranks()
    tokens = ["".join([CHARACTER_OF[byte] for byte in token]) for token in ranks]
    table = dict(zip(tokens, ranks.values(), strict=True))
    if twice := table.keys() & special.keys():
        raise UnsupportedTokenizerError(
            f"{native.name}: the special token {min(twice)!r} is spelled as a token of the ranks, "
            "which a tokenizer.json cannot say; load a tokenizer.json of this model",
            "special tokens",
        )
    table |= special
    tokens += special
    no_space = {"add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    automaton = _automaton(native)
    written = _for_tokenizers(native.name, native.pattern, automaton)
    split = {"type": "Split", "pattern": {"Regex": written}}
    definition = Definition(
        {
            "normalizer": {"type": "NFC"} if normalizer else None,
            "pre_tokenizer": {
                "type": "Sequence",
                "pretokenizers": [
                    {**split, "behavior": "Isolated", "invert": False},
                    {"type": "ByteLevel", **no_space},
                ],
            },
            "post_processor": _post_processor(opening, special),
            "decoder": {
                "type": "ByteLevel",
                "add_prefix_space": True,
                "trim_offsets": True,
                "use_regex": True,
            },
        },
        {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": True,
        },
        table,
        tokens,
        partial(_merges, ranks),
    )
    added = {
        token_id: AddedToken(text, normalized=False, special=True)
        for text, token_id in special.items()
    }
    parts = TokenizerParts(
        name=native.name,
        format="rank-file",
        vocabulary=vocabulary,
        n_vocab=native.n_vocab,
        automaton=automaton,
        pattern=native.pattern,
        dialect="tiktoken",
        normalizer=normalizer,
        added_tokens=tuple(PlainToken(text, token_id) for text, token_id in special.items()),
        special_tokens=special,
        template=Template(opening),
    )
    return State(definition, parts, AddedVocabulary(added, special, frozenset(special)))


def _post_processor(opening: tuple[int, ...], special: Mapping[str, int]) -> dict[str, Any]:
    level: dict[str, Any] = {
        "type": "ByteLevel",
        "add_prefix_space": True,
        "trim_offsets": False,
        "use_regex": True,
    }
    if not opening:
        return level
    text = next(text for text, token_id in special.items() if token_id == opening[0])
    return {"type": "Sequence", "processors": [level, template_around(text, opening[0])]}


def _automaton(native: Tokenizer) -> bytes:
    from tokstream.encodings import registry  # noqa: PLC0415 - not every one is embedded

    if native._is_embedded:  # noqa: SLF001 - of the same package
        automaton = registry.load_automaton_bytes(native.name)
        if automaton is not None:
            return automaton
    from tokstream.patterns import compile_pattern  # noqa: PLC0415 - it brings the compiler

    return compile_pattern(native.pattern).to_bytes()


def _for_tokenizers(name: str, pattern: str, automaton: bytes) -> str:
    """Return a pattern that is to tokenizers what `pattern` is to tiktoken.

    To tokenizers `$` is the end of a line, and `{1,3}+` a count that repeats. That nothing else
    differs is seen by the automaton, which must be the same.

    Raises:
        UnsupportedTokenizerError: no such pattern is known.
    """
    from tokstream.patterns import compile_pattern  # noqa: PLC0415 - it brings the compiler

    at_the_end = pattern.replace(r"\s++$", r"\s+(?![\s\S])")
    greedy = re.sub(r"(?<!\\)([*+?]|\{\d+(?:,\d*)?\})\+", r"\1", at_the_end)
    for written in (pattern, greedy):
        try:
            found = compile_pattern(written, "tokenizers").to_bytes()
        except PatternError:
            continue
        if found == automaton and not re.search(r"\d\}\+", written):
            return written
    raise UnsupportedTokenizerError(
        f"{name}: the pattern {pattern!r} cannot be written exactly in the notation of tokenizers; "
        "load a tokenizer.json of this model",
        "pattern",
    )


def _merges(ranks: Mapping[bytes, int]) -> array[int]:
    """Return positions of the two parts of each merge."""
    position = {token: at for at, token in enumerate(ranks)}
    get = position.get
    merges = array("I")
    for token in ranks:
        pairs = [
            (left, right)
            for cut in range(1, len(token))
            if (left := get(token[:cut])) is not None and (right := get(token[cut:])) is not None
        ]
        for pair in sorted(pairs):
            merges.extend(pair)
    return merges
