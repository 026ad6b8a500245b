"""Settings of a tokenizer's parts, as a user reads and gives them.

Enters: the value in a part's JSON; or what a user gives for it. Leaves: what the reference shows;
or JSON. Held back: nothing. What a type of part makes of a value is checked where the part is read.
"""

from __future__ import annotations

import json

from tokstream.compat.huggingface.arguments import checked_flag, checked_text, index_of
from tokstream.errors import ConfigurationError

__all__ = ["checked_setting", "shown_setting"]

_BEHAVIOURS = {
    "removed": "Removed",
    "isolated": "Isolated",
    "merged_with_previous": "MergedWithPrevious",
    "merged_with_next": "MergedWithNext",
    "contiguous": "Contiguous",
}
_TEXTS = ("content", "delimiter", "prepend", "prepend_scheme", "replacement", "suffix")
_NUMBERS = ("length", "start", "stop")
_TOKENS = ("cls", "sep")
_N_OF_TOKEN = 2
_FLAGS = (
    *("add_prefix_space", "clean_text", "handle_chinese_chars", "individual_digits", "invert"),
    *("lowercase", "split", "strip_accents", "strip_left", "strip_right", "trim_offsets"),
    "use_regex",
)


def shown_setting(name: str, value: object) -> object:
    """Return the value of a setting in JSON as the reference shows it."""
    if name == "behavior" and isinstance(value, str):
        return value.lower()
    return tuple(value) if name in _TOKENS and isinstance(value, list) else value


def checked_setting(name: str, value: object) -> object:
    """Return what a user gives for a setting as JSON.

    Args:
        name: the setting.
        value: what it is to be.

    Raises:
        TypeError: a value of another type.
        OverflowError: a number below 0, or too large.
        ConfigurationError: no name of a behaviour, no token and its id.
    """
    if name in _FLAGS:
        return None if value is None and name == "strip_accents" else checked_flag(name, value)
    if name == "behavior":
        behaviour = checked_text(name, value)
        if behaviour not in _BEHAVIOURS:
            raise ConfigurationError(
                f"behavior is {behaviour!r}; it must be one of {', '.join(_BEHAVIOURS)}"
            )
        return _BEHAVIOURS[behaviour]
    if name in _TOKENS:
        if not isinstance(value, tuple):
            raise TypeError(f"{name} is {type(value).__name__}; give a tuple of token and id")
        if len(value) != _N_OF_TOKEN:
            raise ConfigurationError(f"{name} has {len(value)} members; give a token and its id")
        return [checked_text(name, value[0]), index_of(name, value[1], n_bits=32)]
    if name in _TEXTS:
        return checked_text(name, value)
    if name in _NUMBERS:
        return index_of(name, value)
    try:
        return json.loads(json.dumps(value))
    except (TypeError, ValueError):
        raise TypeError(f"{name} cannot be {type(value).__name__}") from None
