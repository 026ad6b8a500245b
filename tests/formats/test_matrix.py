"""Generated tokenizer.json files: equal to the reference, or refused by name, never different.

Some of the configurations of `scripts/check_format_matrix.py`, which runs thousands.
"""

from __future__ import annotations

import pytest

from format_matrix import run

N_CONFIGURATIONS = 240
N_PARTS = 8


@pytest.mark.parametrize("part", range(N_PARTS))
def test_equal_or_refused_by_name(part: int) -> None:
    outcomes = run(N_CONFIGURATIONS // N_PARTS, seed=1000 + part, n_texts=15)
    different = [(o.description, o.differences) for o in outcomes if o.differences]
    assert not different
    assert all(outcome.refused is not None for outcome in outcomes)
    n_equal = sum(not outcome.refused for outcome in outcomes)
    assert n_equal > len(outcomes) // 2
