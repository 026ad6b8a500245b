"""`tokstream explain`: a short text in, its cuts and what is held back at each step out."""

from __future__ import annotations

import json
import os
import re
import textwrap
from typing import TYPE_CHECKING, Final

from tokstream.cli import arguments as shared
from tokstream.cli.errors import USAGE, CommandError, describe
from tokstream.cli.inputs import Source
from tokstream.cli.outputs import standard_output
from tokstream.cli.terminal import Paint, pad, visible, width_of
from tokstream.diagnostics.explanation import Explanation, Held, Span, Step, explain
from tokstream.errors import InputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

__all__ = ["add_options", "execute"]

MAX_BYTES: Final = 4096

USAGE_LINE: Final = "tokstream explain [options] TEXT"
DESCRIPTION: Final = "Show how a text is cut, and what a stream holds back at each step, and why."
EPILOG: Final = f"""\
First the cuts of the whole text: segments, pretokens, tokens and their ids. Then one line for each
character fed: the tokens that became stable, the text that is held, which of the stages holds it
(chunks, segments, normalizer, pretokens, tokens), and why. Blanks are shown as ·, line breaks as ↵,
tabs as →. The reasons are continuations that were tried on the stream itself: docs/theory.md.

Takes at most {MAX_BYTES} bytes. Colour is used on a terminal, unless NO_COLOR is set.
"""
STAGE_STYLES: Final = {
    "chunks": "35",
    "segments": "33",
    "normalizer": "34",
    "pretokens": "36",
    "tokens": "32",
}
TOKEN_STYLES: Final = ("48;5;24;97", "48;5;22;97", "48;5;94;97", "48;5;53;97", "48;5;23;97")
DIM: Final = "2"
HELD_SHOWN: Final = 20
ESCAPE: Final = re.compile(
    r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.?))", re.DOTALL
)
QUOTED: Final = re.compile(r"""'(?:[^'\\]|\\.)*'(?: × \d+)?|"(?:[^"\\]|\\.)*"(?: × \d+)?""")
GLUE: Final = "\ue000"  # a character for private use, of no width class that wraps
NAMED: Final = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\", "e": "\x1b"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Define the command line of `explain`."""
    parser.add_argument(
        "text", metavar="TEXT", nargs="?", help="the text itself; - is standard input"
    )
    parser.add_argument("--file", metavar="FILE", help="read the text from a file")
    parser.add_argument(
        "-E",
        "--escapes",
        action="store_true",
        help=r"read \n \t \r \0 \e \\ \xHH \uHHHH in TEXT",
    )
    parser.add_argument(
        "--delay",
        choices=("optimal", "composition"),
        default="optimal",
        help="when tokens are emitted (default: optimal)",
    )
    parser.add_argument(
        "--unit", choices=("char", "byte"), default="char", help="what a step feeds (default: char)"
    )
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--cuts", action="store_true", help="show only the cuts of the whole text")
    only.add_argument("--steps", action="store_true", help="show only what happens step by step")
    only.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="whether to use colour (default: auto, on a terminal)",
    )
    shared.add_tokenizer_options(parser)
    shared.add_text_options(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Run `explain`; returns the exit code.

    Raises:
        CommandError, TokstreamError: for `program` to word.
    """
    name, text = read_text(arguments)
    tokenizer = shared.load_tokenizer(arguments)
    options = shared.stream_options(arguments)
    if options["errors"] == "replace":
        text = text.decode(errors="replace").encode()
    try:
        found = explain(
            tokenizer,
            text,
            delay=arguments.delay,
            unit=arguments.unit,
            allowed_special=options["allowed_special"],
            disallowed_special=options["disallowed_special"],
        )
    except InputError as error:
        raise describe(error, name) from error
    output = standard_output()
    if arguments.json:
        output.write_text(json.dumps(found.as_json()) + "\n")
        return 0
    paint = Paint(output, arguments.color)
    lines = [headline(found, paint)]
    if not arguments.steps and found.tokens:
        lines += ["", *cuts(found, paint)]
    if not arguments.cuts:
        lines += ["", *steps(found, paint)]
    output.write_text("".join(f"{line}\n" for line in lines))
    return 0


def read_text(arguments: argparse.Namespace) -> tuple[str | None, bytes]:
    """Give the name of the input, for messages, and the text.

    Raises:
        CommandError: if there is none, two, or too much.
    """
    if (arguments.text is None) == (arguments.file is None):
        raise CommandError(
            "which text? give it as an argument, - for standard input, or --file FILE", USAGE
        )
    if arguments.file is not None or arguments.text == "-":
        source = Source(arguments.file or "-")
        text = bytearray()
        for block in source.blocks():
            text += block
            if len(text) > MAX_BYTES:
                break
        name = source.name
    else:
        name = None
        text = bytearray(os.fsencode(arguments.text))
    if arguments.escapes:
        text = bytearray(unescape(text.decode("utf-8", "surrogateescape")))
    if len(text) > MAX_BYTES:
        raise CommandError(
            f"{name + ': ' if name else ''}the text is longer than the {MAX_BYTES} bytes that can "
            "be looked at step by step; pass a part of it (head -c 500 FILE | tokstream explain -),"
            " or measure all of it with tokstream bench delay"
        )
    return name, bytes(text)


def unescape(text: str) -> bytes:
    """Read escapes as in many languages; one that means nothing is an error."""

    def value(match: re.Match[str]) -> str:
        byte, short, long, name = match.groups()
        if byte is not None:
            return bytes([int(byte, 16)]).decode("utf-8", "surrogateescape")
        number = short or long
        if number is not None and int(number, 16) < 0x110000:
            character = chr(int(number, 16))
            if not 0xD800 <= ord(character) < 0xE000:
                return character
        if name in NAMED:
            return NAMED[name]
        raise CommandError(
            f"--escapes: {match[0]!r} means nothing; write \\\\ for a backslash", USAGE
        )

    return ESCAPE.sub(value, text).encode("utf-8", "surrogateescape")


def headline(found: Explanation, paint: Paint) -> str:
    """Say what is shown."""
    largest = max((step.delay_bytes for step in found.steps), default=0)
    facts = [
        f"{len(found.text)} bytes",
        f"{len(found.pretokens)} pretokens",
        f"{len(found.tokens)} tokens",
        f"delay {found.delay}: at most {largest} bytes",
    ]
    return paint(found.encoding, "1") + "  " + ", ".join(facts)


# --- the cuts of the whole text ------------------------------------------------------------------


def cuts(found: Explanation, paint: Paint) -> Iterator[str]:
    """Draw segments over pretokens over tokens over ids, in bands as wide as the terminal."""
    tokens = found.tokens
    widths = [max(width_of(visible(found.bytes_of(token))), len(str(token.id))) for token in tokens]
    owners = {
        "segment": owner_of_each(found.segments, tokens),
        "pretoken": owner_of_each([*found.pretokens, *specials(found)], tokens),
        "token": list(range(len(tokens))),
    }
    begin = 0
    while begin < len(tokens):
        end, used = begin, 10
        while end < len(tokens) and (end == begin or used + widths[end] + 1 <= paint.columns):
            used += widths[end] + 1
            end += 1
        if begin:
            yield ""
        for name, owner in owners.items():
            yield f"{name:<9}" + row(found, owner, widths, (begin, end), paint, name)
        ids = (pad(str(tokens[k].id), widths[k]) for k in range(begin, end))
        yield paint(f"{'id':<9} " + " ".join(ids).rstrip(), DIM)
        begin = end


def specials(found: Explanation) -> list[Span]:
    """Special tokens, which no pattern cuts."""
    return [segment for segment in found.segments if segment.id is not None]


def owner_of_each(parts: Sequence[Span], tokens: Sequence[Span]) -> list[int]:
    """For each token, where the part begins that it lies in."""
    begins = {part.begin for part in parts}
    owners: list[int] = []
    for token in tokens:
        owners.append(token.begin if token.begin in begins or not owners else owners[-1])
    return owners


def row(
    found: Explanation,
    owner: Sequence[int],
    widths: list[int],
    band: tuple[int, int],
    paint: Paint,
    name: str,
) -> str:
    """Draw one layer of one band; tokens of one owner share a cell."""
    bar = paint("│", DIM)
    cells: list[str] = []
    k, end = band
    while k < end:
        last = k
        while last + 1 < end and owner[last + 1] == owner[k]:
            last += 1
        whole = Span(found.tokens[k].begin, found.tokens[last].end)
        text = visible(found.bytes_of(whole))
        cell = pad(text, sum(widths[k : last + 1]) + last - k)
        style = TOKEN_STYLES[k % len(TOKEN_STYLES)] if name == "token" else ""
        cells.append(paint(cell, style))
        k = last + 1
    return bar + bar.join(cells) + bar


# --- step by step --------------------------------------------------------------------------------


def steps(found: Explanation, paint: Paint) -> Iterator[str]:
    """Draw what each character did."""
    outs = [emitted(found, step) for step in found.steps]
    fed_width = max([3, *(width_of(fed(found, step)) for step in found.steps)])
    out_width = min(32, max([7, *map(width_of, outs)]))
    held_width = max(
        [4, *(width_of(shortened(found.bytes_of(h))) for step in found.steps for h in step.held)]
    )
    margin = " " * (fed_width + out_width + held_width + 6)
    yield paint(f"{'fed':<{fed_width}}  {'emitted':<{out_width}}  {'held':<{held_width}}  why", "1")
    last: dict[str, str] = {}
    for step, out in zip(found.steps, outs, strict=True):
        left = pad(fed(found, step), fed_width) + "  "
        left += paint(pad(out, out_width), "1") + "  "
        if width_of(out) > out_width:
            yield left.rstrip()
            left = " " * (fed_width + out_width + 4)
        if not step.held:
            yield left.rstrip()
        for part in step.held:
            same = last.get(part.stage) == part.why
            lines = reason(part, paint.columns - len(margin), same=same)
            style = STAGE_STYLES[part.stage]
            text = pad(shortened(found.bytes_of(part)), held_width)
            yield left + paint(text, style) + "  " + colored(lines[0], part.stage, paint)
            for line in lines[1:]:
                yield margin + line
            left = " " * (fed_width + out_width + 4)
        if step.n_ahead:
            words = (
                f"{step.n_ahead} bytes are emitted that the pattern has not given to a pretoken "
                "yet: the tokens are the same either way"
            )
            for line in textwrap.wrap(words, max(30, paint.columns - len(margin))):
                yield margin + paint(line, DIM)
        last = {part.stage: part.why for part in step.held}


def fed(found: Explanation, step: Step) -> str:
    """Show what was fed; the last step feeds nothing."""
    return visible(found.text[step.begin : step.end]) if step.end > step.begin else "end"


def emitted(found: Explanation, step: Step) -> str:
    """Show the tokens that became stable."""
    return "│".join(counted(visible(found.bytes_of(token))) for token in step.emitted)


def counted(text: str) -> str:
    """Shorten a long run of one character."""
    return f"{text[0]}×{len(text)}" if len(text) > HELD_SHOWN and len(set(text)) == 1 else text


def shortened(data: bytes) -> str:
    """Show held text; of a long one the end."""
    text = visible(data)
    if len(text) <= HELD_SHOWN:
        return text
    return f"({len(data)} bytes) …{text[-8:]}"


def reason(part: Held, width: int, *, same: bool) -> list[str]:
    """Word the stage and the reason, in lines."""
    if same:
        return [f"{part.stage}: the same"]
    # no line ends inside quotes
    words = QUOTED.sub(lambda quoted: quoted[0].replace(" ", GLUE), part.why)
    lines = textwrap.wrap(
        f"{part.stage}: {words}",
        max(30, width),
        subsequent_indent="  ",
        break_on_hyphens=False,
        break_long_words=False,
    )
    return [line.replace(GLUE, " ") for line in lines]


def colored(line: str, stage: str, paint: Paint) -> str:
    """Give the stage's name its colour."""
    return paint(stage, STAGE_STYLES[stage]) + line.removeprefix(stage)
