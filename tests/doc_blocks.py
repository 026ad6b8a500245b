"""The Python blocks of a document: what they are, and whether what they print is what stands there.

Enters: a document. Leaves: its blocks; for what a block printed, what is wrong with it.

Before a block may stand, as comments of the document, `alone` (it needs a process of its own) and
`needs: PACKAGE ...` (it is skipped where one of them is missing).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["PythonBlock", "python_blocks"]

_PYTHON = re.compile(
    r"^(?:<!-- (?P<alone>alone) -->\n)?(?:<!-- needs: (?P<needs>[^\n]*) -->\n)?"
    r"```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)
_SHOWN = re.compile(r"^\s*print\(.*\)  # (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class PythonBlock:
    """A block.

    Attributes:
        place: document and line.
        code: what is run.
        output: the text block behind it; None if there is none.
        needs: packages.
        is_alone: it changes what later imports find.
    """

    place: str
    code: str
    output: str | None
    needs: tuple[str, ...]
    is_alone: bool

    def fault(self, printed: str) -> str | None:
        """Say what is wrong with what the block printed, None if nothing is."""
        if self.output is not None:
            return None if printed == self.output else f"{printed!r} is not {self.output!r}"
        shown = _SHOWN.findall(self.code)
        lines = printed.splitlines()
        # a print in a loop shows the same line each time
        if not shown or (set(lines) == set(shown)):
            return None
        return f"{lines} are not {shown}"


def python_blocks(path: Path) -> list[PythonBlock]:
    """Return the Python blocks of a document."""
    text = path.read_text("utf-8")
    return [
        PythonBlock(
            place=f"{path.name}:{text.count(chr(10), 0, match.start()) + 1}",
            code=match["code"],
            output=match["output"],
            needs=tuple((match["needs"] or "").split()),
            is_alone=match["alone"] is not None,
        )
        for match in _PYTHON.finditer(text)
    ]
