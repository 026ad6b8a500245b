"""`tokstream count`: text files, directories or a pipe in, numbers of tokens out, like `wc`.

A file that cannot be counted is reported and the others are counted all the same. Nothing is held
back beyond what the `EncodeStream` has not decided yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from tokstream.cli import arguments as shared
from tokstream.cli.errors import BAD_DATA, USAGE, CommandError, describe, print_error
from tokstream.cli.inputs import Source, total_bytes, walk
from tokstream.cli.outputs import standard_output
from tokstream.cli.progress import Progress
from tokstream.errors import InputError

if TYPE_CHECKING:
    import argparse

    from tokstream import EncodeStream, Tokenizer

__all__ = ["add_options", "execute"]

USAGE_LINE: Final = "tokstream count [options] [PATH ...]"
DESCRIPTION: Final = "Count tokens, as wc counts words."
EPILOG: Final = """\
One line per file, and a total if there are several. A directory stands for the files below it, in
sorted order; names that begin with a dot and links to directories are skipped. A file that cannot
be counted is reported on standard error, and the others are counted.

exit codes:
  0   all counted
  1   some file could not be counted
  2   usage
with --limit:
  0   at most N tokens in all
  1   more than N; reading stopped there, and `>N` is printed for what was not counted to its end
  2   some file could not be counted, or usage
"""


class Counted(NamedTuple):
    """The result for one file: its numbers, or why there are none."""

    path: str
    n_tokens: int = 0
    n_bytes: int = 0
    error: str | None = None

    def as_json(self) -> dict[str, object]:
        """Give the entry of `files` in the output of `--json`."""
        if self.error is not None:
            return {"path": self.path, "error": self.error}
        return {"path": self.path, "n_tokens": self.n_tokens, "n_bytes": self.n_bytes}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Define the command line of `count`."""
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        help="files or directories of text in UTF-8; - or nothing: standard input",
    )
    parser.add_argument(
        "--limit",
        metavar="N",
        type=shared.token_limit,
        help="stop as soon as there are more than N tokens in all; the exit code tells",
    )
    shared.add_template_option(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    shared.add_quiet_option(parser)
    shared.add_tokenizer_options(parser)
    shared.add_text_options(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Run `count`; returns the exit code.

    Raises:
        CommandError, TokstreamError: for `program` to word, if there is no tokenizer or no output.
    """
    tokenizer = shared.load_tokenizer(arguments)
    found = [entry for path in arguments.paths or ["-"] for entry in walk(path)]
    sources = [Source(path) for path in found if isinstance(path, str)]
    n_bytes = total_bytes(sources)
    report = JsonReport() if arguments.json else TextReport(arguments.paths, found, n_bytes)
    limit = arguments.limit
    results: list[Counted] = []
    n_tokens = 0
    stream = tokenizer.stream(
        **shared.stream_options(arguments), add_special_tokens=arguments.add_special_tokens
    )
    with Progress(n_bytes, enabled=not arguments.quiet) as progress:
        for entry in found:
            if limit is not None and n_tokens > limit:
                break
            left = None if limit is None else limit - n_tokens
            counted = count_entry(entry, stream, left, progress, n_tokens)
            n_tokens += counted.n_tokens
            results.append(counted)
            progress.wipe()
            report.file(counted, limit if limit is not None and n_tokens > limit else None)
    report.total(tokenizer, results, n_tokens, limit)
    if limit is not None and n_tokens > limit:
        return 1
    if any(counted.error is not None for counted in results):
        return BAD_DATA if limit is None else USAGE
    return 0


def count_entry(
    entry: str | CommandError,
    stream: EncodeStream,
    limit: int | None,
    progress: Progress,
    n_before: int,
) -> Counted:
    """Count one file; an error becomes part of the result.

    Args:
        entry: a path, or why there is none.
        stream: any state; it is reset first.
        limit: stop once there are more tokens than this; the result is then `limit + 1`.
        progress: told after each block.
        n_before: tokens in the files before, for the progress.
    """
    if isinstance(entry, CommandError):
        return Counted(path="", error=str(entry))
    source = Source(entry)
    stream.reset()
    try:
        for block in source.blocks():
            stream.advance(block)
            progress.advance(len(block), n_before + stream.n_tokens)
            if limit is not None and stream.n_tokens > limit:
                return Counted(entry, limit + 1, stream.n_bytes)
        stream.finish()
    except (CommandError, InputError) as error:
        return Counted(entry, error=str(describe(error, source.name)))
    n_tokens = stream.n_tokens if limit is None else min(stream.n_tokens, limit + 1)
    return Counted(entry, n_tokens, stream.n_bytes)


class TextReport:
    """Columns like those of `wc`: numbers to the right, then the path; one input has no column.

    Args:
        given: the paths on the command line.
        found: what they stand for.
        n_bytes: bytes in all, if known; there are never more tokens than bytes, so this gives the
            width before anything is counted.
    """

    def __init__(
        self, given: list[str], found: list[str | CommandError], n_bytes: int | None
    ) -> None:
        self.output = standard_output()
        self.is_bare = not given
        self.is_single = len(found) == 1
        self.width = 0 if self.is_single else len(str(n_bytes)) if n_bytes is not None else 7

    def file(self, counted: Counted, exceeded: int | None) -> None:
        """Print one file's line, or its error."""
        if counted.error is not None:
            print_error("tokstream count", counted.error)
            return
        self.line(counted.n_tokens, None if self.is_bare else counted.path, exceeded)

    def total(
        self, tokenizer: Tokenizer, results: list[Counted], n_tokens: int, limit: int | None
    ) -> None:
        """Print the total, if it says anything new."""
        del tokenizer, results
        if not self.is_single:
            exceeded = limit if limit is not None and n_tokens > limit else None
            self.line(n_tokens, "total", exceeded)

    def line(self, n_tokens: int, path: str | None, exceeded: int | None) -> None:
        """Print a number and a name at once, so that a reader sees it early."""
        number = str(n_tokens) if exceeded is None else f">{exceeded}"
        name = "" if path is None else f" {path}"
        self.output.write_text(f"{number:>{self.width}}{name}\n")


class JsonReport:
    """One object at the end: encoding, totals, limit, files."""

    def __init__(self) -> None:
        self.output = standard_output()

    def file(self, counted: Counted, exceeded: int | None) -> None:
        """Report an error on stderr too; the rest comes with the total."""
        del exceeded
        if counted.error is not None:
            print_error("tokstream count", counted.error)

    def total(
        self, tokenizer: Tokenizer, results: list[Counted], n_tokens: int, limit: int | None
    ) -> None:
        """Print the object."""
        result: dict[str, object] = {
            "encoding": tokenizer.name,
            "n_tokens": n_tokens,
            "n_bytes": sum(counted.n_bytes for counted in results),
        }
        if limit is not None:
            result |= {"limit": limit, "exceeds_limit": n_tokens > limit}
        result["files"] = [counted.as_json() for counted in results]
        import json  # noqa: PLC0415 - seldom needed

        self.output.write_text(json.dumps(result) + "\n")
