"""The `tokstream` command: files or pipes in, token ids, text or counts out.

One file per command (`encode`, `decode`, `count`, `info`); `program` joins them. `inputs` and
`outputs` own the file descriptors, `id_writers` and `id_readers` the file formats. Nothing is held
back beyond one block of input and what the stream itself has not decided yet.
"""

from __future__ import annotations

from tokstream._light import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

__all__ = ["main", "run"]


def main() -> NoReturn:
    """Run the process's own arguments and exit."""
    import signal  # noqa: PLC0415 - this file is read before a signal can be heeded

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # until `program` heeds it, there is nothing to clean up: no traceback of an import
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from tokstream.cli import program  # noqa: PLC0415 - takes some milliseconds

    program.main()


def run(argv: Sequence[str]) -> int:
    """Run one command inside a process: `program.run`, which says what comes out."""
    from tokstream.cli import program  # noqa: PLC0415 - as above

    return program.run(argv)
