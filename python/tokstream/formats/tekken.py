"""tekken.json, the format of Mistral's byte-level tokenizers: a document in, the parts out.

Enters: the parsed file. Leaves: `TokenizerParts`, which give exactly the ids of mistral-common's
`Tekkenizer`. Special tokens have the first ids, ranks come behind them; in a text they are text.
"""

from __future__ import annotations

import binascii
from array import array
from typing import TYPE_CHECKING

from tokstream.errors import PatternError, VocabularyError
from tokstream.formats.document import shown
from tokstream.formats.parts import AddedToken, Template, TokenizerParts
from tokstream.vocabulary import Vocabulary

if TYPE_CHECKING:
    from tokstream.formats.document import Node

__all__ = ["read_tekken"]

# for files that do not list them, which those of the first versions do not
_SPECIAL_TOKENS = (
    "<unk>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
)
_WITHOUT_LIST = ("v1", "v2", "v3", "v7")


def read_tekken(document: Node, name: str) -> TokenizerParts:
    """Read a tekken.json.

    Args:
        document: the whole document.
        name: what to call the tokenizer.

    Raises:
        VocabularyError: it is damaged; the message says at which JSON path.
        UnsupportedTokenizerError: a pattern that cannot be honoured exactly.

    Cost: O(bytes); 0.4 s for 130,000 tokens.
    """
    config = document["config"]
    n_special = config["default_num_special_tokens"].number()
    n_ids = config["default_vocab_size"].number(n_special)
    special_tokens = _special_tokens(document, n_special)
    tokens = _tokens(document["vocab"], n_ids - n_special)
    try:
        vocabulary = Vocabulary.from_tables(
            b"".join(tokens), array("I", map(len, tokens)), range(n_special, n_ids)
        )
    except VocabularyError as error:
        raise document["vocab"].wrong(f"is not sound: {error}") from None
    pattern = config["pattern"]
    from tokstream.patterns import compile_pattern  # noqa: PLC0415 - it brings the compiler

    try:
        automaton = compile_pattern(pattern.text()).to_bytes()
    except PatternError as error:
        raise pattern.unsupported(f"the pattern {shown(pattern.value)}", str(error)) from error
    bos = special_tokens.get("<s>")
    return TokenizerParts(
        name=name,
        format="tekken.json",
        vocabulary=vocabulary,
        n_vocab=n_ids,
        automaton=automaton,
        pattern=pattern.text(),
        dialect="tiktoken",
        added_tokens=tuple(AddedToken(text, k) for text, k in special_tokens.items()),
        special_tokens=special_tokens,
        template=Template(() if bos is None else (bos,)),
        special_default="plain",
        eos="</s>" if "</s>" in special_tokens else None,
    )


def _tokens(vocab: Node, n_tokens: int) -> list[bytes]:
    """Return the bytes of the first `n_tokens` entries, whose ranks are their positions."""
    listed = vocab.elements()
    if len(listed) < n_tokens:
        raise vocab.wrong(f"has {len(listed)} tokens, expected at least {n_tokens}")
    try:
        decode = binascii.a2b_base64
        tokens = [decode(item["token_bytes"], strict_mode=True) for item in listed[:n_tokens]]
        if all(item["rank"] == k for k, item in enumerate(listed[:n_tokens])):
            return tokens
    except (KeyError, TypeError, ValueError):
        pass
    for k, item in enumerate(vocab):
        rank = item["rank"]
        if rank.number() != k:
            raise rank.wrong(f"is {rank.value}, expected {k}: ranks count from 0 in order")
        text = item["token_bytes"]
        try:
            binascii.a2b_base64(text.text(), strict_mode=True)
        except ValueError as error:
            raise text.wrong(f"is no base64 ({error})") from None
    raise vocab.wrong("is damaged")


def _special_tokens(document: Node, n_special: int) -> dict[str, int]:
    listed = document.get("special_tokens")
    if listed is None:
        version = document["config"].get("version")
        if version is not None and version.text() not in _WITHOUT_LIST:
            raise document.wrong(
                f"has no 'special_tokens', which a file of version {version.value} has"
            )
        texts = list(_SPECIAL_TOKENS[:n_special])
    else:
        texts = []
        for k, item in enumerate(listed):
            rank = item["rank"]
            if rank.number() != k:
                raise rank.wrong(f"is {rank.value}, expected {k}: ranks count from 0 in order")
            texts.append(item["token_str"].text())
    if len(texts) > n_special:
        raise document.wrong(f"has {len(texts)} special tokens, but its config says {n_special}")
    texts += [f"<SPECIAL_{k}>" for k in range(len(texts), n_special)]
    table = {text: k for k, text in enumerate(texts)}
    if len(table) != len(texts) or "" in table:
        twice = next(text for text in texts if not text or texts.count(text) > 1)
        raise document.wrong(f"has the special token {shown(twice)} twice, or it is empty")
    return table
