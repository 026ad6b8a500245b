"""Generated configurations against the reference: equal, or refused by name, never different.

Enters: how many, and a seed. Leaves: an `Outcome` for each. `scripts/check_format_matrix.py` runs
thousands, a test some.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tokenizers import Tokenizer as HuggingFace

import tokstream
from format_configurations import configuration
from format_texts import generated_texts, random_cuts

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Outcome", "compare", "run"]


@dataclass
class Outcome:
    """What became of one configuration."""

    description: str
    refused: str = ""
    differences: list[str] = field(default_factory=list)


def compare(
    description: str, document: dict[str, Any], rng: random.Random, n_texts: int
) -> Outcome:
    """Load one configuration with both and compare."""
    outcome = Outcome(description)
    content = json.dumps(document)
    try:
        reference = HuggingFace.from_str(content)
    except Exception as error:  # noqa: BLE001 - the reference knows only this
        outcome.refused = f"by the reference: {error}"
        return outcome
    try:
        tokenizer = tokstream.load(content.encode())
    except tokstream.UnsupportedTokenizerError as error:
        outcome.refused = error.component
        return outcome
    added = [token["content"] for token in document["added_tokens"]]
    for text in generated_texts(rng, n_texts, added, 12):
        try:
            expected = reference.encode(text, add_special_tokens=False).ids
        except Exception:  # noqa: BLE001 - likewise
            continue
        _compare_text(outcome, tokenizer, text, expected, rng)
        if len(outcome.differences) > 2:
            break
        decoded = reference.decode(expected, skip_special_tokens=False)
        stream = tokenizer.decode_stream()
        piecewise = "".join([stream.feed(token_id) for token_id in expected]) + stream.finish()
        if tokenizer.decode(expected) != decoded or piecewise != decoded:
            outcome.differences.append(
                f"decode {expected}: {tokenizer.decode(expected)!r}, {piecewise!r}, "
                f"expected {decoded!r}"
            )
    return outcome


def _compare_text(
    outcome: Outcome,
    tokenizer: tokstream.Tokenizer,
    text: str,
    expected: Sequence[int],
    rng: random.Random,
) -> None:
    found = tokenizer.encode(text)
    if found != expected:
        outcome.differences.append(f"{text!r}: {found}, expected {expected}")
        return
    stream = tokenizer.stream()
    streamed: list[int] = []
    for chunk in random_cuts(rng, text.encode(), rng.choice((1, 2, 9))):
        streamed += stream.feed(chunk)
        if streamed != expected[: len(streamed)]:
            break
    streamed += stream.finish()
    if streamed != expected:
        outcome.differences.append(f"{text!r} in chunks: {streamed}, expected {expected}")


def run(n: int, seed: int, n_texts: int) -> list[Outcome]:
    """Compare `n` configurations; the k-th is the same for every `n`."""
    outcomes = []
    for k in range(n):
        rng = random.Random(f"{seed}/{k}")
        description, document = configuration(rng)
        outcomes.append(compare(f"{seed}/{k} {description}", document, rng, n_texts))
    return outcomes
