"""`as_hf` against the `tokenizers` package: equal encodings, column by column.

Enters: two encodings, or two tokenizers and texts. Leaves: nothing; differences are assertions.
"""

from __future__ import annotations

import threading
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

    from tokenizers import Tokenizer as Peer

    from tokstream.compat.huggingface import Tokenizer

__all__ = [
    "COLUMNS",
    "assert_equal",
    "compare_calls",
    "compare_settings",
    "compare_vocabulary",
    "run_threads",
]

COLUMNS = (
    *("ids", "type_ids", "tokens", "offsets", "word_ids", "special_tokens_mask"),
    *("attention_mask", "sequence_ids", "n_sequences"),
)


def assert_equal(
    ours: Any, peer: Any, where: object = "", columns: Sequence[str] = COLUMNS
) -> None:
    """Compare two encodings, and what overflows of them."""
    for name in columns:
        assert getattr(ours, name) == getattr(peer, name), (name, where)
    assert len(ours) == len(peer)
    assert repr(ours) == repr(peer)
    mine, theirs = ours.overflowing, peer.overflowing
    assert len(mine) == len(theirs), where
    for k, (part, other) in enumerate(zip(mine, theirs, strict=True)):
        assert_equal(part, other, (where, "overflowing", k), columns)


def both(ours: Tokenizer, peer: Peer, call: Callable[[Any], Any]) -> tuple[Any, Any] | None:
    """Call both; None where the reference fails, as tokstream must then."""
    try:
        expected = call(peer)
    except BaseException as error:  # the reference also panics
        if isinstance(error, KeyboardInterrupt):
            raise
        try:
            call(ours)
        except ValueError:
            return None
        raise AssertionError(f"the reference refuses this: {error}") from error
    return call(ours), expected


def compare_calls(
    ours: Tokenizer,
    peer: Peer,
    texts: Sequence[str],
    columns: Sequence[str] = COLUMNS,
) -> None:
    """Single texts, pairs, words, with and without special tokens; and back."""
    for text, other in zip(texts, [*texts[1:], texts[0]], strict=True):
        for adds in (True, False):
            calls: list[tuple[tuple[Any, ...], bool]] = [((text,), False), ((text, other), False)]
            words = text.split(" "), other.split(" ")
            calls += [((words[0],), True), (words, True)]
            for given, is_words in calls:
                options = {"add_special_tokens": adds, "is_pretokenized": is_words}
                got, expected = ours.encode(*given, **options), peer.encode(*given, **options)
                assert_equal(got, expected, (given, options), columns)
        ids = peer.encode(text).ids
        for skips in (True, False):
            decoded = peer.decode(ids, skip_special_tokens=skips)
            assert ours.decode(ids, skip_special_tokens=skips) == decoded


def compare_settings(
    ours: Tokenizer,
    peer: Peer,
    texts: Sequence[str],
    rng: random.Random,
    n: int,
    columns: Sequence[str] = COLUMNS,
) -> None:
    """Truncation and padding of all kinds, on batches of texts and pairs."""
    for _ in range(n):
        cut: dict[str, Any] = {
            "max_length": rng.randrange(14),
            "stride": rng.choice([0, 0, 1, 2]),
            "strategy": rng.choice(["longest_first", "only_first", "only_second"]),
            "direction": rng.choice(["left", "right"]),
        }
        if both(ours, peer, lambda t: t.enable_truncation(**cut)) is None:  # noqa: B023 - at once
            continue
        assert ours.truncation == peer.truncation
        if rng.random() < 0.6:
            pad: dict[str, Any] = {
                "direction": rng.choice(["left", "right"]),
                "pad_id": rng.randrange(5),
                "pad_type_id": rng.randrange(3),
                "pad_token": "<pad>",
                "length": rng.choice([None, None, 9, 20]),
                "pad_to_multiple_of": rng.choice([None, None, 4, 7]),
            }
            for tokenizer in (ours, peer):
                tokenizer.enable_padding(**pad)
            assert ours.padding == peer.padding
        batch = [rng.choice([a, (a, b)]) for a, b in pairwise(texts)]
        batch = rng.sample(batch, min(4, len(batch)))
        for verb in ("encode_batch", "encode_batch_fast"):
            found = both(ours, peer, lambda t: getattr(t, verb)(batch))  # noqa: B023 - at once
            for got, expected in zip(*(found or ((), ())), strict=True):
                assert_equal(got, expected, (cut, batch), columns)
        for given in batch:
            pair = given if isinstance(given, tuple) else (given,)
            found = both(ours, peer, lambda t: t.encode(*pair))  # noqa: B023 - at once
            if found is not None:
                assert_equal(*found, (cut, pair), columns)
        for tokenizer in (ours, peer):
            tokenizer.no_padding()
            tokenizer.no_truncation()


def compare_vocabulary(ours: Tokenizer, peer: Peer) -> None:
    """Tokens, ids, added tokens."""
    for with_added in (True, False):
        assert ours.get_vocab(with_added) == peer.get_vocab(with_added)
        assert ours.get_vocab_size(with_added) == peer.get_vocab_size(with_added)
    added = peer.get_added_tokens_decoder()
    mine = ours.get_added_tokens_decoder()
    assert {k: repr(token) for k, token in mine.items()} == {k: repr(t) for k, t in added.items()}
    largest = max(peer.get_vocab().values(), default=0)
    for token_id in (0, 1, largest, largest + 1, *added):
        assert ours.id_to_token(token_id) == peer.id_to_token(token_id)
    for token in ("a", "hello", "no such token", *(token.content for token in added.values())):
        assert ours.token_to_id(token) == peer.token_to_id(token)
    for is_pair in (True, False):
        assert ours.num_special_tokens_to_add(is_pair) == peer.num_special_tokens_to_add(is_pair)


def run_threads(work: Any, n: int) -> None:
    """Call `work` with 0 .. n - 1, each in its own thread; raise what one of them raised."""
    errors: list[BaseException] = []

    def guarded(k: int) -> None:
        try:
            work(k)
        except BaseException as error:  # noqa: BLE001 - raised in the test's thread
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(k,)) for k in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
