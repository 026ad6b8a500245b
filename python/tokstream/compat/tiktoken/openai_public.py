"""OpenAI's encodings as `tiktoken_ext.openai_public` has them, for plug-ins that extend them.

Enters: nothing. Leaves: for each encoding a function that gives the arguments of `Encoding`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tokstream.compat.tiktoken.load import data_gym_to_mergeable_bpe_ranks, load_tiktoken_bpe
from tokstream.encodings import ENCODING_NAMES, spec, vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "ENCODING_CONSTRUCTORS",
    "ENDOFPROMPT",
    "ENDOFTEXT",
    "FIM_MIDDLE",
    "FIM_PREFIX",
    "FIM_SUFFIX",
    "cl100k_base",
    "data_gym_to_mergeable_bpe_ranks",
    "gpt2",
    "load_tiktoken_bpe",
    "o200k_base",
    "o200k_harmony",
    "p50k_base",
    "p50k_edit",
    "r50k_base",
    "r50k_pat_str",
]

ENDOFTEXT, FIM_PREFIX, FIM_MIDDLE, FIM_SUFFIX, ENDOFPROMPT = spec("cl100k_base").special_tokens
r50k_pat_str = spec("r50k_base").pattern


def _arguments(name: str) -> dict[str, Any]:
    known = spec(name)
    found: dict[str, Any] = {
        "name": name,
        "pat_str": known.pattern,
        "mergeable_ranks": vocabulary(name).to_ranks(),
        "special_tokens": dict(known.special_tokens),
    }
    if known.explicit_n_vocab is not None:
        found["explicit_n_vocab"] = known.explicit_n_vocab
    return found


ENCODING_CONSTRUCTORS: dict[str, Callable[[], dict[str, Any]]] = {
    name: partial(_arguments, name) for name in ENCODING_NAMES
}

gpt2 = ENCODING_CONSTRUCTORS["gpt2"]
r50k_base = ENCODING_CONSTRUCTORS["r50k_base"]
p50k_base = ENCODING_CONSTRUCTORS["p50k_base"]
p50k_edit = ENCODING_CONSTRUCTORS["p50k_edit"]
cl100k_base = ENCODING_CONSTRUCTORS["cl100k_base"]
o200k_base = ENCODING_CONSTRUCTORS["o200k_base"]
o200k_harmony = ENCODING_CONSTRUCTORS["o200k_harmony"]
