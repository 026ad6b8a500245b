"""The `tokstream` command: files or pipes in, token ids, text or counts out.

One file per command (`encode`, `decode`, `count`, `info`); `program` joins them. `inputs` and
`outputs` own the file descriptors, `id_writers` and `id_readers` the file formats. Nothing is held
back beyond one block of input and what the stream itself has not decided yet.
"""

from __future__ import annotations

from tokstream.cli.program import main, run

__all__ = ["main", "run"]
