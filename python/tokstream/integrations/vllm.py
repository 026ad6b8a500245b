"""vLLM: `--tokenizer-mode tokstream` puts tokstream under the tokenizer that vLLM loads.

Enters: the name of a model, from vLLM. Leaves: vLLM's own tokenizer, an object of transformers,
whose ids and texts are made by tokstream.

`register` is an entry point of vLLM's plug-ins, so nothing needs to be called. That the tokenizer
stays one of transformers matters: vLLM's fast detokenizer, its grammars for structured output and
many of its parsers ask for that class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokstream.errors import MissingDependencyError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["TOKENIZER_MODE", "VllmTokenizer", "register"]

TOKENIZER_MODE = "tokstream"
"""The value of `--tokenizer-mode`."""


def register() -> None:
    """Make the tokenizer mode "tokstream" known to vLLM; vLLM calls it in each of its processes.

    From then on `tokenizers.decoders.DecodeStream`, by which vLLM turns ids into text, also takes
    tokenizers with tokstream's engine. Other tokenizer modes are as before.
    """
    from vllm.renderers.registry import RENDERER_REGISTRY  # noqa: PLC0415 - vLLM's own process
    from vllm.tokenizers import TokenizerRegistry  # noqa: PLC0415

    from tokstream.integrations.decode_stream import share_decode_stream  # noqa: PLC0415

    share_decode_stream()
    TokenizerRegistry.register(TOKENIZER_MODE, __name__, VllmTokenizer.__name__)
    RENDERER_REGISTRY.register(TOKENIZER_MODE, "vllm.renderers.hf", "HfRenderer")


class VllmTokenizer:
    """What vLLM's registry asks for a tokenizer; there are no objects of it."""

    @classmethod
    def from_pretrained(
        cls,
        path_or_repo_id: str | Path,
        *args: Any,  # noqa: ANN401 - vLLM's signature
        **kwargs: Any,  # noqa: ANN401 - vLLM's signature
    ) -> Any:  # noqa: ANN401 - a class that vLLM makes
        """Load a model's tokenizer as vLLM's mode "hf" does, and put tokstream under it.

        Args:
            path_or_repo_id: a directory, or the name of a model.
            args: vLLM's.
            kwargs: vLLM's: `trust_remote_code`, `revision`, `download_dir`, `truncation_side`.

        Raises:
            TypeError: the model has no fast tokenizer; use `--tokenizer-mode hf`.
            UnsupportedTokenizerError: the tokenizer cannot be honoured exactly, for a reason that
                the error names; use `--tokenizer-mode hf`.
            MissingDependencyError: vLLM is not installed.
        """
        try:
            from vllm.tokenizers.hf import CachedHfTokenizer  # noqa: PLC0415 - heavy
        except ImportError as error:
            raise MissingDependencyError(
                "VllmTokenizer is loaded by vLLM, which is not installed; without it put tokstream "
                "under a tokenizer with tokstream.integrations.transformers.accelerate"
            ) from error
        from tokstream.integrations.decode_stream import share_decode_stream  # noqa: PLC0415
        from tokstream.integrations.transformers import accelerate  # noqa: PLC0415

        share_decode_stream()
        # as mode "hf" has it: never the tokenizer of mistral-common, which is none of transformers
        kwargs.setdefault("mistral_format", False)
        found = CachedHfTokenizer.from_pretrained(path_or_repo_id, *args, **kwargs)
        # vLLM's object keeps facts of the one that it was made of, and pickles as that one: so the
        # engine is put under that one, and vLLM's made anew
        cached, (tokenizer,) = found.__reduce__()
        return cached(accelerate(tokenizer))
