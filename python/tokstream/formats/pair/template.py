"""What stands around a text: the post-processor that a tokenizer class gets.

Enters: the recipe, the settings, the special tokens. Leaves: the member `post_processor` of the
tokenizer.json. Refused: settings that `transformers` 4 and 5 read in two ways.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokstream.errors import ConfigurationError
from tokstream.formats.pair.tokens import TWO_READINGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokstream.formats.document import Node
    from tokstream.formats.pair.recipes import Recipe

__all__ = ["BYTE_LEVEL", "post_processor"]

BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": True,
    "trim_offsets": True,
    "use_regex": True,
}
"""The decoder of all of them."""

_TEXT = {"Sequence": {"id": "A", "type_id": 0}}
_SECOND = {"Sequence": {"id": "B", "type_id": 1}}


def post_processor(
    recipe: Recipe, config: Node | None, roles: Mapping[str, str | None], ids: Mapping[str, int]
) -> dict[str, Any]:
    """Return the post-processor.

    Args:
        recipe: of the tokenizer's class.
        config: tokenizer_config.json, None if there is none.
        roles: the special tokens by role.
        ids: ids of all added tokens.

    Raises:
        ConfigurationError: a token that should stand there, but that the settings take away.
        UnsupportedTokenizerError: something that has two readings.
    """
    if recipe.template == "asked":
        asked = [role for role in ("bos_token", "eos_token") if _flag(config, f"add_{role}")]
        for role in asked:
            if config is not None and role not in recipe.may_be_asked:
                raise config[f"add_{role}"].unsupported(f"add_{role}", TWO_READINGS)
        if not asked:
            return {**BYTE_LEVEL, "trim_offsets": False}
        return _template([_text(roles, role) for role in asked], [], ids)
    cls, sep = (_text(roles, role) for role in ("cls_token", "sep_token"))
    if recipe.template == "roberta":
        return {
            "type": "RobertaProcessing",
            "sep": [sep, ids[sep]],
            "cls": [cls, ids[cls]],
            "trim_offsets": _flag(config, "trim_offsets", default=True),
            "add_prefix_space": _flag(config, "add_prefix_space"),
        }
    for role, text in (("cls_token", cls), ("sep_token", sep)):
        if config is not None and text != recipe.tokens[role]:
            raise config.unsupported(f"another {role} than {recipe.tokens[role]!r}", TWO_READINGS)
    return _template([cls], [sep], ids)


def _template(opening: list[str], closing: list[str], ids: Mapping[str, int]) -> dict[str, Any]:
    single = [*_special(opening), _TEXT, *_special(closing)]
    return {
        "type": "TemplateProcessing",
        "single": single,
        "pair": [*single, _SECOND, *_special(closing, 1)],
        "special_tokens": {
            text: {"id": text, "ids": [ids[text]], "tokens": [text]}
            for text in (*opening, *closing)
        },
    }


def _special(texts: list[str], type_id: int = 0) -> list[dict[str, Any]]:
    return [{"SpecialToken": {"id": text, "type_id": type_id}} for text in texts]


def _text(roles: Mapping[str, str | None], role: str) -> str:
    text = roles.get(role)
    if not text:
        raise ConfigurationError(
            f"a text should have the {role} beside it, but the settings say that there is none; "
            f"give a {role} in tokenizer_config.json"
        )
    return text


def _flag(config: Node | None, key: str, *, default: bool = False) -> bool:
    return default if config is None else config.flag(key, default=default)
