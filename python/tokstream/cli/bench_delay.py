"""`tokstream bench delay`: texts in, a table of delays out, and a picture if asked for.

The beginning of each text is held in memory, as much as `--max-bytes` says.
"""

from __future__ import annotations

import json
import os
import platform
from typing import TYPE_CHECKING, Final

from tokstream.cli import arguments as shared
from tokstream.cli.errors import USAGE, CommandError, describe
from tokstream.cli.inputs import Source, refuse_to_replace
from tokstream.cli.outputs import open_output, standard_output
from tokstream.cli.program import version
from tokstream.cli.progress import Progress
from tokstream.diagnostics.charts import delay_chart
from tokstream.diagnostics.delay import Distribution, TextDelay, measure
from tokstream.errors import InputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from tokstream import Tokenizer

__all__ = ["add_options", "execute"]

USAGE_LINE: Final = "tokstream bench delay [options] [FILE ...]"
DESCRIPTION: Final = (
    "Measure how many bytes a stream is behind its text, and how many it has to be."
)
EPILOG: Final = """\
Each text is fed byte by byte to two streams, one with delay="composition" and one with
delay="optimal". At sampled places the beginning that the ids of many continuations share is
computed: no stream whose ids are final can have emitted more, so what remains is a lower bound of
the delay. `at bound` is the share of those places where the optimal stream had emitted all of it.
With --unit byte some places are inside a character; they are sampled like all others, and `inside`
gives their part.

Where a tokenizer changes text before it merges (a normalizer, blanks written as another sign, bytes
in place of unknown text), the bytes that common ids cover are estimated by the length of their
tokens; then the lower bound is marked as an estimate. `at bound` needs no such estimate.
"""
OTHER_PICTURES: Final = (".png", ".pdf", ".jpg", ".jpeg", ".gif", ".webp")
FIGURES: Final = ("mean", "p50", "p99", "max")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Define the command line of `bench delay`."""
    parser.add_argument(
        "files", metavar="FILE", nargs="*", help="text in UTF-8; - or nothing: standard input"
    )
    shared.add_number_option(
        parser, "--max-bytes", 1_000_000, "measure the first N bytes of each text"
    )
    shared.add_number_option(
        parser, "--samples", 2000, "places in each text where the lower bound is computed"
    )
    shared.add_number_option(parser, "--seed", 0, "of the sample")
    parser.add_argument(
        "--unit",
        choices=("byte", "char"),
        default="byte",
        help="what is fed at a time (default: byte)",
    )
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    output.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--plot", metavar="OUT.svg", help="draw the distributions")
    shared.add_quiet_option(parser)
    shared.add_tokenizer_options(parser)
    shared.add_text_options(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Run `bench delay`; returns the exit code.

    Raises:
        CommandError, TokstreamError: for `program` to word.
    """
    shared.refuse_zero(arguments, "max_bytes")
    if arguments.plot is not None and arguments.plot.lower().endswith(OTHER_PICTURES):
        raise CommandError(
            f"--plot {arguments.plot}: the picture is an SVG; name a file that ends in .svg", USAGE
        )
    sources = [Source(path) for path in arguments.files or ["-"]]
    refuse_to_replace(sources, arguments.plot, what="picture")
    tokenizer = shared.load_tokenizer(arguments)
    options = shared.stream_options(arguments)
    results: list[TextDelay] = []
    texts = [(source, beginning(source, arguments.max_bytes)) for source in sources]
    with Progress(sum(len(text) for _, text in texts), enabled=not arguments.quiet) as progress:
        for source, text in texts:
            if not text:
                raise CommandError(f"{source.name}: empty; there is nothing to measure")
            try:
                result = measure(
                    tokenizer,
                    text,
                    name=os.path.basename(source.path) or source.name,  # noqa: PTH119
                    unit=arguments.unit,
                    n_samples=arguments.samples,
                    seed=arguments.seed,
                    advance=progress.advance,
                    **options,
                )
            except InputError as error:
                raise describe(error, source.name) from error
            results.append(result)
    if arguments.plot is not None:
        with open_output(arguments.plot) as picture:
            picture.write_text(delay_chart(results, f"Delay of {tokenizer.name}"))
    output = standard_output()
    if arguments.json:
        output.write_text(json.dumps(as_json(tokenizer, results, arguments)) + "\n")
    elif arguments.markdown:
        output.write_text("".join(f"{line}\n" for line in markdown(tokenizer, results, arguments)))
    else:
        output.write_text("".join(f"{line}\n" for line in table(tokenizer, results)))
    return 0


def beginning(source: Source, max_bytes: int) -> bytes:
    """Read at most `max_bytes` and cut back to a whole character."""
    text = bytearray()
    for block in source.blocks():
        text += block
        if len(text) >= max_bytes:
            break
    if len(text) > max_bytes:
        while max_bytes and text[max_bytes] & 0xC0 == 0x80:
            max_bytes -= 1
        del text[max_bytes:]
    return bytes(text)


