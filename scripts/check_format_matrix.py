"""Compare thousands of generated tokenizer.json files with the reference.

Enters: how many, and a seed. Leaves: counts, and the first differences; exit code 1 if there is
any. Held back: nothing.

    python scripts/check_format_matrix.py [--n 5000] [--seed 0] [--texts 40]
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(_ROOT / "tests"))

from format_matrix import run  # noqa: E402 - found by the line above

_MOST_SHOWN = 20


def main() -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--n", type=int, default=5000, help="configurations")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--texts", type=int, default=40, help="for each configuration")
    options = parser.parse_args()
    outcomes = run(options.n, options.seed, options.texts)
    refused = Counter(outcome.refused for outcome in outcomes if outcome.refused)
    different = [outcome for outcome in outcomes if outcome.differences]
    n_refused = sum(refused.values())
    n_equal = len(outcomes) - n_refused - len(different)
    print(f"{len(outcomes)} configurations: {n_equal} equal, {n_refused} refused by name, ", end="")
    print(f"{len(different)} different")
    for reason, n in refused.most_common():
        print(f"  refused {n}: {reason}")
    for outcome in different[:_MOST_SHOWN]:
        print(outcome.description, *outcome.differences[:2], sep="\n    ")
    return int(bool(different))


if __name__ == "__main__":
    sys.exit(main())
