"""The embedded encodings: pattern, special tokens and vocabulary of each, by name.

Enters: the name of an encoding.
Leaves: its `EncodingSpec` (small, no file is read), its `Vocabulary` and its compiled automaton
(read from the package's data files at first use).
Held back: nothing.

Three vocabularies are stored; the others are these with a few tokens or special tokens added.
The patterns, ids and hashes are those that OpenAI publishes with tiktoken.
"""

from __future__ import annotations

import os
from types import MappingProxyType

from tokstream._light import TYPE_CHECKING
from tokstream.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokstream.vocabulary import Vocabulary

__all__ = [
    "ENCODING_NAMES",
    "PATTERN_FILES",
    "RANK_FILE_SHA256",
    "STORED_VOCABULARIES",
    "EncodingSpec",
    "compiled_pattern",
    "load_automaton_bytes",
    "spec",
    "stamp",
    "vocabulary",
]

_DATA = os.path.join(os.path.dirname(__file__), "data")  # noqa: PTH118, PTH120 - see `_light`

_ENDOFTEXT = "<|endoftext|>"
_ENDOFPROMPT = "<|endofprompt|>"
_FIM = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>")

_R50K_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
_CL100K_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_O200K_PATTERN = "|".join(
    (
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_CONTRACTION}",
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_CONTRACTION}",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)


class EncodingSpec:
    """What an encoding is besides its vocabulary; not to be changed.

    Attributes:
        name: its name.
        pattern: the pretokenization pattern, in tiktoken's dialect.
        special_tokens: text to id, read-only. In o200k_harmony two texts share id 200018;
            the first one is what decoding gives.
        eos: the text of the end-of-text token.
        explicit_n_vocab: the number of ids that OpenAI states, where it states one.
    """

    __slots__ = ("eos", "explicit_n_vocab", "name", "pattern", "special_tokens")

    def __init__(
        self,
        name: str,
        pattern: str,
        special_tokens: Mapping[str, int],
        explicit_n_vocab: int | None = None,
    ) -> None:
        self.name = name
        self.pattern = pattern
        self.special_tokens = special_tokens
        self.eos = _ENDOFTEXT
        self.explicit_n_vocab = explicit_n_vocab

    def __repr__(self) -> str:
        return f"<EncodingSpec {self.name}: {self.n_vocab} ids>"

    @property
    def eos_id(self) -> int:
        """The id of the end-of-text token."""
        return self.special_tokens[self.eos]

    @property
    def n_vocab(self) -> int:
        """One more than the largest id, special tokens included (they have the largest)."""
        return self.explicit_n_vocab or max(self.special_tokens.values()) + 1


def _harmony_special_tokens() -> dict[str, int]:
    # 200018 is named twice by the source: first as the end of the prompt, then as reserved.
    named = {
        _ENDOFTEXT: 199999,
        _ENDOFPROMPT: 200018,
        "<|startoftext|>": 199998,
        "<|reserved_200000|>": 200000,
        "<|reserved_200001|>": 200001,
        "<|return|>": 200002,
        "<|constrain|>": 200003,
        "<|reserved_200004|>": 200004,
        "<|channel|>": 200005,
        "<|start|>": 200006,
        "<|end|>": 200007,
        "<|message|>": 200008,
        "<|reserved_200009|>": 200009,
        "<|reserved_200010|>": 200010,
        "<|reserved_200011|>": 200011,
        "<|call|>": 200012,
    }
    return named | {f"<|reserved_{k}|>": k for k in range(200013, 201088)}


def _spec(
    name: str, pattern: str, special_tokens: dict[str, int], explicit_n_vocab: int | None = None
) -> EncodingSpec:
    return EncodingSpec(name, pattern, MappingProxyType(special_tokens), explicit_n_vocab)


_SPECS = {
    spec.name: spec
    for spec in (
        _spec("gpt2", _R50K_PATTERN, {_ENDOFTEXT: 50256}, 50257),
        _spec("r50k_base", _R50K_PATTERN, {_ENDOFTEXT: 50256}, 50257),
        _spec("p50k_base", _R50K_PATTERN, {_ENDOFTEXT: 50256}, 50281),
        _spec(
            "p50k_edit",
            _R50K_PATTERN,
            {_ENDOFTEXT: 50256, **{text: 50281 + k for k, text in enumerate(_FIM)}},
        ),
        _spec(
            "cl100k_base",
            _CL100K_PATTERN,
            {
                _ENDOFTEXT: 100257,
                **{text: 100258 + k for k, text in enumerate(_FIM)},
                _ENDOFPROMPT: 100276,
            },
        ),
        _spec("o200k_base", _O200K_PATTERN, {_ENDOFTEXT: 199999, _ENDOFPROMPT: 200018}),
        _spec("o200k_harmony", _O200K_PATTERN, _harmony_special_tokens()),
    )
}

ENCODING_NAMES: tuple[str, ...] = tuple(_SPECS)
"""The names of the embedded encodings."""

