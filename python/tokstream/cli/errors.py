"""How a command fails: an exception comes in, one line for stderr and an exit code go out.

Exit codes: 0 done, 1 bad data (input that is missing, unreadable or wrong, output that cannot be
written), 2 usage. A command stopped by a signal ends as that signal would end it: 128 + its number
in the shell (130 Ctrl-C, 143 SIGTERM, 141 when the reader of the output has gone).
"""

from __future__ import annotations

import re
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from tokstream.errors import (
    ConfigurationError,
    DisallowedSpecialTokenError,
    InvalidUtf8Error,
    TokstreamError,
    UnknownNameError,
    VocabularyError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

__all__ = [
    "BAD_DATA",
    "USAGE",
    "CommandError",
    "Interrupted",
    "describe",
    "naming",
    "print_error",
    "signals_raise",
]

BAD_DATA = 1
USAGE = 2

REMEDIES: Final = [
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (
            r'tokstream\.load\(.*?pattern=r?"\.\.\.", special_tokens=\{"([^"]*)": (\d+)\}\)',
            r"--pattern '...' --special '\1=\2'",
        ),
        (
            r"write pattern=tokstream\.get_encoding\('([^']*)'\)\.pattern",
            r"see `tokstream info --json \1`",
        ),
        (r"tokstream\.get_encoding\('([^']*)'\)", r"--encoding \1"),
        (r"tokstream\.get_encoding\b", "--encoding"),
        (r"load its vocabulary file with tokstream\.load\b", "pass its vocabulary file to --vocab"),
        (r"use tokstream\.load, or --vocab on the command line", "use --vocab"),
        (r", or both files as tokstream\.load\(.*?\)", ""),
        (r'tokenizer_class=("[^"]*")', r"--tokenizer-class \1"),
        (r"write tokstream\.from_hub\(\.\.\.\)", "download its tokenizer.json"),
    )
]
"""The library's remedies, and how to write them at the shell."""


class CommandError(Exception):
    """A failure that is already worded for the person at the shell.

    Attributes:
        code: the exit code.
    """

    def __init__(self, message: str, code: int = BAD_DATA) -> None:
        super().__init__(message)
        self.code = code


class Interrupted(BaseException):
    """A signal asked the command to stop; raised so that `finally` clauses clean up.

    Attributes:
        signal_number: which signal.
    """

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal_number)
        self.signal_number = signal_number


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Turn an `OSError` in the body into a `CommandError` that begins with `name`.

    A closed pipe passes: it is not an error of ours, and `program` ends quietly on it.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CommandError(f"{name}: {reason(error)}") from error


def reason(error: OSError) -> str:
    """Give the system's words for `error`, lower case, without number and path."""
    text = error.strerror or str(error) or type(error).__name__
    return text[:1].lower() + text[1:]


def describe(error: Exception, name: str | None = None) -> CommandError:
    """Word a library error for the shell: the file, the place, and the option that helps.

    Args:
        error: what the library raised.
        name: the input it concerns, if it concerns one.
    """
    prefix = f"{name}: " if name else ""
    if isinstance(error, CommandError):
        return error
    if isinstance(error, InvalidUtf8Error):
        return CommandError(
            f"{prefix}invalid UTF-8 at byte offset {error.offset}; convert the input to UTF-8, "
            "or pass --errors replace to read each bad sequence as U+FFFD"
        )
    if isinstance(error, DisallowedSpecialTokenError):
        return CommandError(
            f"{prefix}the text spells the special token {error.token!r} at byte offset "
            f"{error.offset}; pass --special-text token to encode it as that token, or "
            "--special-text plain to encode it as ordinary text"
        )
    if isinstance(error, OSError) and not isinstance(error, TokstreamError):
        path = error.filename if name is None else name
        return CommandError(f"{path}: {reason(error)}" if path else reason(error))
    if isinstance(error, MemoryError):
        return CommandError(f"{prefix}out of memory")
    usage = isinstance(error, UnknownNameError) or (
        isinstance(error, ConfigurationError) and not isinstance(error, VocabularyError)
    )
    return CommandError(f"{prefix}{error}", USAGE if usage else BAD_DATA)


def for_shell(message: str) -> str:
    """Name options where the library's message names functions."""
    for pattern, replacement in REMEDIES:
        message = pattern.sub(replacement, message)
    return message


def print_error(program: str, message: str) -> None:
    """Write one line to stderr; control characters are escaped, a closed stderr is no error."""
    message = for_shell(message)
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in message)
    try:
        print(f"{program}: error: {line}", file=sys.stderr, flush=True)
    except (OSError, ValueError):
        # nobody listens on stderr; the exit code still tells
        return


@contextmanager
def signals_raise() -> Iterator[None]:
    """Raise `Interrupted` in the body on the first SIGINT, SIGTERM or SIGHUP.

    Later ones are ignored, so that the clean-up is not cut short itself. A signal that is ignored
    already (`nohup`, background jobs) stays ignored. Outside the main thread nothing changes.
    """
    previous: dict[signal.Signals, Callable[[int, FrameType | None], object] | int | None] = {}

    def stop(number: int, _frame: FrameType | None) -> None:
        for other in previous:
            signal.signal(other, signal.SIG_IGN)
        raise Interrupted(number)

    try:
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)  # no SIGHUP on Windows
            # None: set by C code, and Python could not give it back
            if number is not None and signal.getsignal(number) not in (signal.SIG_IGN, None):
                previous[number] = signal.signal(number, stop)
    except ValueError:
        # not the main thread: whoever called us handles signals
        pass
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
