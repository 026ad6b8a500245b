"""docs/cli.md and the command come in; the help texts in docs/cli.md go out up to date.

A help text stands in a fenced block whose first line is the call, such as `$ tokstream --help`.

    python scripts/cli_help.py           # rewrite the blocks
    python scripts/cli_help.py --check   # change nothing; exit code 1 if a block is out of date
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

DOCUMENT = Path(__file__).parent.parent / "docs" / "cli.md"
BLOCK = re.compile(
    r"(?<=```text\n)\$ tokstream (?P<arguments>[^\n]*--help)\n.*?(?=```\n)", re.DOTALL
)
COLUMNS = "90"


def help_text(arguments: str) -> str:
    """Run the command for the help text that a block shows."""
    environment = {**os.environ, "COLUMNS": COLUMNS, "NO_COLOR": "1"}
    return subprocess.run(
        [sys.executable, "-m", "tokstream", *arguments.split()],
        env=environment,
        check=True,
        capture_output=True,
        encoding="utf-8",
    ).stdout


def main() -> int:
    """Rewrite or check; returns the exit code."""
    old = DOCUMENT.read_text("utf-8")
    new = BLOCK.sub(
        lambda block: f"$ tokstream {block['arguments']}\n{help_text(block['arguments'])}", old
    )
    if "--check" in sys.argv[1:]:
        if new != old:
            print(f"{DOCUMENT}: out of date; run python scripts/cli_help.py", file=sys.stderr)
        return int(new != old)
    DOCUMENT.write_text(new, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
