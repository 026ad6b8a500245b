"""Ids of a whole text, or their number.

Enters: a text. Leaves: its ids, as a list or an array, or how many there are. Nothing is held back.
"""

from __future__ import annotations

from tokstream._arrays import as_array
from tokstream._light import TYPE_CHECKING
from tokstream.verbs.parts import Parts, limit_of, replaces
from tokstream.verbs.threads import checked_number

if TYPE_CHECKING:
    from tokstream._types import ErrorMode, IdArray, SpecialChoice, Text

__all__ = ["WholeVerbs"]


class WholeVerbs(Parts):
    """`encode`, `encode_ordinary`, their twins for arrays, and `count`."""

    __slots__ = ()

    def encode(
        self,
        text: Text,
        *,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
        add_special_tokens: bool = False,
        num_threads: int | None = None,
    ) -> list[int]:
        """Return the ids of a whole text.

        Args:
            text: text or UTF-8 bytes.
            allowed_special: special tokens to honour, see the class.
            disallowed_special: special tokens to refuse, see the class.
            errors: "strict" or "replace", for bytes that are not UTF-8.
            add_special_tokens: apply the tokenizer's template, such as a token before the text.
                Rank files have none, so it changes nothing for them.
            num_threads: encode a text of 1 MiB or more on at most so many threads, see the class.

        Raises:
            DisallowedSpecialTokenError: the text spells a disallowed special token.
            InvalidUtf8Error: bytes that are not UTF-8, with `errors="strict"`.
            TypeError: neither `str` nor a buffer of bytes.
            ConfigurationError: an argument, or TOKSTREAM_NUM_THREADS, that means nothing.

        Cost: O(n) for n bytes, whatever the text; the GIL is released for long ones.

        >>> import tokstream
        >>> tokstream.get_encoding("cl100k_base").encode("hello world")
        [15339, 1917]
        """
        if allowed_special is None and disallowed_special is None:
            specials = self._special.default
        else:
            specials = self._special.resolve(allowed_special, disallowed_special)
        return self._core.encode(  # type: ignore[return-value]
            text,
            specials,
            errors != "strict" and replaces(errors),
            False,  # noqa: FBT003
            add_special_tokens,
            num_threads if num_threads is None else checked_number(num_threads),
        )

    def encode_array(
        self,
        text: Text,
        *,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
        add_special_tokens: bool = False,
        num_threads: int | None = None,
    ) -> IdArray:
        """Do as `encode`, but return a numpy array of uint32, shape (n_tokens,)."""
        specials = self._special.resolve(allowed_special, disallowed_special)
        data = self._core.encode(
            text,
            specials,
            replaces(errors),
            True,  # noqa: FBT003
            add_special_tokens,
            checked_number(num_threads),
        )
        return as_array(data)

    def encode_ordinary(
        self, text: Text, *, errors: ErrorMode = "strict", num_threads: int | None = None
    ) -> list[int]:
        """Return the ids of a text in which special tokens are plain text."""
        return self._core.encode(  # type: ignore[return-value]
            text,
            self._special.plain,
            errors != "strict" and replaces(errors),
            False,  # noqa: FBT003
            False,  # noqa: FBT003
            num_threads if num_threads is None else checked_number(num_threads),
        )

    def encode_ordinary_array(
        self, text: Text, *, errors: ErrorMode = "strict", num_threads: int | None = None
    ) -> IdArray:
        """Do as `encode_ordinary`, but return a numpy array of uint32."""
        data = self._core.encode(
            text,
            self._special.plain,
            replaces(errors),
            True,  # noqa: FBT003
            False,  # noqa: FBT003
            checked_number(num_threads),
        )
        return as_array(data)

    def count(
        self,
        text: Text,
        *,
        limit: int | None = None,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
        num_threads: int | None = None,
        add_special_tokens: bool = False,
    ) -> int:
        """Return the number of ids of a text, without making them.

        Args:
            text: text or UTF-8 bytes.
            limit: stop once there are more; the result is then `limit + 1`.
            allowed_special: as in `encode`.
            disallowed_special: as in `encode`.
            errors: as in `encode`.
            num_threads: as in `encode`; with a limit, one thread counts.
            add_special_tokens: as in `encode`; the template's ids count, too.

        Cost: O(n); with a limit, O(limit) whatever n, counted in blocks of about 1 MiB.
        """
        n_template = self._n_template if add_special_tokens else 0
        left = None
        if limit is not None:
            limit = limit_of("limit", limit)
            left = max(limit - n_template, 0)
        specials = self._special.resolve(allowed_special, disallowed_special)
        n_threads = checked_number(num_threads)
        n_tokens = self._core.count(text, specials, replaces(errors), left, n_threads) + n_template
        return n_tokens if limit is None else min(n_tokens, limit + 1)
