"""Short fingerprints of texts and ids: what two engines, or two days, must have in common."""

from __future__ import annotations

import hashlib

__all__ = ["N_DIGITS", "IdDigest", "of_text"]

N_DIGITS = 16


def of_text(text: bytes) -> str:
    """Return the digest of UTF-8."""
    return hashlib.sha256(text).hexdigest()[:N_DIGITS]


class IdDigest:
    """Digest of ids that arrive in parts, each a buffer of little-endian 32-bit numbers."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self.n_tokens = 0

    def update(self, ids: bytes) -> None:
        """Take the next ids."""
        view = memoryview(ids).cast("B")
        self._hash.update(view)
        self.n_tokens += view.nbytes // 4

    def hex(self) -> str:
        """Return the digest of all ids so far."""
        return self._hash.hexdigest()[:N_DIGITS]
