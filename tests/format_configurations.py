"""Generated tokenizer.json files: every part of the format against every other, small vocabulary.

Enters: a random generator. Leaves: documents as dicts, each with a short description. Held back:
nothing. The vocabularies are trained by the reference on texts of the same kind as the tests use,
without pre-tokenizer, so that tokens lie across blanks, marks and everything else.
"""

from __future__ import annotations

import json
import random
from functools import cache
from typing import TYPE_CHECKING, Any

from format_texts import generated_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ADDED", "MODELS", "NORMALIZERS", "PRE_TOKENIZERS", "configuration", "document"]

Json = dict[str, Any]


def _regex(pattern: str) -> Json:
    return {"Regex": pattern}


def _string(text: str) -> Json:
    return {"String": text}


def _sequence(key: str, *parts: Json) -> Json:
    return {"type": "Sequence", key: list(parts)}


def _replace(pattern: Json, content: str) -> Json:
    return {"type": "Replace", "pattern": pattern, "content": content}


_UNDERSCORES = _replace(_string(" "), "\u2581")

NORMALIZERS: Sequence[Json | None] = (
    None,
    None,
    {"type": "NFC"},
    {"type": "NFD"},
    {"type": "NFKC"},
    {"type": "NFKD"},
    {"type": "Lowercase"},
    {"type": "StripAccents"},
    {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": True,
    },
    {"type": "Nmt"},
    {"type": "Strip", "strip_left": True, "strip_right": True},
    {"type": "Strip", "strip_left": False, "strip_right": True},
    {"type": "Prepend", "prepend": "\u2581"},
    {"type": "ByteLevel"},
    _UNDERSCORES,
    _replace(_string("ab"), "a"),
    _replace(_string("\n"), ""),
    _replace(_regex(r"\s+"), " "),
    _replace(_regex(r" {2,}"), "\u2581\u2581"),
    _replace(_regex(r"[0-9]"), "#"),
    _sequence("normalizers"),
    _sequence("normalizers", {"type": "Prepend", "prepend": "\u2581"}, _UNDERSCORES),
    _sequence("normalizers", {"type": "NFD"}, {"type": "StripAccents"}, {"type": "Lowercase"}),
    _sequence("normalizers", {"type": "NFKC"}, {"type": "Lowercase"}, {"type": "NFC"}),
    _sequence(
        "normalizers",
        {"type": "Nmt"},
        {"type": "NFKC"},
        _replace(_regex(r" {2,}"), " "),
        {"type": "Strip", "strip_left": True, "strip_right": True},
    ),
    _sequence("normalizers", _replace(_regex(r"\s+"), " "), {"type": "NFC"}, {"type": "Lowercase"}),
)

_GPT_4 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_BEHAVIOURS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")


def _split(pattern: Json, behaviour: str, *, invert: bool = False) -> Json:
    return {"type": "Split", "pattern": pattern, "behavior": behaviour, "invert": invert}


def _byte_level(*, prefix: bool = False, regex: bool = True) -> Json:
    return {
        "type": "ByteLevel",
        "add_prefix_space": prefix,
        "trim_offsets": True,
        "use_regex": regex,
    }


def _metaspace(scheme: str, *, split: bool) -> Json:
    return {
        "type": "Metaspace",
        "replacement": "\u2581",
        "prepend_scheme": scheme,
        "split": split,
    }


PRE_TOKENIZERS: Sequence[Json | None] = (
    None,
    *(_split(_string(" "), behaviour) for behaviour in _BEHAVIOURS),
    *(_split(_regex(r"\d+"), behaviour, invert=True) for behaviour in _BEHAVIOURS),
    *(_split(_regex(r"\s+|[a-z]{2,3}"), behaviour) for behaviour in _BEHAVIOURS),
    _split(_regex(_GPT_4), "Isolated"),
    _split(_regex(_GPT_4), "Removed", invert=True),
    _split(_regex(r"[aeiou]"), "Contiguous"),
    _split(_regex(r"(?:ab|ba)+c?"), "Isolated"),
    {"type": "Digits", "individual_digits": True},
    {"type": "Digits", "individual_digits": False},
    *({"type": "Punctuation", "behavior": behaviour} for behaviour in _BEHAVIOURS),
    {"type": "Whitespace"},
    {"type": "WhitespaceSplit"},
    {"type": "BertPreTokenizer"},
    {"type": "CharDelimiterSplit", "delimiter": "a"},
    *(_metaspace(scheme, split=True) for scheme in ("always", "first", "never")),
    *(_metaspace(scheme, split=False) for scheme in ("always", "first", "never")),
    {"type": "FixedLength", "length": 3},
    {"type": "UnicodeScripts"},
    _sequence(
        "pretokenizers", {"type": "Whitespace"}, {"type": "Digits", "individual_digits": True}
    ),
    _sequence("pretokenizers", _metaspace("always", split=True), {"type": "Punctuation"}),
    _sequence("pretokenizers", {"type": "WhitespaceSplit"}, _metaspace("first", split=True)),
    _sequence("pretokenizers", {"type": "UnicodeScripts"}, _split(_regex(r"\s"), "MergedWithNext")),
)

