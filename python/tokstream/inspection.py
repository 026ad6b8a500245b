"""What a tokenizer is, in one dictionary: the source of `Tokenizer.info` and `tokstream info`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from tokstream.patterns import compile_pattern
from tokstream.patterns.automaton import START, Automaton

if TYPE_CHECKING:
    from tokstream import _core
    from tokstream.formats.parts import TokenizerParts
    from tokstream.patterns.analysis import PatternAnalysis
    from tokstream.tokenizer import Tokenizer
    from tokstream.vocabulary import Vocabulary

__all__ = ["describe"]

_TAKEN_APART = {
    True: "before it is normalized",
    False: "behind the normalizer",
    None: "no",
}
"""Where text that is one pretoken is taken apart, by what the engine says."""


def describe(tokenizer: Tokenizer, vocabulary: Vocabulary, core: _core.Core) -> dict[str, object]:
    """Return facts by name, all of them plain values that JSON can hold.

    `n_vocab` is one more than the largest id. `n_tokens` counts the tokens that text may become,
    without special ones. `unreachable_ids` are those of tokens that encoding never returns, in
    order: no merges lead to them, and they are no pretoken's whole text either.

    `path` says which way text goes through the engine, `reads_by` how the one automaton reads it:
    "avx512", "avx2" or "scalar" (in blocks), or "plain" where the pattern is not simple enough.
    `prepared_file` is the file that the tables are mapped from; None if they were made in memory.
    `taken_apart` is there if a text between added tokens is one pretoken: "no" if it is merged as
    it grows, else where it is cut into parts, across which no token lies and which are looked up.

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
        return _describe_parts(tokenizer, parts, vocabulary, core)
    if parts is not None and parts.automaton is not None:
        automaton = Automaton.from_bytes(parts.automaton)
    else:
        automaton = compile_pattern(tokenizer.pattern)
    analysis = analyse(automaton)
    facts = _common(tokenizer, vocabulary, core, automaton)
    facts["streaming"] = _streaming(tokenizer, vocabulary, core, automaton, analysis)
    if parts is not None and (waits_for := parts.waits_for()):
        facts["streaming"] |= {  # type: ignore[operator]
            "memory": "grows with the undecided text",
            "proved_delay_bytes": None,
            "waits_for": waits_for,
        }
    facts["pattern_analysis"] = asdict(analysis)
    return facts


def _common(
    tokenizer: Tokenizer, vocabulary: Vocabulary, core: _core.Core, automaton: Automaton | None
) -> dict[str, object]:
    """Facts that need no analysis; `automaton` if one does all the cutting."""
    parts = tokenizer._parts  # noqa: SLF001 - made for it
    entries = set(vocabulary.ids)
    if parts is None:
        odd = {token_id: core.token_bytes(token_id) or b"" for token_id in core.unreachable_ids}
        unreachable = {k for k, token in odd.items() if not _may_be_whole(token, automaton)}
    else:
        # an id may be in the vocabulary and be an added token, or what an unknown character becomes
        returned = {token.id for token in parts.added_tokens}
        returned.update(*parts.expansions.values(), parts.template.opening, parts.template.closing)
        returned.update([] if parts.unk_id is None else [parts.unk_id])
        entries = {token_id for token_id in entries if token_id < parts.n_vocab} | returned
        whole = {k for token, k in parts.whole_pieces if _may_be_whole(token, automaton)}
        never = {k for _, k in (*parts.whole_pieces, *parts.decode_only)}
        unreachable = never - whole - entries - set(parts.special_tokens.values())
        entries |= whole
    entries -= unreachable | set(tokenizer.special_tokens.values())
    facts: dict[str, object] = {
        "name": tokenizer.name,
        "n_vocab": tokenizer.n_vocab,
        "n_tokens": len(entries),
        "eos_id": tokenizer.eos_id,
        "special_tokens": tokenizer.special_tokens,
        "longest_token_bytes": core.longest_token,
        "unreachable_ids": sorted(unreachable),
        "pattern": tokenizer.pattern,
        "path": "one automaton",
        "reads_by": core.reads_by,
        "prepared_file": tokenizer._tables.path,  # noqa: SLF001
    }
    if parts is not None:
        facts["format"] = parts.format
        if parts.tokenizer_class is not None:
            facts["tokenizer_class"] = parts.tokenizer_class
        facts["normalizer"] = [step[0] for step in parts.normalizer]
        facts["levels"] = [step[0] for step in parts.levels]
        facts["path"] = parts.path()
        if parts.automaton is None and not parts.levels:
            facts["taken_apart"] = _TAKEN_APART[core.takes_source_apart]
    return facts


def _may_be_whole(token: bytes, automaton: Automaton | None) -> bool:
    """Tell whether a pretoken may be this; in doubt it may."""
    try:
        text = token.decode()
    except UnicodeDecodeError:
        return False  # pretokens are whole characters
    if automaton is None:
        return True
    state = START
    for character in text:
        state, _ = automaton.step(state, automaton.class_of(ord(character)))
    return any(automaton.step(state, symbol)[1] for symbol in range(automaton.n_classes + 1))


def _describe_parts(
    tokenizer: Tokenizer, parts: TokenizerParts, vocabulary: Vocabulary, core: _core.Core
) -> dict[str, object]:
    """Facts about a tokenizer whose text is cut by levels, or not at all."""
    facts = _common(tokenizer, vocabulary, core, None)
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
