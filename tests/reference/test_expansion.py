"""Reference byte fallback and unknown tokens against `tokenizers`, character by character."""

from __future__ import annotations

import random

import pytest

from tokstream.errors import VocabularyError
from tokstream.reference.expansion import CharacterVocabulary, Expansion
from tokstream.reference.tokens import Tokens

tokenizers = pytest.importorskip("tokenizers")

# é ê share a first byte, 一 丁 漢 beginnings of one and two bytes, 😀 😁 three
ALPHABET = "abé\u00ea一丁漢😀😁\u0301"


def drawn(rng: random.Random) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Draw some characters and merges of what is there, each into a new token."""
    tokens = rng.sample(ALPHABET, rng.randint(1, 7))
    merges: list[tuple[str, str]] = []
    for _ in range(rng.randint(0, 12)):
        left, right = rng.choice(tokens), rng.choice(tokens)
        if left + right not in tokens and len(left + right) < 6:
            merges.append((left, right))
            tokens.append(left + right)
    return {token: k for k, token in enumerate(tokens)}, merges


@pytest.mark.parametrize("fuses", [False, True])
@pytest.mark.parametrize("kind", ["bytes", "unknown", "both", "neither"])
def test_random_vocabularies(kind: str, fuses: bool) -> None:
    rng = random.Random(kind)
    n_checked = n_lacking = 0
    for _ in range(120):
        ids, merges = drawn(rng)
        vocab = dict(ids)
        byte_ids = unknown = None
        if kind in {"bytes", "both"}:
            byte_ids = range(1000, 1256)
            vocab |= {f"<0x{byte:02X}>": 1000 + byte for byte in range(256)}
        if kind in {"unknown", "both"}:
            vocab["<unk>"] = unknown = 999
        peer = tokenizers.Tokenizer(
            tokenizers.models.BPE(
                vocab=vocab,
                merges=merges,
                byte_fallback=byte_ids is not None,
                unk_token="<unk>" if unknown else None,
                fuse_unk=fuses,
            )
        )
        vocabulary = CharacterVocabulary(ids, merges, byte_ids=byte_ids, unknown=unknown)
        if vocabulary.rules.improper():
            continue  # merging one byte at a time is for proper lists
        for _ in range(8):
            pretokens = ["".join(rng.choices(ALPHABET, k=rng.randint(1, 8))) for _ in range(2)]
            tokens, expansion = Tokens(vocabulary.rules), Expansion(vocabulary, fuses_unknown=fuses)
            for pretoken in pretokens:
                found: list[int] = []
                for character in pretoken:
                    found += expansion.push(tokens.push(vocabulary.known(character)))
                found += expansion.push(tokens.cut())
                expansion.cut()
                assert found == peer.encode(pretoken).ids, (ids, merges, pretoken)
                n_checked += 1
                n_lacking += any(character not in ids for character in pretoken)
    assert n_lacking > n_checked / 4 > 100


def test_refusals() -> None:
    with pytest.raises(VocabularyError, match="'ab'"):
        CharacterVocabulary({"a": 0, "b": 1}, [("a", "b")])
    with pytest.raises(VocabularyError, match="each byte"):
        CharacterVocabulary({"a": 0}, [], byte_ids=[1])