_CLIP = (
    r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
)
_BLOOM = r" ?[^(\s|[.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c])]+"

_BYTE_LEVEL_ONES: Sequence[Json] = (
    _sequence("pretokenizers", _split(_regex(_CLIP), "Removed", invert=True), _byte_level()),
    _sequence("pretokenizers", _split(_regex(_BLOOM), "Isolated"), _byte_level(regex=False)),
    # Falcon's and DeepSeek Coder's
    _sequence(
        "pretokenizers",
        {"type": "Punctuation", "behavior": "Contiguous"},
        _byte_level(),
        {"type": "Digits", "individual_digits": False},
        _split(_regex("[0-9][0-9][0-9]"), "Isolated"),
    ),
    _sequence(
        "pretokenizers",
        _split(_regex("[\\r\\n]"), "Isolated"),
        _split(_regex("\\s?\\p{L}+"), "Isolated"),
        _split(_regex("\\s?\\p{P}+"), "Isolated"),
        _split(_regex("[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"), "Isolated"),
        {"type": "Digits", "individual_digits": True},
        _byte_level(regex=False),
    ),
    _byte_level(),
    _byte_level(prefix=True),
    _byte_level(regex=False),
    _byte_level(prefix=True, regex=False),
    _sequence("pretokenizers", _split(_regex(_GPT_4), "Isolated"), _byte_level(regex=False)),
    _sequence(
        "pretokenizers", _split(_regex(_GPT_4), "Removed", invert=True), _byte_level(regex=False)
    ),
    _sequence("pretokenizers", {"type": "Digits", "individual_digits": True}, _byte_level()),
    _sequence("pretokenizers", {"type": "Whitespace"}, _byte_level(prefix=True)),
    _sequence("pretokenizers", {"type": "Punctuation"}, _byte_level(regex=False)),
    _sequence(
        "pretokenizers",
        _split(_regex(r"\p{N}{1,3}"), "Isolated"),
        _split(_regex(r"[\u4e00-\u9fa5]+"), "Isolated"),
        _split(_regex(r"[!-/]?[A-Za-z]+|\s+(?!\S)|\s+"), "Isolated"),
        _byte_level(regex=False),
    ),
    _sequence("pretokenizers", _byte_level(), {"type": "Digits", "individual_digits": True}),
    _sequence(
        "pretokenizers", _byte_level(regex=False), _split(_string("\u0120"), "MergedWithNext")
    ),
)

ADDED: Sequence[Sequence[tuple[str, str]]] = (
    (),
    (("<s>", "s"), ("</s>", "s"), ("<pad>", "s")),
    (("<s>", "s"), ("ab", ""), ("  ", "")),
    (("<s>", "sn"), ("hello", "n"), ("\u00e9", "n")),
    (("<mask>", "sl"), ("<s>", "s")),
    (("<mask>", "sr"), ("<s>", "s")),
    (("<mask>", "slr"), ("<mask>x", "s"), ("\n", "")),
    (("the", "w"), ("a", "sw"), ("<s>", "s")),
    (("The", "nw"), ("<s", "n"), ("<s>", "s")),
    (("<|", "lnr"), ("|>", "nr"), ("<|x|>", "s")),
    ((" hello", ""), ("hello", "n"), ("lo W", "s")),
)
"""Sets of added tokens: text, and letters for special, normalized, lstrip, rstrip, word."""

MODELS = (
    *(
        "characters",
        "unk",
        "fused unk",
        "byte fallback",
        "byte fallback, own tab",
        "suffix",
        "prefix",
        "prefix and suffix",
    ),
    *("ignore merges", "ignore merges, unk", "few characters", "few characters, unk"),
)
_BYTE_MODELS = ("bytes", "bytes, ignore merges", "few bytes", "few bytes, unk", "bytes, suffix")

_DECODERS: Sequence[Json | None] = (
    None,
    {"type": "Fuse"},
    {"type": "ByteFallback"},
    {"type": "BPEDecoder", "suffix": "</w>"},
    {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True},
    {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "never", "split": True},
    _sequence(
        "decoders",
        _replace(_string("\u2581"), " "),
        {"type": "ByteFallback"},
        {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0},
    ),
    _sequence("decoders", {"type": "Fuse"}, _replace(_string("ab"), "-"), {"type": "ByteFallback"}),
    _sequence("decoders", {"type": "Strip", "content": "a", "start": 1, "stop": 0}, _byte_level()),
    _sequence("decoders", _byte_level(), {"type": "Strip", "content": " ", "start": 2, "stop": 0}),
    _sequence("decoders", {"type": "Fuse"}, {"type": "BPEDecoder", "suffix": "a"}),
    _byte_level(),
)


