"""Stage 1 against Python's own decoder, at every cut."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

import tokstream.reference
from tokstream.errors import ConfigurationError, InvalidUtf8Error, UnfinishedCharacterError

if TYPE_CHECKING:
    from types import ModuleType

BYTES = bytes([0x41, 0x80, 0x9F, 0xA0, 0xBF, 0xC1, 0xC3, 0xE0, 0xE2, 0xED, 0xF0, 0x90, 0xF4, 0x8F])
SURROGATES = "aé\ufeff😀\ud800\udbff\udc00\udfff"


def cuts(data: bytes) -> list[list[bytes]]:
    single = [[data[:i], data[i:]] for i in range(len(data) + 1)]
    return [[data], [data[i : i + 1] for i in range(len(data))], *single]


def random_bytes(seed: int) -> list[bytes]:
    rng = random.Random(seed)
    short = [bytes(rng.choices(BYTES, k=rng.randint(1, 7))) for _ in range(400)]
    valid = ["".join(rng.choices("aé€😀\u0800\U0010ffff", k=4)).encode() for _ in range(30)]
    return short + valid + [v[:-1] for v in valid] + [v[1:] for v in valid]


def test_replace_is_python_s_replace(implementation: ModuleType) -> None:
    for data in random_bytes(1):
        for chunks in cuts(data):
            decoder = implementation.Chunks("replace")
            text = "".join(map(decoder.push, chunks)) + decoder.finish()
            assert text == data.decode("utf-8", "replace"), (data, chunks)


def test_strict_fails_where_python_does(implementation: ModuleType) -> None:
    n_invalid = 0
    for data in random_bytes(2):
        try:
            expected, place = data.decode(), None
        except UnicodeDecodeError as error:
            expected, place = data[: error.start].decode(), error.start
            n_invalid += 1
        for chunks in cuts(data):
            decoder = implementation.Chunks()
            text, found = "", None
            try:
                for chunk in chunks:
                    text += decoder.push(chunk)
                text += decoder.finish()
            except InvalidUtf8Error as error:
                found = error.offset
            assert found == place, (data, chunks)
            assert expected.startswith(text)
            assert place is not None or text == expected
    assert n_invalid > 100


def test_surrogates_as_the_reference_treats_them(implementation: ModuleType) -> None:
    rng = random.Random(3)
    for _ in range(500):
        source = "".join(rng.choices(SURROGATES, k=rng.randint(1, 6)))
        expected = source.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        for i in range(len(source) + 1):
            decoder = implementation.Chunks()
            text = decoder.push(source[:i]) + decoder.push(source[i:]) + decoder.finish()
            assert text == expected, (source, i)


def test_holds_no_more_than_a_character(implementation: ModuleType) -> None:
    decoder = implementation.Chunks()
    held = []
    for byte in "aé€😀".encode():
        decoder.push(bytes([byte]))
        held.append(decoder.n_held)
    assert held == [0, 1, 0, 1, 2, 0, 1, 2, 3, 0]
    decoder.push("\ud83d")
    assert decoder.n_held == 3


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_takes_any_buffer(implementation: ModuleType, kind: type) -> None:
    assert implementation.Chunks().push(kind(b"abc")) == "abc"


def test_mixing_inside_a_character(implementation: ModuleType) -> None:
    decoder = implementation.Chunks()
    decoder.push(b"ab\xe2\x82")
    assert decoder.push("") == decoder.push(b"") == ""
    with pytest.raises(UnfinishedCharacterError) as caught:
        decoder.push("c")
    assert caught.value.offset == 2
    decoder = implementation.Chunks()
    decoder.push("é\ud83d")
    with pytest.raises(UnfinishedCharacterError) as caught:
        decoder.push(b"c")
    assert caught.value.offset == 2


def test_mixing_with_replace(implementation: ModuleType) -> None:
    decoder = implementation.Chunks("replace")
    text = [decoder.push(b"ab\xe2\x82"), decoder.push("c\ud83d"), decoder.push(b"d")]
    assert text == ["ab", "\ufffdc", "\ufffdd"]


def test_mixing_between_characters(implementation: ModuleType) -> None:
    decoder = implementation.Chunks()
    text = decoder.push("é") + decoder.push(b"\xc3") + decoder.push(b"\xa9") + decoder.push("é")
    assert text == "ééé"
    assert decoder.n_bytes == 6


def test_unknown_error_mode(implementation: ModuleType) -> None:
    with pytest.raises(ConfigurationError, match="ignore"):
        implementation.Chunks("ignore")


def test_text_offsets_lead_back_to_the_source() -> None:
    decoder = tokstream.reference.Chunks("replace")
    parts: list[str | bytes] = ["é", b"\xff", "\ud83d\ude00", b"\xe2\x82", "z"]
    ends = []
    n_source = 0
    for part in parts:
        decoder.push(part)
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        n_source += len(data)
        if not decoder.n_held:
            ends.append((decoder.offsets.n_text, n_source))
    assert n_source == decoder.n_bytes == 2 + 1 + 6 + 2 + 1
    assert [decoder.offsets.source(text) for text, _ in ends] == [source for _, source in ends]
    assert [decoder.offsets.source(text) for text in (3, 4)] == [2, 2]  # inside U+FFFD
    decoder.offsets.forget(5)
    assert decoder.offsets.source(ends[-1][0]) == n_source
