"""All that encoding and decoding read of a tokenizer, at one moment: immutable, shared by threads.

Enters: a definition, the parts made of it, added tokens. Leaves: native tables and what looks
tokens up. Held back: native tables for tokens that were added later, until they are needed.
"""

from __future__ import annotations

from array import array
from dataclasses import replace
from operator import index
from typing import TYPE_CHECKING

from tokstream import _core
from tokstream._locks import Lock, kept
from tokstream.compat.huggingface.added import WHITE_SPACE
from tokstream.compat.huggingface.plan import Frame, Plan
from tokstream.compat.huggingface.processing import Processor, read_processor
from tokstream.compat.huggingface.runs import Reader
from tokstream.compat.huggingface.token_texts import texts_of
from tokstream.decoding.tokens import TokenDecoder
from tokstream.errors import InvalidTokenIdError, UnsupportedTokenizerError
from tokstream.formats.document import Node
from tokstream.formats.huggingface import read_with_model
from tokstream.formats.huggingface.decoders import read_decoder
from tokstream.formats.huggingface.pretokenizers import read_pretokenizer
from tokstream.formats.parts import AddedToken as PlainToken
from tokstream.formats.parts import Template
from tokstream.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tokstream.compat.huggingface.added import AddedVocabulary
    from tokstream.compat.huggingface.definition import Definition
    from tokstream.compat.huggingface.token_texts import TokenTexts
    from tokstream.formats.parts import TokenizerParts

__all__ = ["State"]

_LETTER = "\u0298"
"""A letter that no form or rule is likely to change."""


