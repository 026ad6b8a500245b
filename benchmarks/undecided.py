"""Undecided text: how much of it is pending at most, for both delays, and that its ids are right.

Beyond the reference's own limit the expected ids are worked out from two shorter texts: the
reference's ids of as many blanks less one period, and less two, differ by one id at one place;
that id is repeated there.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import digests
import processes
import records
import texts
from throughput import verdict
from workloads import Expected, Workload

if TYPE_CHECKING:
    from pathlib import Path

    from records import Facts, Row

__all__ = ["run"]

MODES = {"optimal": "tokstream", "composition": "tokstream composition"}
"""What each delay is called in the record."""
REFERENCE_BYTES = 800_000
"""The reference takes somewhat more; at a million blanks its pattern engine gives up."""
PERIOD = 128
"""Blanks of the longest token of blanks that merging arrives at, in both encodings."""


def run(workloads: list[Workload], n_rounds: int, facts: Facts, folder: Path) -> list[Row]:
    """Feed every text to a stream of each delay.

    Args:
        workloads: runs of blanks, with the bytes per chunk.
        n_rounds: processes per text, encoding and delay.
        facts: circumstances.
        folder: for text files.
    """
    rows = []
    for workload in workloads:
        path = folder / "undecided.txt"
        path.write_bytes(texts.run(workload.run, workload.n_bytes))
        for encoding in workload.encodings:
            known = expected(workload, encoding, folder)
            for mode, engine in MODES.items():
                options = ["--chunk", str(workload.chunk), "--delay", mode, *processes.free_core()]
                found = [
                    processes.measure("stream_tokstream", encoding, path, *options)
                    for _ in range(n_rounds)
                ]
                rows.append(
                    records.row(
                        facts,
                        [result.elapsed_ns for result in found],
                        benchmark="undecided",
                        workload=workload.name,
                        encoding=encoding,
                        engine=engine,
                        version=found[0].version,
                        n_bytes=workload.n_bytes,
                        n_tokens=found[0].n_tokens,
                        verdict=verdict(found, known),
                        unit="ns",
                        max_delay_bytes=max(result.max_delay_bytes or 0 for result in found),
                        text=digests.of_text(path.read_bytes()),
                    )
                )
    return rows


def expected(workload: Workload, encoding: str, folder: Path) -> Expected:
    """Return the reference's ids of a run, worked out where it is too long for the reference.

    Raises:
        ValueError: the ids of shorter runs do not grow by one id a period.
    """
    n_periods = max(0, -(-(workload.n_bytes - REFERENCE_BYTES) // PERIOD))
    n_bytes = workload.n_bytes - n_periods * PERIOD
    longer = reference_ids(workload.run, n_bytes, encoding, folder)
    if n_periods:
        shorter = reference_ids(workload.run, n_bytes - PERIOD, encoding, folder)
        at = next(
            (k for k, pair in enumerate(zip(shorter, longer, strict=False)) if pair[0] != pair[1]),
            len(shorter),
        )
        if shorter[:at] + longer[at : at + 1] + shorter[at:] != longer:
            raise ValueError(f"{workload.name}, {encoding}: {PERIOD} blanks do not add one id")
        longer = longer[:at] + longer[at : at + 1] * n_periods + longer[at:]
    digest = digests.IdDigest()
    digest.update(longer.tobytes())
    return Expected(digest.n_tokens, digest.hex())


def reference_ids(run: str, n_bytes: int, encoding: str, folder: Path) -> array[int]:
    """Return the reference's ids of a run."""
    text, ids = folder / "reference.txt", folder / "reference.u32"
    text.write_bytes(texts.run(run, n_bytes))
    processes.reference_ids(encoding, text, ids)
    return array("I", ids.read_bytes())
