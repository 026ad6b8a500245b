"""What rank files do not say, for the models that people use: pattern, special tokens, default.

Enters: a directory's tokenizer_config.json. Leaves: a `KnownModel`, or None if it names none.
A rank file holds tokens only; its pattern stands in the code that ships with the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokstream.formats.document import shown

if TYPE_CHECKING:
    from tokstream.formats.document import Node
    from tokstream.formats.parts import Step

__all__ = ["QWEN_PATTERN", "KnownModel", "known_model", "special_tokens_of"]

_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_REST = r"\s*[\r\n]+|\s+(?!\S)|\s+"

_LLAMA_3 = (
    _CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|" + _REST
)
QWEN_PATTERN = _LLAMA_3.replace(r"\p{N}{1,3}", r"\p{N}")


def _cased(letters: str) -> str:
    """Words by case, as o200k's pattern finds them; `letters` is what is taken away from them."""
    upper = rf"[\p{{Lu}}\p{{Lt}}\p{{Lm}}\p{{Lo}}\p{{M}}{letters}]"
    lower = rf"[\p{{Ll}}\p{{Lm}}\p{{Lo}}\p{{M}}{letters}]"
    first = r"[^\r\n\p{L}\p{N}]?"
    return (
        f"{first}{upper}*{lower}+{_CONTRACTIONS}?|{first}{upper}+{lower}*{_CONTRACTIONS}?"
        r"|\p{N}{1,3}"
    )


_LLAMA_4 = _cased("") + r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|" + _REST
_KIMI = r"[\p{Han}]+|" + _cased(r"&&[^\p{Han}]") + r"| ?[^\s\p{L}\p{N}]+[\r\n]*|" + _REST


@dataclass(frozen=True, slots=True)
class KnownModel:
    """What is known of a model's tokenizer.

    Attributes:
        what: the model's name.
        pattern: its pattern, in tiktoken's dialect.
        bos: the special token before a text, empty if there is none.
        eos: the special token that ends a text.
        fixed: special tokens in order of id, from the first id behind the ranks on; for files
            that do not list them.
        n_reserved: ids behind the ranks that are special tokens, whether they are listed or not.
        normalizer: steps before anything else.
    """

    what: str
    pattern: str
    eos: str
    bos: str = ""
    fixed: tuple[str, ...] = ()
    n_reserved: int = 0
    normalizer: tuple[Step, ...] = ()


_MODELS = {
    "llama3": KnownModel("Llama 3", _LLAMA_3, "<|end_of_text|>", "<|begin_of_text|>"),
    "llama4": KnownModel("Llama 4", _LLAMA_4, "<|end_of_text|>", "<|begin_of_text|>"),
    "qwen": KnownModel(
        "Qwen",
        QWEN_PATTERN,
        "<|endoftext|>",
        fixed=(
            "<|endoftext|>",
            "<|im_start|>",
            "<|im_end|>",
            *(f"<|extra_{k}|>" for k in range(205)),
        ),
        normalizer=(("nfc",),),
    ),
    "kimi": KnownModel("Kimi", _KIMI, "[EOS]", "[BOS]", n_reserved=256),
}


def known_model(config: Node) -> KnownModel | None:
    """Return the model that a tokenizer_config.json is of, None if it names none that is known."""
    kind = config.get("tokenizer_class")
    name = kind.text() if kind is not None and isinstance(kind.value, str) else ""
    code = shown(config.members().get("auto_map", ""))
    if name == "QWenTokenizer":
        return _MODELS["qwen"]
    if "tokenization_kimi" in code or name == "TikTokenTokenizer":
        return _MODELS["kimi"]
    listed = {item["content"].text() for item in _listed(config)}
    if "<|begin_of_text|>" in listed:
        if "<|header_start|>" in listed:
            return _MODELS["llama4"]
        if "<|start_header_id|>" in listed:
            return _MODELS["llama3"]
    return None


def special_tokens_of(model: KnownModel, config: Node, first_id: int) -> dict[str, int]:
    """Return the special tokens: those that the file lists, or those that the model's code has.

    Args:
        model: the model.
        config: its tokenizer_config.json.
        first_id: the first id behind the ranks.

    Raises:
        VocabularyError: an entry that is damaged.
    """
    found: dict[str, int] = {}
    for item in _listed(config):
        number = item.place.rsplit("[", 1)[1].strip("]'\"")
        if not number.isdecimal():
            raise item.wrong("stands under a key that is no id")
        if int(number) >= first_id:
            found[item["content"].text()] = int(number)
    if not found:
        found = {text: first_id + k for k, text in enumerate(model.fixed)}
    taken = set(found.values())
    for token_id in range(first_id, first_id + model.n_reserved):
        if token_id not in taken:
            found[f"<|reserved_token_{token_id}|>"] = token_id
    return dict(sorted(found.items(), key=lambda item: item[1]))


def _listed(config: Node) -> list[Node]:
    table = config.get("added_tokens_decoder")
    if table is None:
        return []
    return [table.child(value, f"[{key!r}]") for key, value in table.members().items()]
