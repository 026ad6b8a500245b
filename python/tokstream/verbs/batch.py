"""Ids of several texts at once, on several threads.

Enters: texts. Leaves: the ids of each. Nothing is held back.
"""

from __future__ import annotations

from tokstream._arrays import as_array
from tokstream._light import TYPE_CHECKING, cast
from tokstream.verbs.parts import Parts, replaces
from tokstream.verbs.threads import checked_number, environment_number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokstream._core import Ids
    from tokstream._types import ErrorMode, IdArray, SpecialChoice, Text

__all__ = ["BatchVerbs"]


class BatchVerbs(Parts):
    """`encode_batch` and its twin."""

    __slots__ = ()

    def encode_batch(
        self,
        texts: Iterable[Text],
        *,
        num_threads: int | None = None,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
        add_special_tokens: bool = False,
    ) -> list[list[int]]:
        """Return the ids of several texts, on several threads.

        Args:
            texts: texts of any sizes; a long one is encoded on several threads, too.
            num_threads: at most so many, as in `encode`.
            allowed_special: as in `encode`.
            disallowed_special: as in `encode`.
            errors: as in `encode`.
            add_special_tokens: as in `encode`.

        Raises:
            InputError: as in `encode`; the index of the first text at fault is in the error's
                `index` and in a note.
            TypeError: the same for something that is no text.
            ConfigurationError: as in `encode`.
        """
        return cast(
            "list[list[int]]",
            self._batch(
                texts,
                num_threads,
                allowed_special,
                disallowed_special,
                errors,
                as_array=False,
                with_template=add_special_tokens,
            ),
        )

    def encode_batch_array(
        self,
        texts: Iterable[Text],
        *,
        num_threads: int | None = None,
        allowed_special: SpecialChoice = None,
        disallowed_special: SpecialChoice = None,
        errors: ErrorMode = "strict",
        add_special_tokens: bool = False,
    ) -> list[IdArray]:
        """Do as `encode_batch`, but return numpy arrays of uint32, one for each text."""
        batch = self._batch(
            texts,
            num_threads,
            allowed_special,
            disallowed_special,
            errors,
            as_array=True,
            with_template=add_special_tokens,
        )
        return [as_array(data) for data in batch]

    def _batch(
        self,
        texts: Iterable[Text],
        num_threads: int | None,
        allowed_special: SpecialChoice,
        disallowed_special: SpecialChoice,
        errors: ErrorMode,
        *,
        as_array: bool,
        with_template: bool,
    ) -> list[list[int] | Ids]:
        if isinstance(texts, str | bytes | bytearray):
            raise TypeError("encode_batch takes several texts; pass a list, or use encode")
        try:
            listed = list(texts)
        except TypeError:
            if hasattr(texts, "__iter__"):
                raise
            raise TypeError(
                f"texts is {type(texts).__name__}; encode_batch takes several texts: pass a list"
            ) from None
        specials = self._special.resolve(allowed_special, disallowed_special)
        n_threads = checked_number(num_threads) or environment_number()
        return self._core.encode_batch(
            listed, specials, replaces(errors), as_array, n_threads, with_template
        )
