"""Decoders against the reference's, whole and while ids arrive."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from small_files import added, sentencepiece, tokenizer_json
from tokenizers import Tokenizer as HuggingFace

import tokstream
from format_configurations import _DECODERS

if TYPE_CHECKING:
    from collections.abc import Sequence

TOKENS = (
    *(
        "a",
        "ab",
        " ",
        "  a",
        "\u2581",
        "\u2581a",
        "\u2581\u2581",
        "b</w>",
        "</w>",
        "\u00e9",
        "\u0120x",
    ),
    *(
        "<0xE2>",
        "<0x96>",
        "<0x81>",
        "<0x41>",
        "<0xC3>",
        "<0xff>",
        "<0x+A>",
        "<0xZZ>",
        "\u00c3",
        "\u00a9",
    ),
)
VOCAB = {token: k for k, token in enumerate(TOKENS)}


def piecewise(tokenizer: tokstream.Tokenizer, ids: Sequence[int], rng: random.Random) -> str:
    stream = tokenizer.decode_stream()
    text, at = "", 0
    while at < len(ids):
        n = rng.randint(1, 3)
        text += stream.feed(ids[at : at + n])
        at += n
    return text + stream.finish()


@pytest.mark.parametrize("decoder", _DECODERS, ids=lambda d: json.dumps(d)[:60])
def test_equal_to_the_reference(decoder: dict[str, Any] | None) -> None:
    content = tokenizer_json(
        {"vocab": VOCAB, "merges": []}, decoder=decoder, added_tokens=[added("<s>", len(VOCAB))]
    )
    reference = HuggingFace.from_str(content.decode())
    tokenizer = tokstream.load(content)
    rng = random.Random(0)
    for n in range(400):
        ids = [rng.randrange(len(VOCAB) + 1) for _ in range(n % 12)]
        expected = reference.decode(ids, skip_special_tokens=False)
        assert tokenizer.decode(ids) == expected
        assert piecewise(tokenizer, ids, rng) == expected


def test_other_ways_to_treat_bad_bytes() -> None:
    fallback = tokenizer_json({"vocab": VOCAB, "merges": []}, decoder={"type": "ByteFallback"})
    tokenizer = tokstream.load(fallback)
    good = [VOCAB[t] for t in ("a", "<0xE2>", "<0x96>", "<0x81>", "b</w>")]
    bad = [VOCAB[t] for t in ("a", "<0xE2>", "<0x96>", "b</w>")]
    assert tokenizer.decode(good, errors="strict") == "a\u2581b</w>"
    assert tokenizer.decode_bytes(bad) == b"a\xe2\x96b</w>"
    assert tokenizer.decode(bad) == "a\ufffd\ufffdb</w>"
    assert tokenizer.decode(bad, errors="ignore") == "ab</w>"
    with pytest.raises(UnicodeDecodeError):
        tokenizer.decode(bad, errors="strict")
    stream = tokenizer.decode_stream(errors="strict")
    assert stream.feed(bad[:3]) == "a"
    with pytest.raises(UnicodeDecodeError):
        stream.feed(bad[3:])


@pytest.mark.parametrize("module", ["tokens", "pieces", "joined", "stages"])
def test_each_module_can_be_imported_first(module: str) -> None:
    # a decoder may be unpickled in a fresh process
    command = [sys.executable, "-c", f"import tokstream.decoding.{module}"]
    subprocess.run(command, check=True)


def test_unknown_ids() -> None:
    tokenizer = tokstream.load(tokenizer_json())
    with pytest.raises(
        tokstream.InvalidTokenIdError, match="id 9 at index 1 is no token"
    ) as caught:
        tokenizer.decode([0, 9])
    assert (caught.value.token_id, caught.value.index) == (9, 1)
    stream = tokenizer.decode_stream()
    with pytest.raises(tokstream.InvalidTokenIdError):
        stream.feed([0, 9])
    assert stream.feed(0) + stream.feed(1) + stream.finish() == "a b"  # nothing was consumed
    pieces = tokstream.load(sentencepiece([("<unk>", 0.0, 2), ("a", -1.0, 1)]))
    with pytest.raises(tokstream.InvalidTokenIdError, match="id 2 at index 0"):
        pieces.decode([2])


def test_bytes_are_joined_where_that_is_all() -> None:
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    plain = tokenizer_json(pre_tokenizer=byte_level, decoder=byte_level)
    tokenizer = tokstream.load(plain)
    assert tokenizer._decoder is None
    odd = tokenizer_json(
        pre_tokenizer=byte_level, decoder=byte_level, added_tokens=[added("\u00e9", 5)]
    )
    # the reference reads the added token in the alphabet, as half a character
    assert HuggingFace.from_str(odd.decode()).decode([5], skip_special_tokens=False) == "\ufffd"
    assert tokstream.load(odd).decode([5]) == "\ufffd"