class State:
    """A tokenizer at one moment.

    Attributes:
        definition: what its file says.
        parts: what the engine is made of; their added tokens are those of the file.
        added: its added tokens.
    """

    def __init__(
        self,
        definition: Definition,
        parts: TokenizerParts,
        added: AddedVocabulary,
        *,
        native: Tokenizer | None = None,
    ) -> None:
        self.definition = definition
        self.parts = parts
        self.added = added
        self._plans: dict[tuple[int, bool, int], Plan] = {}
        self._making = Lock()
        if native is not None:
            self.__dict__["native"] = native

    def with_added(self, added: AddedVocabulary) -> State:
        """Return the state with other added tokens."""
        return State(self.definition, self.parts, added)

    def with_part(self, name: str, value: object) -> State:
        """Return the state with another normalizer, pre-tokenizer, post-processor or decoder.

        Raises:
            UnsupportedTokenizerError: a part that cannot be honoured exactly.

        Cost: O(1) for a post-processor; for others the tables are made anew, about a second.
        """
        definition = self.definition.with_part(name, value)
        if name == "post_processor":
            state = State(
                definition,
                self.parts,
                self.added,
                native=self.__dict__.get("native"),
            )
            state.processor  # noqa: B018 - it is read, and refused if it must be
            return state
        added = self.added.anew() if name == "normalizer" else self.added
        return self._remade(definition, added)

    def with_model(self, model: Definition) -> State:
        """Return the state with the model of another definition; added tokens keep their ids.

        Raises:
            UnsupportedTokenizerError: what cannot be honoured exactly together.
        """
        return self._remade(replace(model, parts=self.definition.parts), self.added)

    def _remade(self, definition: Definition, added: AddedVocabulary) -> State:
        # added tokens and post-processor, which may name such tokens, are read elsewhere
        content = {**definition.document([], None, None), "post_processor": None}
        parts, _ = read_with_model(Node(content, "$", "tokenizer.json", None), self.parts.name)
        return State(definition, parts, added)

    @kept
    def native(self) -> Tokenizer:
        """The native tokenizer.

        Raises:
            UnsupportedTokenizerError: added tokens that cannot be honoured exactly.

        Cost: some tenths of a second for 100,000 tokens, once for each set of added tokens, however
        many threads ask for it at the same time.
        """
        with self._making:
            known: Tokenizer | None = self.__dict__.get("native")
            if known is None:
                known = self.__dict__["native"] = self._made()
            return known

    def _made(self) -> Tokenizer:
        plain = tuple(
            PlainToken(
                token.content,
                token_id,
                token.content in self.added.specials,
                token.normalized,
                token.lstrip,
                token.rstrip,
                token.single_word,
            )
            for token_id, token in sorted(self.added.by_id.items())
        )
        n_vocab = max(self.parts.n_vocab, 1 + max(self.added.by_id, default=-1))
        parts = replace(
            self.parts.with_n_vocab(n_vocab),
            added_tokens=plain,
            special_tokens={t.content: t.id for t in plain if t.special},
            special_default="recognise",
        )
        return Tokenizer._from_parts(parts)  # noqa: SLF001 - made for it

    @kept
    def templated(self) -> Tokenizer:
        """The native tokenizer, with what the post-processor puts around one text.

        Raises:
            UnsupportedTokenizerError: the text stands in the template twice, or not at all.
        """
        frame = self.frames[True]
        if frame is None:
            raise UnsupportedTokenizerError(
                "the post-processor puts more than one text into what it makes of one; "
                "take ids from the tokenizer itself",
                "post_processor",
            )
        template = Template(tuple(frame.before.ids), tuple(frame.after.ids))
        native = self.native
        parts = native._parts or self.parts  # noqa: SLF001 - of this package
        if parts.template == template:
            return native
        return Tokenizer._from_parts(replace(parts, template=template))  # noqa: SLF001

    @kept
    def is_byte_level(self) -> bool:
        """Are pretokens spelled in the byte-level alphabet?"""
        return read_pretokenizer(self.node("pre_tokenizer"))[1]

    @kept
    def keeps_all(self) -> bool:
        """Does each character of a text stand in a token, so that one token stands for all?"""
        parts = self.parts
        return not parts.normalizer and not parts.levels and parts.drops_unknown is None

    @kept
    def merging(self) -> Tokenizer:
        """The model alone: a text is one pretoken, and nothing is looked for in it."""
        parts = replace(
            self.parts,
            normalizer=(),
            levels=(),
            automaton=None,
            added_tokens=(),
            special_tokens={},
            template=Template(),
        )
        return Tokenizer._from_parts(parts)  # noqa: SLF001 - made for it

    def merge(self, piece: bytes) -> list[int]:
        """Return the ids of any bytes that are one pretoken."""
        is_whole = bool(self.definition.options["ignore_merges"])
        return self.merging._core.merge(piece, is_whole)  # noqa: SLF001 - of the same package

    @kept
    def core(self) -> _core.Core:
        """The native tables."""
        return self.native._core  # noqa: SLF001 - of the same package

    @kept
    def readers(self) -> tuple[Reader, Reader]:
        """Reads texts with all added tokens, or with special ones as text."""
        policy = self.native._special  # noqa: SLF001 - of the same package
        return Reader(self, policy.default), Reader(self, policy.plain)

    @kept
    def processor(self) -> Processor | None:
        """What is put around texts."""
        return read_processor(self.node("post_processor"))

    def plan(self, n_texts: int, *, adds: bool, second_type: int) -> Plan:
        """Return how one text or a pair becomes an encoding."""
        key = (n_texts, adds, second_type)
        plan = self._plans.get(key)
        if plan is None:
            plan = Plan(self.processor, n_texts, adds=adds, second_type=second_type)
            self._plans[key] = plan
        return plan

    @kept
    def frames(self) -> tuple[Frame | None, Frame | None]:
        """What one text is put into, without special tokens and with them."""
        bare, full = (self.plan(1, adds=adds, second_type=1).frame for adds in (False, True))
        return bare, full

    def n_added(self, n_texts: int) -> int:
        """Return how many tokens are put around one text or a pair."""
        return 0 if self.processor is None else self.processor.n_added(n_texts)

    def node(self, name: str) -> Node | None:
        """Return a part of the definition as a node."""
        value = self.definition.parts.get(name)
        return None if value is None else Node(value, f"$.{name}", "tokenizer.json", None)

    # --- tokens ----------------------------------------------------------------------------------

    def spelled(self, ids: Sequence[int]) -> list[str]:
        """Return the texts of tokens that were found in a text."""
        return list(map(self.spell, ids))

    @kept
    def spell(self) -> Callable[[int], str]:
        """Gives the text of a token that was found in a text."""
        spellings = self.definition.spellings
        if not self.added.by_id.keys() <= spellings.keys():
            spellings = {k: token.content for k, token in self.added.by_id.items()} | spellings
        return spellings.__getitem__

    @kept
    def token(self) -> Callable[[int], str | None]:
        """Gives the text of a token, None if there is none with this id."""
        spellings = self.definition.spellings
        added = {token_id: self.written(token_id) for token_id in self.added.by_id}
        return (spellings if added.items() <= spellings.items() else spellings | added).get

    @kept
    def token_id(self) -> Callable[[str], int | None]:
        """Gives the id of a token, None if there is none with this text."""
        table, ids = self.definition.table, self.added.ids
        if any(table.get(text, token_id) != token_id for text, token_id in ids.items()):
            return {**table, **ids}.get
        if ids.keys() <= table.keys():
            return table.get
        return lambda text: ids.get(text) if (found := table.get(text)) is None else found

    def as_found(self, text: str, token_id: int, *, follows: bool, goes_on: bool) -> str:
        """Return what an added token was found as: what is looked for, and blanks it takes in.

        Args:
            text: the part of the text that it was found in.
            token_id: its id.
            follows: whether text precedes it that was normalized together with it.
            goes_on: likewise, behind it.
        """
        token = self.added.by_id[token_id]
        if not token.normalized or not self.parts.normalizer:
            return text
        written = self.written(token_id)
        if not (token.lstrip or token.rstrip):
            return written
        found = self._normalized_inside(text, follows=follows, goes_on=goes_on)
        if written not in found and written in (alone := self.normalized(text)):
            found = alone
        at = found.find(written) if token.rstrip else found.rfind(written)
        before, behind = found[:at], found[at + len(written) :]
        if at < 0:  # what became the token is more, or less, than that
            before = found[: len(found) - len(found.lstrip(WHITE_SPACE))]
            behind = found[len(found.rstrip(WHITE_SPACE)) :]
        left = before[len(before.rstrip(WHITE_SPACE)) :] if token.lstrip else ""
        right = behind[: len(behind) - len(behind.lstrip(WHITE_SPACE))] if token.rstrip else ""
        return f"{left}{written}{right}"

    def _normalized_inside(self, text: str, *, follows: bool, goes_on: bool) -> str:
        """Return a text as the normalizer makes it between other text."""
        found = self.normalized(f"{_LETTER * follows}{text}{_LETTER * goes_on}")
        if found.count(_LETTER) != follows + goes_on:
            return self.normalized(text)
        found = found.partition(_LETTER)[2] if follows else found
        return found.rpartition(_LETTER)[0] if goes_on else found

    def written(self, token_id: int) -> str:
        """Return what an added token is decoded to: what is looked for.

        One that was once added as normalized stays so here, as in the reference.
        """
        if token_id in self.added.once_normalized:
            return self.normalized(self.added.by_id[token_id].content)
        return self.looked_for(token_id)

    def looked_for(self, token_id: int) -> str:
        """Return the text that an added token is found by."""
        token = self.added.by_id[token_id]
        return self.normalized(token.content) if token.normalized else token.content

    def normalized(self, text: str) -> str:
        """Return a text as the normalizer makes it."""
        if not self.parts.normalizer:
            return text
        normalize = self._normalize.copy()
        parts = [*normalize.push(text), *normalize.finish()]
        return b"".join([part for part, _ in parts]).decode()

    @kept
    def _normalize(self) -> _core.Normalize:
        """The normalizer, to be copied: to read rules takes milliseconds."""
        return _core.Normalize(list(self.parts.normalizer))

    # --- decoding --------------------------------------------------------------------------------

    @kept
    def joins_bytes(self) -> bool:
        """Is the text the tokens' bytes, joined?"""
        if self.parts.decoder is not None:
            return False
        from tokstream.formats.alphabet import bytes_of  # noqa: PLC0415 - it is about to be used

        tokens = self.added.by_id
        return all(
            bytes_of(token.content) in (None, token.content.encode())
            and self.written(token_id) == token.content
            for token_id, token in tokens.items()
        )

    @kept
    def texts_alone(self) -> tuple[dict[int, str], dict[int, str]]:
        """Texts of ids that say the same wherever they stand, with special tokens and without.

        As many as were asked for by streams; which ids those are depends on the decoder.
        """
        return {}, {}

    @kept
    def bytes_alone(self) -> tuple[dict[int, bytes], dict[int, bytes]]:
        """Bytes of ids that have some, likewise; where the text is the tokens' bytes, joined."""
        return {}, {}

    @kept
    def token_texts(self) -> tuple[TokenTexts | None, TokenTexts | None]:
        """Texts of all tokens, with special ones and without; None if the decoder asks for more."""
        return texts_of(self.decoder, ()), texts_of(self.decoder, self.special_ids)

    @kept
    def decoder(self) -> TokenDecoder:
        """The stages between tokens and text."""
        spellings = dict(self.definition.spellings)
        spellings |= {token_id: self.written(token_id) for token_id in self.added.by_id}
        return TokenDecoder(spellings, read_decoder(self.node("decoder")))

    @kept
    def special_ids(self) -> frozenset[int]:
        """Ids of tokens that are left out where special tokens are skipped."""
        added = self.added
        return frozenset({k for k in added.by_id if self.written(k) in added.specials})

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool) -> str:
        """Return the text of ids.

        Raises:
            InvalidTokenIdError: an id that is no token.
            OverflowError: an id that is negative or above 32 bits.
            TypeError: something that is no whole number.
        """
        if skip_special_tokens:
            ids = self.without_special(ids)
        if self.joins_bytes:
            return self.core.decode(ids).decode("utf-8", "replace")
        array("I", ids)  # refuses numbers that are not whole: they may equal some that are
        return self.decoder.decode(ids)

    def decode_bytes(self, ids: Sequence[int], *, skip_special_tokens: bool) -> bytes:
        """Return the bytes of ids, joined, where `joins_bytes`; unknown ids say nothing."""
        if skip_special_tokens:
            ids = self.without_special(ids)
        try:
            return self.core.decode(ids)
        except InvalidTokenIdError:
            return self.core.decode([k for k in ids if self.token(k) is not None])

    def without_special(self, ids: Sequence[int]) -> Sequence[int]:
        """Return the ids of tokens that are not special."""
        special = self.special_ids
        if special.isdisjoint(ids):
            return ids
        # those left out are looked at here alone: a number that is not whole may equal one that is
        return [token_id for token_id in ids if token_id not in special or index(token_id) is None]
