"""`tokstream decode`: a file or pipe of token ids in, the text's bytes out, in constant memory.

The bytes are written as the tokens have them, also where they are not UTF-8. Held back: an
unfinished id at the end of a block (jsonl: an unfinished record).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokstream.cli import arguments as shared
from tokstream.cli.errors import USAGE, CommandError
from tokstream.cli.id_formats import SUFFIX_HELP, guess_format
from tokstream.cli.id_readers import Batch, MisreadError, read_ids
from tokstream.cli.inputs import Source, refuse_to_replace
from tokstream.cli.outputs import Output, open_output
from tokstream.cli.progress import Progress
from tokstream.errors import InvalidTokenIdError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from tokstream import Tokenizer

__all__ = ["add_options", "execute"]

USAGE_LINE: Final = "tokstream decode [options] [FILE]"
DESCRIPTION: Final = "Turn token ids into text."
EPILOG: Final = f"""\
formats:
  ids     decimal numbers; blanks, line breaks, commas and brackets separate them
  u16     raw little-endian 16-bit integers
  u32     raw little-endian 32-bit integers
  npy     a one-dimensional NumPy array of integers
  jsonl   one object with "ids", or one list, per line; a record is held in memory as a whole
Without --format the suffix of FILE decides: {SUFFIX_HELP}.

The bytes of the tokens are written as they are: what `encode` read comes out again, unless the
tokenizer has a normalizer, which changes text before it is encoded.
"""


class Decoder:
    """Decodes batches and gathers the text of one block of input for one write."""

    def __init__(
        self, tokenizer: Tokenizer, output: Output, name: str, *, ends_lines: bool
    ) -> None:
        self.tokenizer = tokenizer
        self.output = output
        self.name = name
        self.ends_lines = ends_lines
        self.pending = bytearray()
        self.n_tokens = 0

    def decode(self, batch: Batch) -> None:
        """Append the bytes of `batch`.

        Raises:
            CommandError: for an id outside the vocabulary; the bytes before it are written.
        """
        try:
            self.pending += self.tokenizer.decode_bytes(batch.ids)
        except InvalidTokenIdError as error:
            index = error.index or 0
            self.pending += self.tokenizer.decode_bytes(batch.ids[:index])
            self.flush()
            raise CommandError(
                f"{self.name}: no token has the id {batch.ids[index]} at {batch.place(index)}; "
                f"{self.tokenizer.name} has {self.tokenizer.n_vocab} ids; check --encoding and "
                "--format"
            ) from error
        self.n_tokens += len(batch.ids)
        if batch.ends_text and self.ends_lines:
            self.pending += b"\n"

    def flush(self) -> None:
        """Write what has been gathered."""
        if self.pending:
            self.output.write(self.pending)
            self.pending.clear()


def add_options(parser: argparse.ArgumentParser) -> None:
    """Define the command line of `decode`."""
    parser.add_argument(
        "file", metavar="FILE", nargs="?", default="-", help="ids; - or nothing: standard input"
    )
    shared.add_id_options(parser)
    parser.add_argument(
        "--lines",
        action="store_true",
        help="end each text (a line of ids, a record of jsonl) with a line feed",
    )
    shared.add_quiet_option(parser)
    shared.add_tokenizer_options(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Run `decode`; returns the exit code.

    Raises:
        CommandError, TokstreamError: for `program` to word; no file is left half written.
    """
    source = Source(arguments.file)
    format_name = arguments.format or guess_format(arguments.file)
    if arguments.lines and format_name not in {"ids", "jsonl"}:
        raise CommandError(f"--lines: {format_name} does not say where a text ends", USAGE)
    refuse_to_replace([source], arguments.output)
    tokenizer = shared.load_tokenizer(arguments)
    with open_output(arguments.output) as output:
        decoder = Decoder(tokenizer, output, source.name, ends_lines=arguments.lines)
        enabled = not arguments.quiet and not output.is_terminal()
        with Progress(source.n_bytes(), enabled=enabled) as progress:
            batches = read_ids(watched(source, decoder, progress), format_name)
            try:
                for batch in batches:
                    decoder.decode(batch)
            except MisreadError as error:
                decoder.flush()
                raise CommandError(f"{source.name}: {error}") from error
        decoder.flush()
    return 0


def watched(source: Source, decoder: Decoder, progress: Progress) -> Iterator[bytes]:
    """Pass blocks on; when one has been decoded, write its text and tell the progress."""
    blocks: Iterable[bytes] = source.blocks()
    for block in blocks:
        yield block
        decoder.flush()
        progress.advance(len(block), decoder.n_tokens)
