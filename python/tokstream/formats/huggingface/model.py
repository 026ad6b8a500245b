"""The member `model` of a tokenizer.json: a vocabulary with ids, and merges of it.

Enters: the node. Leaves: a `BpeModel`, whose merges are pairs of positions in its token list.
Refused: model types other than BPE, dropout, merges of or into something that is no token, ids
given twice.
"""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from tokstream import _core
from tokstream._checks import MAX_TOKEN_ID
from tokstream.formats.document import shown
from tokstream.formats.joined import joined

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokstream.errors import VocabularyError
    from tokstream.formats.document import Node

__all__ = ["BpeModel", "check_ids", "check_type", "read_model"]

_NOT_THERE = 2**32 - 1

_WHAT_FOR = (
    "tokstream is for byte-pair encoding, whose ids can be given out while the text arrives; "
    "load this tokenizer with the `tokenizers` package"
)


@dataclass(frozen=True, slots=True)
class BpeModel:
    """A BPE model as its file says it.

    Attributes:
        tokens: the tokens' texts, in the file's order.
        ids: their ids.
        table: token to id.
        merges: positions, two for each merge; earlier merges are stronger.
        unk_token: what unknown characters become, None if they vanish. It may be missing in the
            vocabulary, if it is never needed.
        fuse_unk: whether several in a row become one.
        byte_fallback: whether unknown characters become tokens such as `<0xE2>`.
        ignore_merges: whether a pretoken that is a token is taken whole.
        prefix: what stands before the text of every unit of a pretoken but its first.
        suffix: what stands behind the text of a pretoken's last unit.
        node: where it stands.
    """

    tokens: list[str]
    ids: list[int]
    table: dict[str, int]
    merges: array[int]
    unk_token: str | None
    fuse_unk: bool
    byte_fallback: bool
    ignore_merges: bool
    prefix: str
    suffix: str
    node: Node

    def id_of(self, token: str) -> int | None:
        """Return the id of a token by its text."""
        return self.table.get(token)

    def check_merges(self) -> None:
        """Check that each merge makes a token.

        Raises:
            VocabularyError: one does not; the message says which.
        """
        tokens, n_prefix = self.tokens, len(self.prefix)
        for at in range(0, len(self.merges), 2):
            joined = tokens[self.merges[at]] + tokens[self.merges[at + 1]][n_prefix:]
            if joined not in self.table:
                raise _merge_fault(self.node["merges"], self.table, n_prefix)


def read_model(node: Node) -> BpeModel:
    """Read the model.

    Raises:
        VocabularyError: it is damaged; the message says where.
        UnsupportedTokenizerError: another type of model, or dropout.

    Cost: O(vocabulary + merges); 0.6 s for 260,000 tokens with 515,000 merges.
    """
    check_type(node)
    dropout = node.get("dropout")
    if dropout is not None and dropout.value != 0:
        raise dropout.unsupported(
            f"dropout of {shown(dropout.value)}",
            "it makes ids random; set it to null for encoding",
        )
    vocab = node["vocab"]
    table = vocab.members()
    tokens, ids = list(table), list(table.values())
    if not tokens:
        raise vocab.wrong("has no tokens")
    check_ids(vocab, tokens, ids)
    prefix, suffix = (
        "" if (part := node.get(key)) is None else part.text()
        for key in ("continuing_subword_prefix", "end_of_word_suffix")
    )
    unk = node.get("unk_token")
    if unk is not None:
        unk.text()
    return BpeModel(
        tokens=tokens,
        ids=ids,
        table=table,
        merges=_read_merges(node["merges"], table, len(prefix)),
        unk_token=None if unk is None else unk.text(),
        fuse_unk=node.flag("fuse_unk", default=False),
        byte_fallback=node.flag("byte_fallback", default=False),
        ignore_merges=node.flag("ignore_merges", default=False),
        prefix=prefix,
        suffix=suffix,
        node=node,
    )


