"""Pictures of delay: what `delay` measured comes in, an SVG comes out. No dependency.

One panel for each text: how large a share of places is further behind than so many bytes, both
axes logarithmic, since what matters is the tail.
"""

from __future__ import annotations

from math import ceil, log10
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokstream.diagnostics.delay import Distribution, TextDelay

__all__ = ["delay_chart"]

WIDTH: Final = 400
HEIGHT: Final = 250
LEFT, RIGHT, TOP, BOTTOM = 58, 16, 34, 44
FONT: Final = "font-family='system-ui,Helvetica,Arial,sans-serif'"
LINES: Final = (
    ("composition", "#d1690e", "7 3"),
    ("optimal", "#1667b7", ""),
    ("lower bound", "#21843b", "2 3"),
)


def delay_chart(texts: Sequence[TextDelay], title: str) -> str:
    """Draw one panel for each text, two in a row.

    Args:
        texts: at least one.
        title: stands above all.

    Returns:
        An SVG document; the same input gives the same bytes.
    """
    n_columns = min(2, max(1, len(texts)))
    n_rows = ceil(len(texts) / n_columns)
    width, height = n_columns * WIDTH, 62 + n_rows * HEIGHT
    parts = [
        (
            f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' "
            f"viewBox='0 0 {width} {height}' role='img'>"
        ),
        f"<title>{escape(title)}</title>",
        "<rect width='100%' height='100%' fill='#fff'/>",
        f"<text x='16' y='24' {FONT} font-size='15' fill='#111'>{escape(title)}</text>",
        *legend(),
    ]
    for k, text in enumerate(texts):
        x, y = k % n_columns * WIDTH, 56 + k // n_columns * HEIGHT
        parts.append(f"<g transform='translate({x} {y})'>")
        parts.extend(panel(text))
        parts.append("</g>")
    return "\n".join([*parts, "</svg>"]) + "\n"


def legend() -> Iterator[str]:
    """Draw what the lines mean."""
    x = 16
    for label, color, dashes in LINES:
        yield (
            f"<path d='M{x} 42h26' stroke='{color}' stroke-width='2' "
            f"stroke-dasharray='{dashes}' fill='none'/>"
        )
        yield f"<text x='{x + 32}' y='46' {FONT} font-size='12' fill='#333'>{label}</text>"
        x += 48 + 7 * len(label)


def panel(text: TextDelay) -> Iterator[str]:
    """Draw one text."""
    drawn = (text.composition, text.optimal, text.lower_bound)
    largest = max(2, *(one.max for one in drawn))
    least = min(0.1, 1 / max(1, text.n_places))
    x_scale = (WIDTH - LEFT - RIGHT) / log10(largest + 1)
    y_scale = (HEIGHT - TOP - BOTTOM) / -log10(least)

    def x_of(delay: float) -> float:
        return LEFT + x_scale * log10(delay + 1)

    def y_of(share: float) -> float:
        return TOP - y_scale * log10(max(share, least))

    bottom = HEIGHT - BOTTOM
    yield f"<text x='{LEFT}' y='22' {FONT} font-size='13' fill='#111'>{escape(text.name)}</text>"
    for tick in x_ticks(largest):
        x = x_of(tick)
        yield f"<path d='M{x:.1f} {TOP}V{bottom}' stroke='#e4e4e4'/>"
        yield label(x, bottom + 15, f"{tick:,}", "middle")
    power = 0
    while 10.0**power >= least * 0.999:
        y = y_of(10.0**power)
        yield f"<path d='M{LEFT} {y:.1f}H{WIDTH - RIGHT}' stroke='#e4e4e4'/>"
        yield label(LEFT - 6, y + 4, f"{10.0**power:.6g}" if power > -4 else f"1e{power}", "end")
        power -= 1
    yield label((LEFT + WIDTH - RIGHT) / 2, bottom + 32, "delay, bytes", "middle")
    yield label(LEFT + 6, bottom - 8, "share of places further behind", "start")
    for one, (_, color, dashes) in zip(drawn, LINES, strict=True):
        points = [(x_of(delay), y_of(share)) for delay, share in exceeding(one)]
        if points:
            # the share stays until the next delay that occurs
            path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
            for x, y in points[1:]:
                path += f"H{x:.1f}V{y:.1f}"
            yield (
                f"<path d='{path}' stroke='{color}' stroke-width='2' "
                f"stroke-dasharray='{dashes}' fill='none'/>"
            )


def label(x: float, y: float, text: str, anchor: str) -> str:
    """Write a small text."""
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' {FONT} font-size='11' fill='#555' "
        f"text-anchor='{anchor}'>{escape(text)}</text>"
    )


def x_ticks(largest: int) -> list[int]:
    """Choose delays to mark on the axis."""
    ticks = [0, 1, 3]
    while ticks[-1] * 10 // 3 <= largest:
        last = ticks[-1]
        ticks.append(last * 10 // 3 if str(last)[0] == "3" else last * 3)
    return [tick for tick in ticks if tick <= largest]


def exceeding(distribution: Distribution) -> Iterator[tuple[int, float]]:
    """Yield (delay, share of places with a larger one), from delay 0 on."""
    n = sum(distribution.counts.values())
    if not n:
        return
    left = n - distribution.counts.get(0, 0)
    yield 0, left / n
    for delay, count in distribution.counts.items():
        if delay:
            left -= count
            yield delay, left / n
