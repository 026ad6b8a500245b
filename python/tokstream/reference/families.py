"""The instances behind the lower bounds: where nothing can be given out, and where more could.

Enters: the parameters of a family.
Leaves: an automaton, merge rules and a text.
Held back: by every algorithm, what the family says.

Every symbol is one ASCII character.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from tokstream.errors import ConfigurationError
from tokstream.reference.automata import Dfa
from tokstream.reference.rulelists import RuleList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

S = TypeVar("S")

__all__ = [
    "Instance",
    "assignment",
    "chain_family",
    "composition_family",
    "satisfiability_family",
    "space_family",
    "window_family",
]


class Instance(NamedTuple):
    """One instance.

    Attributes:
        automaton: the pattern, a total automaton.
        rules: the merges.
        text: what has been read.
    """

    automaton: Dfa
    rules: RuleList
    text: str


def space_family(word: str) -> Instance:
    """Theorem 1.5: everything must be remembered, lookback many bits.

    R = (aa|bb)^f c | a | b | c with the merges aa and bb, on a word of f pairs. Its lookback is 2f.
    If c follows, the tokens are the f pairs, otherwise they are 2f bytes. So nothing is stable, and
    one last symbol leads to 2^f different outputs.

    >>> space_family("aabb").automaton.lookback()
    4

    Args:
        word: a word of pairs aa and bb.
    """
    f = len(word) // 2
    if (
        f == 0
        or set(map(word.__getitem__, range(0, 2 * f, 2))) - {"a", "b"}
        or word != "".join(2 * word[i] for i in range(0, 2 * f, 2))
    ):
        raise ConfigurationError(f"{word!r} is not made of pairs aa and bb; give such a word")

    def step(state: tuple[int, str], symbol: str) -> tuple[int, str] | None:
        n_pairs, half = state
        if half == "":
            if symbol == "c":
                return (0, "c") if n_pairs in {0, f} else None
            return (n_pairs, symbol) if n_pairs < f else None
        return (n_pairs + 1, "") if symbol == half != "c" else None

    accepting = {(0, "a"), (0, "b"), (0, "c")}
    automaton = _explore("abc", (0, ""), step, accepting.__contains__)
    return Instance(automaton, RuleList([(b"a", b"a"), (b"b", b"b")], b"abc"), word)


def composition_family(f: int) -> Instance:
    """Theorem 1.6: composition is f - 1 behind, for no reason.

    R = a^f b | a | b with the merge bb, on a^f. In every future the tokens begin with f times a.
    Composition knows of one of them that it is in the live pretoken, and waits for b with the rest.

    >>> composition_family(7).automaton.lookback()
    7
    """
    automaton = Dfa.from_words("ab", ["a", "b", "a" * f + "b"])
    return Instance(automaton, RuleList([(b"b", b"b")], b"ab"), "a" * f)


def chain_family(word: str, s: int) -> Instance:
    """Theorem 4.24: within one pretoken, the first token can depend on a symbol m t / 5 behind it.

    Let L = 2^s. The merges make a^L and b^L by doubling. The text is c0 v1^L c1 v2^L ... vk^L ck.
    If d follows, ck takes it, so vk^L is taken by the c before it, which then does not take what
    is before *it*, and so on: a chain that runs back to c0. Without d all is shifted by one. So
    nothing is stable, and all v must be remembered: k bits, and k is m / 4 for small s.

    >>> instance = chain_family("ab", 1)
    >>> instance.text
    'AaaBbbC'
    >>> instance.rules.merge(b"AaaBbbC"), instance.rules.merge(b"AaaBbbCd")
    ([b'A', b'aaB', b'bbC'], [b'Aaa', b'Bbb', b'Cd'])

    Args:
        word: v1 ... vk, letters a and b, at most 25.
        s: the binary logarithm of L.
    """
    k = len(word)
    if not 0 < k <= 25 or set(word) - {"a", "b"}:
        raise ConfigurationError(f"{word!r} is not made of 1 to 25 letters a and b")
    c = [bytes((ord("A") + i,)) for i in range(k + 1)]
    rules: list[tuple[bytes, bytes]] = []
    for letter in (b"a", b"b"):
        rules += [(letter * 2**n, letter * 2**n) for n in range(s)]
    runs = (b"a" * 2**s, b"b" * 2**s)
    rules += _chain(c, runs, b"d")
    text = "A" + "".join(v * 2**s + ci.decode() for v, ci in zip(word, c[1:], strict=True))
    alphabet = "abd" + b"".join(c).decode()
    rest = len(alphabet) * [0]
    automaton = Dfa(alphabet, [[1] * len(rest), [1] * len(rest)], [1])  # one pretoken
    return Instance(automaton, RuleList(rules, alphabet.encode()), text)


def _chain(c: Sequence[bytes], values: Iterable[bytes], last: bytes) -> list[tuple[bytes, bytes]]:
    """Rules by which `last`, or its absence, decides from right to left who takes what."""
    values = list(values)
    rules = [(c[-1], last), *((v, c[-1]) for v in values)]
    for ci in reversed(c[1:-1]):
        rules += [*((ci, v) for v in values), *((v, ci) for v in values)]
    return rules + [(c[0], v) for v in values]


def window_family(s: int) -> Instance:
    """Claim 4.25: the published eager output of incremental BPE is t behind; W_exact is not.

    The merges a^2, a^4, ..., a^t by doubling, t = 2^s, on 2t - 1 times a. The first t are one token
    in every future. But W_jg has the place t - 1 in it, where the tokens are all shorter.

    >>> instance = window_family(2)
    >>> instance.text, instance.rules.max_length
    ('aaaaaaa', 4)
    """
    rules = [(b"a" * 2**n, b"a" * 2**n) for n in range(s)]
    return Instance(Dfa("a", [[1], [1]], [1]), RuleList(rules, b"a"), "a" * (2 ** (s + 1) - 1))


N_PADDING = 2


def satisfiability_family(  # noqa: C901 - the language is one function
    clauses: Sequence[Mapping[int, bool]], n_variables: int
) -> Instance:
    """Theorem 1.1: whether one more token is stable is whether a formula is unsatisfiable.

    The text is C1 ... CK A 0B 0C: a symbol per clause, c0, and padding. A continuation may spell an
    assignment z as z1 D z2 E ... (see `assignment`), and then d. Pretokens are single symbols and

    * c0, values and c's in turn to the last c, and d if it is there;
    * for each clause j: Cj, more clause symbols, c0, values that make clause j false, the last c.

    If z makes clause j false, the pretoken that begins at Cj takes all but the d, which then is
    alone; the token at c0 is c0. If z makes none false, c0 and all behind it, d included, is a
    pretoken, and d decides by the chain of Theorem 4.24 that the token at c0 is c0 0. So the token
    c0 is stable if and only if no assignment satisfies all clauses. (Reconstructed: the printed
    reduction is incomplete.)

    >>> instance = satisfiability_family([{0: True}, {0: False}], 1)
    >>> instance.text, assignment([True])
    ('efA0B0C', '1D')
    >>> from tokstream.reference.definitions import tok
    >>> tok(instance.automaton, instance.rules, instance.text + "1D" + "d")[:4]
    [b'e', b'f', b'A', b'0B']

    Args:
        clauses: per clause its variables (numbers from 0), and which value makes it true.
        n_variables: how many variables there are, at most 20.
    """
    symbols = "efghijklmnopqrstuvwxyz"[: len(clauses)]
    n = n_variables + N_PADDING
    c = [chr(ord("A") + i) for i in range(n + 1)]
    if len(symbols) < len(clauses) or not 0 < n_variables <= 20:
        raise ConfigurationError("at most 22 clauses and 1 to 20 variables; give a smaller formula")
    alphabet = "01d" + "".join(c) + symbols

    # (clause or -1 for none, values read, "C": in the clause symbols, "v": a value is next,
    # "c": a c is next, "G": at the end, "1": a single symbol)
    def step(state: tuple[int, int, str], symbol: str) -> tuple[int, int, str] | None:  # noqa: PLR0911
        clause, i, at = state
        if at == "start":
            if symbol in symbols:
                return symbols.index(symbol), 0, "C1"
            return (-1, 0, "v1") if symbol == c[0] else (-1, 0, "1")
        if at in {"C", "C1"}:
            if symbol == c[0]:
                return clause, 0, "v"
            return (clause, 0, "C") if symbol in symbols else None
        if at in {"v", "v1"} and symbol in "01":
            if i < N_PADDING:
                return (clause, i + 1, "c") if symbol == "0" else None
            value = clauses[clause].get(i - N_PADDING) if clause >= 0 else None
            return None if value is (symbol == "1") else (clause, i + 1, "c")
        if at == "c" and symbol == c[i]:
            return clause, i, "G" if i == n else "v"
        if at == "G" and clause < 0 and symbol == "d":
            return -1, 0, "1"
        return None

    automaton = _explore(
        alphabet, (-1, 0, "start"), step, lambda state: state[2] in {"1", "C1", "v1", "G"}
    )
    rules = _chain([ci.encode() for ci in c], [b"0", b"1"], b"d")
    text = symbols + c[0] + "".join("0" + ci for ci in c[1 : N_PADDING + 1])
    return Instance(automaton, RuleList(rules, alphabet.encode()), text)


def assignment(values: Iterable[bool]) -> str:
    """Spell an assignment as a continuation of the text of `satisfiability_family`."""
    return "".join("01"[v] + chr(ord("A") + i) for i, v in enumerate(values, N_PADDING + 1))


def _explore(
    alphabet: str,
    start: S,
    step: Callable[[S, str], S | None],
    accepts: Callable[[S], bool],
) -> Dfa:
    """Number the states that can be reached; None is the sink."""
    numbers = {start: 0}
    todo = [start]
    rows: list[list[int | None]] = []
    for state in todo:
        row: list[int | None] = []
        for symbol in alphabet:
            target = step(state, symbol)
            if target is not None and target not in numbers:
                numbers[target] = len(numbers)
                todo.append(target)
            row.append(None if target is None else numbers[target])
        rows.append(row)
    sink = len(rows)
    delta = [[sink if target is None else target for target in row] for row in rows]
    accepting = [k for state, k in numbers.items() if accepts(state)]
    return Dfa(alphabet, [*delta, [sink] * len(alphabet)], accepting)