def check_type(node: Node) -> None:
    """Refuse a model that is not BPE.

    Raises:
        UnsupportedTokenizerError: another type; the message says what tokstream is for.
    """
    kind = node.get("type")
    if kind is not None:
        name = kind.text()
        if name in ("WordPiece", "Unigram", "WordLevel"):
            raise kind.unsupported(f"a model of type {name}", _WHAT_FOR)
        if name != "BPE":
            raise kind.unsupported(f"a model of the unknown type {shown(name)}", _WHAT_FOR)
    elif "merges" not in node.members():  # old files leave the type out; only BPE has merges
        raise node.unsupported("a model of unknown type (no merges)", _WHAT_FOR)


def check_ids(vocab: Node, tokens: list[str], ids: list[int]) -> None:
    """Check a table of tokens and ids.

    Raises:
        VocabularyError: an id that is none, or is given twice, or a token that is no text.
    """
    kinds = set(map(type, ids))
    if kinds != {int} or min(ids) < 0 or max(ids) > MAX_TOKEN_ID:
        for token, token_id in zip(tokens, ids, strict=True):
            vocab.child(token_id, f"[{token!r}]").number(0, MAX_TOKEN_ID)
    if len(set(ids)) != len(ids):
        twice = next(token_id for token_id, n in Counter(ids).items() if n > 1)
        owners = [t for t, i in zip(tokens, ids, strict=True) if i == twice]
        raise vocab.wrong(
            f"gives id {twice} to {shown(owners[0])} and to {shown(owners[1])}; "
            "an id belongs to one token"
        )
    try:
        "".join(tokens).encode()
    except UnicodeEncodeError:
        for token in tokens:
            vocab.child(token, f"[{token!r}]").text()
        raise


def _read_merges(node: Node, table: dict[str, int], n_prefix: int) -> array[int]:
    """Read the merges in either notation, "a b" or ["a", "b"]."""
    listed = node.elements()
    pairs: Iterable[list[str]] = listed
    if listed and isinstance(listed[0], str):
        if set(map(type, listed)) != {str}:
            raise _merge_fault(node, table, n_prefix)
        pairs = [line.split(" ") for line in listed if not line.startswith("#version")]
    try:
        if set(map(len, pairs)) - {2} or set(map(type, pairs)) - {list}:
            raise _merge_fault(node, table, n_prefix)
        merges = _positions(table, list(chain.from_iterable(pairs)))
    except (TypeError, UnicodeEncodeError):  # no strings, or with a lone surrogate
        raise _merge_fault(node, table, n_prefix) from None
    if _NOT_THERE in merges:
        raise _merge_fault(node, table, n_prefix)
    return merges


def _positions(table: dict[str, int], texts: list[str]) -> array[int]:
    """Return where each text stands among the keys of `table`, or `_NOT_THERE`."""
    positions = array("I")
    if texts:
        positions.frombytes(_core.find_tokens(*joined(table, texts)))
    return positions


def _merge_fault(node: Node, table: dict[str, int], n_prefix: int) -> VocabularyError:
    """Find the first merge that is at fault and say why."""
    is_text = isinstance(node.elements()[0], str)
    for merge in node:
        if is_text:
            line = merge.text()
            if line.startswith("#version"):
                continue
            parts = line.split(" ")
            if len(parts) != 2:
                return merge.wrong(
                    f"is {shown(line)}, expected two tokens with one space between them"
                )
        else:
            parts = [part.text() for part in merge]
            if len(parts) != 2:
                return merge.wrong(f"has {len(parts)} parts, expected two tokens")
        for part in parts:
            if part not in table:
                return merge.wrong(f"names {shown(part)}, which is not in the vocabulary")
        joined = parts[0] + parts[1][n_prefix:]
        if joined not in table:
            return merge.wrong(f"makes {shown(joined)}, which is not in the vocabulary")
    return node.wrong("is damaged")
