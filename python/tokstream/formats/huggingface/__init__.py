"""tokenizer.json, the format of Hugging Face tokenizers: a document in, the parts out.

Enters: the parsed file. Leaves: `TokenizerParts`, which give exactly the ids of the
`tokenizers` package. Refused, by name and JSON path: what cannot be honoured exactly.

One member of the document, one module: model (and vocabulary), normalizer, pre_tokenizer,
added_tokens, post_processor, decoder. `truncation` and `padding` are ignored: they are about what
is done with ids.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokstream import _core
from tokstream.decoding.tokens import TokenDecoder
from tokstream.formats.alphabet import bytes_of
from tokstream.formats.document import shown
from tokstream.formats.huggingface.added_tokens import read_added_tokens
from tokstream.formats.huggingface.decoders import read_decoder
from tokstream.formats.huggingface.model import check_type, read_model
from tokstream.formats.huggingface.normalizers import read_normalizer
from tokstream.formats.huggingface.postprocessors import read_postprocessor
from tokstream.formats.huggingface.pretokenizers import Split, read_pretokenizer
from tokstream.formats.huggingface.vocabulary import build_tables
from tokstream.formats.parts import TokenizerParts
from tokstream.patterns.combine import combine

if TYPE_CHECKING:
    from tokstream.decoding import Decoder
    from tokstream.decoding.stages import Stage
    from tokstream.decoding.tokens import Join
    from tokstream.formats.document import Node
    from tokstream.formats.huggingface.model import BpeModel
    from tokstream.formats.parts import AddedToken, Step, Template

__all__ = ["read_tokenizer_json", "read_with_model"]

_VERSION = "1.0"

_ENDS = ("<|endoftext|>", "</s>", "<|end_of_text|>", "<eos>", "<｜end▁of▁sentence｜>")


def read_tokenizer_json(document: Node, name: str) -> TokenizerParts:
    """Read a tokenizer.json.

    Args:
        document: the whole document.
        name: what to call the tokenizer.

    Raises:
        VocabularyError: it is damaged; the message says at which JSON path.
        UnsupportedTokenizerError: a part that cannot be honoured exactly; the message names it.

    Cost: O(bytes); a second for the largest published one (260,000 tokens, 515,000 merges).
    """
    return read_with_model(document, name)[0]


def read_with_model(document: Node, name: str) -> tuple[TokenizerParts, BpeModel]:
    """Do as `read_tokenizer_json`, and return the model as the file says it, too."""
    version = document.get("version")
    if version is not None and version.text() != _VERSION:
        raise version.unsupported(
            f"version {shown(version.value)} of the format", f"only version {_VERSION!r} is known"
        )
    check_type(document["model"])
    # the small parts first: what is refused is refused at once
    normalizer = read_normalizer(document.get("normalizer"))
    try:
        _core.Normalize(normalizer)
    except ValueError as error:
        raise document["normalizer"].unsupported("the normalizer", str(error)) from error
    cuts, is_byte_level = read_pretokenizer(
        document.get("pre_tokenizer"), has_normalizer=bool(normalizer)
    )
    template = read_postprocessor(document.get("post_processor"))
    stages = read_decoder(document.get("decoder"))
    model = read_model(document["model"])
    added = read_added_tokens(document.get("added_tokens"), model)
    _check_template(document, template, model, added)
    n_ids = 1 + max(*model.ids, *(token.id for token in added), -1)
    tables = build_tables(
        model,
        is_byte_level=is_byte_level,
        is_in_alphabet=_ends_in_alphabet(cuts, normalizer),
        first_free_id=n_ids,
    )
    needs_pieces = (
        tables.unknown.fuse
        or tables.drops_unknown is not None
        or tables.has_begin_marker
        or tables.has_end_marker
    )
    levels, automaton, pattern = _reduced(cuts, normalizer, needs_pieces=needs_pieces)
    special_tokens = {token.content: token.id for token in added if token.special}
    parts = TokenizerParts(
        name=name,
        format="tokenizer.json",
        vocabulary=tables.tables.vocabulary,
        n_vocab=n_ids,
        rules=tables.tables.rules,
        decoder=_decoder(model, added, stages, normalizer, is_byte_level=is_byte_level),
        expansions=tables.tables.expansions,
        whole_pieces=tables.whole_pieces,
        decode_only=tables.decode_only,
        unk_id=tables.unknown.unk_id,
        fuse_unk=tables.unknown.fuse,
        drops_unknown=tables.drops_unknown,
        has_begin_marker=tables.has_begin_marker,
        has_end_marker=tables.has_end_marker,
        normalizer=tuple(normalizer),
        levels=levels,
        automaton=automaton,
        pattern=pattern,
        added_tokens=tuple(added),
        special_tokens=special_tokens,
        template=template,
        special_default="recognise",
        eos=next((end for end in _ENDS if end in special_tokens), None),
    )
    return parts, model


def _reduced(
    cuts: list[Split | Step], normalizer: list[Step], *, needs_pieces: bool
) -> tuple[tuple[Step, ...], bytes | None, str | None]:
    """Return levels, automaton and pattern: one automaton in place of levels where that is exact.

    That is so for many splits that keep matches and what lies between as pretokens, unless what
    becomes of a pretoken depends on where it ends.
    """
    if cuts and _never_matches(cuts[0], normalizer):
        cuts = cuts[1:]
    levels = tuple(cut.step() if isinstance(cut, Split) else cut for cut in cuts)
    if not levels or needs_pieces:
        return levels, None, None
    automaton = combine(levels)
    if automaton is None:
        return levels, None, None
    pattern = cuts[0].pattern if len(cuts) == 1 and isinstance(cuts[0], Split) else None
    return (), automaton.to_bytes(), pattern


def _ends_in_alphabet(cuts: list[Split | Step], normalizer: list[Step]) -> bool:
    """Is all text spelled in the byte-level alphabet, as characters, before it is merged?"""
    names = [step[0] for step in normalizer]
    names += ["split" if isinstance(cut, Split) else cut[0] for cut in cuts]
    if "byte_level" not in names:
        return False
    behind = names[len(names) - 1 - names[::-1].index("byte_level") :]
    return set(behind) <= {"byte_level", "split", "fixed_length"}


def _never_matches(cut: Split | Step, normalizer: list[Step]) -> bool:
    """Does the normalizer leave nothing of what a split looks for?

    Gemma's splits at spaces, which its normalizer has replaced; the whole text is one pretoken.
    """
    if not normalizer or not isinstance(cut, Split) or cut.literal is None or cut.invert:
        return False
    name, *arguments = normalizer[-1]
    if name != "replace" or len(cut.literal) != 1:
        return False
    string, content = arguments
    return string == cut.literal and cut.literal not in str(content)


def _check_template(
    document: Node, template: Template, model: BpeModel, added: list[AddedToken]
) -> None:
    known = {token.id for token in added}
    for token_id in (*template.opening, *template.closing):
        if token_id not in known and token_id not in model.ids:
            raise document["post_processor"].wrong(f"adds id {token_id}, which no token has")


def _decoder(
    model: BpeModel,
    added: list[AddedToken],
    stages: tuple[Stage | Join, ...],
    normalizer: list[Step],
    *,
    is_byte_level: bool,
) -> Decoder | None:
    """Return the decoder; None if the text is the tokens' bytes, joined."""
    texts = {token.id: token.content for token in added}
    late = [token for token in added if token.normalized] if normalizer else []
    if late:  # the reference gives these back as it looks for them
        normalize = _core.Normalize(normalizer)
        for token in late:
            parts = [*normalize.push(token.content), *normalize.finish()]
            texts[token.id] = b"".join([part for part, _ in parts]).decode()
    if (
        stages == ("byte_level",)
        and is_byte_level
        and not (model.prefix or model.suffix)
        and all(texts[token.id] == token.content for token in late)
        and all(bytes_of(text) in (None, text.encode()) for text in texts.values())
    ):
        return None
    spellings = dict(zip(model.ids, model.tokens, strict=True))
    spellings |= texts
    return TokenDecoder(spellings, stages)
