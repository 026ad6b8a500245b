"""What every engine process does: load, measure once, print one line of JSON.

Enters: a job on the command line. Leaves: one JSON object on standard output: elapsed_ns, n_tokens,
ids (digest), version. An engine is a file beside this one that calls `main` with its functions;
each measurement is a process of its own, so that no engine profits from what ran before.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from array import array
from importlib.metadata import version
from pathlib import Path
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from digests import IdDigest

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy import ndarray

    Encode = Callable[[str], ndarray[Any, Any]]
    Ids = list[int] | ndarray[Any, Any]

__all__ = ["WARM_UP", "id_bytes", "job_parser", "main", "pin"]

WARM_UP = "Hello, wörld 漢字 123!\n"


def main(package: str, load: Callable[[str], Encode]) -> None:
    """Run the job of the command line.

    Args:
        package: the distribution whose version is reported.
        load: gives, for an encoding's name, the function that encodes a text as an array.
    """
    parser = job_parser()
    parser.add_argument("--ids", type=Path, help="write the ids here, little-endian uint32")
    job = parser.parse_args()
    pin(job.core)
    text = job.text.read_bytes().decode()  # read_text would change line ends
    encode = load(job.encoding)
    encode(WARM_UP)  # what is imported or built at first use is no part of encoding
    begin = perf_counter_ns()
    ids = encode(text)
    elapsed_ns = perf_counter_ns() - begin
    data = ids.astype("<u4").tobytes()
    digest = IdDigest()
    digest.update(data)
    if job.ids is not None:
        job.ids.write_bytes(data)
    result = {
        "elapsed_ns": elapsed_ns,
        "n_tokens": digest.n_tokens,
        "ids": digest.hex(),
        "version": version(package),
    }
    print(json.dumps(result))


def job_parser() -> argparse.ArgumentParser:
    """Return a parser of what every job says; an engine may add to it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--encoding", required=True, help="a name that `made` knows")
    parser.add_argument("--text", type=Path, required=True, help="a file of UTF-8")
    parser.add_argument("--core", type=int, help="run on this core only")
    return parser


def pin(core: int | None) -> None:
    """Keep this process on one core, where the system can do that."""
    if core is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})


def id_bytes(ids: Ids, first_id: int = 0) -> bytes:
    """Return ids, a list or an array, less `first_id`, as little-endian uint32."""
    if isinstance(ids, list):
        return array("I", [k - first_id for k in ids] if first_id else ids).tobytes()
    data: bytes = (ids - first_id).astype("<u4").tobytes()
    return data
