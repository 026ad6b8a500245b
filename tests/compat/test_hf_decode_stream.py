"""`DecodeStream`: text step by step, as the reference gives it where that is right."""

from __future__ import annotations

import copy
import json
import random
import re
import time
from typing import Any

import pytest
from tokenizers import Tokenizer as Peer
from tokenizers import decoders
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


def _replace(string: str, content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": string}, "content": content}


def _strip(content: str, start: int, stop: int) -> dict[str, Any]:
    return {"type": "Strip", "content": content, "start": start, "stop": stop}


_BLANKS, _BYTES, _FUSE = _replace("▁", " "), {"type": "ByteFallback"}, {"type": "Fuse"}
_SCHEMES = ("always", "first", "never")
_DECODERS: list[list[dict[str, Any]]] = [
    [_BLANKS, _BYTES, _FUSE],
    [_BLANKS, _BYTES, _FUSE, _strip(" ", 1, 0)],
    [_BYTES, _FUSE, _strip("é", 1, 0)],  # two bytes
    [_BLANKS, _strip(" ", 1, 0)],
    [_strip("▁", 1, 0), _replace("a", ""), _BYTES, _FUSE],
    *([{"type": "Metaspace", "replacement": "▁", "prepend_scheme": s}] for s in _SCHEMES),
    # these decode anew
    [_BLANKS, _BYTES, _FUSE, _strip(" ", 2, 0)],
    [_BLANKS, _BYTES, _FUSE, _strip(" ", 1, 1)],
    [_BLANKS, _BYTES, _FUSE, _replace("ab", "c")],
    [_BYTES, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"}],
    [{"type": "BPEDecoder", "suffix": "▁"}],
]
_TOKENS = ["▁", "▁▁", "a", "b", "▁he", "é", "猫", "\ufffd", "a\ufffd", "<0x+4>", ""]


def _of_tokens(stages: list[dict[str, Any]], *, special: bool = True) -> str:
    tokens = [*(f"<0x{byte:02X}>" for byte in range(256)), *_TOKENS]
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    added = [("<s>", special), (" <t>", False)]
    return json.dumps(
        {
            "version": "1.0",
            "added_tokens": [
                {"id": len(tokens) + k, "content": content, "special": is_special, **flags}
                for k, (content, is_special) in enumerate(added)
            ],
            "decoder": {"type": "Sequence", "decoders": stages},
            "model": {
                "type": "BPE",
                "vocab": {token: k for k, token in enumerate(tokens)},
                "merges": [],
                "byte_fallback": True,
            },
        }
    )


class _Plainly:
    """A stream that decodes the ids of the last text and all later ones at each step."""

    def __init__(self, tokenizer: Tokenizer, ids: list[int], skips: bool) -> None:
        self._tokenizer, self._skips, self._ids = tokenizer, skips, ids
        text = self._decode()
        self._before = text.rstrip("\ufffd")
        self._n_before = len(ids) if self._before == text else 0

    def _decode(self) -> str:
        return self._tokenizer.decode(self._ids, skip_special_tokens=self._skips)

    def step(self, ids: list[int]) -> str | None:
        self._ids = self._ids + ids
        text = self._decode()
        if text.endswith("\ufffd"):
            return None
        if not text.startswith(self._before):
            self._ids, self._before, self._n_before = self._ids[self._n_before :], "", 0
            text = self._decode()
        if len(text) <= len(self._before):
            return None
        found = text[len(self._before) :]
        self._ids = self._ids[self._n_before :]
        self._before, self._n_before = self._decode(), len(self._ids)
        return found


@pytest.mark.parametrize("stages", _DECODERS, ids=str)
def test_decoders_token_by_token(stages: list[dict[str, Any]]) -> None:
    """Every step is that of a stream which decodes anew, whatever the ids, the prompt, the flag.

    So it is the reference's, as far as that goes: see the tests above and below.
    """
    tokenizer = Tokenizer.from_str(_of_tokens(stages))
    assert (tokenizer._state.token_texts[0] is not None) == (stages in _DECODERS[:8])
    rng = random.Random(str(stages))
    n = 256 + len(_TOKENS) + 2
    pools = [
        range(n),
        range(256),
        range(256, n),
        (0xE7, 0x8C, 0xAB, 0x20, 0x61),
        (0x20, 0xC3, 0xA9),
    ]
    pools += [(0xEF, 0xBF, 0xBD), (n, n + 7), (256, 257), (n - 2, 266)]
    for _ in range(150):
        chosen = rng.choices(pools, k=3)
        ids = [rng.choice(rng.choice(chosen)) for _ in range(rng.randrange(1, 40))]
        at = rng.choice([0, rng.randrange(len(ids))])
        skips = rng.random() < 0.5
        ours, plain = DecodeStream(ids[:at], skips), _Plainly(tokenizer, ids[:at], skips)
        is_one = rng.random() < 0.7
        while at < len(ids):
            step = ids[at : at + (1 if is_one else rng.randrange(4))]
            at += len(step)
            found = ours.step(tokenizer, step[0] if len(step) == 1 else step)
            assert found == plain.step(step), (ids, at, skips)
            if rng.random() < 0.1:
                thrown_away, ours = ours, copy.copy(ours)
                thrown_away.step(tokenizer, rng.choices(ids, k=3))


@pytest.mark.parametrize("stages", _DECODERS[:8], ids=str)
def test_decoders_are_the_references(stages: list[dict[str, Any]]) -> None:
    content = _of_tokens(stages)
    tokenizer, peer_tokenizer = Tokenizer.from_str(content), Peer.from_str(content)
    rng = random.Random(str(stages))
    n_compared = 0
    for _ in range(100):
        prompt = [256 + _TOKENS.index("b")]
        skips = rng.random() < 0.5
        ours, peer = DecodeStream(prompt, skips), PeerStream(prompt, skips)
        for _ in range(30):
            token_id = rng.choice((rng.randrange(256, 270), rng.randrange(256)))
            try:
                expected = peer.step(peer_tokenizer, token_id)
            except Exception as error:  # noqa: BLE001 - the reference knows only this
                assert "Invalid prefix" in str(error)  # noqa: PT017 - it need not be raised
                break
            assert ours.step(tokenizer, token_id) == expected
            n_compared += 1
    assert n_compared > 300


@pytest.mark.parametrize("token", ["<0xE7>", "�", "", "<s>", None])
def test_a_long_run_without_text_is_linear(token: str | None) -> None:
    """Eight times as many ids take about eight times as long, not 64 times."""
    tokenizer = Tokenizer.from_str(_of_tokens(_DECODERS[1]))
    token_id = 999 if token is None else tokenizer.token_to_id(token)
    assert token_id is not None

    def seconds(n: int) -> float:
        stream = DecodeStream([256 + _TOKENS.index("a")], skip_special_tokens=True)
        begin = time.process_time()
        assert not any(stream.step(tokenizer, token_id) for _ in range(n))
        found = time.process_time() - begin
        assert (stream.step(tokenizer, 256 + _TOKENS.index("b")) or "").endswith("b")
        return found

    ratios = []
    for _ in range(8):
        ratios.append(seconds(8000) / seconds(1000))
        if ratios[-1] < 16:
            return
    raise AssertionError(ratios)


@pytest.mark.parametrize("n_before", range(4))
def test_bytes_that_are_stripped(n_before: int) -> None:
    """An odd byte turns them into U+FFFD as long as nothing but them was given out."""
    tokenizer = Tokenizer.from_str(_of_tokens(_DECODERS[1]))
    blank, letter = 256 + _TOKENS.index("▁"), 256 + _TOKENS.index("a")
    for begin in ([0x20], [0x20, 0x20], [blank, 0x20], [letter, 0x20], [blank, blank, 0x20]):
        ids = [*begin, 0xE7, letter]
        prompt, rest = ids[:n_before], ids[n_before:]
        ours, plain = DecodeStream(prompt), _Plainly(tokenizer, prompt, skips=False)
        assert [ours.step(tokenizer, k) for k in rest] == [plain.step([k]) for k in rest], ids


def test_a_tokenizer_that_changes_between_steps() -> None:
    """What a stream says of a token is noted for the tokenizer as it is then."""
    tokenizer = Tokenizer.from_str(_of_tokens(_DECODERS[1]))
    word, letter = 256 + _TOKENS.index("▁he"), 256 + _TOKENS.index("a")
    stream = DecodeStream(skip_special_tokens=True)
    assert [stream.step(tokenizer, word) for _ in range(3)] == ["he", " he", " he"]
    tokenizer.add_special_tokens(["▁he"])
    assert stream.step(tokenizer, word) is None
    assert DecodeStream([letter], skip_special_tokens=True).step(tokenizer, word) is None
    assert DecodeStream([letter]).step(tokenizer, word) == " he"
    tokenizer.add_tokens(["new"])
    assert [stream.step(tokenizer, letter), stream.step(tokenizer, 269)] == ["a", "new"]
    tokenizer.decoder = decoders.Sequence([decoders.Fuse(), decoders.Strip("n", 0, 1)])
    assert [stream.step(tokenizer, letter), stream.step(tokenizer, 269)] == ["a", "new"]
    tokenizer.decoder = decoders.ByteFallback()
    assert [stream.step(tokenizer, k) for k in (0xE7, 0x8C, 0xAB)] == [None, None, "猫"]


def test_copies_go_on_by_themselves() -> None:
    ids = OURS.encode("hello 漢字 World", add_special_tokens=False).ids
    stream = DecodeStream()
    first = [stream.step(OURS, token_id) for token_id in ids[:3]]
    twins = [copy.copy(stream), copy.deepcopy(stream), stream]
    rests = [[twin.step(OURS, token_id) for token_id in ids[3:]] for twin in twins]
    assert rests[0] == rests[1] == rests[2]
    assert "".join(filter(None, first + rests[0])) == "hello 漢字 World"


def test_copies_hold_back_by_themselves() -> None:
    for tokenizer, odd in ((OURS, "ç"), (Tokenizer.from_str(_of_tokens(_DECODERS[0])), "<0xE7>")):
        token_id, letter = (tokenizer.token_to_id(token) for token in (odd, "a"))
        assert token_id is not None
        assert letter is not None
        stream = DecodeStream()
        assert [stream.step(tokenizer, token_id) for _ in range(2)] == [None, None]
        twin = copy.copy(stream)
        assert twin.step(tokenizer, token_id) is None
        assert stream.step(tokenizer, letter) == "\ufffd\ufffda"
        assert twin.step(tokenizer, letter) == "\ufffd\ufffd\ufffda"


def test_the_flag_is_a_flag() -> None:
    assert DecodeStream(skip_special_tokens=None).step(OURS, 5) == DecodeStream().step(OURS, 5)
    for kind in (DecodeStream, PeerStream):
        with pytest.raises(TypeError):
            kind(skip_special_tokens=1)  # type: ignore[arg-type]
