"""LlamaIndex: a tokenizer function, and a splitter by tokens.

Enters: texts and documents. Leaves: their ids, or their parts, no character cut, none longer than
the limit. Needs `llama-index-core` (`pip install "tokstream[llama-index]"`).
"""

from __future__ import annotations

from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any

import tokstream
from tokstream.errors import ConfigurationError, MissingDependencyError

try:
    from llama_index.core.bridge.pydantic import Field, PrivateAttr
    from llama_index.core.node_parser.interface import MetadataAwareTextSplitter
except ImportError as error:
    raise MissingDependencyError(
        'llama-index-core is not installed; pip install "tokstream[llama-index]"'
    ) from error

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokstream import Tokenizer

__all__ = ["TokenSplitter", "tokenizer_function"]

# as LlamaIndex counts for what it puts between metadata and text
_BETWEEN = 2


def tokenizer_function(tokenizer: Tokenizer | str) -> Callable[[str], list[int]]:
    """Return a function from text to ids, for `Settings.tokenizer` and every `tokenizer=`.

    Args:
        tokenizer: a tokenizer, or the name of an embedded encoding. Special tokens in texts become
            their ids, as with LlamaIndex's own default.

    >>> tokenizer_function("cl100k_base")("hello world")
    [15339, 1917]
    """
    if isinstance(tokenizer, str):
        tokenizer = tokstream.get_encoding(tokenizer)
    return partial(tokenizer.encode, allowed_special="all", disallowed_special=())


class TokenSplitter(MetadataAwareTextSplitter):  # type: ignore[misc]  # no types there
    """A splitter into parts of at most `chunk_size` tokens, `chunk_overlap` of them shared.

    LlamaIndex's `TokenTextSplitter` cuts at words and counts each one; this one cuts at tokens, in
    linear time, and fills every part. What metadata takes is kept free.
    """

    chunk_size: int = Field(default=1024, description="Most tokens in a part.", gt=0)
    chunk_overlap: int = Field(default=20, description="Tokens that neighbours share.", ge=0)
    encoding_name: str = Field(default="cl100k_base", description="An embedded encoding.")
    _tokenizer: Any = PrivateAttr()

    def __init__(
        self,
        chunk_size: int = 1024,
        chunk_overlap: int = 20,
        encoding_name: str = "cl100k_base",
        *,
        tokenizer: Tokenizer | None = None,
        **kwargs: Any,  # noqa: ANN401 - the base class's
    ) -> None:
        """Make a splitter.

        Args:
            chunk_size: most tokens in a part.
            chunk_overlap: tokens at the end of a part that the next one repeats.
            encoding_name: an embedded encoding.
            tokenizer: any tokenizer; takes the place of the name, but is not serialized.
            kwargs: the base class's, such as `include_metadata` and `callback_manager`.

        Raises:
            TypeError: a size that is no number.
            ValueError: an unknown name, or sizes that are out of range.
        """
        for name, size in (("chunk_size", chunk_size), ("chunk_overlap", chunk_overlap)):
            if not isinstance(size, Real):
                raise TypeError(f"{name} is {type(size).__name__}; give a whole number")
        if chunk_overlap >= chunk_size:
            raise ConfigurationError(
                f"chunk_overlap is {chunk_overlap}; it must be less than chunk_size, which is "
                f"{chunk_size}"
            )
        found = tokstream.get_encoding(encoding_name) if tokenizer is None else tokenizer
        super().__init__(
            chunk_size=chunk_size,
            chunk_overlap=chunk_overlap,
            encoding_name=found.name,
            **kwargs,
        )
        self._tokenizer = found

    def __setattr__(self, name: str, value: Any) -> None:  # noqa: ANN401 - the base class's
        """Set an attribute; the encoding changes with its name, and an unknown one is refused."""
        if name == "encoding_name":
            value = tokstream.get_encoding(value).name
        super().__setattr__(name, value)

    @classmethod
    def class_name(cls) -> str:
        """Return the name under which the splitter is serialized."""
        return "TokstreamTokenSplitter"

    def split_text(self, text: str) -> list[str]:
        """Return the parts of a text; of an empty one, itself."""
        return self._split(text, self.chunk_size)

    def split_text_metadata_aware(self, text: str, metadata_str: str) -> list[str]:
        """Return the parts of a text, shorter by what the metadata takes.

        Raises:
            ConfigurationError: the metadata leaves no room.
        """
        taken = self._count(metadata_str) + _BETWEEN
        if taken >= self.chunk_size:
            raise ConfigurationError(
                f"the metadata takes {taken} tokens of the {self.chunk_size} that a part may have; "
                "raise chunk_size or leave metadata out"
            )
        return self._split(text, self.chunk_size - taken)

    def _named(self) -> Tokenizer:
        """Return the tokenizer; the name may have changed since, also in a copy."""
        found: Tokenizer = self._tokenizer
        if found.name != self.encoding_name:
            self._tokenizer = found = tokstream.get_encoding(self.encoding_name)
        return found

    def _count(self, text: str) -> int:
        return int(self._named().count(text, allowed_special="all", disallowed_special=()))

    def _split(self, text: str, max_tokens: int) -> list[str]:
        if text == "":
            return [text]
        parts = self._named().split(
            text,
            max_tokens,
            overlap=min(self.chunk_overlap, max_tokens - 1),
            allowed_special="all",
            disallowed_special=(),
        )
        return [part.text for part in parts]
