"""Engine process: the peak of resident memory of Python alone, or of the command.

Enters: nothing, or the arguments of `tokstream`. Leaves: the command's output; the peak in bytes as
the last line on standard error.
"""

from __future__ import annotations

import sys

__all__ = ["peak_bytes"]


def peak_bytes() -> int:
    """Return this process's peak of resident memory.

    Where Linux tells it, not the one of `getrusage`, in which the parent's counts too.
    """
    try:
        with open("/proc/self/status", encoding="ascii") as file:  # noqa: PTH123 - pathlib is large
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) << 10
    except OSError:
        pass
    import resource  # noqa: PLC0415 - only where it is needed

    peak: int = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10


if __name__ == "__main__":
    code = 0
    if len(sys.argv) > 1:
        from tokstream.cli import run

        code = run(sys.argv[1:])
    print(peak_bytes(), file=sys.stderr)
    sys.exit(code)
