"""Memory: the peak of the command that encodes a pipe, for two sizes of the same kind of text.

The ids are checked to the last: the text is a sequence of a few blocks between which every pattern
cuts, so its ids are those of the blocks, which the reference gives.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

import processes
import records
from digests import IdDigest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from records import Facts, Row
    from workloads import Workload

__all__ = ["run"]

N_BLOCKS = 8
BLOCK_BYTES = 1 << 20
READ_BYTES = 1 << 22
RSS_UNIT = 1 if sys.platform == "darwin" else 1024


def run(workloads: list[Workload], n_rounds: int, facts: Facts, folder: Path) -> list[Row]:
    """Encode every workload's text through a pipe; rounds interleaved.

    Args:
        workloads: sizes.
        n_rounds: processes per workload and encoding.
        facts: circumstances.
        folder: for text and id files; the largest needs room for twice the text.
    """
    block_bytes = min(BLOCK_BYTES, min(workload.n_bytes for workload in workloads) // 2)
    blocks = make_blocks(block_bytes, folder)
    jobs = [(w, encoding) for w in workloads for encoding in w.encodings]
    ids = {encoding: block_ids(len(blocks), encoding, folder) for _, encoding in jobs}
    peaks: dict[tuple[str, str], list[int]] = {}
    verdicts: dict[tuple[str, str], str] = {}
    counts: dict[tuple[str, str], int] = {}
    for _ in range(n_rounds):
        for workload, encoding in jobs:
            key = workload.name, encoding
            order = list(sequence(len(blocks), workload.n_bytes // block_bytes))
            output = folder / "out.bin"
            peak = encode_pipe((blocks[k] for k in order), encoding, output)
            expected, found = IdDigest(), digest_of(output)
            for k in order:
                expected.update(ids[encoding][k])
            output.unlink()
            peaks.setdefault(key, []).append(peak)
            counts[key] = found.n_tokens
            if found.hex() != expected.hex():
                verdicts[key] = f"void: {found.n_tokens} ids, expected {expected.n_tokens}"
            elif peak <= own_peak():
                verdicts[key] = f"void: the parent's peak of {own_peak()} hides the command's"
    return [
        records.row(
            facts,
            peaks[workload.name, encoding],
            benchmark="memory",
            workload=workload.name,
            encoding=encoding,
            engine="tokstream encode",
            version=version("tokstream"),
            n_bytes=workload.n_bytes // block_bytes * block_bytes,
            n_tokens=counts[workload.name, encoding],
            verdict=verdicts.get((workload.name, encoding), "ok"),
            unit="bytes",
        )
        for workload, encoding in jobs
    ]


def make_blocks(block_bytes: int, folder: Path) -> list[bytes]:
    """Make the blocks in another process: what this one holds counts as its child's peak too."""
    code = (
        "import sys, pathlib; sys.path.insert(0, sys.argv[1]); import texts\n"
        "for k, block in enumerate(texts.generated_blocks(int(sys.argv[2]), int(sys.argv[3]))):\n"
        "    (pathlib.Path(sys.argv[4]) / f'block-{k}.txt').write_bytes(block)\n"
    )
    here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - sys.path wants text
    arguments = [here, str(N_BLOCKS), str(block_bytes), str(folder)]
    subprocess.run([sys.executable, "-c", code, *arguments], check=True)
    return [(folder / f"block-{k}.txt").read_bytes() for k in range(N_BLOCKS)]


def block_ids(n_blocks: int, encoding: str, folder: Path) -> list[bytes]:
    """Return the reference's ids of every block."""
    ids = []
    for k in range(n_blocks):
        path = folder / f"block-{k}-{encoding}.u32"
        processes.reference_ids(encoding, folder / f"block-{k}.txt", path)
        ids.append(path.read_bytes())
    return ids


def sequence(n_blocks: int, n: int) -> Iterator[int]:
    """Yield numbers of blocks in an order that does not repeat soon."""
    return ((k * k // 7 + k) % n_blocks for k in range(n))


def encode_pipe(blocks: Iterator[bytes], encoding: str, output: Path) -> int:
    """Feed the command; return its peak resident size in bytes.

    Raises:
        RuntimeError: the command failed.
    """
    command = [sys.executable, "-m", "tokstream", "encode", "-", "-e", encoding, "-o", str(output)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE)
    assert process.stdin is not None
    with process.stdin as pipe:
        for block in blocks:
            pipe.write(block)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return usage.ru_maxrss * RSS_UNIT


def own_peak() -> int:
    """Return this process's peak, which a child's cannot be told from if it is lower."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT


def digest_of(path: Path) -> IdDigest:
    """Digest a file of ids, part by part."""
    digest = IdDigest()
    with path.open("rb") as file:
        for part in iter(lambda: file.read(READ_BYTES), b""):
            digest.update(part)
    return digest