def configuration(rng: random.Random) -> tuple[str, Json]:
    """Return a description and a tokenizer.json, each part drawn at random."""
    is_byte_level = rng.random() < 0.4
    normalizer = rng.choice(NORMALIZERS)
    pre_tokenizer = rng.choice(_BYTE_LEVEL_ONES if is_byte_level else PRE_TOKENIZERS)
    model = rng.choice(_BYTE_MODELS if is_byte_level else MODELS)
    added = rng.choice(ADDED)
    decoder = rng.choice(_DECODERS)
    return document(model, normalizer, pre_tokenizer, added, decoder)


def document(
    model: str,
    normalizer: Json | None,
    pre_tokenizer: Json | None,
    added: Sequence[tuple[str, str]],
    decoder: Json | None = None,
) -> tuple[str, Json]:
    """Return a description and the tokenizer.json of these parts."""
    described = json.loads(_model(model))
    vocab = described["vocab"]
    free = len(vocab)
    tokens = []
    for content, flags in added:
        token_id = vocab.get(content)
        if token_id is None:
            token_id, free = free, free + 1
        tokens.append(
            {
                "id": token_id,
                "content": content,
                "special": "s" in flags,
                "normalized": "n" in flags,
                "lstrip": "l" in flags,
                "rstrip": "r" in flags,
                "single_word": "w" in flags,
            }
        )
    # the reference counts on from the largest id so far
    tokens.sort(key=lambda token: token["id"])
    whole = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": tokens,
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": None,
        "decoder": decoder,
        "model": described,
    }
    words = (model, _short(normalizer), _short(pre_tokenizer), str(added), _short(decoder))
    return " / ".join(words), whole


def _short(part: Json | None) -> str:
    return json.dumps(part, ensure_ascii=False).replace('"', "")


@cache
def _model(name: str) -> str:
    """Return the model of a name, as JSON."""
    kind, _, option = name.partition(", ")
    if kind.endswith("bytes"):
        model = _trained("bytes", option == "suffix")
    elif "fix" in kind:
        model = _trained("characters", "suffix" in kind, "prefix" in kind)
    else:
        model = _trained("characters")
    if kind.startswith("few"):
        _take_away(model, "e\u0301 3" if kind == "few characters" else "\u00c3\u00e2\u0120e3")
    vocab: dict[str, int] = model["vocab"]
    if "unk" in name:
        vocab["<unk>"] = len(vocab)
        model["unk_token"] = "<unk>"
        model["fuse_unk"] = "fused" in name
    elif "fix" in name:
        vocab["<unk>"] = len(vocab)
        model["unk_token"] = "<unk>"
    if name.startswith("byte fallback"):
        for byte in range(256):
            if "own tab" not in name or byte != 9:  # as in Gemma's first vocabularies
                vocab[f"<0x{byte:02X}>"] = len(vocab)
        vocab.setdefault("\t", len(vocab))
        model["byte_fallback"] = True
        _take_away(model, "e\u0301\u4e2d")
    if "ignore merges" in name:
        model["ignore_merges"] = True
        for whole in ("hello", "\u2581hello", "the", "Hello", "\u0120World", "123", "e\u0301x"):
            vocab.setdefault(whole, len(vocab))
    return json.dumps(model)


@cache
def _sample() -> tuple[str, ...]:
    texts = generated_texts(random.Random(7), 800, ("hello", "the", "ab", "abab"), 8)
    # what stands for unknown text, and affixes, must not be tokens that text is made of
    odd = ("unk>", "<0x", "##", "</w>")
    return tuple(text for text in texts if not any(part in text for part in odd))


def _trained(kind: str, has_suffix: bool = False, has_prefix: bool = False) -> Json:  # noqa: FBT002
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers  # noqa: PLC0415 - heavy

    affixes: Json = {}
    if has_suffix:
        affixes["end_of_word_suffix"] = "</w>"
    if has_prefix:
        affixes["continuing_subword_prefix"] = "##"
    tokenizer = Tokenizer(models.BPE(**affixes))
    if kind == "bytes":
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        alphabet = pre_tokenizers.ByteLevel.alphabet()
    else:
        alphabet = []
    if affixes:
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.WhitespaceSplit()]
            + ([pre_tokenizers.ByteLevel(add_prefix_space=False)] if kind == "bytes" else [])
        )
    trainer = trainers.BpeTrainer(
        vocab_size=1100,
        min_frequency=2,
        show_progress=False,
        initial_alphabet=alphabet,
        **affixes,
    )
    tokenizer.train_from_iterator(list(_sample()), trainer)
    model: Json = json.loads(tokenizer.to_str())["model"]
    ordered = sorted(model["vocab"], key=model["vocab"].__getitem__)
    model["vocab"] = {token: k for k, token in enumerate(ordered)}
    return model


def _take_away(model: Json, characters: str) -> None:
    """Remove characters from the vocabulary, with all tokens and merges that have them."""
    gone = {token for token in model["vocab"] if any(c in token for c in characters)}
    kept = [token for token in model["vocab"] if token not in gone]
    model["vocab"] = {token: k for k, token in enumerate(kept)}
    model["merges"] = [
        pair for pair in model["merges"] if not gone.intersection((*pair, "".join(pair)))
    ]
