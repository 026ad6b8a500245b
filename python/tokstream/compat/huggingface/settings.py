"""How an encoding is cut and padded: settings, as a user gives them and as a file says them.

Enters: keyword arguments, or the members `truncation` and `padding` of a tokenizer.json. Leaves:
frozen records; and encodings cut or padded by them. Held back: nothing.
"""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple

from tokstream.compat.huggingface.arguments import checked_text, index_of
from tokstream.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tokstream.compat.huggingface.encoding import Encoding

__all__ = [
    "Padding",
    "Settings",
    "Truncation",
    "checked_direction",
    "cuts",
    "pad_all",
    "truncated",
]

_STRATEGIES = {
    "longest_first": "LongestFirst",
    "only_first": "OnlyFirst",
    "only_second": "OnlySecond",
}
_DIRECTIONS = {"right": "Right", "left": "Left"}


@dataclass(frozen=True, slots=True)
class Truncation:
    """How encodings are cut.

    Attributes:
        max_length: how many tokens there are at most, those of the template included.
        stride: how many tokens an overflowing part shares with the one before it.
        strategy: which text of a pair is cut: "longest_first", "only_first", "only_second".
        direction: "right" keeps the beginning, "left" the end.
    """

    max_length: int
    stride: int = 0
    strategy: str = "longest_first"
    direction: str = "right"

    @classmethod
    def of(cls, max_length: object, options: Mapping[str, Any], n_added: int) -> Truncation:
        """Check a user's arguments.

        Args:
            max_length: how many tokens there are at most.
            options: the other attributes by name; unknown ones are warned of, as in the reference.
            n_added: how many tokens the template adds to a single text.

        Raises:
            ConfigurationError: a value that is none of the allowed ones.
            TypeError: a value of another type.
        """
        length = index_of("max_length", max_length)
        known = _known(options, ("stride", "strategy", "direction"))
        known["stride"] = index_of("stride", known.get("stride", 0))
        known["strategy"] = strategy = checked_text(
            "strategy", known.get("strategy", "longest_first")
        )
        if strategy not in _STRATEGIES:
            raise ConfigurationError(
                f"strategy is {strategy!r}; it must be one of {', '.join(_STRATEGIES)}"
            )
        known["direction"] = checked_direction(known.get("direction", "right"))
        if known["stride"] > length - n_added >= 0:
            raise ConfigurationError(
                f"stride is {known['stride']}, but of max_length {length} only "
                f"{length - n_added} tokens are for the text; it must be less"
            )
        return cls(length, **known)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Truncation:
        """Read a file's member."""
        strategies = {written: name for name, written in _STRATEGIES.items()}
        directions = {written: name for name, written in _DIRECTIONS.items()}
        return cls(
            index(data["max_length"]),
            index(data.get("stride", 0)),
            strategies[data.get("strategy", "LongestFirst")],
            directions[data.get("direction", "Right")],
        )

    def written(self) -> dict[str, Any]:
        """Return a file's member."""
        return {
            "direction": _DIRECTIONS[self.direction],
            "max_length": self.max_length,
            "strategy": _STRATEGIES[self.strategy],
            "stride": self.stride,
        }

    def shown(self) -> dict[str, Any]:
        """Return the attributes, as the property `truncation` gives them."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Padding:
    """How encodings are made equally long.

    Attributes:
        length: how long; None for that of the longest in the batch.
        pad_to_multiple_of: the length is rounded up to a multiple of this.
        pad_id: id of the padding.
        pad_token: its text.
        pad_type_id: its type.
        direction: on which side it is.
    """

    length: int | None = None
    pad_to_multiple_of: int | None = None
    pad_id: int = 0
    pad_token: str = "[PAD]"  # noqa: S105 - a token of a vocabulary
    pad_type_id: int = 0
    direction: str = "right"

    @classmethod
    def of(cls, options: dict[str, Any]) -> Padding:
        """Check a user's arguments.

        Raises:
            ConfigurationError: a value that is none of the allowed ones.
            TypeError: a value of another type.
        """
        if "max_length" in options:  # its name in earlier versions
            options = {"length": options["max_length"], **options}
            options.pop("max_length")
        known = _known(options, tuple(cls.__dataclass_fields__))
        for name in ("length", "pad_to_multiple_of"):
            if known.get(name) is not None:
                known[name] = index_of(name, known[name])
        for name in ("pad_id", "pad_type_id"):
            known[name] = index_of(name, known.get(name, 0), n_bits=32)
        known["direction"] = checked_direction(known.get("direction", "right"))
        known["pad_token"] = checked_text("pad_token", known.get("pad_token", "[PAD]"))
        return cls(**known)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Padding:
        """Read a file's member."""
        strategy = data.get("strategy", "BatchLongest")
        directions = {written: name for name, written in _DIRECTIONS.items()}
        return cls(
            None if strategy == "BatchLongest" else index(strategy["Fixed"]),
            data.get("pad_to_multiple_of"),
            index(data["pad_id"]),
            str(data["pad_token"]),
            index(data["pad_type_id"]),
            directions[data.get("direction", "Right")],
        )

    def written(self) -> dict[str, Any]:
        """Return a file's member."""
        return {
            "strategy": "BatchLongest" if self.length is None else {"Fixed": self.length},
            "direction": _DIRECTIONS[self.direction],
            "pad_to_multiple_of": self.pad_to_multiple_of,
            "pad_id": self.pad_id,
            "pad_type_id": self.pad_type_id,
            "pad_token": self.pad_token,
        }

    def shown(self) -> dict[str, Any]:
        """Return the attributes, as the property `padding` gives them."""
        return asdict(self)


