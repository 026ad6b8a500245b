"""`tokstream bench speed`: texts in, a table of rates, times and memory out.

The beginning of each text is held in memory, as much as `--max-bytes` says.
"""

from __future__ import annotations

import json
import os
import platform
from typing import TYPE_CHECKING, Final

from tokstream.cli import arguments as shared
from tokstream.cli.bench_delay import beginning
from tokstream.cli.errors import CommandError, describe
from tokstream.cli.inputs import Source
from tokstream.cli.outputs import standard_output
from tokstream.cli.program import version
from tokstream.cli.progress import Progress
from tokstream.diagnostics.others import others_for
from tokstream.diagnostics.speed import Speed, measure
from tokstream.errors import InputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from tokstream import Tokenizer

__all__ = ["add_options", "execute"]

USAGE_LINE: Final = "tokstream bench speed [options] [FILE ...]"
DESCRIPTION: Final = "Measure rates, times to the first and last ids, delay and memory."
EPILOG: Final = """\
Each text is encoded in one call and in chunks of several sizes, as lists of ids, by one thread;
the text has been seen before. `first pass` is the rate of the pass that counts it while it is new,
`arrays` and `all cores` are one call as well, of an array and on several threads (from 1 MiB on),
`growth` is the time of the text over that of its first half. `relative` is the rate of chunks over
that of one call on the same text, p50 and p99 are times of a feed, delay is what no id covers after
one. `first ids` is the time to the first batch of a text at hand, `last ids` that from its last
4 KB to its last id.

The engine that the vocabulary's format comes from is measured beside, if it is installed: tiktoken,
tokenizers or sentencepiece. A rate is shown only if its ids are the same.
"""
MIB: Final = 1 << 20


def add_options(parser: argparse.ArgumentParser) -> None:
    """Define the command line of `bench speed`."""
    parser.add_argument(
        "files", metavar="FILE", nargs="*", help="text in UTF-8; - or nothing: standard input"
    )
    shared.add_number_option(
        parser, "--max-bytes", 4_000_000, "measure the first N bytes of each text"
    )
    shared.add_number_option(parser, "--rounds", 3, "take the median of N rounds")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    shared.add_quiet_option(parser)
    shared.add_tokenizer_options(parser)
    shared.add_text_options(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Run `bench speed`; returns the exit code.

    Raises:
        CommandError, TokstreamError: for `program` to word.
    """
    shared.refuse_zero(arguments, "rounds", "max_bytes")
    sources = [Source(path) for path in arguments.files or ["-"]]
    tokenizer = shared.load_tokenizer(arguments)
    options = shared.stream_options(arguments)
    others = others_for(tokenizer, arguments.vocab)
    texts = [(source, beginning(source, arguments.max_bytes)) for source in sources]
    results: list[Speed] = []
    with Progress(sum(len(text) for _, text in texts), enabled=not arguments.quiet) as progress:
        for source, text in texts:
            if not text:
                raise CommandError(f"{source.name}: empty; there is nothing to measure")
            try:
                result = measure(
                    tokenizer,
                    text,
                    name=os.path.basename(source.path) or source.name,  # noqa: PTH119
                    n_rounds=arguments.rounds,
                    others=others,
                    advance=progress.advance,
                    **options,
                )
            except InputError as error:
                raise describe(error, source.name) from error
            results.append(result)
    output = standard_output()
    if arguments.json:
        output.write_text(json.dumps(as_json(tokenizer, results)) + "\n")
    else:
        output.write_text("".join(f"{line}\n" for line in table(tokenizer, results)))
    return 0


def table(tokenizer: Tokenizer, results: Sequence[Speed]) -> Iterator[str]:
    """Lay out the results for a terminal."""
    yield f"{tokenizer.name}, tokstream {version()}, Python {platform.python_version()}"
    for result in results:
        yield ""
        yield f"{result.name}: {result.n_bytes:,} bytes, {result.n_tokens:,} ids"
        yield f"  {'one call':20} {result.mb_per_s:8.1f} MB/s"
        yield f"  {'first pass':20} {result.first_pass_mb_per_s:8.1f} MB/s"
        if result.array_mb_per_s is not None:
            yield f"  {'arrays':20} {result.array_mb_per_s:8.1f} MB/s"
        yield f"  {'all cores':20} {result.cores_mb_per_s:8.1f} MB/s"
        if result.growth is not None:
            yield f"  {'growth':20} {result.growth:8.2f} times the time for twice the text"
        for other in result.others:
            if other.is_same:
                times = result.mb_per_s / other.mb_per_s
                yield f"  {other.name:20} {other.mb_per_s:8.1f} MB/s, {times:.1f} times as slow"
            else:
                yield f"  {other.name:20} other ids: not compared"
        yield f"  {'first ids after':20} {result.first_us:8.1f} µs"
        yield f"  {'last ids after':20} {result.last_us:8.1f} µs"
        yield (
            f"  {'memory grew by':20} {result.streamed_bytes / MIB:8.1f} MiB streamed, "
            f"{result.whole_bytes / MIB:.1f} MiB more in one call"
        )
        if result.chunks:
            yield "  bytes/chunk      MB/s  relative   p50 µs   p99 µs  mean delay  largest"
        for chunk in result.chunks:
            yield (
                f"  {chunk.chunk_bytes:>11,}{chunk.mb_per_s:>10.1f}{chunk.relative:>10.2f}"
                f"{chunk.p50_us:>9.1f}{chunk.p99_us:>9.1f}{chunk.mean_delay_bytes:>12.1f}"
                f"{chunk.max_delay_bytes:>9,}"
            )


def as_json(tokenizer: Tokenizer, results: Sequence[Speed]) -> dict[str, object]:
    """Give the results for a program."""
    return {
        "encoding": tokenizer.name,
        "version": version(),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "texts": [result.as_json() for result in results],
    }
