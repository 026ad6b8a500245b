"""vocab.json and merges.txt with what stands beside them, made by hand, and their references.

Enters: what should be in the files. Leaves: a folder, or a tokenizer of the `tokenizers` package
put together as the classes of `transformers` put it together, from its own parts.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, normalizers, pre_tokenizers
from tokenizers.models import BPE
from tokenizers.processors import RobertaProcessing, TemplateProcessing

from data import byte_characters

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["MERGES", "SPECIALS", "TEXTS", "reference", "tokens", "write_pair"]

SPECIALS = ("<s>", "<pad>", "</s>", "<unk>", "<|endoftext|>", "[CLS]", "[SEP]", "[PAD]", "[UNK]")
MERGES = (
    *("h e", "l l", "he ll", "hell o", "Ġ hell", "Ġhell o", "Ġ w", "Ġw o", "Ġ Ġ", "1 2", "12 3"),
    *("Ã ©", "' l", "'l l", "Ċ Ċ", "e Ì", "eÌ ģ", "Ġ <", "m a", "ma s", "mas k"),
)
TEXTS = (
    *("", " ", "hello", " hello world", "hello  hello\n\n hello", "12345 123", "he'll HE'LL"),
    *("e\u0301 \u00e9", "\ud55c\uad6d \u4e2d\u6587 \U0001f600", "<s>hello</s>", "a <mask> b<mask>"),
    *("<|endoftext|>", " <|endoftext|> x", "[CLS]he[SEP] [MASK]", "\u2126\u212b", "\0\x7f\u00ad"),
)
QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def tokens(*more: str, specials: tuple[str, ...] = SPECIALS) -> dict[str, int]:
    """Return a vocabulary: special tokens, the 256 bytes, what the merges make, and more."""
    listed = [*specials, *byte_characters().values(), *(m.replace(" ", "") for m in MERGES), *more]
    return {token: token_id for token_id, token in enumerate(listed)}


def write_pair(folder: Path, vocab: dict[str, int] | None = None, **files: Any) -> Path:
    """Write a folder; `files` are JSON files by their names without the ending."""
    folder.mkdir(exist_ok=True)
    vocab = tokens() if vocab is None else vocab
    (folder / "vocab.json").write_text(json.dumps(vocab, ensure_ascii=False), "utf-8")
    lines = ["#version: 0.2", *MERGES]
    (folder / "merges.txt").write_text("\n".join(lines) + "\n", "utf-8", newline="\n")
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content), "utf-8")
    return folder


def reference(
    folder: Path, family: str, *, add_prefix_space: bool = False, bos: str | None = None
) -> Tokenizer:
    """Return the tokenizer of a family: "gpt2", "qwen2", "roberta" or "deberta"."""
    hf = Tokenizer(BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt")))
    hf.decoder = decoders.ByteLevel()
    hf.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)
    if family == "qwen2":
        hf.normalizer = normalizers.NFC()
        split = pre_tokenizers.Split(Regex(QWEN), "isolated")
        level = pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space, use_regex=False)
        hf.pre_tokenizer = pre_tokenizers.Sequence([split, level])
    if family == "roberta":
        hf.add_special_tokens(["<s>", "</s>", "<unk>", "<pad>"])
        hf.add_special_tokens([AddedToken("<mask>", lstrip=True, normalized=False)])
        sep, cls = (text_and_id(hf, text) for text in ("</s>", "<s>"))
        hf.post_processor = RobertaProcessing(sep, cls, add_prefix_space=add_prefix_space)
    elif family == "deberta":
        hf.add_special_tokens(["[CLS]", "[SEP]", "[UNK]", "[PAD]"])
        hf.add_special_tokens([AddedToken("[MASK]", lstrip=True, normalized=False)])
        around = [text_and_id(hf, text) for text in ("[CLS]", "[SEP]")]
        hf.post_processor = TemplateProcessing("[CLS] $A [SEP]", None, around)
    else:
        hf.add_special_tokens(["<|endoftext|>"])
        if bos is not None:
            hf.add_special_tokens([bos])
            hf.post_processor = TemplateProcessing(f"{bos} $A", None, [text_and_id(hf, bos)])
    return hf


def text_and_id(hf: Tokenizer, text: str) -> tuple[str, int]:
    """Return a token as post-processors take it."""
    token_id = hf.token_to_id(text)
    assert token_id is not None
    return text, token_id
