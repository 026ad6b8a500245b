"""What a tokenizer is, in one dictionary: the source of `Tokenizer.info` and `tokstream info`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from tokstream.patterns import compile_pattern

if TYPE_CHECKING:
    from tokstream import _core
    from tokstream.tokenizer import Tokenizer
    from tokstream.vocabulary import Vocabulary

__all__ = ["describe"]


def describe(tokenizer: Tokenizer, vocabulary: Vocabulary, core: _core.Core) -> dict[str, object]:
    """Return facts by name, all of them plain values that JSON can hold.

    Cost: compiling the pattern, some tens of milliseconds the first time.
    """
    from tokstream.patterns.analysis import analyse  # noqa: PLC0415 - not needed to compile

    automaton = compile_pattern(tokenizer.pattern)
    analysis = analyse(automaton)
    facts: dict[str, object] = {
        "name": tokenizer.name,
        "n_vocab": tokenizer.n_vocab,
        "n_tokens": len(vocabulary),
        "eos_id": tokenizer.eos_id,
        "special_tokens": tokenizer.special_tokens,
        "longest_token_bytes": core.longest_token,
        "unreachable_ids": sorted(core.unreachable_ids),
        "pattern": tokenizer.pattern,
    }
    facts["pattern_analysis"] = asdict(analysis)
    return facts
