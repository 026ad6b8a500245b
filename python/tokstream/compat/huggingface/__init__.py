"""Drop-in for `tokenizers`: its names and behaviour, over tokstream's engine.

Enters: what `tokenizers.Tokenizer` takes. Leaves: what it gives. `tokenizers` itself is not needed.
"""

from __future__ import annotations

from tokstream.compat.huggingface.added import AddedToken
from tokstream.compat.huggingface.decode_stream import DecodeStream
from tokstream.compat.huggingface.encoding import Encoding
from tokstream.compat.huggingface.tokenizer import Tokenizer

__all__ = ["AddedToken", "DecodeStream", "Encoding", "Tokenizer"]
