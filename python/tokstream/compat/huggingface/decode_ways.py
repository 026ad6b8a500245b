"""What `DecodeStream` does with ids: one way for each kind of decoder.

Enters: a prompt, then ids, some at a time. Leaves: the text that they complete. Held back: ids from
the last text on, as long as they end inside a character.

What is given out is what the decoder makes of the ids of the last text and the later ones, without
what it makes of the former, as in the reference. The ways differ in how they come by it.
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Protocol, final

from tokstream.compat.huggingface.token_texts import UNFINISHED, Tail

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokstream.compat.huggingface.state import State
    from tokstream.compat.huggingface.token_texts import TokenTexts

__all__ = ["Way", "begin_way"]


class Way(Protocol):
    """Where a stream is.

    Attributes:
        is_ready: whether nothing is held back, and the text of the next ids is what they say in the
            middle of any text.
    """

    is_ready: bool

    def step(self, state: State, new: Sequence[int]) -> str | None:
        """Read more ids; return the text that they complete."""

    def takes(self, state: State) -> bool:
        """Go on with another state of the tokenizer, if its decoder is of the same kind."""

    def copy(self) -> Way:
        """Return the same for another stream."""


def begin_way(state: State, ids: list[int], *, skips: bool) -> Way:
    """Return where a stream is behind a prompt, which may end inside a character.

    Args:
        state: the tokenizer of the ids.
        ids: the prompt.
        skips: leave special tokens out.
    """
    if state.joins_bytes:
        return _ByBytes(state, ids, skips=skips)
    texts = state.token_texts[skips]
    if texts is None:
        return _ByDecoding(state, ids, skips=skips)
    return _ByTexts(texts, ids, skips=skips)


@final
class _ByBytes:
    """The text is the tokens' bytes, joined."""

    def __init__(self, state: State, ids: list[int], *, skips: bool) -> None:
        self._skips = skips
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        decoder.decode(state.decode_bytes(ids, skip_special_tokens=skips))
        self._rest = decoder.getstate()[0]
        """Bytes of a character that is not complete."""
        self._held: list[str] = []
        """Text before it that is not given out, since it ended in U+FFFD at each step."""
        self.is_ready = not self._rest

    def step(self, state: State, new: Sequence[int]) -> str | None:
        data = self._rest + self._bytes_of(state, new)
        text, n_read = codecs.utf_8_decode(data, "replace", False)  # noqa: FBT003 - no keyword
        self._rest = data[n_read:]
        if not self._rest and text and text[-1] != UNFINISHED:
            if self._held:
                text = "".join([*self._held, text])
                self._held.clear()
            self.is_ready = True
            return text
        if text:
            self._held.append(text)
        self.is_ready = not (self._rest or self._held)
        return None

    def _bytes_of(self, state: State, new: Sequence[int]) -> bytes:
        if len(new) != 1:
            return state.decode_bytes(new, skip_special_tokens=self._skips)
        known = state.bytes_alone[self._skips]
        data = known.get(new[0])
        if data is None:
            data = state.decode_bytes(new, skip_special_tokens=self._skips)
            if data:  # what is no token has none
                known[new[0]] = data
        return data

    def takes(self, state: State) -> bool:
        return state.joins_bytes

    def copy(self) -> _ByBytes:
        twin = _ByBytes.__new__(_ByBytes)
        vars(twin).update(vars(self), _held=self._held[:])
        return twin


