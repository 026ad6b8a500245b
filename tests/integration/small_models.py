"""Engine tokenizers from the JSON of `tokenizers`, as far as the tests of the engine need it.

In: a `tokenizer.json` as a dictionary. Out: a native `Core`, with the parts that are passed on.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import Any

from tokstream import _core

HIDDEN = 0xFFFFFFFF
BEGIN, END = b"\xfe", b"\xff"


def byte_alphabet() -> dict[str, int]:
    """Characters of GPT-2's byte alphabet."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in plain]
    table = {chr(byte): byte for byte in plain}
    return table | {chr(256 + k): byte for k, byte in enumerate(others)}


ALPHABET = byte_alphabet()


@dataclass
class Parts:
    """What a tokenizer is made of."""

    vocab: dict[str, int]
    merges: list[tuple[str, str]]
    is_byte_level: bool
    unk: str | None = None
    fuse_unk: bool = False
    byte_fallback: bool = False
    ignore_merges: bool = False
    prefix: str = ""
    suffix: str = ""
    added: list[tuple[str, int, bool, bool, bool, bool, bool]] = field(default_factory=list)
    automaton: bytes | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    def spell(self, token: str, *, begins: bool = True) -> bytes:
        """Bytes of a token's text, with markers."""
        head = tail = b""
        if self.prefix:
            if token.startswith(self.prefix):
                token = token.removeprefix(self.prefix)
            elif begins:
                head = BEGIN
        if self.suffix and token.endswith(self.suffix):
            token, tail = token.removesuffix(self.suffix), END
        if self.is_byte_level:
            return head + bytes(ALPHABET.get(c, 0) for c in token) + tail
        return head + token.encode() + tail


def parts_of(config: dict[str, Any]) -> Parts:
    """Read the model and the added tokens."""
    model = config["model"]
    lists = [m.split(" ") if isinstance(m, str) else m for m in model["merges"]]
    pairs = [(str(left), str(right)) for left, right in lists]
    return Parts(
        model["vocab"],
        pairs,
        is_byte_level="ByteLevel" in str(config["pre_tokenizer"]),
        unk=model.get("unk_token"),
        fuse_unk=model.get("fuse_unk", False),
        byte_fallback=model.get("byte_fallback", False),
        ignore_merges=model.get("ignore_merges", False),
        prefix=model.get("continuing_subword_prefix") or "",
        suffix=model.get("end_of_word_suffix") or "",
        added=[
            (
                token["content"],
                token["id"],
                token["special"],
                token["normalized"],
                token["lstrip"],
                token["rstrip"],
                token["single_word"],
            )
            for token in config["added_tokens"]
        ],
    )


def build(parts: Parts) -> _core.Core:
    """Make the engine's tables."""
    names = list(parts.vocab)
    index = {name: k for k, name in enumerate(names)}
    spelled = [parts.spell(name) for name in names]
    if parts.is_byte_level:  # entries in another alphabet are never made by merging
        given = [
            k for k, name in enumerate(names) if all(c in ALPHABET for c in _body(parts, name))
        ]
    else:
        given = list(range(len(names)))
    place = {k: at for at, k in enumerate(given)}
    flat = array("I", [place[index[name]] for pair in parts.merges for name in pair])
    tokens = [spelled[k] for k in given]
    blob, lengths, order, unreachable, rules = _core.canonical_order(
        b"".join(tokens),
        array("I", map(len, tokens)),
        flat,
        "bytes" if parts.is_byte_level else "characters",
        bool(parts.prefix),
        bool(parts.suffix),
    )
    next_id = max(*parts.vocab.values(), *(t[1] for t in parts.added), 0) + 1
    ids, expansions = array("I"), {}
    at = 0
    for token, length in zip(array("I", order), array("I", lengths), strict=True):
        text = blob[at : at + length]
        at += length
        if token != HIDDEN:
            ids.append(parts.vocab[names[given[token]]])
            continue
        ids.append(next_id)
        expansions[next_id] = expansion(parts, text)
        next_id += 1
    dropped = [k for k in range(len(names)) if k not in place]
    never = [given[k] for k in array("I", unreachable)] + dropped
    spec: _core.Spec = {
        "rules": rules,
        "added_tokens": parts.added,
        "expansions": expansions,
        "decode_only": [(spelled[k], parts.vocab[names[k]]) for k in never],
        **parts.extra,  # type: ignore[typeddict-item]
    }
    if parts.unk is not None:
        spec["unk_id"] = parts.vocab[parts.unk]
        spec["fuse_unk"] = parts.fuse_unk
    elif not parts.byte_fallback:
        spec["drops_unknown"] = "bytes" if parts.is_byte_level else "characters"
    spec["has_begin_marker"], spec["has_end_marker"] = bool(parts.prefix), bool(parts.suffix)
    if parts.ignore_merges:
        spec["whole_pieces"] = spec.pop("decode_only")
    return _core.Core(blob, array("I", lengths), ids, [], parts.automaton, spec)


def _body(parts: Parts, name: str) -> str:
    return name.removesuffix(parts.suffix) if parts.suffix else name


def expansion(parts: Parts, text: bytes) -> tuple[int, ...]:
    """What a hidden token stands for."""
    if parts.byte_fallback:
        return tuple(parts.vocab[f"<0x{byte:02X}>"] for byte in text)
    if parts.unk is not None:
        text = text.removeprefix(BEGIN) if parts.prefix else text
        text = text.removesuffix(END) if parts.suffix else text
        begins = text and (parts.is_byte_level or not 0x80 <= text[0] < 0xC0)
        return (parts.vocab[parts.unk],) if begins else ()
    return ()
