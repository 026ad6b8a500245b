"""How far behind its text a stream is: a text comes in, distributions of the delay go out.

Three numbers after each byte (or character): the delay of `delay="composition"`, that of
`delay="optimal"`, and, at sampled places, a lower bound that holds for every algorithm whose ids
are final. The bound is what the ids of many continuations have in common: no algorithm may emit
more. Where the optimal stream has emitted all of it, nothing is left to gain.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Literal, Self

from tokstream.diagnostics.continuations import Continuations, Spelling, unfinished_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tokstream import EncodeStream, Tokenizer
    from tokstream._types import ErrorMode, SpecialChoice

__all__ = ["Distribution", "Gap", "TextDelay", "measure"]

EXAMPLES_KEPT = 8
HELD_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Distribution:
    """Delays in bytes: how many places have each, and the usual figures.

    Attributes:
        counts: places by delay.
        mean: over all places; 0.0 if there is none.
        p50: the smallest delay that half of the places do not exceed.
        p99: the same for 99 of 100.
        max: the largest.
    """

    counts: dict[int, int]
    mean: float
    p50: int
    p99: int
    max: int

    @classmethod
    def of(cls, counts: Counter[int]) -> Self:
        """Compute the figures."""
        n = counts.total()
        mean = sum(delay * k for delay, k in counts.items()) / n if n else 0.0
        ordered = dict(sorted(counts.items()))
        return cls(
            ordered,
            mean,
            quantile(ordered, 0.5),
            quantile(ordered, 0.99),
            max(ordered, default=0),
        )

    def as_json(self) -> dict[str, object]:
        """Give plain values; JSON wants text for keys."""
        return asdict(self) | {"counts": {str(k): n for k, n in self.counts.items()}}


def quantile(ordered: dict[int, int], share: float) -> int:
    """Smallest delay that `share` of the places do not exceed; 0 if there is no place."""
    left = share * sum(ordered.values())
    for delay, n in ordered.items():
        left -= n
        if left <= 1e-9:
            return delay
    return 0


@dataclass(frozen=True, slots=True)
class Gap:
    """A place where the optimal stream had emitted less than all that was sampled agreed on.

    Attributes:
        offset: bytes fed.
        held: the last of them that no id covered, at most 60.
        delay: how many there were.
        lower_bound: how many there had to be, as far as the sample knows.
        n_tried: continuations that agreed.
    """

    offset: int
    held: bytes
    delay: int
    lower_bound: int
    n_tried: int

    def as_json(self) -> dict[str, object]:
        """Give plain values; bytes are shown as Python writes them."""
        return asdict(self) | {"held": repr(self.held)[2:-1]}


@dataclass(frozen=True, slots=True)
class TextDelay:
    """What was measured on one text.

    Attributes:
        name: of the text.
        n_bytes: bytes fed.
        n_places: how often something was fed: as many as there are bytes or characters.
        composition: delay after each feed, `delay="composition"`.
        optimal: delay after each feed, `delay="optimal"`.
        sampled: delay of the optimal stream at the sampled places.
        lower_bound: what the delay had to be at the sampled places.
        n_sampled: sampled places between characters.
        n_equal: those of them where the optimal stream had emitted all that is common.
        n_forming: those of the others where the text ends in the beginning of a special token.
        n_sampled_inside: sampled places inside a character.
        n_equal_inside: likewise.
        gaps: some places where it had not.
        is_bound_exact: whether the bytes of the lower bound are exact. They are not if text is
            changed before it is merged: then what common ids cover is estimated by their length.
    """

    name: str
    n_bytes: int
    n_places: int
    composition: Distribution
    optimal: Distribution
    sampled: Distribution
    lower_bound: Distribution
    n_sampled: int
    n_equal: int
    n_forming: int
    n_sampled_inside: int
    n_equal_inside: int
    gaps: tuple[Gap, ...] = field(default=())
    is_bound_exact: bool = True

    @property
    def share_equal(self) -> float | None:
        """Share of all sampled places where nothing is left to gain; None if none was sampled."""
        n = self.n_sampled + self.n_sampled_inside
        return (self.n_equal + self.n_equal_inside) / n if n else None

    def as_json(self) -> dict[str, object]:
        """Give plain values."""
        return asdict(self) | {
            "share_equal": self.share_equal,
            "composition": self.composition.as_json(),
            "optimal": self.optimal.as_json(),
            "sampled": self.sampled.as_json(),
            "lower_bound": self.lower_bound.as_json(),
            "gaps": [gap.as_json() for gap in self.gaps],
        }


@dataclass(slots=True)
class _Bound:
    """Collects what the sampled places show."""

    continuations: Continuations
    beginnings: tuple[bytes, ...]
    may_end_inside: bool
    spelling: Spelling
    n_forming: int = 0
    delays: Counter[int] = field(default_factory=Counter)
    bounds: Counter[int] = field(default_factory=Counter)
    places: Counter[tuple[bool, bool]] = field(default_factory=Counter)
    gaps: list[Gap] = field(default_factory=list)

    def sample(self, stream: EncodeStream, text: bytes, end: int) -> None:
        """Look at the stream after `text[:end]`."""
        delay = stream.delay_bytes
        held = text[end - delay : end]
        common: list[int] = []
        n_tried = 0
        if held:
            common, n_tried = self.continuations.common_ids(
                stream, held, may_end=self.may_end_inside
            )
        bound = max(delay - sum(len(self.spelling.of(token_id)) for token_id in common), 0)
        self.delays[delay] += 1
        self.bounds[bound] += 1
        is_inside = bool(unfinished_bytes(text[max(0, end - 3) : end]))
        self.places[is_inside, not common] += 1
        if common and not is_inside and held.endswith(self.beginnings):
            self.n_forming += 1
        if common and len(self.gaps) < EXAMPLES_KEPT:
            self.gaps.append(Gap(end, held[-HELD_SHOWN:], delay, bound, n_tried))


def measure(
    tokenizer: Tokenizer,
    text: bytes,
    *,
    name: str = "text",
    unit: Literal["byte", "char"] = "byte",
    n_samples: int = 1000,
    seed: int = 0,
    allowed_special: SpecialChoice = None,
    disallowed_special: SpecialChoice = None,
    errors: ErrorMode = "strict",
    advance: Callable[[int, int], None] | None = None,
) -> TextDelay:
    """Feed a text bit by bit and measure the delay.

    Args:
        tokenizer: whose streams are measured.
        text: UTF-8.
        name: what the result is called.
        unit: feed bytes or characters.
        n_samples: places, drawn evenly without repetition, where the lower bound is computed.
        seed: of the places and of the random continuations.
        allowed_special: as in `Tokenizer.encode`.
        disallowed_special: as in `Tokenizer.encode`.
        errors: as in `Tokenizer.encode`.
        advance: is told (more bytes, ids so far) now and then.

    Raises:
        InputError: as `EncodeStream.feed`.

    Cost: two streams, some microseconds for each byte; for each sample tens to thousands of
        short continuations.
    """

    def stream(delay: Literal["optimal", "composition"]) -> EncodeStream:
        return tokenizer.stream(
            allowed_special=allowed_special,
            disallowed_special=disallowed_special,
            errors=errors,
            delay=delay,
        )

    composition, optimal = stream("composition"), stream("optimal")
    honoured, _ = tokenizer._special.names(allowed_special, disallowed_special)  # noqa: SLF001
    parts = tokenizer._parts  # noqa: SLF001 - the package's own
    plain = () if parts is None else (t.content for t in parts.added_tokens if not t.special)
    specials = sorted({*(name for name in honoured if name in tokenizer.special_tokens), *plain})
    beginnings = {name.encode()[:n] for name in specials for n in range(1, len(name.encode()))}
    spelling = Spelling.of_tokenizer(tokenizer)
    bound = _Bound(
        Continuations(tokenizer, specials, seed), tuple(beginnings), errors == "replace", spelling
    )
    n_places = len(text) if unit == "byte" else sum(1 for _ in ends(text, unit))
    rng = random.Random(seed)  # noqa: S311 - a sample, no secret
    chosen = set(rng.sample(range(n_places), min(n_samples, n_places)))
    delays: tuple[Counter[int], Counter[int]] = Counter(), Counter()
    begin = told = 0
    for place, end in enumerate(ends(text, unit)):
        part = text[begin:end]
        for each, counts in zip((composition, optimal), delays, strict=True):
            each.advance(part)
            counts[each.delay_bytes] += 1
        if place in chosen:
            bound.sample(optimal, text, end)
        begin = end
        if advance is not None and (end - told >= 4096 or end == len(text)):
            advance(end - told, optimal.n_tokens)
            told = end
    return TextDelay(
        name=name,
        n_bytes=len(text),
        n_places=n_places,
        composition=Distribution.of(delays[0]),
        optimal=Distribution.of(delays[1]),
        sampled=Distribution.of(bound.delays),
        lower_bound=Distribution.of(bound.bounds),
        n_sampled=bound.places[False, True] + bound.places[False, False],
        n_equal=bound.places[False, True],
        n_forming=bound.n_forming,
        n_sampled_inside=bound.places[True, True] + bound.places[True, False],
        n_equal_inside=bound.places[True, True],
        gaps=tuple(bound.gaps),
        is_bound_exact=spelling.is_exact,
    )


def ends(text: bytes, unit: Literal["byte", "char"]) -> Iterator[int]:
    """Yield where each byte or character ends; bytes that are no UTF-8 count one by one."""
    if unit == "byte":
        yield from range(1, len(text) + 1)
        return
    at = 0
    for character in text.decode("utf-8", "surrogateescape"):
        at += len(character.encode("utf-8", "surrogateescape"))
        yield at
