"""What vocab.json and merges.txt do not say, for the tokenizer classes whose recipe is known.

Enters: the settings files beside a vocabulary, or the name of a class. Leaves: a `Recipe`. Refused,
by name: classes that are not known, and settings that name none; nothing is guessed.

Source: the conversion of slow tokenizers to fast ones in `transformers` 4.57, and the classes of
`transformers` 5, which agree on these but for what `tokens` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tokstream.errors import ConfigurationError
from tokstream.formats.document import shown
from tokstream.formats.known import QWEN_PATTERN

if TYPE_CHECKING:
    from tokstream.formats.document import Node
    from tokstream.formats.pair.settings import Settings

__all__ = ["CLASSES", "Recipe", "chosen_class", "named_class"]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the tokenizers of a class are put together.

    Attributes:
        tokens: the tokens with a role and their texts, where the settings do not say otherwise.
        pattern: how text is split; None: as the byte-level pre-tokenizer does it by itself.
        normalizer: the normalizer's type, None if there is none.
        template: what stands around a text: tokens that settings ask for ("asked"), or those with
            the roles cls and sep, in the order that RoBERTa has for two texts or in sequence.
        may_be_asked: the roles of the tokens that settings may ask for.
        mask_takes_blanks: whether a mask token that is only named takes the blanks before it.
    """

    tokens: dict[str, str]
    pattern: str | None = None
    normalizer: str | None = None
    template: Literal["asked", "roberta", "sequence"] = "asked"
    may_be_asked: tuple[str, ...] = ()
    mask_takes_blanks: bool = False

    def pre_tokenizer(self, *, add_prefix_space: bool) -> dict[str, Any]:
        """Return the member `pre_tokenizer` of the tokenizer.json."""
        level = {
            "type": "ByteLevel",
            "add_prefix_space": add_prefix_space,
            "trim_offsets": True,
            "use_regex": self.pattern is None,
        }
        if self.pattern is None:
            return level
        split = {
            "type": "Split",
            "pattern": {"Regex": self.pattern},
            "behavior": "Isolated",
            "invert": False,
        }
        return {"type": "Sequence", "pretokenizers": [split, level]}


_END = "<|endoftext|>"
_GPT2 = Recipe(
    {"bos_token": _END, "eos_token": _END, "unk_token": _END}, may_be_asked=("bos_token",)
)
_QWEN2 = Recipe(
    {"eos_token": _END, "unk_token": _END, "pad_token": _END},
    pattern=QWEN_PATTERN,
    normalizer="NFC",
)
_ROBERTA = Recipe(
    {
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "sep_token": "</s>",
        "pad_token": "<pad>",
        "cls_token": "<s>",
        "mask_token": "<mask>",
    },
    template="roberta",
    mask_takes_blanks=True,
)
_DEBERTA = Recipe(
    {
        "bos_token": "[CLS]",
        "eos_token": "[SEP]",
        "unk_token": "[UNK]",
        "sep_token": "[SEP]",
        "pad_token": "[PAD]",
        "cls_token": "[CLS]",
        "mask_token": "[MASK]",
    },
    template="sequence",
    mask_takes_blanks=True,
)

CLASSES = {
    "GPT2Tokenizer": _GPT2,
    "CodeGenTokenizer": _GPT2,
    "Qwen2Tokenizer": _QWEN2,
    "RobertaTokenizer": _ROBERTA,
    "BartTokenizer": _ROBERTA,
    "LongformerTokenizer": _ROBERTA,
    "LEDTokenizer": _ROBERTA,
    "MvpTokenizer": _ROBERTA,
    "DebertaTokenizer": _DEBERTA,
}
"""Known classes of `transformers`; each is also known with `Fast` behind its name."""

_MODEL_TYPES = {
    "GPT2Tokenizer": "gpt2 gpt_neo gptj opt blip-2 instructblip starcoder2 dbrx emu3",
    "CodeGenTokenizer": "codegen phi",
    "Qwen2Tokenizer": "qwen2 qwen2_moe qwen2_vl qwen2_audio qwen2_5_vl qwen2_5_omni qwen3 "
    "qwen3_moe qwen3_next qwen3_vl qwen3_vl_moe qwen3_omni_moe internvl colqwen2",
    "RobertaTokenizer": "roberta roberta-prelayernorm data2vec-text ibert mra clap bridgetower",
    "BartTokenizer": "bart",
    "LongformerTokenizer": "longformer",
    "LEDTokenizer": "led",
    "MvpTokenizer": "mvp",
    "DebertaTokenizer": "deberta",
}
_CLASS_OF_TYPE = {
    model_type: name for name, types in _MODEL_TYPES.items() for model_type in types.split()
}
_SAVE = (
    "save the tokenizer as tokenizer.json (load it with `transformers` and call `save_pretrained`)"
)
_NAME_IT = 'pass tokenizer_class="..." if you know that it splits text as one of these'


def named_class(name: object) -> str:
    """Return the class that an argument names.

    Raises:
        ConfigurationError: it is none that is known.
    """
    if isinstance(name, str) and (known := name.removesuffix("Fast")) in CLASSES:
        return known
    raise ConfigurationError(
        f"tokenizer_class is {shown(name)}; known are {', '.join(CLASSES)}. for another one {_SAVE}"
    )


def chosen_class(settings: Settings, label: str) -> str:
    """Return the known class that the settings name.

    `tokenizer_class` of tokenizer_config.json comes first, then that of config.json, then the class
    that `transformers` takes for config.json's `model_type`.

    Args:
        settings: the files beside the vocabulary.
        label: how to call the vocabulary.

    Raises:
        ConfigurationError: they name none.
        UnsupportedTokenizerError: they name one that is not known, or two that differ.
    """
    model_type = _text(settings.model, "model_type")
    by_type = None if model_type is None else _CLASS_OF_TYPE.get(str(model_type.value))
    for where in (settings.config, settings.model):
        named = _text(where, "tokenizer_class")
        if named is None:
            continue
        name = str(named.value).removesuffix("Fast")
        if name not in CLASSES:
            raise _unknown(named, f"the tokenizer class {shown(named.value)}")
        if by_type == "Qwen2Tokenizer" and CLASSES[name] is not CLASSES[by_type]:
            raise named.unsupported(
                f"the tokenizer class {shown(named.value)} for a model of type "
                f"{shown(model_type and model_type.value)}",
                f"transformers 4 takes this class and transformers 5 takes {by_type}; pass "
                f'tokenizer_class="{name}" or "{by_type}"',
            )
        return name
    if by_type is not None:
        return by_type
    if model_type is not None:
        raise _unknown(model_type, f"the tokenizer of a model of type {shown(model_type.value)}")
    raise ConfigurationError(
        f"{label}: vocab.json and merges.txt do not say how text is split, and no "
        "tokenizer_config.json or config.json beside them names a tokenizer_class or model_type. "
        f"{_NAME_IT}: {', '.join(CLASSES)}. else {_SAVE}"
    )


def _unknown(node: Node, what: str) -> Exception:
    return node.unsupported(
        what,
        "vocab.json and merges.txt do not say how text is split, and the recipe of this one is not "
        f"known. {_NAME_IT}: {', '.join(CLASSES)}. else {_SAVE}",
    )


def _text(node: Node | None, key: str) -> Node | None:
    """Return a member that is a text, None if there is none."""
    member = None if node is None else node.get(key)
    if member is None or member.text() == "":
        return None
    return member
