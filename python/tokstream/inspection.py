"""What a tokenizer is, in one dictionary: the source of `Tokenizer.info` and `tokstream info`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from tokstream.patterns import compile_pattern
from tokstream.patterns.automaton import Automaton

if TYPE_CHECKING:
    from tokstream import _core
    from tokstream.formats.parts import TokenizerParts
    from tokstream.patterns.analysis import PatternAnalysis
    from tokstream.tokenizer import Tokenizer
    from tokstream.vocabulary import Vocabulary

__all__ = ["describe"]


def describe(tokenizer: Tokenizer, vocabulary: Vocabulary, core: _core.Core) -> dict[str, object]:
    """Return facts by name, all of them plain values that JSON can hold.

    `path` says which way text goes through the engine, `reads_by` how the one automaton reads it:
    "avx512", "avx2" or "scalar" (in blocks), or "plain" where the pattern is not simple enough.

    `streaming` says how far behind a stream may be. Its keys:

    - `lookback`: the most code points behind a possible end of a pretoken that may have to be read
      again; None if there is no limit. `lookback_finite`: the same without loops.
    - `memory`: "bounded" if what a stream holds does not depend on the input; else "grows with the
      undecided text", and `max_pending_bytes` is there to turn that into an error.
    - `ground`: how that is known: "finite lookback" (a proof), or "measured only".
    - `proved_delay_bytes`: with a finite lookback, a delay that is never exceeded, however
      unlikely the input; else None.
    - `measured_delay_bytes`: the largest delay seen on texts made from the pattern's own loops.
    - `measured_on`: the text that caused it, as Python would write it.

    Cost: compiling the pattern, some tens of milliseconds the first time; the measurement, some
    tenths of a second.
    """
    from tokstream.patterns.analysis import analyse  # noqa: PLC0415 - not needed to compile

    parts = tokenizer._parts  # noqa: SLF001 - made for it
    if parts is not None and parts.automaton is None:
        return _describe_parts(tokenizer, parts, core)
    if parts is not None and parts.automaton is not None:
        automaton = Automaton.from_bytes(parts.automaton)
    else:
        automaton = compile_pattern(tokenizer.pattern)
    analysis = analyse(automaton)
    facts = _common(tokenizer, core)
    if parts is None:
        facts["n_tokens"] = len(vocabulary)
    facts["streaming"] = _streaming(tokenizer, vocabulary, core, automaton, analysis)
    if parts is not None and (waits_for := parts.waits_for()):
        facts["streaming"] |= {  # type: ignore[operator]
            "memory": "grows with the undecided text",
            "proved_delay_bytes": None,
            "waits_for": waits_for,
        }
    facts["pattern_analysis"] = asdict(analysis)
    return facts


def _common(tokenizer: Tokenizer, core: _core.Core) -> dict[str, object]:
    """Facts that need no analysis."""
    parts = tokenizer._parts  # noqa: SLF001 - made for it
    facts: dict[str, object] = {
        "name": tokenizer.name,
        "n_vocab": tokenizer.n_vocab,
        "n_tokens": 0,
        "eos_id": tokenizer.eos_id,
        "special_tokens": tokenizer.special_tokens,
        "longest_token_bytes": core.longest_token,
        "unreachable_ids": sorted(core.unreachable_ids),
        "pattern": tokenizer.pattern,
        "path": "one automaton",
        "reads_by": core.reads_by,
    }
    if parts is not None:
        hidden = len(parts.expansions)
        facts["n_tokens"] = len(parts.vocabulary) + len(parts.whole_pieces) - hidden
        facts["unreachable_ids"] = sorted(
            {token_id for _, token_id in (*parts.whole_pieces, *parts.decode_only)}
        )
        facts["format"] = parts.format
        facts["normalizer"] = [step[0] for step in parts.normalizer]
        facts["levels"] = [step[0] for step in parts.levels]
        facts["path"] = parts.path()
    return facts


def _describe_parts(
    tokenizer: Tokenizer, parts: TokenizerParts, core: _core.Core
) -> dict[str, object]:
    """Facts about a tokenizer whose text is cut by levels, or not at all."""
    facts = _common(tokenizer, core)
    facts["streaming"] = {
        "lookback": None,
        "memory": "grows with the undecided text" if parts.waits_for() else "bounded",
        "ground": "measured only",
        "waits_for": parts.waits_for(),
    }
    return facts


def _streaming(
    tokenizer: Tokenizer,
    vocabulary: Vocabulary,
    core: _core.Core,
    automaton: Automaton,
    analysis: PatternAnalysis,
) -> dict[str, object]:
    """Facts about memory and delay; see `describe`."""
    from tokstream.diagnostics.probe import probe  # noqa: PLC0415 - only this needs it

    found = probe(tokenizer, automaton)
    beginning, round_ = found.worst
    proved = None
    if analysis.lookback is not None:
        longest_special = max((len(name.encode()) for name in tokenizer.special_tokens), default=0)
        # an unfinished character; a special token that may be forming; code points that may have
        # to be read again; and of a pretoken's text, which tokens depend on at most (m + 1) t bytes
        # behind them: m merges, t bytes in the longest token (Dalirrooyfard & Ye, Theorem 1.2)
        n_merges = len(vocabulary) - 256 - len(core.unreachable_ids)
        longest_entry = vocabulary.max_token_bytes
        proved = 3 + longest_special + 4 * (analysis.lookback + analysis.lookahead_lag)
        proved += (n_merges + 1) * core.longest_token
        if core.unreachable_ids:
            proved += longest_entry  # the whole pretoken may still turn out to be such an entry
    is_bounded = proved is not None or not found.keeps_growing
    return {
        "lookback": analysis.lookback,
        "lookback_finite": analysis.lookback_finite,
        "memory": "bounded" if is_bounded else "grows with the undecided text",
        "ground": "measured only" if proved is None else "finite lookback",
        "proved_delay_bytes": proved,
        "measured_delay_bytes": found.longest_delay,
        "measured_on": f"{beginning!r} + {round_!r} * n" if beginning else f"{round_!r} * n",
    }