class Settings(NamedTuple):
    """What is in force for one thread.

    Attributes:
        truncation: how encodings are cut, if they are.
        padding: how they are made equally long, if they are.
        splits_special: whether special tokens in a text are plain text.
    """

    truncation: Truncation | None = None
    padding: Padding | None = None
    splits_special: bool = False


def pad_all(encodings: Sequence[Encoding], padding: Padding) -> None:
    """Pad encodings, all to the same length unless they are longer."""
    length = padding.length
    if length is None:
        length = max(map(len, encodings), default=0)
    multiple = padding.pad_to_multiple_of
    if multiple:
        length = -(-length // multiple) * multiple
    for encoding in encodings:
        encoding.pad_by(length, padding)


def truncated(
    first: Encoding, second: Encoding | None, settings: Truncation, n_added: int
) -> tuple[Encoding, Encoding | None]:
    """Cut the encodings of a text or a pair so that they fit together.

    Where the template alone is longer than `max_length` nothing is cut, as in the reference.

    Args:
        first: of the first text; may be changed.
        second: of the second; may be changed.
        settings: how.
        n_added: how many tokens the template will add.

    Raises:
        ConfigurationError: the text to be cut is shorter than what must go, or there is none.
    """
    room = settings.max_length - n_added
    if room < 0:
        return first, second
    n1, n2 = len(first), 0 if second is None else len(second)
    if room and n1 + n2 <= room:
        return first, second
    too_many = n1 + n2 - room
    if room == 0:
        n1, n2 = 0, 0
    elif settings.strategy == "longest_first":
        n1, n2 = (room, 0) if second is None else _shares(n1, n2, room)
    elif settings.strategy == "only_first":
        n1 = _left(n1, too_many)
    elif second is None:
        raise ConfigurationError(
            "truncation is set to only_second, but there is one text only; give a pair, or "
            "another strategy"
        )
    else:
        n2 = _left(n2, too_many)
    first.truncate(n1, settings.stride, settings.direction)
    if second is not None:
        second.truncate(n2, settings.stride, settings.direction)
    return first, second


def cuts(
    n_tokens: int, max_length: int, stride: int, direction: str
) -> list[tuple[int, int]] | None:
    """Return begin and end of the part that stays and of those that overflow; None for no cut."""
    if n_tokens <= max_length:
        return None
    if max_length == 0:
        return [(0, 0)]
    if stride >= max_length:
        raise ConfigurationError(
            f"stride is {stride}, but must be less than the {max_length} tokens that stay "
            "(of max_length, special tokens of the template are taken off first)"
        )
    step = max_length - stride
    parts = []
    for at in range(0, n_tokens, step):
        begin, end = at, min(at + max_length, n_tokens)
        if direction == "left":
            begin, end = n_tokens - end, n_tokens - begin
        parts.append((begin, end))
        if at + max_length >= n_tokens:
            break
    return parts


def _shares(n1: int, n2: int, room: int) -> tuple[int, int]:
    """Return how many tokens of each text stay, cutting the longer one first."""
    short, long = min(n1, n2), max(n1, n2)
    long = short if short > room else max(short, room - short)
    if short + long > room:
        short = room // 2
        long = short + room % 2
    return (long, short) if n1 > n2 else (short, long)


def _left(n_tokens: int, too_many: int) -> int:
    if n_tokens <= too_many:
        raise ConfigurationError(
            f"the text to be truncated has {n_tokens} tokens, but {too_many} must go; use the "
            "strategy longest_first"
        )
    return n_tokens - too_many


def checked_direction(direction: object) -> str:
    """Return a direction.

    Raises:
        ConfigurationError: it is none.
        TypeError: it is no text.
    """
    direction = checked_text("direction", direction)
    if direction not in _DIRECTIONS:
        raise ConfigurationError(f'direction is {direction!r}; it must be "left" or "right"')
    return direction


def _known(options: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    for name in options:
        if name not in names:
            warnings.warn(f"{name} is no setting here, and is ignored", stacklevel=4)
    return {name: value for name, value in options.items() if name in names}
