"""Reference added tokens against `tokenizers`: flags, overlaps, two passes; at every cut.

The peer's model has every character as a token and no merges, so that its ids are the characters
of the runs and the added tokens between them.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from tokstream.errors import ConfigurationError
from tokstream.reference.added import AddedToken, AddedTokens, NormalizedSegments
from tokstream.reference.forms import Form
from tokstream.reference.normalize import Lowercase, Normalizer, Prepend, Replace

if TYPE_CHECKING:
    from tokstream.reference.normalize import Step
    from tokstream.reference.segments import Segment

tokenizers = pytest.importorskip("tokenizers")
N = pytest.importorskip("tokenizers.normalizers")

ALPHABET = "ab_ \n\u3000éA<"
CHARACTERS = sorted(set(ALPHABET + "\u0301eÉ"))


def peer_of(tokens: list[AddedToken], normalizer: Any = None) -> Any:
    vocab = {character: k for k, character in enumerate(CHARACTERS)}
    peer = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocab, merges=[]))
    if normalizer is not None:
        peer.normalizer = normalizer
    for token in tokens:
        flags = {k: getattr(token, k) for k in ("normalized", "lstrip", "rstrip", "single_word")}
        peer.add_tokens([tokenizers.AddedToken(token.text, **flags)])
    return peer


def ids_of(peer: Any, text: str) -> list[int] | None:
    """Ids by the peer; None where it panics, at whitespace that two tokens would swallow."""
    try:
        ids: list[int] = peer.encode(text).ids
    except BaseException as error:
        if "bad split" not in str(error):
            raise
        return None
    return ids


def flat(segments: list[Segment]) -> list[int]:
    out: list[int] = []
    for segment in segments:
        if isinstance(segment, str):
            assert segment
            out += map(CHARACTERS.index, segment)
        else:
            out.append(segment.id)
    return out


def drawn(rng: random.Random, *, normalized: bool) -> list[AddedToken]:
    texts = {"".join(rng.choices(ALPHABET, k=rng.randint(2, 3))) for _ in range(rng.randint(1, 5))}
    return [
        AddedToken(
            text,
            len(CHARACTERS) + k,
            normalized=normalized and rng.random() < 0.5,
            lstrip=rng.random() < 0.4,
            rstrip=rng.random() < 0.4,
            single_word=rng.random() < 0.3,
        )
        for k, text in enumerate(sorted(texts))
    ]


def text_of(rng: random.Random, tokens: list[AddedToken]) -> str:
    pieces = [*ALPHABET, "  ", *(token.text for token in tokens)]
    return "".join(rng.choices(pieces, k=rng.randint(0, 9)))


def test_one_pass() -> None:
    rng = random.Random(1)
    for _ in range(400):
        tokens = drawn(rng, normalized=False)
        peer, ours = peer_of(tokens), AddedTokens(tokens)
        for _ in range(8):
            text = text_of(rng, tokens)
            if (expected := ids_of(peer, text)) is None:
                continue
            for cut in range(len(text) + 1):
                segments = ours.push(text[:cut]) + ours.push(text[cut:]) + ours.finish()
                assert flat(segments) == expected, (tokens, text, cut)
            one_by_one = [segment for character in text for segment in ours.push(character)]
            assert flat(one_by_one + ours.finish()) == expected, (tokens, text)
            assert ours.n_held == 0


NORMALIZERS: dict[str, tuple[list[Step], Any]] = {
    "none": ([], None),
    "lowercase": ([Lowercase()], N.Lowercase()),
    "forms": ([Form("NFD"), Lowercase()], N.Sequence([N.NFD(), N.Lowercase()])),
    "blanks": (
        [Prepend("_"), Replace(" ", "_")],
        N.Sequence([N.Prepend("_"), N.Replace(" ", "_")]),
    ),
}


@pytest.mark.parametrize("name", NORMALIZERS)
def test_two_passes(name: str) -> None:
    steps, normalizer = NORMALIZERS[name]
    rng = random.Random(name)
    for _ in range(250):
        tokens = drawn(rng, normalized=True)
        try:
            ours = NormalizedSegments(tokens, Normalizer(steps))
        except ConfigurationError:  # once normalized, two are spelled alike
            continue
        peer = peer_of(tokens, normalizer)
        for _ in range(6):
            text = text_of(rng, tokens)
            if (expected := ids_of(peer, text)) is None:
                continue
            cut = rng.randint(0, len(text))
            segments = ours.push(text[:cut]) + ours.push(text[cut:]) + ours.finish()
            assert flat(segments) == expected, (tokens, text, cut)
            one_by_one = [segment for character in text for segment in ours.push(character)]
            assert flat(one_by_one + ours.finish()) == expected, (tokens, text)


def test_what_is_given_out_is_stable() -> None:
    rng = random.Random(2)
    for _ in range(200):
        tokens = drawn(rng, normalized=False)
        text = text_of(rng, tokens)
        given = flat(AddedTokens(tokens).push(text))
        for tail in ("", *ALPHABET, "  ", "ab", *(token.text for token in tokens)):
            whole = AddedTokens(tokens)
            assert flat(whole.push(text + tail) + whole.finish())[: len(given)] == given
