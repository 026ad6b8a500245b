"""From places in the text to places in the source.

Enters: every character whose UTF-8 form is not as long as the source bytes it stands for: U+FFFD
for invalid bytes (3 bytes of text for 1 to 3 of source), a pair of surrogates (4 for 6).
Leaves: source offsets, which is what errors and `delay_bytes` are counted in.
Held back: one entry per such character that is not yet covered by emitted tokens.
"""

from __future__ import annotations

from collections import deque

__all__ = ["Offsets"]


class Offsets:
    """A monotone map from text offsets to source offsets, in UTF-8 bytes both.

    >>> offsets = Offsets()
    >>> offsets.append(10, 10)           # ten ordinary bytes
    >>> offsets.append(3, 1)             # one invalid byte, now U+FFFD
    >>> offsets.append(5, 5)
    >>> [offsets.source(i) for i in (9, 10, 11, 12, 13, 14)]
    [9, 10, 10, 10, 11, 12]
    """

    def __init__(self) -> None:
        self.n_text = 0
        """Bytes of text so far."""
        self._shift = 0  # source minus text, for everything that was forgotten
        self._odd: deque[tuple[int, int, int]] = deque()  # (begin, end, source - text)

    def append(self, n_text: int, n_source: int) -> None:
        """Note that the next `n_text` bytes of text stand for `n_source` bytes of the source.

        If the numbers differ it must be one character. Cost: O(1).
        """
        begin = self.n_text
        self.n_text += n_text
        if n_text != n_source:
            self._odd.append((begin, self.n_text, n_source - n_text))

    def source(self, text_offset: int) -> int:
        """Return the source offset of a text offset that was not forgotten.

        A place inside an odd character is the place where that character begins. Cost: O(k), k
        odd characters in undecided text.
        """
        shift = self._shift
        for begin, end, surplus in self._odd:
            if text_offset <= begin:
                break
            if text_offset < end:
                return begin + shift
            shift += surplus
        return text_offset + shift

    def forget(self, text_offset: int) -> None:
        """Drop what only places before `text_offset` need. Cost: amortised O(1)."""
        while self._odd and self._odd[0][1] <= text_offset:
            self._shift += self._odd.popleft()[2]

    def copy(self) -> Offsets:
        """Return an independent copy."""
        twin = Offsets()
        twin.n_text, twin._shift, twin._odd = self.n_text, self._shift, self._odd.copy()
        return twin