@final
class _ByTexts:
    """Each token has its text; bytes, and the beginning of the text, are looked at more closely.

    Once a text was given out, what it was does not matter any more. Only a byte behind a byte may:
    if it is odd, U+FFFD come for the bytes before as well. Then the reference fails, and here only
    the new ids count, unless all that is before is one blank which the decoder strips.
    """

    def __init__(self, texts: TokenTexts, ids: list[int], *, skips: bool) -> None:
        self._skips = skips
        self._texts = texts
        self._tail = Tail(texts, is_begin=True)
        """The text that is held back; at the beginning, all of it."""
        self._is_begin = True
        self._before = ""
        """What of it is given out."""
        self.is_ready = False
        # what is before a token with a text does not matter to what is behind it
        self._tail.add(ids[_last_text(texts, ids) :])
        if self._tail.is_unfinished:
            self._tail = Tail(texts, is_begin=True)
            self._tail.add(ids)
            self._before = self._tail.text().rstrip(UNFINISHED)
        elif self._tail.is_begun:
            self._go_on(is_blank=self._tail.ends_in_bytes and not self._tail.text())

    def step(self, state: State, new: Sequence[int]) -> str | None:  # noqa: ARG002 - in others
        tail = self._tail
        if not tail.add(new):
            return None
        if tail.is_unfinished:
            self.is_ready = False
            return None
        text = tail.text()
        if not text.startswith(self._before):
            self._before = ""
        found = text[len(self._before) :]
        if not found:
            return None
        is_blank = found == self._texts.stripped and tail.ends_in_bytes and not self._is_begin
        self._go_on(is_blank=is_blank)
        return found

    def _go_on(self, *, is_blank: bool) -> None:
        """Begin behind a text that was given out: a blank of byte tokens, or another."""
        n_bytes = len(self._texts.stripped.encode()) if is_blank else 0
        self._tail = Tail(self._texts, n_bytes_before=n_bytes)
        self._is_begin = False
        self._before = ""
        self.is_ready = not is_blank

    def takes(self, state: State) -> bool:
        texts = None if state.joins_bytes else state.token_texts[self._skips]
        if texts is None:
            return False
        self._texts = self._tail.texts = texts
        return True

    def copy(self) -> _ByTexts:
        twin = _ByTexts.__new__(_ByTexts)
        vars(twin).update(vars(self), _tail=self._tail.copy())
        return twin


def _last_text(texts: TokenTexts, ids: list[int]) -> int:
    """Return where the last token stands that has a text and is no byte, 0 if there is none."""
    for at in range(len(ids) - 1, -1, -1):
        token = "" if ids[at] in texts.left_out else texts.spellings.get(ids[at], "")
        if token and texts.byte(token) is None:
            return at
    return 0


@final
class _ByDecoding:
    """Other decoders: the ids of the last text and all later ones are decoded at each step."""

    def __init__(self, state: State, ids: list[int], *, skips: bool) -> None:
        self._skips = skips
        self._ids = self._known(state, ids)
        text = self._decode(state)
        self._before = text.rstrip(UNFINISHED)
        """Text of the ids that is given out."""
        self._n_before = len(self._ids) if self._before == text else 0
        """How many of the ids it is the text of."""
        self.is_ready = False

    def step(self, state: State, new: Sequence[int]) -> str | None:
        known = self._known(state, new)
        if not known:
            return None
        self._ids += known
        text = self._decode(state)
        if text.endswith(UNFINISHED):
            return None
        if not text.startswith(self._before):
            self._ids = self._ids[self._n_before :]
            self._before, self._n_before = "", 0
            text = self._decode(state)
        if len(text) <= len(self._before):
            return None
        found = text[len(self._before) :]
        n_left = len(self._ids) - self._n_before
        self._ids = self._ids[self._n_before :]
        self._before = self._decode(state)
        self._n_before = n_left
        return found

    def _decode(self, state: State) -> str:
        return state.decode(self._ids, skip_special_tokens=self._skips)

    def _known(self, state: State, ids: Sequence[int]) -> list[int]:
        """Return the ids that say something, be it an empty text."""
        left_out = state.special_ids if self._skips else ()
        return [k for k in ids if k not in left_out and state.token(k) is not None]

    def takes(self, state: State) -> bool:
        return not state.joins_bytes and state.token_texts[self._skips] is None

    def copy(self) -> _ByDecoding:
        twin = _ByDecoding.__new__(_ByDecoding)
        vars(twin).update(vars(self), _ids=self._ids[:])
        return twin
