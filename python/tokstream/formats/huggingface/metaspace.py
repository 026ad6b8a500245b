"""Metaspace, which is a pre-tokenizer and a decoder: its settings.

Enters: the node. Leaves: replacement character, prepend scheme, whether it splits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from tokstream.formats.document import shown

if TYPE_CHECKING:
    from tokstream.formats.document import Node

__all__ = ["PrependScheme", "read_metaspace"]

PrependScheme = Literal["always", "first", "never"]

_SCHEMES = ("always", "first", "never")


def read_metaspace(node: Node) -> tuple[str, PrependScheme, bool]:
    """Read the settings.

    Raises:
        VocabularyError: settings that are damaged or contradict each other.
    """
    replacement = node["replacement"]
    if len(replacement.text()) != 1:
        raise replacement.wrong(f"is {shown(replacement.value)}, expected one character")
    given = node.get("prepend_scheme")
    scheme = "always" if given is None else given.choice(_SCHEMES)
    if not node.flag("add_prefix_space", default=True) and scheme != "never":
        # the old notation; without a scheme the new default contradicts it, to the reference too
        raise node.wrong(
            f"has add_prefix_space false but prepend_scheme {scheme!r}",
            'write "prepend_scheme": "never" instead',
        )
    return replacement.text(), cast("PrependScheme", scheme), node.flag("split", default=True)
