"""Which tokenizers the diagnostics work on.

Enters: a tokenizer. Leaves: nothing, or a refusal: those read from a file that says more than a
vocabulary and one pattern go through stages that are not shown yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokstream.errors import ConfigurationError

if TYPE_CHECKING:
    from tokstream.tokenizer import Tokenizer

__all__ = ["refuse_other_stages"]


def refuse_other_stages(tokenizer: Tokenizer, what: str) -> None:
    """Refuse a tokenizer that is more than a vocabulary and a pattern.

    Raises:
        ConfigurationError: it is one.
    """
    parts = tokenizer._parts  # noqa: SLF001 - the package's own
    if parts is not None:
        raise ConfigurationError(
            f"{what} works on embedded encodings and rank files only; {tokenizer.name} is a "
            f"{parts.format} ({parts.path()}). `tokstream info` says what its streams wait for"
        )
