"""Memory: peaks of the command that encodes a pipe and of engines that take a whole; idle streams.

The ids are checked to the last: the text is a sequence of a few blocks between which every pattern
cuts, so its ids are those of the blocks, which the reference gives.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import asdict
from importlib.metadata import version
from typing import IO, TYPE_CHECKING, Any

import models
import processes
import records
import texts
from digests import IdDigest
from throughput import jobs_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from records import Facts, Row
    from workloads import Workload

__all__ = ["run"]

N_BLOCKS = 7
"""Of a mebibyte each, or half the smallest text."""
BLOCK_BYTES = 1 << 20
READ_BYTES = 1 << 20
N_STREAMS = 1000
COMMAND = "tokstream encode"
"""What the command is called among the engines."""


def run(workloads: list[Workload], n_rounds: int, facts: Facts, folder: Path) -> list[Row]:
    """Measure the peak of every engine on every size; sizes and engines in turn.

    Args:
        workloads: texts with sizes, and `measures = ["idle"]`.
        n_rounds: processes per engine, size and encoding.
        facts: circumstances.
        folder: for text files; the largest that an engine reads whole needs room.
    """
    rows: list[Row] = []
    for workload in workloads:
        measure = idle if "idle" in workload.measures else sizes
        rows += measure(workload, n_rounds, facts, folder)
    return rows


def sizes(workload: Workload, n_rounds: int, facts: Facts, folder: Path) -> list[Row]:
    """Measure one kind of text in all sizes."""
    block_bytes = min(BLOCK_BYTES, min(workload.sizes) // 2)
    paths = make_files(workload.corpus, block_bytes, N_BLOCKS, folder)
    blocks = [path.read_bytes() for path in paths]
    rows: list[Row] = []
    for encoding in workload.encodings:
        files = asdict(models.files(encoding, with_hf="tokenizers" in workload.engines))
        ids = [block_ids(path, encoding) for path in paths]
        engines = [name for _, each, name in jobs_of([workload]) if each == encoding]
        jobs = [("python", 0), ("loaded", 0)]
        jobs += [(COMMAND, size) for size in workload.sizes]
        for name in engines:
            limit = workload.limits.get(name, sys.maxsize)
            jobs += [(name, size) for size in workload.sizes if size <= limit]
        found: dict[tuple[str, int], list[dict[str, Any]]] = {}
        for _ in range(n_rounds):
            for engine, size in jobs:
                order = list(sequence(len(blocks), max(1, size // block_bytes)))
                said = once(engine, [blocks[k] for k in order], encoding, files, folder)
                if size:
                    expected = IdDigest()
                    for k in order:
                        expected.update(ids[k])
                    said["expected"] = expected.hex()
                found.setdefault((engine, size), []).append(said)
        for (engine, size), results in found.items():
            rows.append(
                records.row(
                    facts,
                    [said["peak_bytes"] for said in results],
                    benchmark="memory",
                    workload=f"{workload.corpus or 'words'}, {size}",
                    encoding=encoding,
                    engine=engine,
                    version=results[0]["version"],
                    n_bytes=size,
                    n_tokens=results[0]["n_tokens"],
                    verdict=verdict(results),
                    unit="bytes",
                )
            )
    return rows


def once(
    engine: str,
    blocks: list[bytes],
    encoding: str,
    files: dict[str, Any],
    folder: Path,
) -> dict[str, Any]:
    """Run one process; tell its peak and its ids."""
    command = [sys.executable, str(processes.FOLDER / "peaks.py")]
    if engine == "python":
        peak, digest = piped(command, iter(()))
        return {"peak_bytes": peak, "n_tokens": 0, "version": sys.version.split()[0]}
    if engine == COMMAND:
        command += ["encode", "-", "-e", encoding, "--format", "u32", "--quiet"]
        peak, digest = piped(command, iter(blocks))
        return {
            "peak_bytes": peak,
            "n_tokens": digest.n_tokens,
            "ids": digest.hex(),
            "version": version("tokstream"),
        }
    path = folder / "whole.txt"
    job = {"engine": engine, "files": files, "text": str(path)}
    if engine == "loaded":
        job |= {"engine": "tokstream", "text": ""}
        return {**processes.run_job("whole_memory", job), "ids": ""}
    with path.open("wb") as file:
        file.writelines(blocks)
    try:
        return processes.run_job("whole_memory", job)
    finally:
        path.unlink()


def idle(workload: Workload, n_rounds: int, facts: Facts, folder: Path) -> list[Row]:
    """Measure what a stream keeps that waits for more text."""
    rows = []
    (path,) = make_files(workload.corpus, workload.n_bytes, 1, folder)
    for encoding in workload.encodings:
        job = {
            "files": asdict(models.files(encoding, with_hf=False)),
            "text": str(path),
            "n_streams": N_STREAMS,
        }
        found = [processes.run_job("idle_streams", job) for _ in range(n_rounds)]
        rows.append(
            records.row(
                facts,
                [said["bytes_per_stream"] for said in found],
                benchmark="memory",
                workload=f"{workload.corpus}, idle stream",
                encoding=encoding,
                engine="tokstream",
                version=found[0]["version"],
                n_bytes=0,
                n_tokens=found[0]["n_tokens"],
                verdict=verdict(found),
                unit="bytes",
            )
        )
    return rows


def verdict(results: list[dict[str, Any]]) -> str:
    """Say `ok`, or what is wrong with a result."""
    for said in results:
        if said.get("ids", "") != said.get("expected", ""):
            return f"void: {said['n_tokens']} ids are not the reference's"
    return "ok"


def make_files(corpus: str, block_bytes: int, n_blocks: int, folder: Path) -> list[Path]:
    """Write the blocks of a text; return their paths."""
    paths = []
    for k, block in enumerate(texts.blocks(corpus, n_blocks, block_bytes)):
        paths.append(folder / f"block-{k}.txt")
        paths[-1].write_bytes(block)
    return paths


def block_ids(path: Path, encoding: str) -> bytes:
    """Return the reference's ids of a block."""
    ids = path.with_suffix(".u32")
    processes.reference_ids(encoding, path, ids)
    return ids.read_bytes()


def sequence(n_blocks: int, n: int) -> Iterator[int]:
    """Yield numbers of blocks in an order that does not repeat soon."""
    return ((k * k // 7 + k) % n_blocks for k in range(n))


def piped(command: list[str], blocks: Iterator[bytes]) -> tuple[int, IdDigest]:
    """Feed a command; return its peak resident size in bytes, and the digest of its output.

    Raises:
        RuntimeError: the command failed.
    """
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    digest = IdDigest()

    def read(pipe: IO[bytes]) -> None:
        rest = b""
        for part in iter(lambda: pipe.read(READ_BYTES), b""):
            whole = rest + part
            end = len(whole) // 4 * 4
            digest.update(whole[:end])
            rest = whole[end:]

    reader = threading.Thread(target=read, args=(process.stdout,))
    reader.start()
    with process.stdin as pipe:
        for block in blocks:
            pipe.write(block)
    reader.join()
    said = process.stderr.read().decode()
    if process.wait() != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}: {said}")
    return int(said.splitlines()[-1]), digest
