"""The engine comes in, the pictures of docs/theory.md go out: nothing in them is drawn by hand.

python scripts/draw_theory.py           # rewrite docs/pictures/theory-*.svg
python scripts/draw_theory.py --check   # change nothing; exit code 1 if one is out of date
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

import tokstream
from tokstream.cli.terminal import visible, width_of
from tokstream.diagnostics.charts import FONT
from tokstream.diagnostics.continuations import n_common
from tokstream.diagnostics.explanation import explain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
ENCODING = "cl100k_base"
MONO = "font-family='DejaVu Sans Mono,Menlo,Consolas,monospace'"
INK, GREY, STABLE, OPEN = "#1b1b1b", "#777", "#cfe8d4", "#f3e3c9"
STAGES = {"tokens": "#7cbf8a", "pretokens": "#6aa9d8", "segments": "#e3b64f", "chunks": "#c583c4"}
LEFT = 190


def document(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    """Wrap parts into an SVG document."""
    head = (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width:.0f}' height='{height:.0f}' "
        f"viewBox='0 0 {width:.0f} {height:.0f}' role='img'>"
    )
    return "\n".join(
        [
            head,
            f"<title>{escape(title)}</title>",
            "<rect width='100%' height='100%' fill='#fff'/>",
            *parts,
            "</svg>\n",
        ]
    )


def text(x: float, y: float, words: str, *, size: int = 12, color: str = INK, **more: str) -> str:
    """Write words; `anchor` and `mono` are optional."""
    font = MONO if "mono" in more else FONT
    anchor = more.get("anchor", "start")
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' {font} font-size='{size}' fill='{color}' "
        f"text-anchor='{anchor}' xml:space='preserve'>{escape(words)}</text>"
    )


def rectangle(x: float, y: float, width: float, height: float, fill: str) -> str:
    """Draw a box."""
    return (
        f"<rect x='{x:.1f}' y='{y:.1f}' width='{width:.1f}' height='{height:.1f}' rx='3' "
        f"fill='{fill}' stroke='{GREY}' stroke-width='0.8'/>"
    )


def label_of(token: bytes) -> str:
    """Show a token; a run is counted."""
    shown = visible(token)
    return f"{shown[0]}×{len(shown)}" if len(shown) > 4 and len(set(shown)) == 1 else shown


def futures(fed: str, rests: Sequence[tuple[str, str]], unit: float, title: str) -> str:
    """Draw the tokens of a text under several continuations, to scale, and what they share.

    Args:
        fed: the text so far.
        rests: continuations, and what to call them.
        unit: pixels for a byte.
        title: of the picture.
    """
    tokenizer = tokstream.get_encoding(ENCODING)
    n_fed = len(fed.encode())
    rows = [(label, tokenizer.encode(fed + rest)) for rest, label in rests]
    common = rows[0][1]
    for _, ids in rows:
        common = common[: n_common(common, ids)]
    stream = tokenizer.stream()
    emitted = [i for byte in fed.encode() for i in stream.feed(bytes([byte]))]
    assert emitted == common, f"{title}: the engine emits {emitted}, the rows share {common}"
    longest = max(sum(len(tokenizer.token_bytes(i)) for i in ids) for _, ids in rows)
    width = LEFT + longest * unit + 24
    parts = [text(16, 24, title, size=15)]
    y = 62.0
    border = LEFT + n_fed * unit
    for label, ids in rows:
        parts.append(text(LEFT - 12, y + 18, label, color=GREY, anchor="end"))
        x = float(LEFT)
        for k, token_id in enumerate(ids):
            token = tokenizer.token_bytes(token_id)
            box = len(token) * unit
            parts.append(rectangle(x, y, box, 26, STABLE if k < len(common) else OPEN))
            if (shown := label_of(token)) and width_of(shown) * 7.4 <= box:
                parts.append(text(x + box / 2, y + 17, shown, anchor="middle", mono="1"))
            x += box
        y += 36
    parts += [
        f"<path d='M{border:.1f} 44V{y:.1f}' stroke='{INK}' stroke-dasharray='4 3'/>",
        text(border - 6, 52, "fed so far", size=11, anchor="end"),
        text(border + 6, 52, "what may follow", size=11, color=GREY),
        rectangle(LEFT, y + 6, 14, 14, STABLE),
        text(LEFT + 20, y + 18, "the same in all: emitted", size=11),
        rectangle(LEFT + 190, y + 6, 14, 14, OPEN),
        text(LEFT + 210, y + 18, "not decided", size=11),
    ]
    return document(max(width, LEFT + 330), y + 34, title, parts)


def word() -> str:
    """The window: each way on that begins a token in the held text."""
    rests = [
        ("", "nothing"),
        ("er is", "“er is”"),
        ("ation", "“ation”"),
        ("e", "“e”"),
        ("ard", "“ard”"),
        ("\n", "a line break"),
    ]
    return futures("say tokeniz", rests, 30, "Futures of “say tokeniz”")


def line_break() -> str:
    """The line break and the blanks."""
    rests = [
        ("", "nothing"),
        ("x", "“x”"),
        ("\n", "a line break"),
        (" " * 40 + "x", "40 blanks and “x”"),
        (" " * 40 + "\n", "40 blanks, line break"),
    ]
    return futures("foo\n" + " " * 200, rests, 2.6, "Futures of “foo”, a line break, 200 blanks")


def delay_of_blanks() -> str:
    """How the delay grows with the blanks behind a line break."""
    n_blanks, width, height, left, bottom = 1000, 640, 300, 60, 44
    tokenizer = tokstream.get_encoding(ENCODING)
    title = "Delay after “foo”, a line break and k blanks"
    parts = [text(16, 24, title, size=15)]
    scale_x, scale_y = (width - left - 20) / n_blanks, (height - 50 - bottom) / n_blanks
    for tick in range(0, n_blanks + 1, 200):
        x, y = left + tick * scale_x, height - bottom - tick * scale_y
        parts.append(
            f"<path d='M{x:.1f} 50V{height - bottom}M{left} {y:.1f}H{width - 20}' "
            "stroke='#e4e4e4'/>"
        )
        parts.append(text(x, height - bottom + 16, str(tick), size=11, color=GREY, anchor="middle"))
        parts.append(text(left - 8, y + 4, str(tick), size=11, color=GREY, anchor="end"))
    parts.append(text(width - 20, height - 10, "k", size=12, color=GREY, anchor="end"))
    parts.append(text(left + 6, 46, "bytes held", size=11, color=GREY))
    for mode, color, dashes, where in (
        ("composition", "#d1690e", "7 3", (300, 0.62)),
        ("optimal", "#1667b7", "", (430, 0.12)),
    ):
        stream = tokenizer.stream(delay=mode)  # type: ignore[arg-type]
        stream.feed("foo\n")
        points = []
        for k in range(1, n_blanks + 1):
            stream.feed(" ")
            x, y = left + k * scale_x, height - bottom - stream.delay_bytes * scale_y
            points.append(f"{x:.1f} {y:.1f}")
        stream.reset()
        parts.append(
            f"<path d='M{'L'.join(points)}' fill='none' stroke='{color}' stroke-width='2' "
            f"stroke-dasharray='{dashes}'/>"
        )
        y = height - bottom - where[1] * n_blanks * scale_y
        parts.append(text(left + where[0], y - 24, mode, color=color))
    return document(width, height, title, parts)


def held_by_stage() -> str:
    """What each stage holds after each byte of a text that keeps all four busy."""
    sample = "I'm 漢\n\n   <|endoftext|>"
    tokenizer = tokstream.get_encoding(ENCODING)
    found = explain(tokenizer, sample, unit="byte", allowed_special="all")
    cell, row, top = 22, 17, 92
    n = len(found.text)
    title = "Held after each byte, by stage"
    parts = [text(16, 24, title, size=15)]
    x = 16.0
    for stage in ("chunks", "segments", "pretokens", "tokens"):
        parts += [rectangle(x, 38, 14, 14, STAGES[stage]), text(x + 20, 50, stage)]
        x += 110
    parts.append(rectangle(x, 38, 14, 14, STABLE))
    parts.append(text(x + 20, 50, "emitted"))
    left = 16
    for k in range(n):
        shown = visible(found.text[k : k + 1])
        size = 8 if len(shown) > 1 else 12
        parts.append(
            text(left + (k + 0.5) * cell, top - 8, shown, size=size, anchor="middle", mono="1")
        )
    for k, step in enumerate(found.steps[:-1]):
        y = top + k * row
        begin = step.end - step.delay_bytes
        spans = [(0, begin, STABLE)] + [(h.begin, h.end, STAGES[h.stage]) for h in step.held]
        parts.extend(
            f"<rect x='{left + a * cell}' y='{y}' width='{(b - a) * cell - 1}' height='{row - 2}' "
            f"fill='{color}'/>"
            for a, b, color in spans
            if b > a
        )
    for token in found.tokens:
        x = left + token.end * cell - 0.5
        parts.append(f"<path d='M{x} {top}V{top + n * row}' stroke='{INK}' stroke-width='0.7'/>")
    parts.append(
        text(
            left,
            top + n * row + 18,
            "one row for each byte fed; upright lines: where tokens end",
            size=11,
            color=GREY,
        )
    )
    return document(left * 2 + n * cell, top + n * row + 30, title, parts)


DRAWINGS: dict[str, Callable[[], str]] = {
    "theory-word.svg": word,
    "theory-line-break.svg": line_break,
    "theory-blanks.svg": delay_of_blanks,
    "theory-stages.svg": held_by_stage,
}


def main() -> int:
    """Draw or check; returns the exit code."""
    is_check = "--check" in sys.argv[1:]
    code = 0
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name, draw in DRAWINGS.items():
        path = PICTURES / name
        new = draw()
        if is_check:
            if not path.exists() or path.read_text("utf-8") != new:
                print(f"{path}: out of date; run python scripts/draw_theory.py", file=sys.stderr)
                code = 1
        else:
            path.write_text(new, "utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
