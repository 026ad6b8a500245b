"""Syntax tree to nondeterministic automaton with priorities.

In: a syntax tree. Out: an `Nfa`, whose `closures` list, for every place in the pattern, what can
be read next, in the order in which a backtracking matcher would try it. Nothing is held back.

A *symbol* is a code-point class or the end of the input (number `n_classes`); sets of symbols are
bit masks. An item `(mask, target)` of a closure means: if the next symbol is in `mask`, go on at
`target`; the target `ENDED` means that the pattern ends before that symbol. Conditions on the next
symbol (lookahead, end anchors) are folded into the masks.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tokstream.errors import PatternError
from tokstream.patterns.classes import CodePoints, Partition, partition
from tokstream.patterns.syntax import (
    Alternation,
    Atomic,
    Chars,
    Condition,
    Node,
    Repeat,
    Sequence,
)

__all__ = ["ENDED", "MAX_NFA_NODES", "MAX_WORK", "AtomicPart", "Nfa", "build_nfa"]

MAX_NFA_NODES = 20_000
MAX_WORK = 4_000_000  # items looked at; published patterns need a few thousand
ENDED = -1  # target of an item: the pattern (or part) ends before the symbol
_FINAL = 0  # node 0 is the end of the pattern

Item = tuple[int, int]


@dataclass(frozen=True, slots=True)
class AtomicPart:
    """An atomic part as built: node numbers of its begin, its end and what follows."""

    entry: int
    exit: int
    follow: int
    offset: int
    construct: str


@dataclass(slots=True)
class Nfa:
    """Nodes in parallel lists; node 0 is the end of the pattern.

    Attributes:
        start: node where matching begins.
        masks: per node, symbols it lets pass, or -1 for a node without condition.
        reads: per node, whether it consumes the symbol.
        nexts: per node, where to go on, best first (one entry unless mask is -1).
        atomics: atomic parts, inner before outer.
        partition: the code-point classes.
    """

    start: int
    masks: list[int]
    reads: list[bool]
    nexts: list[tuple[int, ...]]
    atomics: list[AtomicPart]
    partition: Partition
    _closures: dict[tuple[int, int], tuple[Item, ...]] = field(default_factory=dict)
    _work: int = 0

    @property
    def end_symbol(self) -> int:
        """Number of the symbol that stands for the end of the input."""
        return self.partition.n_classes

    @property
    def all_symbols(self) -> int:
        """Mask of all classes and the end."""
        return (2 << self.end_symbol) - 1

    def spend(self, amount: int) -> None:
        """Count work done.

        Raises:
            PatternError: more than `MAX_WORK` in all.
        """
        self._work += amount
        if self._work > MAX_WORK:
            raise PatternError(
                "pattern too large: too many places in it can be active at once; use smaller "
                "counts or fewer optional parts in a row"
            )

    def closure(self, node: int, stop: int = _FINAL) -> tuple[Item, ...]:
        """What can be read next from `node`, best first; `stop` counts as the end.

        Cost: each node is visited once per distinct condition that leads to it.
        """
        known = self._closures.get((node, stop))
        if known is not None:
            return known
        items: list[Item] = []
        visited: dict[int, int] = {}
        pending = [(node, self.all_symbols)]
        while pending:
            at, mask = pending.pop()
            mask &= ~visited.get(at, 0)  # a better way to come here was seen before
            if not mask:
                continue
            visited[at] = visited.get(at, 0) | mask
            if at == stop:
                items.append((mask, ENDED))
                continue
            if self.masks[at] >= 0:
                mask &= self.masks[at]
                if not mask:
                    continue
                if self.reads[at]:
                    items.append((mask, self.nexts[at][0]))
                    continue
            pending.extend((after, mask) for after in reversed(self.nexts[at]))
        self.spend(len(visited))
        result = tuple(items)
        self._closures[node, stop] = result
        return result


def build_nfa(tree: Node) -> Nfa:
    """Build the automaton of `tree`, loops unrolled.

    Raises:
        PatternError: more than `MAX_NFA_NODES` nodes, or a repeat of something that may be empty.
    """
    return _Builder().build(tree)


class _Builder:
    def __init__(self) -> None:
        # Node 0: the end of the pattern.
        self.sets: list[CodePoints | None] = [None]
        self.ends: list[bool] = [False]
        self.reads: list[bool] = [False]
        self.nexts: list[tuple[int, ...]] = [()]
        self.atomics: list[AtomicPart] = []

    def build(self, tree: Node) -> Nfa:
        start = self._node(tree, _FINAL)
        numbers: dict[CodePoints, int] = {}
        for members in self.sets:
            if members is not None:
                numbers.setdefault(members, len(numbers))
        classes = partition(list(numbers))
        end_bit = 1 << classes.n_classes
        masks = [
            -1
            if members is None
            else classes.members[numbers[members]] | (end_bit if at_end else 0)
            for members, at_end in zip(self.sets, self.ends, strict=True)
        ]
        return Nfa(start, masks, self.reads, self.nexts, self.atomics, classes)

    def _add(
        self,
        offset: int,
        nexts: tuple[int, ...],
        members: CodePoints | None = None,
        *,
        at_end: bool = False,
        reads: bool = False,
    ) -> int:
        if len(self.sets) >= MAX_NFA_NODES:
            raise PatternError(
                f"pattern too large at offset {offset}: counted repeats unroll to more than "
                f"{MAX_NFA_NODES} nodes; use smaller counts",
                offset,
            )
        self.sets.append(members)
        self.ends.append(at_end)
        self.reads.append(reads)
        self.nexts.append(nexts)
        return len(self.sets) - 1

    def _node(self, node: Node, follow: int) -> int:
        """Build `node` in front of `follow`; recursion is bounded by the parser's nesting limit."""
        match node:
            case Chars():
                return self._add(node.offset, (follow,), node.members, reads=True)
            case Condition():
                return self._add(node.offset, (follow,), node.members, at_end=node.at_end)
            case Sequence():
                for part in reversed(node.parts):
                    follow = self._node(part, follow)
                return follow
            case Alternation():
                entries = tuple(self._node(choice, follow) for choice in node.choices)
                return self._add(node.offset, entries)
            case Repeat():
                return self._repeat(node, follow)
            case Atomic():
                end = self._add(node.offset, (follow,))
                entry = self._node(node.body, end)
                self.atomics.append(AtomicPart(entry, end, follow, node.offset, node.construct))
                return entry

    def _repeat(self, node: Repeat, follow: int) -> int:
        if node.high is None:
            # A loop node is made first and filled in once its body, which points back, exists.
            loop = self._add(node.offset, ())
            body = self._node(node.body, loop)
            self.nexts[loop] = (body, follow) if node.greedy else (follow, body)
            at = body if node.low else loop
            mandatory = node.low - 1
        else:
            at = follow
            for _ in range(node.high - node.low):
                body = self._node(node.body, at)
                order = (body, follow) if node.greedy else (follow, body)
                at = self._add(node.offset, order)
            mandatory = node.low
        for _ in range(mandatory):
            at = self._node(node.body, at)
        return at
