"""The command itself: arguments come in, a command runs, an exit code goes out.

`run` is for use inside a process, `main` is the process: it ends as a signal would end it.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Final, NoReturn

from tokstream.cli.arguments import Parser
from tokstream.cli.errors import CommandError, Interrupted, describe, print_error, signals_raise
from tokstream.cli.outputs import standard_output
from tokstream.errors import TokstreamError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main", "run"]

COMMANDS: Final = ("encode", "decode", "count", "explain", "info", "bench")
GROUPS: Final = ("bench",)
DESCRIPTION: Final = "Byte pair encoding while the text is still arriving."
EPILOG: Final = """\
commands:
  encode   turn text into token ids
  decode   turn token ids into text
  count    count tokens, as wc counts words
  explain  show how a text is cut, and what a stream holds back and why
  info     show what a tokenizer is, or list the embedded encodings
  bench    measure on a text and a vocabulary of your own

`tokstream COMMAND --help` explains one. Exit codes: 0 done, 1 bad data, 2 usage.
"""
SIGNALLED: Final = 128


def main() -> NoReturn:
    """Run the process's own arguments and exit."""
    code = run(sys.argv[1:])
    if code > SIGNALLED and os.name == "posix":
        # a shell stops its loop only if it sees that the signal was obeyed
        signal.signal(code - SIGNALLED, signal.SIG_DFL)
        os.kill(os.getpid(), code - SIGNALLED)
    sys.exit(code)


def run(argv: Sequence[str]) -> int:
    """Run one command.

    Args:
        argv: arguments without the program's name.

    Returns:
        The exit code; 128 + n if signal n stopped the command (13: the output's reader has gone).
    """
    program = "tokstream"
    try:
        with signals_raise():
            command, rest = parse_command(argv, program, COMMANDS, DESCRIPTION, EPILOG)
            if command in GROUPS:
                program = f"tokstream {command}"
                group = import_module(f"tokstream.cli.{command}")
                member, rest = parse_command(
                    rest, program, group.COMMANDS, group.DESCRIPTION, group.EPILOG
                )
                command = member and f"{command} {member}"
            if command is None:
                return 0
            program = f"tokstream {command}"
            # one command does not pay for the imports of the others
            module = import_module(f"tokstream.cli.{command.replace(' ', '_')}")
            parser = Parser(program, module.USAGE_LINE, module.DESCRIPTION, module.EPILOG)
            module.add_options(parser)
            add_help_option(parser)
            # argparse lets options stand between files, or `--` before files, not both
            parse = parser.parse_args if "--" in rest else parser.parse_intermixed_args
            arguments = parse(rest)
            if arguments.help:
                standard_output().write_text(parser.format_help())
                return 0
            code: int = module.execute(arguments)
            return code
    except Interrupted as stop:
        return SIGNALLED + stop.signal_number
    except BrokenPipeError:
        return SIGNALLED + 13  # SIGPIPE, which not every system has
    except (CommandError, TokstreamError, OSError, MemoryError) as error:
        failure = describe(error)
        print_error(program, str(failure))
        return failure.code


def parse_command(
    argv: Sequence[str],
    program: str,
    commands: Sequence[str],
    description: str,
    epilog: str,
) -> tuple[str | None, list[str]]:
    """Split off the command's name; `--help` and `--version` are answered here.

    Args:
        argv: what follows `program`.
        program: "tokstream", or it and the name of a group of commands.
        commands: the names to choose from.
        description: for the help.
        epilog: for the help.

    Returns:
        The command (None: nothing is left to do) and its arguments.

    Raises:
        CommandError: if there is no such command.
    """
    parser = Parser(program, f"{program} COMMAND [options] ...", description, epilog)
    parser.add_argument("command", metavar="COMMAND", nargs="?", help=argparse.SUPPRESS)
    is_outermost = commands is COMMANDS
    if is_outermost:
        parser.add_argument("--version", action="store_true", help="show the version and exit")
    add_help_option(parser)
    # the command's own options are not this parser's business
    n_own = next((i for i, word in enumerate(argv) if not word.startswith("-")), len(argv))
    arguments = parser.parse_args(argv[: n_own + 1])
    if arguments.help:
        standard_output().write_text(parser.format_help())
        return None, []
    if is_outermost and arguments.version:
        standard_output().write_text(f"tokstream {version()}\n")
        return None, []
    if arguments.command is None:
        parser.error("which command? " + ", ".join(commands))
    if arguments.command not in commands:
        # here, not above: only this needs it
        import difflib  # noqa: PLC0415

        close = difflib.get_close_matches(arguments.command, commands, n=1)
        hint = f"did you mean {close[0]}?" if close else "there are " + ", ".join(commands)
        parser.error(f"no command {arguments.command!r}; {hint}")
    return arguments.command, list(argv[n_own + 1 :])


def add_help_option(parser: argparse.ArgumentParser) -> None:
    """Add `--help`; the caller prints, so that a full disk or closed pipe is reported."""
    parser.add_argument("-h", "--help", action="store_true", help="show this help and exit")


def version() -> str:
    """Give the installed version."""
    import importlib.metadata  # noqa: PLC0415 - slow, and only this needs it

    return importlib.metadata.version("tokstream")
