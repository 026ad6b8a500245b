"""`DecodeStream`: text step by step, as the reference gives it where that is right."""

from __future__ import annotations

import copy
import json
import random
import re

import pytest
from tokenizers import Tokenizer as Peer
from tokenizers.decoders import DecodeStream as PeerStream

import tokstream
from format_texts import generated_texts
from hf_small import byte_level, random_document
from tokstream.compat.huggingface import DecodeStream, Tokenizer

CONTENT = json.dumps(byte_level())
OURS, PEER = Tokenizer.from_str(CONTENT), Peer.from_str(CONTENT)


@pytest.mark.parametrize("skips", [True, False])
def test_steps_are_the_references(skips: bool) -> None:
    rng = random.Random(skips)
    for text in generated_texts(rng, 80, ["<s>", "<mask>"]):
        ids = PEER.encode(text).ids
        n_before = rng.randrange(len(ids) + 1)
        while PEER.decode(ids[:n_before]).endswith("\ufffd"):
            n_before -= 1
        ours = DecodeStream(ids[:n_before], skips)
        peer = PeerStream(ids[:n_before], skips)
        at = n_before
        while at < len(ids):
            n = rng.choice([1, 1, 2, 3])
            step = ids[at] if n == 1 else ids[at : at + n]
            at += n
            assert ours.step(OURS, step) == peer.step(PEER, step), (text, at)


def test_other_decoders() -> None:
    rng = random.Random(9)
    n_compared = 0
    while n_compared < 15:
        _, document = random_document(rng)
        content = json.dumps(document)
        try:
            tokenizer = Tokenizer.from_str(content)
        except tokstream.UnsupportedTokenizerError:
            continue
        n_compared += 1
        peer_tokenizer = Peer.from_str(content)
        for text in ("hello the World", "é 漢字 ab"):
            ids = tokenizer.encode(text).ids
            ours, peer = DecodeStream(), PeerStream()
            for token_id in ids:
                try:
                    expected = peer.step(peer_tokenizer, token_id)
                except Exception:  # noqa: BLE001 - the reference knows only this
                    break
                assert ours.step(tokenizer, token_id) == expected


def test_a_prompt_that_ends_inside_a_character() -> None:
    """The reference gives out the whole prompt again."""
    ids = OURS.encode("hello \U0001f336 there", add_special_tokens=False).ids
    cut = next(k for k in range(len(ids)) if OURS.decode(ids[:k]).endswith("\ufffd"))
    peer = PeerStream(ids[:cut])
    again = "".join(filter(None, [peer.step(PEER, token_id) for token_id in ids[cut:]]))
    assert again == "hello \U0001f336 there"
    ours = DecodeStream(ids[:cut])
    text = "".join(filter(None, [ours.step(OURS, token_id) for token_id in ids[cut:]]))
    assert text == "\U0001f336 there"


def test_text_that_later_ids_change() -> None:
    """The reference raises an error: an odd byte changes the characters before it."""
    vocab = {f"<0x{byte:02X}>": byte for byte in range(256)} | {"a": 256}
    document = {
        "version": "1.0",
        "added_tokens": [],
        "decoder": {
            "type": "Sequence",
            "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}],
        },
        "model": {"type": "BPE", "vocab": vocab, "merges": [], "byte_fallback": True},
    }
    content = json.dumps(document)
    tokenizer, peer_tokenizer = Tokenizer.from_str(content), Peer.from_str(content)
    ids = [*"猫".encode(), 0xE7, 256, 256]
    peer = PeerStream()
    for token_id in ids[:4]:
        peer.step(peer_tokenizer, token_id)
    with pytest.raises(Exception, match="Invalid prefix"):
        peer.step(peer_tokenizer, ids[4])
    ours = DecodeStream()
    steps = [ours.step(tokenizer, token_id) for token_id in ids]
    assert steps == [None, None, "猫", None, "\ufffda", "a"]


def test_bytes_at_random() -> None:
    """The reference's steps up to its error; behind it, a reader who begins a new stream, as engines
    do, has lost what was held back: odd bytes, and a blank that is stripped before a text."""
    tokens = [*(f"<0x{byte:02X}>" for byte in range(256)), "▁", "a", "▁he", "猫", "lo"]
    parts: list[dict[str, object]] = [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
    ]
    parts += [{"type": "ByteFallback"}, {"type": "Fuse"}]
    parts += [{"type": "Strip", "content": " ", "start": 1, "stop": 0}]
    model = {"type": "BPE", "vocab": dict(zip(tokens, range(300), strict=False)), "merges": []}
    document = {
        "version": "1.0",
        "added_tokens": [],
        "decoder": {"type": "Sequence", "decoders": parts},
        "model": {**model, "byte_fallback": True},
    }
    content = json.dumps(document)
    tokenizer, peer_tokenizer = Tokenizer.from_str(content), Peer.from_str(content)
    rng = random.Random(2)
    n_errors = 0
    for _ in range(400):
        prompt = [rng.randrange(256, len(tokens)) for _ in range(rng.randrange(4))]
        ours, peer = DecodeStream(prompt), PeerStream(prompt)
        steps: list[tuple[str | None, str | None]] = []
        is_new = False
        for _ in range(30):
            token_id = rng.randrange(len(tokens)) if rng.random() < 0.7 else rng.randrange(256, 261)
            try:
                expected = peer.step(peer_tokenizer, token_id)
            except Exception as error:  # noqa: BLE001 - the reference knows only this
                assert "Invalid prefix" in str(error)  # noqa: PT017 - it need not be raised
                is_new = True
                peer = PeerStream()
                expected = peer.step(peer_tokenizer, token_id)
            steps.append((ours.step(tokenizer, token_id), expected))
            assert is_new or steps[-1][0] == expected
        n_errors += is_new
        mine, theirs = ("".join(filter(None, texts)) for texts in zip(*steps, strict=True))
        assert mine.count("\ufffd") >= theirs.count("\ufffd")
        assert re.sub("[\ufffd ]", "", mine) == re.sub("[\ufffd ]", "", theirs)
    assert 100 < n_errors < 400


def test_copies_go_on_by_themselves() -> None:
    ids = OURS.encode("hello 漢字 World", add_special_tokens=False).ids
    stream = DecodeStream()
    first = [stream.step(OURS, token_id) for token_id in ids[:3]]
    twins = [copy.copy(stream), copy.deepcopy(stream), stream]
    rests = [[twin.step(OURS, token_id) for token_id in ids[3:]] for twin in twins]
    assert rests[0] == rests[1] == rests[2]
    assert "".join(filter(None, first + rests[0])) == "hello 漢字 World"
