"""LangChain: a length function, and a splitter by tokens.

Enters: texts and documents. Leaves: their parts, no character cut, none longer than the limit.
Needs `langchain-text-splitters` (`pip install "tokstream[langchain]"`).
"""

from __future__ import annotations

import copy
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import tokstream
from tokstream.errors import ConfigurationError, MissingDependencyError

try:
    from langchain_core.documents import Document
    from langchain_text_splitters import TextSplitter
except ImportError as error:
    raise MissingDependencyError(
        'langchain-text-splitters is not installed; pip install "tokstream[langchain]"'
    ) from error

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from collections.abc import Set as AbstractSet

    from tokstream import Part, Tokenizer

__all__ = ["TokenTextSplitter", "length_function"]


def length_function(tokenizer: Tokenizer | str) -> Callable[[str], int]:
    """Return a function that counts the tokens of a text, for any splitter's `length_function`.

    Args:
        tokenizer: a tokenizer, or the name of an embedded encoding. Special tokens in texts are
            plain text.

    >>> length_function("cl100k_base")("hello world")
    2
    """
    return partial(_tokenizer(tokenizer).count, allowed_special=(), disallowed_special=())


class TokenTextSplitter(TextSplitter):  # type: ignore[misc]  # no types there
    """A splitter into parts of at most `chunk_size` tokens, `chunk_overlap` of them shared.

    In place of LangChain's class of this name, with its arguments: it gives the same parts where
    those keep to the limit and cut no character; the others end earlier. Linear in the text.
    """

    def __init__(
        self,
        encoding_name: str = "gpt2",
        model_name: str | None = None,
        allowed_special: Literal["all"] | AbstractSet[str] | None = None,
        disallowed_special: Literal["all"] | Collection[str] = "all",
        *,
        tokenizer: Tokenizer | None = None,
        **kwargs: Any,  # noqa: ANN401 - the base class's
    ) -> None:
        """Make a splitter.

        Args:
            encoding_name: an embedded encoding.
            model_name: a model; its encoding takes the place of `encoding_name`.
            allowed_special: special tokens that become their ids, none if left out.
            disallowed_special: special tokens that are refused.
            tokenizer: any tokenizer; takes the place of both names.
            kwargs: the base class's: `chunk_size`, `chunk_overlap`, `add_start_index`.

        Raises:
            ValueError: unknown names, or sizes that are out of range.
        """
        if tokenizer is None:
            tokenizer = (
                tokstream.get_encoding(encoding_name)
                if model_name is None
                else tokstream.encoding_for_model(model_name)
            )
        kwargs.setdefault("length_function", length_function(tokenizer))
        super().__init__(**kwargs)
        self._tokenizer = tokenizer
        self._allowed_special = frozenset() if allowed_special is None else allowed_special
        self._disallowed_special = disallowed_special
        if self._chunk_overlap >= self._chunk_size:
            raise ConfigurationError(
                f"chunk_overlap is {self._chunk_overlap}; it must be less than chunk_size, which "
                f"is {self._chunk_size}"
            )

    def split_text(self, text: str) -> list[str]:
        """Return the parts of a text."""
        return [part.text for part in self.parts(text)]

    def parts(self, text: str) -> list[Part]:
        """Return the parts of a text with their sizes and places; not in LangChain."""
        return self._tokenizer.split(
            text,
            self._chunk_size,
            overlap=self._chunk_overlap,
            allowed_special=self._allowed_special,
            disallowed_special=self._disallowed_special,
        )

    def create_documents(
        self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None
    ) -> list[Document]:
        """Return a document for each part; `add_start_index` adds where it begins, exactly.

        The parts are those of `split_text` where a subclass has its own; where they begin is then
        what LangChain finds.
        """
        if getattr(self.split_text, "__func__", None) is not TokenTextSplitter.split_text:
            found: list[Document] = super().create_documents(texts, metadatas)
            return found
        documents = []
        for k, text in enumerate(texts):
            for part in self.parts(text):
                metadata = copy.deepcopy(metadatas[k]) if metadatas else {}
                if self._add_start_index:
                    metadata["start_index"] = part.start
                documents.append(Document(page_content=part.text, metadata=metadata))
        return documents

    @classmethod
    def from_tiktoken_encoder(cls, *args: Any, **kwargs: Any) -> TokenTextSplitter:  # noqa: ANN401
        """Do as the constructor, under LangChain's other name for it."""
        return cls(*args, **kwargs)


def _tokenizer(tokenizer: Tokenizer | str) -> Tokenizer:
    return tokstream.get_encoding(tokenizer) if isinstance(tokenizer, str) else tokenizer
