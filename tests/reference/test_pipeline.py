"""The reference's stages joined, against `tokenizers`: kinds of published tokenizers, and drawn ones."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from tokstream.errors import ConfigurationError
from tokstream.patterns import compile_pattern
from tokstream.reference.added import AddedToken
from tokstream.reference.cascade import Level, Split
from tokstream.reference.expansion import CharacterVocabulary
from tokstream.reference.forms import Form
from tokstream.reference.normalize import Lowercase, Prepend, Replace, Step, Strip
from tokstream.reference.pipeline import Pipeline

if TYPE_CHECKING:
    from collections.abc import Callable

tokenizers = pytest.importorskip("tokenizers")
N = pytest.importorskip("tokenizers.normalizers")
P = pytest.importorskip("tokenizers.pre_tokenizers")

ALPHABET = "ab ab A_é漢1\n"

STEPS: list[tuple[Callable[[], list[Step]], Any]] = [
    (list, None),
    (lambda: [Prepend("▁"), Replace(" ", "▁")], N.Sequence([N.Prepend("▁"), N.Replace(" ", "▁")])),
    (lambda: [Form("NFD"), Lowercase()], N.Sequence([N.NFD(), N.Lowercase()])),
    (lambda: [Strip(left=True, right=True)], N.Strip()),
]


def split(pattern: str, behaviour: Any) -> tuple[Level, Any]:
    automaton = compile_pattern(pattern, "tokenizers", partial=True)
    return Split(automaton, behaviour), P.Split(tokenizers.Regex(pattern), behaviour)


LEVELS = [
    [],
    [split(r"\s", "removed")],
    [split(r" |▁", "merged_with_next")],
    [split(r"\s+(?!\S)|\s+", "isolated"), split(r"\d", "isolated"), split("a+b|b", "contiguous")],
]


def drawn(rng: random.Random) -> tuple[Pipeline, Any, list[str]] | None:
    letters = sorted({*ALPHABET, "e", "▁"} - set(rng.sample(ALPHABET, 3)))
    tokens, merges = list(letters), []
    for _ in range(rng.randint(0, 15)):
        left, right = rng.choice(tokens), rng.choice(tokens)
        if left + right not in tokens and len(left + right) < 6:
            merges.append((left, right))
            tokens.append(left + right)
    ids = {token: k for k, token in enumerate(tokens)}
    has_bytes, fuses = rng.random() < 0.5, rng.random() < 0.5
    vocab = ids | {"<unk>": 999}
    if has_bytes:
        vocab |= {f"<0x{byte:02X}>": 1000 + byte for byte in range(256)}
    peer = tokenizers.Tokenizer(
        tokenizers.models.BPE(
            vocab=vocab, merges=merges, byte_fallback=has_bytes, unk_token="<unk>", fuse_unk=fuses
        )
    )
    steps, normalizer = rng.choice(STEPS)
    if normalizer is not None:
        peer.normalizer = normalizer
    levels = rng.choice(LEVELS)
    if levels:
        peer.pre_tokenizer = P.Sequence([theirs for _, theirs in levels])
    added = []
    for text in rng.sample(["<s>", "Ab", "_x", "a b"], rng.randint(0, 3)):
        if text in vocab:
            continue
        flags = {
            name: rng.random() < 0.3 for name in ("normalized", "lstrip", "rstrip", "single_word")
        }
        peer.add_tokens([tokenizers.AddedToken(text, **flags)])
        added.append(AddedToken(text, peer.token_to_id(text), **flags))
    vocabulary = CharacterVocabulary(
        ids, merges, byte_ids=range(1000, 1256) if has_bytes else None, unknown=999
    )
    if vocabulary.rules.improper():
        return None  # merging one byte at a time is for proper lists
    try:
        pipeline = Pipeline(
            vocabulary,
            added=added,
            steps=steps(),
            levels=[ours for ours, _ in levels],
            fuses_unknown=fuses,
        )
    except ConfigurationError:  # once normalized, two are spelled alike
        return None
    return pipeline, peer, [*ALPHABET, "  ", *(token.text for token in added)]


def test_drawn_tokenizers() -> None:
    rng = random.Random(0)
    n_checked = 0
    for _ in range(300):
        if (made := drawn(rng)) is None:
            continue
        pipeline, peer, pieces = made
        for _ in range(5):
            text = "".join(rng.choices(pieces, k=rng.randint(0, 10)))
            expected = peer.encode(text, add_special_tokens=False).ids
            ids = [token_id for character in text for token_id in pipeline.push(character)]
            assert ids + pipeline.finish() == expected, text
            cut = rng.randint(0, len(text))
            ids = pipeline.push(text[:cut]) + pipeline.push(text[cut:]) + pipeline.finish()
            assert ids == expected, (text, cut)
            n_checked += 1
    assert n_checked > 800
