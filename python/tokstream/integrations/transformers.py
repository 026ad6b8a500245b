"""tokstream under the tokenizers of `transformers`.

Enters: a fast tokenizer, as `AutoTokenizer.from_pretrained` gives it. Leaves: the same tokenizer,
whose ids are made by tokstream. Refused, by name: what is not BPE, or cannot be honoured exactly.

`native` gives that engine itself, for what transformers has no name for: streams, counting.

Only the engine is another: chat templates, tensors, saving and all else is done by `transformers`
as before. Settings of truncation and padding are kept for each thread, so that threads may share a
tokenizer whatever arguments they call it with.
"""

from __future__ import annotations

import logging
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, final

from tokstream._locks import Lock
from tokstream.compat.huggingface import Tokenizer
from tokstream.errors import ConfigurationError, MissingDependencyError

try:
    from tokenizers import AddedToken
    from transformers import PreTrainedTokenizerBase, PreTrainedTokenizerFast
except ImportError as error:
    raise MissingDependencyError(
        "tokstream.integrations.transformers needs the package transformers; install it with "
        "`pip install tokstream[transformers]`"
    ) from error

if TYPE_CHECKING:
    import tokstream
    from tokstream.compat.huggingface.added import AddedToken as OurToken

__all__ = ["Backend", "accelerate", "install", "native", "uninstall"]

_AnyTokenizer = TypeVar("_AnyTokenizer")
_logger = logging.getLogger("tokstream")
_lock = Lock()
_original: Any = None


@final
class Backend(Tokenizer):
    """What a tokenizer of `transformers` holds in place of a `tokenizers.Tokenizer`."""

    def get_added_tokens_decoder(self) -> dict[int, OurToken]:
        """Return the added tokens by id, as `tokenizers.AddedToken`s."""
        found = super().get_added_tokens_decoder()
        return {
            token_id: AddedToken(**token.__getstate__())  # type: ignore[misc]
            for token_id, token in found.items()
        }


def accelerate(tokenizer: _AnyTokenizer) -> _AnyTokenizer:
    """Put tokstream under a tokenizer, in place, and return it.

    Args:
        tokenizer: a fast tokenizer with a BPE model; one that has tokstream already stays as it is.

    Raises:
        TypeError: no fast tokenizer of `transformers`.
        UnsupportedTokenizerError: a part that cannot be honoured exactly; the tokenizer stays as
            it is.

    Cost: about a second for 100,000 tokens; equal tokenizers share their tables.
    """
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise TypeError(
            f"{type(tokenizer).__name__} is no fast tokenizer of transformers "
            "(PreTrainedTokenizerFast); its ids are not made by `tokenizers`, so there is nothing "
            "to put tokstream under"
        )
    peer = tokenizer._tokenizer  # noqa: SLF001 - it has no public setter
    if not isinstance(peer, Tokenizer):
        backend = Backend.from_str(peer.to_str())
        backend.encode_special_tokens = peer.encode_special_tokens
        tokenizer._tokenizer = backend  # noqa: SLF001 - as above
    return tokenizer


def native(tokenizer: object) -> tokstream.Tokenizer:
    """Return the `tokstream.Tokenizer` under a tokenizer that has one, for streams and the like.

    Its ids are those of the tokenizer, special tokens in a text included; the template is applied
    with `add_special_tokens=True`. It does not change: call `native` again after adding tokens or
    changing parts.

    Raises:
        TypeError: tokstream is not under the tokenizer; `accelerate` puts it there.
        UnsupportedTokenizerError: the text stands in the template twice, or not at all.
    """
    backend = getattr(tokenizer, "_tokenizer", None)
    if not isinstance(backend, Tokenizer):
        raise TypeError(
            f"{type(tokenizer).__name__} does not have tokstream under it; call accelerate first"
        )
    return backend._state.templated  # noqa: SLF001 - of this package


def install() -> None:
    """Put tokstream under every BPE tokenizer that `from_pretrained` loads from here on.

    For code of others that calls `AutoTokenizer.from_pretrained`. What tokstream cannot honour
    exactly is left as it is, which the logger "tokstream" says.
    """
    global _original  # noqa: PLW0603 - one patch for the process
    with _lock:
        if _original is not None:
            return
        _original = PreTrainedTokenizerBase.__dict__["from_pretrained"]
        function = _original.__func__

        @wraps(function)
        def from_pretrained(cls: type, *args: Any, **options: Any) -> Any:  # noqa: ANN401
            tokenizer = function(cls, *args, **options)
            if isinstance(tokenizer, PreTrainedTokenizerFast):
                try:
                    accelerate(tokenizer)
                except ConfigurationError as error:
                    _logger.info("left as it is: %s", error)
            return tokenizer

        PreTrainedTokenizerBase.from_pretrained = classmethod(from_pretrained)


def uninstall() -> None:
    """Undo `install`; tokenizers that are loaded keep tokstream."""
    global _original  # noqa: PLW0603 - one patch for the process
    with _lock:
        if _original is not None:
            PreTrainedTokenizerBase.from_pretrained = _original
            _original = None
