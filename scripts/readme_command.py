"""The commands of the README: a name comes in, the command that the README gives goes out.

A command stands in a fenced block behind a comment: `<!-- command: test -->`. Continuation lines
and blocks of several lines are kept as they are.

    python scripts/readme_command.py test
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

README = Path(__file__).resolve().parents[1] / "README.md"
BLOCK = re.compile(r"<!-- command: (?P<name>\w+) -->\n```sh\n(?P<command>.*?)\n```", re.DOTALL)


def commands() -> dict[str, str]:
    """Return every named command of the README."""
    text = README.read_text("utf-8")
    return {block["name"]: block["command"] for block in BLOCK.finditer(text)}


def main() -> int:
    """Print the command; return the exit code."""
    (name,) = sys.argv[1:]
    known = commands()
    if name not in known:
        print(f"the README has no command {name!r}, only {sorted(known)}", file=sys.stderr)
        return 1
    print(known[name])
    return 0


if __name__ == "__main__":
    sys.exit(main())
