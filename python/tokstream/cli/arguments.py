"""Options that commands share: a parser comes in, a tokenizer and stream options go out."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final, Literal, NoReturn, TypedDict

from tokstream.cli.errors import USAGE, CommandError, describe, naming
from tokstream.cli.id_formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Collection

    from tokstream import Tokenizer

__all__ = [
    "DEFAULT_ENCODING",
    "Parser",
    "StreamOptions",
    "add_id_options",
    "add_number_option",
    "add_quiet_option",
    "add_text_options",
    "add_tokenizer_options",
    "load_tokenizer",
    "refuse_zero",
    "stream_options",
    "token_limit",
]

DEFAULT_ENCODING: Final = "o200k_base"


class StreamOptions(TypedDict):
    """Keyword arguments of `Tokenizer.stream`."""

    allowed_special: Literal["all"] | Collection[str] | None
    disallowed_special: Literal["all"] | Collection[str] | None
    errors: Literal["strict", "replace"]


SPECIAL_TEXT: Final[dict[str | None, tuple[Literal["all"] | tuple[()] | None, ...]]] = {
    None: (None, None),
    "error": ((), "all"),
    "token": ("all", ()),
    "plain": ((), ()),
}


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Help that reads the same under every Python version: `-e, --encoding NAME`."""

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, action.dest.upper())
        return f"{', '.join(action.option_strings)} {value}"


class Parser(argparse.ArgumentParser):
    """An argument parser that says what is wrong in one line and exits with 2."""

    def __init__(
        self,
        prog: str,
        usage: str,
        description: str,
        epilog: str | None = None,
    ) -> None:
        super().__init__(
            prog=prog,
            usage=usage,
            description=description,
            epilog=epilog,
            formatter_class=HelpFormatter,
            allow_abbrev=False,
            add_help=False,
        )

    def error(self, message: str) -> NoReturn:
        """Raise the usage error for `program` to print."""
        raise CommandError(f"{message}; see {self.prog} --help", USAGE)


def add_tokenizer_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which tokenizer: `load_tokenizer` reads them."""
    group = parser.add_argument_group("tokenizer")
    which = group.add_mutually_exclusive_group()
    which.add_argument(
        "-e",
        "--encoding",
        metavar="NAME",
        help=f"an embedded encoding; `tokstream info` lists them (default: {DEFAULT_ENCODING})",
    )
    which.add_argument("-m", "--model", metavar="MODEL", help="the encoding of an OpenAI model")
    which.add_argument(
        "--vocab",
        metavar="FILE",
        help="a vocabulary file or a model's directory; a rank file (.tiktoken) needs --pattern",
    )
    group.add_argument("--pattern", metavar="REGEX", help="the pretokenization pattern for --vocab")
    group.add_argument(
        "--tokenizer-class",
        metavar="NAME",
        help=(
            "how a vocab.json with merges.txt splits text, such as GPT2Tokenizer, where the files "
            "beside it do not say so"
        ),
    )
    group.add_argument(
        "--special",
        metavar="NAME=ID",
        action="append",
        default=[],
        type=special_token,
        help="a special token for --vocab; may be repeated",
    )


def add_text_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how text is read: `stream_options` reads them."""
    group = parser.add_argument_group("text")
    group.add_argument(
        "--special-text",
        choices=("error", "token", "plain"),
        help=(
            "text that spells a special token, such as <|endoftext|>: is refused, becomes that "
            "token, or is ordinary text (default: as the vocabulary's own format does; "
            "for the embedded encodings and rank files: error)"
        ),
    )
    group.add_argument(
        "--errors",
        choices=("strict", "replace"),
        default="strict",
        help="bytes that are not UTF-8: are refused, or read as U+FFFD (default: strict)",
    )


def add_template_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that asks for the template's ids."""
    parser.add_argument(
        "--add-special-tokens",
        action="store_true",
        help=(
            "put the ids around each text that its format's template says, such as a token before "
            "it; the embedded encodings and rank files have none"
        ),
    )


def add_id_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where output goes, and how files of ids are written."""
    parser.add_argument("-o", "--output", metavar="OUT", help="a file (default: standard output)")
    parser.add_argument("-f", "--format", choices=FORMATS, help="how ids are written, see below")


def add_number_option(
    parser: argparse.ArgumentParser, name: str, default: int, explanation: str
) -> None:
    """Add an option whose value is a whole number; the help names the default."""
    parser.add_argument(
        name,
        metavar="N",
        type=whole_number,
        default=default,
        help=f"{explanation} (default: {default})",
    )


def refuse_zero(arguments: argparse.Namespace, *names: str) -> None:
    """Refuse numbers of which there must be one at least.

    Raises:
        CommandError: naming the first option that is 0.
    """
    for name in names:
        if getattr(arguments, name) == 0:
            option = name.replace("_", "-")
            raise CommandError(f"--{option} 0 measures nothing; give 1 or more", USAGE)


def add_quiet_option(parser: argparse.ArgumentParser) -> None:
    """Add the last options of a command that may work for long."""
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="show no progress, even on a terminal"
    )


def special_token(text: str) -> tuple[str, int]:
    """Parse `NAME=ID`; the name may contain `=`."""
    name, _, number = text.rpartition("=")
    if not name or not number.isascii() or not number.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=ID, as in '<|endoftext|>=50256'")
    return name, int(number)


def token_limit(text: str) -> int:
    """Parse a number of tokens, with or without `_` between digits."""
    return number_of(text, "number of tokens")


def whole_number(text: str) -> int:
    """Parse a number, with or without `_` between digits."""
    return number_of(text, "whole number")


def number_of(text: str, what: str) -> int:
    """Parse a number that `what` names."""
    digits = text.replace("_", "")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 18:
        raise argparse.ArgumentTypeError(f"{text!r} is not a {what}")
    return int(digits)


def stream_options(arguments: argparse.Namespace) -> StreamOptions:
    """Give the keyword arguments for `Tokenizer.stream`."""
    allowed, disallowed = SPECIAL_TEXT[arguments.special_text]
    return {
        "allowed_special": allowed,
        "disallowed_special": disallowed,
        "errors": arguments.errors,
    }


def load_tokenizer(arguments: argparse.Namespace) -> Tokenizer:
    """Build the tokenizer that the options name.

    Raises:
        CommandError: for options that do not go together; for a file that cannot be read.
        TokstreamError: for an unknown name or a file that is not a vocabulary.
    """
    # here, not above: `tokstream --help` should not pay for it
    import tokstream  # noqa: PLC0415

    if arguments.vocab is None:
        for option, value in (
            ("--pattern", arguments.pattern),
            ("--tokenizer-class", arguments.tokenizer_class),
            ("--special", arguments.special or None),
        ):
            if value is not None:
                raise CommandError(f"{option} goes with --vocab FILE only", USAGE)
        if arguments.model is not None:
            return tokstream.encoding_for_model(arguments.model)
        is_named = arguments.encoding is not None
        return tokstream.get_encoding(arguments.encoding if is_named else DEFAULT_ENCODING)

    special = dict(arguments.special)
    if len(special) != len(arguments.special):
        raise CommandError("--special names the same token twice", USAGE)
    try:
        with naming(arguments.vocab):
            return tokstream.load(
                arguments.vocab,
                pattern=arguments.pattern,
                special_tokens=special or None,
                tokenizer_class=arguments.tokenizer_class,
            )
    except tokstream.ConfigurationError as error:
        text = str(error)
        raise CommandError(
            text if arguments.vocab in text else f"{arguments.vocab}: {text}",
            describe(error).code,
        ) from error