def table(tokenizer: Tokenizer, results: Sequence[TextDelay]) -> Iterator[str]:
    """Lay out the results for a terminal."""
    rows = [["delay, bytes", "", *FIGURES, "", "at bound"]]
    for result in results:
        rows.append([f"{result.name} ({result.n_bytes:,} bytes)", "", *[""] * 6])
        rows.extend(
            [
                ["  composition", f"{result.n_places:,}", *figures(result.composition), "", ""],
                ["  optimal", f"{result.n_places:,}", *figures(result.optimal), "", ""],
                [
                    "  optimal, sampled",
                    sampled(result),
                    *figures(result.sampled),
                    "",
                    shares(result),
                ],
                [f"  {bound_name(result)}", sampled(result), *figures(result.lower_bound), "", ""],
            ]
        )
    rows[0][1] = "places"
    widths = [max(len(row[k]) for row in rows) for k in range(8)]
    yield f"{tokenizer.name}"
    for row in rows:
        cells = [f"{row[0]:<{widths[0]}}"]
        cells += [f"{cell:>{w}}" for cell, w in zip(row[1:6], widths[1:6], strict=True)]
        yield "  ".join([*cells, row[7]]).rstrip()


def markdown(
    tokenizer: Tokenizer, results: Sequence[TextDelay], arguments: argparse.Namespace
) -> Iterator[str]:
    """Lay out the results for a document."""
    yield f"## {tokenizer.name}"
    yield ""
    yield (
        f"tokstream {version()}, Python {platform.python_version()}, {platform.system()} "
        f"{platform.machine()}. Fed {arguments.unit} by {arguments.unit}, at most "
        f"{arguments.max_bytes:,} bytes of each text; special tokens in text: "
        f"{arguments.special_text or 'error'}; {arguments.samples:,} sampled places per text, "
        f"seed {arguments.seed}."
    )
    yield ""
    yield "Delay after each feed, in bytes: mean / median / 99 of 100 / largest."
    yield ""
    yield "| text | bytes | composition | optimal |"
    yield "|---|---:|---|---|"
    for result in results:
        pair = (" / ".join(figures(one)) for one in (result.composition, result.optimal))
        yield f"| {result.name} | {result.n_bytes:,} | {' | '.join(pair)} |"
    yield ""
    yield "At the sampled places:"
    yield ""
    name = bound_name(results[0]) if results else "lower bound"
    yield (
        f"| text | optimal | {name} | emitted prefix equals the bound | between characters | "
        "not, but a special token may be forming | inside a character |"
    )
    yield "|---|---|---|---:|---:|---:|---:|"
    for result in results:
        cells = [
            " / ".join(figures(result.sampled)),
            " / ".join(figures(result.lower_bound)),
            percent(result.n_equal + result.n_equal_inside, n_sampled(result)),
            f"{percent(result.n_equal, result.n_sampled)} of {result.n_sampled:,}",
            f"{result.n_forming:,} of {result.n_sampled - result.n_equal:,}",
            (
                f"{percent(result.n_equal_inside, result.n_sampled_inside)} of "
                f"{result.n_sampled_inside:,}"
            ),
        ]
        yield f"| {result.name} | {' | '.join(cells)} |"
    yield ""


def as_json(
    tokenizer: Tokenizer, results: Sequence[TextDelay], arguments: argparse.Namespace
) -> dict[str, object]:
    """Give the results for a program."""
    return {
        "encoding": tokenizer.name,
        "version": version(),
        "unit": arguments.unit,
        "max_bytes": arguments.max_bytes,
        "seed": arguments.seed,
        "special_text": arguments.special_text or "error",
        "texts": [result.as_json() for result in results],
    }


def bound_name(result: TextDelay) -> str:
    """Word the lower bound, whose bytes may be an estimate."""
    return "lower bound" if result.is_bound_exact else "lower bound (estimate)"


def figures(distribution: Distribution) -> list[str]:
    """Word the figures of one distribution."""
    return [
        f"{distribution.mean:.2f}",
        f"{distribution.p50:,}",
        f"{distribution.p99:,}",
        f"{distribution.max:,}",
    ]


def n_sampled(result: TextDelay) -> int:
    """Count all sampled places."""
    return result.n_sampled + result.n_sampled_inside


def sampled(result: TextDelay) -> str:
    """Word the number of sampled places."""
    return f"{n_sampled(result):,}"


def shares(result: TextDelay) -> str:
    """Word where nothing is left to gain."""
    text = percent(result.n_equal + result.n_equal_inside, n_sampled(result))
    if result.n_sampled_inside:
        between = percent(result.n_equal, result.n_sampled)
        inside = percent(result.n_equal_inside, result.n_sampled_inside)
        text += f" (between characters {between}, inside {inside})"
    return text


def percent(part: int, whole: int) -> str:
    """Word a share; never 100 % unless it is all."""
    if not whole:
        return "-"
    hundredths = part * 10_000 // whole
    return f"{hundredths / 100:.2f} %"
