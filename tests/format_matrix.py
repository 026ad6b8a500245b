"""Generated configurations against the reference: equal, or refused by name, never different.

Enters: how many, and a seed. Leaves: counts; exit code 1 if any is different.

    python tests/format_matrix.py [--n 5000] [--seed 0] [--texts 40]
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from tokenizers import Tokenizer as HuggingFace  # noqa: E402 - below the line that finds helpers

import tokstream  # noqa: E402
from format_configurations import configuration  # noqa: E402
from format_texts import generated_texts, random_cuts  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Outcome", "compare", "run"]


@dataclass
class Outcome:
    """What became of one configuration."""

    description: str
    refused: str = ""
    differences: list[str] = field(default_factory=list)


def compare(description: str, document: dict[str, Any], rng: random.Random, n_texts: int) -> Outcome:
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
        except Exception:  # noqa: BLE001, S112 - likewise
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
        rng = random.Random(f"{seed}/{k}")  # noqa: S311 - texts, no secrets
        description, document = configuration(rng)
        outcomes.append(compare(f"{seed}/{k} {description}", document, rng, n_texts))
    return outcomes


def main() -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--n", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--texts", type=int, default=40)
    options = parser.parse_args()
    outcomes = run(options.n, options.seed, options.texts)
    refused = Counter(outcome.refused[:70] for outcome in outcomes if outcome.refused)
    different = [outcome for outcome in outcomes if outcome.differences]
    print(f"{len(outcomes)} configurations: {sum(refused.values())} refused, ", end="")
    print(f"{len(outcomes) - sum(refused.values()) - len(different)} equal, {len(different)} different")
    for reason, n in refused.most_common():
        print(f"  refused {n}: {reason}")
    for outcome in different[:20]:
        print(outcome.description, *outcome.differences[:2], sep="\n    ")
    return int(bool(different))


if __name__ == "__main__":
    sys.exit(main())
