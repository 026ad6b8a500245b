"""Puts tokstream's names in place of those of tokenizers, for `with_tokenizers.py`."""

from __future__ import annotations

import tokenizers.decoders

import tokstream.compat.huggingface as ours

tokenizers.Tokenizer = ours.Tokenizer  # type: ignore[assignment,misc]
tokenizers.decoders.DecodeStream = ours.DecodeStream  # type: ignore[assignment,misc]
