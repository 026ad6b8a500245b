"""The small files beside vocab.json: which of them there are, read.

Enters: a folder, or none. Leaves: `Settings`. Held back: nothing; what is missing is None.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokstream.formats.directory import PAIR_SETTINGS, read_object

if TYPE_CHECKING:
    from pathlib import Path

    from tokstream.formats.document import Node

__all__ = ["Settings", "read_settings"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a tokenizer without a tokenizer.json.

    Attributes (in the order of `PAIR_SETTINGS`):
        config: tokenizer_config.json.
        model: config.json, which is the model's.
        tokens: special_tokens_map.json.
        added: added_tokens.json.
    """

    config: Node | None = None
    model: Node | None = None
    tokens: Node | None = None
    added: Node | None = None


def read_settings(folder: Path | None) -> Settings:
    """Read the files that are there.

    Raises:
        VocabularyError: one of them is no JSON object.
        OSError: one of them cannot be read.
    """
    if folder is None:
        return Settings()
    return Settings(*(read_object(folder / name) for name in PAIR_SETTINGS))
