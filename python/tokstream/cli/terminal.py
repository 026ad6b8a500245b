"""Text for people: what cannot be seen is made visible, columns line up, colours if wanted.

Plain ANSI sequences, and none of them unless a terminal reads along (or `--color always`).
"""

from __future__ import annotations

import os
import shutil
import unicodedata
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from tokstream.cli.outputs import Output

__all__ = ["Paint", "pad", "visible", "width_of"]

MARKS: Final = {" ": "·", "\n": "↵", "\t": "→", "\r": "␍", "\u00a0": "⍽"}
RESET: Final = "\x1b[0m"


class Paint:
    """Puts colour around text, or does not.

    Attributes:
        columns: width of the terminal, or of what COLUMNS says.
    """

    def __init__(self, output: Output, choice: Literal["auto", "always", "never"]) -> None:
        wanted = output.is_terminal() and os.environ.get("TERM") != "dumb"
        self.is_on = choice == "always" or (
            choice == "auto" and wanted and not os.environ.get("NO_COLOR")
        )
        self.columns = max(40, shutil.get_terminal_size((100, 24)).columns)

    def __call__(self, text: str, style: str) -> str:
        """Give `text` in a style such as "1" (bold) or "38;5;208"."""
        return f"\x1b[{style}m{text}{RESET}" if self.is_on and style and text else text


def visible(data: bytes) -> str:
    r"""Show bytes: blanks and line breaks as signs, what is no text as `\\xNN`."""
    shown: list[str] = []
    for c in data.decode("utf-8", "backslashreplace"):
        if (mark := MARKS.get(c)) is not None:
            shown.append(mark)
        elif c.isprintable():
            # a mark that would sit on the letter in front gets a place of its own
            shown.append("◌" + c if not shown and unicodedata.combining(c) else c)
        else:
            shown.append(c.encode("unicode_escape").decode())
    return "".join(shown)


def width_of(text: str) -> int:
    """Count the columns that a terminal takes for `text`, as well as can be known."""
    return sum(
        0
        if unicodedata.category(c) in {"Mn", "Me", "Cf"}
        else 1 + (unicodedata.east_asian_width(c) in {"W", "F"})
        for c in text
    )


def pad(text: str, width: int) -> str:
    """Fill `text` up with blanks to `width` columns."""
    return text + " " * (width - width_of(text))
