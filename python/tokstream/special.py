"""Which special tokens a call honours and which it refuses.

Enters: `allowed_special` and `disallowed_special` as a user gives them.
Leaves: a native set, prepared once for each combination and kept.
"""

from __future__ import annotations

from tokstream import _core
from tokstream._light import TYPE_CHECKING
from tokstream.errors import ConfigurationError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokstream._types import SpecialChoice
    from tokstream.formats.parts import SpecialDefault

__all__ = ["SpecialPolicy"]

_MAX_KEPT = 64
# Choices that cannot change are looked up as they are: working out what is left of a thousand
# special tokens takes fifty times as long as a short text.
_FROZEN = frozenset((type(None), str, tuple, frozenset))


class SpecialPolicy:
    """The special tokens of one tokenizer, and what its format's reference does with them.

    `allowed_special` become their ids wherever the text spells them, leftmost then longest.
    `disallowed_special` make the text an error wherever they occur. All other text is plain.
    What a call leaves out is the format's default: "refuse", tiktoken's, allows nothing and
    disallows everything else; "recognise" allows everything; "plain" does neither.
    """

    def __init__(
        self,
        special_tokens: Mapping[str, int],
        default: SpecialDefault = "refuse",
        core: _core.Core | None = None,
    ) -> None:
        """Prepare the policy.

        Args:
            special_tokens: text to id.
            default: what is done with special tokens that a call does not speak of.
            core: tables with added tokens of their own, special ones and others.
        """
        self._tokens = dict(special_tokens)
        self._default = default
        self._core = core
        self._choices: dict[tuple[SpecialChoice, SpecialChoice], _core.SpecialSet] = {}
        self._kept: dict[tuple[frozenset[str], frozenset[str]], _core.SpecialSet] = {}
        self._plain: _core.SpecialSet | None = None
        self.default = self._resolve(None, None)

    @property
    def plain(self) -> _core.SpecialSet:
        """The set for which special tokens are plain text."""
        if self._plain is None:
            self._plain = self._prepare(frozenset(), frozenset())
        return self._plain

    def resolve(
        self, allowed_special: SpecialChoice, disallowed_special: SpecialChoice
    ) -> _core.SpecialSet:
        """Return the native set for a user's choice.

        Names that are no special token are ignored in `allowed_special` and refused as text in
        `disallowed_special`, as in tiktoken.

        Raises:
            ConfigurationError: a bare string other than "all", or names that are not `str`.
        """
        if allowed_special is None and disallowed_special is None:
            return self.default
        choice = (
            frozenset(allowed_special) if type(allowed_special) is set else allowed_special,
            frozenset(disallowed_special)
            if type(disallowed_special) is set
            else disallowed_special,
        )
        if type(choice[0]) not in _FROZEN or type(choice[1]) not in _FROZEN:
            return self._resolve(*choice)
        try:
            if (known := self._choices.get(choice)) is not None:
                return known
        except TypeError:  # a tuple of something that has no hash: refused by name
            return self._resolve(*choice)
        if len(self._choices) >= _MAX_KEPT:
            self._choices.clear()
        self._choices[choice] = known = self._resolve(*choice)
        return known

    def _resolve(
        self, allowed_special: SpecialChoice, disallowed_special: SpecialChoice
    ) -> _core.SpecialSet:
        return self._prepare(*self.names(allowed_special, disallowed_special))

    def names(
        self, allowed_special: SpecialChoice, disallowed_special: SpecialChoice
    ) -> tuple[frozenset[str], frozenset[str]]:
        """Return what is honoured and what is refused, by name.

        Raises:
            ConfigurationError: as `resolve`.
        """
        every = frozenset(self._tokens)
        disallowed: frozenset[str] | None = None
        if disallowed_special is not None and disallowed_special != "all":
            disallowed = self._names(disallowed_special)
        if allowed_special is not None:
            allowed = self._names(allowed_special)
        elif self._default == "recognise" and disallowed_special != "all":
            allowed = every - (disallowed or frozenset())
        else:
            allowed = frozenset()
        if disallowed is None:
            refuses = disallowed_special == "all" or self._default == "refuse"
            disallowed = every - allowed if refuses else frozenset()
        return allowed, disallowed

    def freeze(self, choice: SpecialChoice) -> SpecialChoice:
        """Return a choice that no later change of the caller's collection can change."""
        return choice if choice is None or choice == "all" else self._names(choice)

    def id_of(self, name: str) -> int:
        """Return the id of a special token by its text.

        Raises:
            UnknownNameError: no such special token; the message lists close matches.
        """
        try:
            return self._tokens[name]
        except (KeyError, TypeError):
            import difflib  # noqa: PLC0415 - only for this message

            close = (
                difflib.get_close_matches(str(name), self._tokens, n=3) or list(self._tokens)[:5]
            )
            raise UnknownNameError(
                f"no special token is named {name!r}; "
                + (f"close ones are {', '.join(map(repr, close))}" if close else "there are none")
            ) from None

    def _names(self, choice: SpecialChoice) -> frozenset[str]:
        if choice == "all":
            return frozenset(self._tokens)
        if isinstance(choice, str):
            raise ConfigurationError(
                f'a string names no set of special tokens: pass "all" or {{{choice!r}}}'
            )
        names = frozenset(choice or ())
        if wrong := [name for name in names if not isinstance(name, str) or not name]:
            raise ConfigurationError(
                f"special tokens are named by their text, a non-empty str; got {wrong[0]!r}"
            )
        return names

    def _prepare(self, allowed: frozenset[str], disallowed: frozenset[str]) -> _core.SpecialSet:
        key = (allowed, disallowed)
        known = self._kept.get(key)
        if known is None:
            for name in allowed | disallowed:
                _check_utf8(name)
            names = [name for name in sorted(allowed) if name in self._tokens]
            if self._core is not None:
                known = self._core.special_set(names, sorted(disallowed))
            else:
                pairs = [(name, self._tokens[name]) for name in names]
                known = _core.SpecialSet(pairs, sorted(disallowed))
            if len(self._kept) >= _MAX_KEPT:
                self._kept.clear()
            # two threads may prepare the same set; all use the one that was there first
            known = self._kept.setdefault(key, known)
        return known


def _check_utf8(name: str) -> None:
    try:
        name.encode()
    except UnicodeEncodeError:
        raise ConfigurationError(
            f"the special token name {name!r} holds a lone surrogate, which no text spells: "
            "surrogates are joined or replaced first; leave it out"
        ) from None
