"""`tokstream info`: the name of a tokenizer in, what it is out. Nothing is held back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from tokstream.cli import arguments as shared
from tokstream.cli.errors import USAGE, CommandError
from tokstream.cli.outputs import standard_output

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

MAX_ROWS: Final = 12

__all__ = ["add_options", "execute"]

USAGE_LINE: Final = "tokstream info [options] [NAME]"
DESCRIPTION: Final = "Show what a tokenizer is, or list the embedded encodings."
EPILOG: Final = """\
Without NAME, --model or --vocab the names of the embedded encodings are listed, one per line.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Define the command line of `info`."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="the same as --encoding NAME")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    shared.add_tokenizer_options(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Run `info`; returns the exit code.

    Raises:
        CommandError, TokstreamError: for `program` to word.
    """
    output = standard_output()
    chosen = [arguments.encoding, arguments.model, arguments.vocab]
    if arguments.name is not None:
        if any(option is not None for option in chosen):
            raise CommandError(
                f"both {arguments.name!r} and an option name a tokenizer; give one", USAGE
            )
        arguments.encoding = arguments.name
    elif all(option is None for option in [*chosen, arguments.pattern, *arguments.special]):
        output.write_text(listing(as_json=arguments.json))
        return 0
    info = shared.load_tokenizer(arguments).info()
    if arguments.json:
        output.write_text(json.dumps(info, default=str) + "\n")
    else:
        output.write_text("".join(f"{line}\n" for line in table(info)))
    return 0


def listing(*, as_json: bool) -> str:
    """Give the names of the embedded encodings."""
    # here, not above: `tokstream --help` should not pay for it
    import tokstream  # noqa: PLC0415

    names = list(tokstream.list_encoding_names())
    if as_json:
        return json.dumps({"encodings": names, "default": shared.DEFAULT_ENCODING}) + "\n"
    return "".join(f"{name}\n" for name in names)


def table(info: Mapping[str, object]) -> Iterator[str]:
    """Lay out `info` as two columns; a mapping becomes a block of its own lines."""
    width = max((len(key) for key in info), default=0)
    for key, value in info.items():
        if isinstance(value, dict) and value:
            yield key
            rows = list(value.items())[:MAX_ROWS]
            inner = max(len(str(name)) for name, _ in rows)
            for name, entry in rows:
                yield f"  {name!s:<{inner}}  {shown(entry, name)}"
            if len(value) > MAX_ROWS:
                yield f"  and {len(value) - MAX_ROWS} more; --json has all"
        else:
            yield f"{key:<{width}}  {shown(value, key)}"


def shown(value: object, key: object = None) -> str:
    """Give a value for a person: on one line, short, without Python's quotes around plain words."""
    if value is None:
        return "unbounded" if key == "lookback" else "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple, dict)):
        if not value:
            return "-"
        is_flat = not isinstance(value, dict) and not any(
            isinstance(entry, (list, tuple, dict)) for entry in value
        )
        if not is_flat or len(value) > MAX_ROWS:
            return f"{len(value)}, listed by --json"
        return ", ".join(map(shown, value))
    text = str(value)
    return text if text.isprintable() else json.dumps(text)
