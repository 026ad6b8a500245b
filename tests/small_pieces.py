"""Small SentencePiece models of type BPE, trained in a tenth of a second.

Enters: settings of the trainer. Leaves: the content of a `.model`.
"""

from __future__ import annotations

import io
import random
from typing import Any

from sentencepiece import SentencePieceTrainer

from format_texts import generated_texts

__all__ = ["trained_pieces"]


def trained_pieces(n_texts: int, **settings: Any) -> bytes:
    """Train on generated texts; with bytes the vocabulary is larger."""
    texts = generated_texts(random.Random(3), n_texts, ("the", "hello", "ab", "abc", "   "), 8)
    model = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(list(texts)),
        model_writer=model,
        model_type="bpe",
        vocab_size=800 if settings.get("byte_fallback") else 520,
        hard_vocab_limit=False,
        character_coverage=0.99,
        minloglevel=2,
        num_threads=1,
        **settings,
    )
    return model.getvalue()
