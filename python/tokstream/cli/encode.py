"""`tokstream encode`: text files or a pipe in, token ids out, in constant memory.

Every input (or, with `--lines`, every line of it) is a text of its own. Held back: what the
`EncodeStream` has not decided yet.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

from tokstream.cli import arguments as shared
from tokstream.cli.errors import USAGE, CommandError, describe
from tokstream.cli.id_formats import BINARY_FORMATS, SUFFIX_HELP, guess_format
from tokstream.cli.id_writers import IdWriter, make_writer
from tokstream.cli.inputs import Source, lines, refuse_to_replace, total_bytes
from tokstream.cli.outputs import Output, open_output
from tokstream.cli.progress import Progress
from tokstream.errors import InputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from tokstream import EncodeStream, Tokenizer

__all__ = ["add_options", "execute"]

USAGE_LINE: Final = "tokstream encode [options] [FILE ...]"
DESCRIPTION: Final = "Turn text into token ids."
EPILOG: Final = f"""\
formats:
  ids     decimal numbers separated by spaces, one line per text
  u16     raw little-endian 16-bit integers; only if the vocabulary has at most 65536 ids
  u32     raw little-endian 32-bit integers
  npy     a NumPy array of 32-bit integers; needs -o
  jsonl   one object per text: {{"path": ..., "ids": [...], "n_tokens": ..., "n_bytes": ...}};
          a text at fault ends with "error" in place of "n_bytes", and nothing follows it
Without --format the suffix of OUT decides: {SUFFIX_HELP}.

Each FILE is a text of its own: no token spans two of them. Memory use does not depend on their
size. OUT appears under its name when it is complete; if the command fails or is stopped, what had
that name before is untouched.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Define the command line of `encode`."""
    parser.add_argument(
        "files", metavar="FILE", nargs="*", help="text in UTF-8; - or nothing: standard input"
    )
    shared.add_id_options(parser)
    parser.add_argument(
        "--lines",
        action="store_true",
        help="each line is a text of its own; the line feed belongs to none",
    )
    parser.add_argument(
        "--eot", action="store_true", help="append the end-of-text token's id to each text"
    )
    shared.add_template_option(parser)
    shared.add_quiet_option(parser)
    shared.add_tokenizer_options(parser)
    shared.add_text_options(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Run `encode`; returns the exit code.

    Raises:
        CommandError, TokstreamError: for `program` to word; no file is left half written.
    """
    sources = [Source(path) for path in arguments.files or ["-"]]
    format_name = arguments.format or guess_format(arguments.output)
    refuse_to_replace(sources, arguments.output)
    tokenizer = shared.load_tokenizer(arguments)
    end_of_text = end_of_text_ids(tokenizer) if arguments.eot else None
    check_format(format_name, tokenizer)
    with open_output(arguments.output) as output:
        check_destination(format_name, output)
        writer = make_writer(format_name, output)
        enabled = not arguments.quiet and not output.is_terminal()
        with Progress(total_bytes(sources), enabled=enabled) as progress:
            stream = tokenizer.stream(
                **shared.stream_options(arguments), add_special_tokens=arguments.add_special_tokens
            )
            for source in sources:
                blocks = watched(source.blocks(), writer, progress)
                parts = lines(blocks) if arguments.lines else one_text(blocks)
                encode_source(source, parts, stream, writer, end_of_text, by_line=arguments.lines)
        writer.close()
    return 0


def encode_source(
    source: Source,
    parts: Iterable[tuple[bytes, bool]],
    stream: EncodeStream,
    writer: IdWriter,
    end_of_text: memoryview | None,
    *,
    by_line: bool,
) -> None:
    """Encode all texts of one source.

    Args:
        source: where the parts come from, for messages and records.
        parts: (bytes, whether the text ends after them).
        stream: fresh; it is fresh again afterwards.
        writer: takes the ids.
        end_of_text: ids to append to each text.
        by_line: whether a text is a line.
    """
    line = 1
    is_open = False
    for part, ends in checked(parts, writer):
        if not is_open:
            writer.begin(source.path, line if by_line else None)
            is_open = True
        try:
            if part:
                writer.write(feed(stream, part))
            if not ends:
                continue
            writer.write(finish(stream))
        except InputError as error:
            # a reader of standard output gets all that is certain, wherever the blocks were cut
            writer.write(memoryview(array("I", error.ids)))
            failure = describe(error, f"{source.name}, line {line}" if by_line else source.name)
            writer.fail(str(failure))
            raise failure from error
        if end_of_text is not None:
            writer.write(end_of_text)
        writer.end(stream.n_bytes)
        stream.reset()
        line += 1
        is_open = False


def feed(stream: EncodeStream, chunk: bytes) -> memoryview:
    """Feed `chunk`; give the ids that became stable as native u32, without numpy."""
    return memoryview(stream._feed_buffer(chunk))  # noqa: SLF001 - the package's own


def finish(stream: EncodeStream) -> memoryview:
    """Finish the text; give the remaining ids as native u32, without numpy."""
    return memoryview(stream._finish_buffer())  # noqa: SLF001 - the package's own


def checked(parts: Iterable[tuple[bytes, bool]], writer: IdWriter) -> Iterator[tuple[bytes, bool]]:
    """Pass parts on; where they cannot be read to the end, tell the writer."""
    try:
        yield from parts
    except CommandError as error:
        writer.fail(str(error))
        raise


def one_text(blocks: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Mark all blocks together as one text."""
    for block in blocks:
        yield block, False
    yield b"", True


def watched(blocks: Iterable[bytes], writer: IdWriter, progress: Progress) -> Iterator[bytes]:
    """Pass blocks on; when one has been encoded, write its ids and tell the progress."""
    for block in blocks:
        yield block
        writer.flush()
        progress.advance(len(block), writer.n_tokens)


def end_of_text_ids(tokenizer: Tokenizer) -> memoryview:
    """Give what `--eot` appends."""
    if tokenizer.eos_id is None:
        raise CommandError(f"--eot: {tokenizer.name} has no end-of-text token", USAGE)
    return memoryview(array("I", [tokenizer.eos_id]))


def check_format(format_name: str, tokenizer: Tokenizer) -> None:
    """Refuse u16 for a vocabulary that does not fit."""
    if format_name == "u16" and tokenizer.n_vocab > 1 << 16:
        raise CommandError(
            f"{tokenizer.name} has {tokenizer.n_vocab} ids, u16 holds 65536; use --format u32",
            USAGE,
        )


def check_destination(format_name: str, output: Output) -> None:
    """Refuse a destination that cannot take the format."""
    if format_name in BINARY_FORMATS and output.is_terminal():
        raise CommandError(
            f"{format_name} is binary and {output.name} is a terminal; pass -o FILE, redirect, or "
            "use --format ids",
            USAGE,
        )
    if format_name == "npy" and not output.is_regular:
        raise CommandError(
            f"npy begins with the number of ids, so it cannot be streamed to {output.name}; "
            "pass -o FILE, or use --format u32",
            USAGE,
        )
