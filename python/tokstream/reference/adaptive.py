r"""Optimal delay: what all futures have in common, also while the pretoken itself is undecided.

Enters: the text of a segment, cut anywhere between characters.
Leaves: token ids.
Held back: text whose tokens differ between the futures that cannot be told apart yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokstream.errors import ConfigurationError
from tokstream.reference.cutq import DEAD, CutQ
from tokstream.reference.tokens import last_token, lowest_common_ancestor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokstream.reference.cutq import Automaton, Run
    from tokstream.reference.merges import MergeRules

__all__ = ["LEVELS", "Adaptive"]

LEVELS = ("merge", "alive", "joint")


class Growing(NamedTuple):
    """The runs that may still grow and would hold the next token.

    Attributes:
        states: where they are, in the order of their starts.
        n_earlier: how many began before that token; the others, at most one, begin with it.
    """

    states: tuple[int, ...]
    n_earlier: int


class Adaptive:
    r"""Merge of Split, given out as soon as both kinds of future agree.

    Let P be what was given out, `out` its end, and [s, e) the pretoken that holds `out` if no live
    match grows (see `CutQ`). After any continuation, exactly one of two things is true:

    (N) No run that began at s or before reports another match end. Then [s, e) is a pretoken, and
        behind P come the tokens of Merge on the path to e.
    (E) One of them does, where the text read so far ends, or later. Then behind P come the first
        tokens of Merge of the rest of the text and more, whatever that is.

    Both are paths in one tree, that of the last tokens of all prefixes (see `Tokens`), from `out`:
    (N) the path to e, (E) a path to some j in the window. So what they have in common is the path
    to the lowest common ancestor of e and the window. When the tokens of [s, e) are out, the same
    is asked about the next pretoken.

    The window holds j if some token may lie across the end of the text from j on. How much is asked
    of it is the `level`:

    * "merge": the token may follow what is before it. With this, the output is at least that of
      the algorithm of Theorem 1.7, whose certificate is a length (3 m t, 38 MB for cl100k_base),
      and at least that of composition.
    * "alive": also, one of the runs in (E) survives the rest of the token. A character of which
      only the beginning is in the token may be any.
    * "joint": also, it is that run that survives when all runs read together, as `CutQ` has it;
      the token may follow what was given out of the same pretoken; and the end of the text is in
      the window only if a token may begin or a match may end there.

    All are stable, each gives at least what the one before does. None is always the maximum
    stable prefix, which is NP-hard to find (Theorem 1.1).

    What is found depends on where `push` is called, since it is evaluated at the end of each call;
    a `push` that finds less makes up for it later. All ids are the same in the end.

    >>> from tokstream.patterns import compile_pattern
    >>> from tokstream.reference.merges import MergeRules
    >>> rules = MergeRules([b"a", b"b", b"bb"])
    >>> stage = Adaptive(rules, compile_pattern(r"aaab|[\s\S]"))
    >>> stage.push("aaa"), stage.n_held             # composition gives out one of three
    ([0, 0, 0], 0)
    >>> stage.push("b"), stage.finish()
    ([1], [])

    Args:
        rules: the vocabulary.
        automaton: a compiled pattern, total.
        level: what is asked of the window, see above.

    Cost: as `Tokens` per push, for each pretoken that the push gives out, plus O(|Q|) per symbol.
    Source: Dalirrooyfard and Ye, arXiv:2610.19139, Theorem 1.7, with a certificate found in the
        text at hand in place of a length.
    """

    def __init__(self, rules: MergeRules, automaton: Automaton, *, level: str = "joint") -> None:
        if level not in LEVELS:
            raise ConfigurationError(f"level is {level!r}; it must be one of {', '.join(LEVELS)}")
        self._rules, self._automaton, self._level = rules, automaton, level
        self._grows = [
            any(automaton.step(state, symbol)[0] != DEAD for symbol in range(automaton.n_classes))
            for state in range(len(automaton.covers))
        ]
        self._whole: dict[bytes, list[bytes]] = {}
        self._possible: dict[tuple[object, ...], bool] = {}
        self._alive: dict[tuple[tuple[int, ...], bytes], list[int]] = {}
        self._begin()

    def _begin(self) -> None:
        self._queue = CutQ(self._automaton)  # positions are bytes of the segment
        self._out = 0  # bytes given out
        self._before: bytes | None = None  # the last token given out
        self._pending = b""
        self._last: list[bytes | None] = [None]  # λ of every prefix of `_pending`

    @property
    def n_held(self) -> int:
        """UTF-8 bytes of text held back."""
        return len(self._pending)

    def push(self, text: str) -> list[int]:
        """Take text of the segment, return the ids that are stable now."""
        ids: list[int] = []
        for character in text:
            data = character.encode()
            self._pending += data
            self._queue.push(self._automaton.class_of(ord(character)), len(data))
            ids += self._close()
        return ids + self._common()

    def finish(self) -> list[int]:
        """End the segment, return the remaining ids. Begin a new segment."""
        ids: list[int] = []
        if self._queue.runs[0].start < self._queue.position:
            self._queue.push(self._automaton.n_classes)
            ids = self._close()
        self._begin()
        return ids

    def _close(self) -> list[int]:
        """Give out pretokens whose end is certain. Part of them may be out, even all."""
        ids: list[int] = []
        start = self._queue.runs[0].start
        while (end := self._queue.pop_closed()) is not None:
            if end > self._out:
                rest = self._pending[: end - self._out]
                if start == self._out:
                    ids += self._rules.encode(rest)
                else:
                    ids += [self._rules.ids[token] for token in self._rules.merge(rest)]
                self._forget(len(rest), None)  # the next pretoken follows nothing
            start = end
        return ids

    def _forget(self, n: int, before: bytes | None) -> None:
        """Go on behind the next n pending bytes, the last token of which is `before`."""
        self._out += n
        self._before = before
        self._pending = self._pending[n:]
        self._last = [None]

    def _common(self) -> list[int]:
        """Give out what all futures agree on."""
        ids: list[int] = []
        while self._pending:
            while len(self._last) <= len(self._pending):
                self._last.append(last_token(self._rules, self._pending, self._last))
            runs = [run for run in self._queue.runs if run.start <= self._out]
            end = None
            if len(runs) < len(self._queue.runs):
                end = self._queue.runs[len(runs)].start - self._out
            growing, is_certain = self._growing(runs)
            places = self._window(growing, runs[-1].start == self._out)
            if end is not None and not is_certain:
                places.add(end)
                if runs[-1].start == self._out and self._is_whole(self._pending[:end]):
                    break
            path = self._path(lowest_common_ancestor(self._last, places))
            if not path:
                break
            ids += [self._rules.ids[token] for token in path]
            self._forget(sum(map(len, path)), path[-1])
        return ids

    def _growing(self, runs: Iterable[Run]) -> tuple[Growing, bool]:
        """Return the runs of (E), and whether (E) is certain: then one of them covers."""
        states: list[int] = []
        n_earlier = 0
        for run in runs:
            if run.state != DEAD:
                states.append(run.state)
                n_earlier += run.start < self._out
                if self._automaton.covers[run.state]:
                    return Growing(tuple(states), n_earlier), True
        return Growing(tuple(states), n_earlier), False

    def _window(self, growing: Growing, is_beginning: bool) -> set[int]:
        """Return the places in `_pending` that are the last boundary in some future of (E)."""
        n = len(self._pending)
        window = set()
        if self._level != "joint" or self._may_end(growing) or self._may_cross(growing, n):
            window.add(n)
        for place in range(max(0, n - self._rules.max_length + 1), n):
            if self._may_cross(growing, place):
                window.add(place)
        if is_beginning and len(growing.states) > growing.n_earlier and self._may_be_whole(growing):
            window.add(0)
        return window

    def _may_end(self, growing: Growing) -> bool:
        """Whether a match may end where the text does."""
        symbols = range(self._automaton.n_classes + 1)
        step = self._automaton.step
        return any(step(state, symbol)[1] for state in growing.states for symbol in symbols)

    def _may_cross(self, growing: Growing, place: int) -> bool:
        """Whether a token may begin at `place` and end behind the text, in some future of (E)."""
        beginning = self._pending[place:]
        first = self._path(place)[:1]
        before = self._last[place] if first else None
        if self._level == "merge":
            return self._rules.straddled(before, beginning)
        key = growing, before, beginning, tuple(first), self._before
        known = self._possible.get(key)
        if known is None:
            known = self._search(growing, before, beginning, first[0] if first else None)
            self._possible[key] = known
        return known

    def _search(
        self, growing: Growing, before: bytes | None, beginning: bytes, first: bytes | None
    ) -> bool:
        """Search a token for `_may_cross`: behind `before`, the first behind P being `first`."""
        joint = self._level == "joint" and self._before is not None
        for token in self._rules.followers(before, beginning):
            alive = self._survivors(growing, token[len(beginning) :])
            if not alive:
                continue
            if not joint or max(alive) >= growing.n_earlier:
                return True
            if self._rules.compatible(self._before or b"", first or token):
                return True
        return False

    def _survivors(self, growing: Growing, rest: bytes) -> list[int]:
        """Return which runs survive reading `rest`; its last character may be cut."""
        key = growing.states, rest
        known = self._alive.get(key)
        if known is None:
            known = self._alive[key] = self._read(growing.states, rest)
        return known

    def _read(self, states: tuple[int, ...], rest: bytes) -> list[int]:
        try:
            text, cut = rest.decode(), False
        except UnicodeDecodeError as error:
            if error.reason != "unexpected end of data":
                return []  # text is UTF-8, this never follows
            text, cut = rest[: error.start].decode(), True
        alive = dict(enumerate(states))
        for character in text:
            symbol = self._automaton.class_of(ord(character))
            now: dict[int, int] = {}
            for k, state in alive.items():
                target, matched = self._automaton.step(state, symbol)
                if target != DEAD:
                    now[k] = target
                if matched and self._level == "joint":
                    break  # whatever the runs behind this one would match is no pretoken
            alive = now
        if cut and self._level == "joint":
            return [k for k, state in alive.items() if self._grows[state]]
        return list(alive)

    def _is_whole(self, pretoken: bytes) -> bool:
        """Whether it is a token that merges never make."""
        return pretoken in self._rules and not self._rules.reachable(pretoken)

    def _may_be_whole(self, growing: Growing) -> bool:
        """Whether the run that begins with `_pending` may become such a token."""
        whole = self._pending
        if self._is_whole(whole):
            return True
        longer = self._whole.get(whole)
        if longer is None:
            tokens = self._rules.extensions(whole)
            longer = [token for token in tokens if not self._rules.reachable(token)]
            self._whole[whole] = longer
        own = growing.n_earlier
        return any(own in self._survivors(growing, token[len(whole) :]) for token in longer)

    def _path(self, place: int) -> list[bytes]:
        """Merge of the first `place` pending bytes."""
        path: list[bytes] = []
        while (token := self._last[place]) is not None:
            path.append(token)
            place -= len(token)
        return path[::-1]

    def copy(self) -> Adaptive:
        """Return an independent copy that shares rules and automaton. Cost: O(held)."""
        twin = Adaptive(self._rules, self._automaton, level=self._level)
        twin._whole, twin._possible, twin._alive = self._whole, self._possible, self._alive
        twin._queue, twin._out, twin._before = self._queue.copy(), self._out, self._before
        twin._pending, twin._last = self._pending, self._last.copy()
        return twin