STORED_VOCABULARIES: tuple[str, ...] = ("r50k_base", "cl100k_base", "o200k_base")
"""The vocabularies that have a data file; `vocabulary` derives the others."""

_STORED_AS = {  # same vocabulary, other special tokens
    "gpt2": "r50k_base",
    "p50k_edit": "p50k_base",
    "o200k_harmony": "o200k_base",
}

_vocabularies: dict[str, Vocabulary] = {}

RANK_FILE_SHA256: Mapping[str, str] = MappingProxyType(
    {
        "r50k_base": "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
        "p50k_base": "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
        "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    }
)
"""The sha256 of OpenAI's rank files, as published in tiktoken's source."""

PATTERN_FILES: Mapping[str, str] = MappingProxyType(
    {"r50k_base": _R50K_PATTERN, "cl100k_base": _CL100K_PATTERN, "o200k_base": _O200K_PATTERN}
)
"""Pattern of each automaton stored in `data/automata`, by the name of its file."""


def spec(name: str) -> EncodingSpec:
    """Return what is known of an embedded encoding without reading a file.

    Raises:
        UnknownNameError: no such encoding; the message lists close matches.
    """
    try:
        return _SPECS[name]
    except (KeyError, TypeError):
        raise UnknownNameError(_unknown_encoding(name)) from None


def stamp(encoding: EncodingSpec) -> str:
    """Return what tells the content of an encoding from that of another version of it."""
    stored_as = _STORED_AS.get(encoding.name, encoding.name)
    n_special = len(encoding.special_tokens)
    return f"{RANK_FILE_SHA256[stored_as]} {encoding.n_vocab} {n_special} {encoding.pattern}"


def vocabulary(name: str) -> Vocabulary:
    """Return the vocabulary of an embedded encoding; the same object at every call.

    Encodings that share a vocabulary (gpt2 and r50k_base; p50k_base and p50k_edit; o200k_base and
    o200k_harmony) share the object.

    Raises:
        UnknownNameError: no such encoding.
        MissingDependencyError: this Python has no lzma module.

    Cost: about 60 ms for the largest at first, then nothing.
    """
    spec(name)
    if (known := _vocabularies.get(name)) is not None:
        return known
    stored_as = _STORED_AS.get(name, name)
    if stored_as != name:
        built = vocabulary(stored_as)
    elif name == "p50k_base":
        built = _with_runs_of_spaces(vocabulary("r50k_base"))
    else:
        from tokstream.encodings.compact import unpack  # noqa: PLC0415 - see `_light`

        built = unpack(_read(f"{name}.ranks.xz"))
    # two threads may build at the same time; all get the object that was there first
    return _vocabularies.setdefault(name, built)


def load_automaton_bytes(name: str) -> bytes | None:
    """Return the compiled automaton of an embedded encoding's pattern (`Automaton.to_bytes`).

    Returns:
        The bytes, or None if the package was built without it; then compile the pattern.

    Raises:
        UnknownNameError: no such encoding.
        VocabularyError: the data file is damaged.
    """
    return compiled_pattern(spec(name).pattern)


def compiled_pattern(pattern: str) -> bytes | None:
    """Return the compiled automaton of a pattern, None if it is no embedded encoding's.

    Raises:
        VocabularyError: the data file is damaged.
    """
    stored = next((k for k, v in PATTERN_FILES.items() if v == pattern), None)
    if stored is None:
        return None
    try:
        data = _read("automata", f"{stored}.bin")
    except FileNotFoundError:
        return None
    from tokstream.encodings.compact import decompress  # noqa: PLC0415 - see `_light`

    return decompress(data)


def _read(*path: str) -> bytes:
    with open(os.path.join(_DATA, *path), "rb") as file:  # noqa: PTH118, PTH123 - see `_light`
        return file.read()


def _with_runs_of_spaces(base: Vocabulary) -> Vocabulary:
    """Make p50k from r50k: runs of 2 to 25 spaces more; the id between is the end of text."""
    from array import array  # noqa: PLC0415 - see `_light`

    from tokstream.vocabulary import Vocabulary  # noqa: PLC0415

    runs = range(2, 26)
    return Vocabulary._from_checked(  # noqa: SLF001 - hash-tested like the stored ones
        base.blob + b"".join(b" " * n for n in runs),
        base.lengths + array("I", runs),
        base.ids + array("I", range(50257, 50257 + len(runs))),
    )


def _unknown_encoding(name: object) -> str:
    import difflib  # noqa: PLC0415 - only for this message

    close = difflib.get_close_matches(str(name), ENCODING_NAMES, n=3, cutoff=0.5)
    meant = f"did you mean {' or '.join(map(repr, close))}? " if close else ""
    return (
        f"no encoding is named {name!r}; {meant}the embedded ones are "
        f"{', '.join(ENCODING_NAMES)}. for a vocabulary in a file use tokstream.load, or --vocab "
        "on the command line"
    )
