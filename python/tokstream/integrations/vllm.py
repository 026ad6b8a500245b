"""vLLM: a tokenizer that satisfies its protocol `TokenizerLike`, and prompts that arrive in pieces.

Enters: texts, messages, chunks of a prompt. Leaves: ids, texts.
Held back: what a stream holds back.

With vLLM installed, `--tokenizer-mode tokstream` selects it: `register` is an entry point of vLLM's
plug-ins. Chat templates are rendered by transformers, which vLLM brings.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, overload

import tokstream
from tokstream.errors import ConfigurationError, MissingDependencyError, UnknownNameError
from tokstream.pipelines.prefixes import PrefixEncoder

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Iterable, Mapping, Sequence

    from tokstream import EncodeStream, Tokenizer
    from tokstream._types import Text
    from tokstream.compat.huggingface import Tokenizer as HuggingFaceTokenizer

__all__ = ["TOKENIZER_MODE", "VllmTokenizer", "register"]

TOKENIZER_MODE = "tokstream"
"""The value of `--tokenizer-mode`."""

_CHAT_FILES = ("chat_template.jinja", "special_tokens_map.json")
_ROLES = tuple(f"{role}_token" for role in ("bos", "eos", "unk", "sep", "pad", "cls", "mask"))


def register() -> None:
    """Make the tokenizer mode "tokstream" known to vLLM; vLLM calls it by itself."""
    from vllm.renderers.registry import RENDERER_REGISTRY  # noqa: PLC0415 - vLLM's own process
    from vllm.tokenizers import TokenizerRegistry  # noqa: PLC0415

    TokenizerRegistry.register(TOKENIZER_MODE, __name__, VllmTokenizer.__name__)
    RENDERER_REGISTRY.register(TOKENIZER_MODE, "vllm.renderers.hf", "HfRenderer")


class VllmTokenizer:
    """A tokenizer with the names of vLLM's `TokenizerLike`; immutable, safe between threads.

    Special tokens in a text become their ids, as with the tokenizers of transformers.

    Attributes:
        native: the `tokstream.Tokenizer` itself.
        chat_template: the template of the model, None if it has none.
        truncation_side: "left" keeps the end of what is too long, "right" the beginning.
        name_or_path: where the tokenizer came from.
    """

    is_fast = True

    def __init__(
        self,
        native: Tokenizer,
        *,
        special_tokens: Mapping[str, str] | None = None,
        extra_special_tokens: Sequence[str] = (),
        chat_template: str | None = None,
        truncation_side: str = "left",
        name_or_path: str = "",
    ) -> None:
        """Make one of a tokenizer.

        Args:
            native: the tokenizer.
            special_tokens: role to text, such as {"bos_token": "<s>"}; what a template may use.
                If left out, every special token of the tokenizer counts as such.
            extra_special_tokens: special tokens without a role.
            chat_template: a Jinja template.
            truncation_side: "left" or "right".
            name_or_path: where it came from.

        Raises:
            ConfigurationError: another side.
            UnsupportedTokenizerError: the tokenizer has no equal in `tokenizers`.
        """
        if truncation_side not in ("left", "right"):
            raise ConfigurationError(
                f'truncation_side is {truncation_side!r}; it must be "left" or "right"'
            )
        self.native = native
        self.chat_template = chat_template
        self.truncation_side = truncation_side
        self.name_or_path = name_or_path or native.name
        self.special_tokens_map = dict(special_tokens or {})
        self._hf = native.as_hf()
        self._vocab = self._hf.get_vocab(with_added_tokens=True)
        added = self._hf.get_added_tokens_decoder()
        if special_tokens is None:
            self._special = [token.content for token in added.values() if token.special]
        else:
            named = (self.special_tokens_map.get(role) for role in _ROLES)
            self._special = [*dict.fromkeys([*filter(None, named), *extra_special_tokens])]
        self._special_ids = [i for i in map(self._hf.token_to_id, self._special) if i is not None]
        self._added = {token.content: i for i, token in added.items()}

    @classmethod
    def from_pretrained(
        cls,
        path_or_repo_id: str | Path,
        *args: object,  # noqa: ARG003 - vLLM's signature
        trust_remote_code: bool = False,  # noqa: ARG003 - no code is ever run
        revision: str | None = None,
        download_dir: str | None = None,
        **kwargs: Any,  # noqa: ANN401 - vLLM's signature
    ) -> Self:
        """Load a model's tokenizer from its directory, or from the hub.

        Args:
            path_or_repo_id: a directory, a file, or the name of a model.
            args: ignored.
            trust_remote_code: ignored.
            revision: a branch, tag or commit on the hub.
            download_dir: where the files are kept.
            kwargs: `truncation_side` and `chat_template` count; others are ignored.

        Raises:
            ConfigurationError: the tokenizer cannot be honoured exactly.
            OSError: it cannot be read.
        """
        path = Path(path_or_repo_id)
        if not path.exists():
            from tokstream.formats.hub import download  # noqa: PLC0415 - nothing else fetches

            path = download(str(path_or_repo_id), revision, download_dir, also=_CHAT_FILES)
        folder = path if path.is_dir() else path.parent
        settings = {**_read(folder / "special_tokens_map.json"), **_read(folder / _CONFIGURATION)}
        template = kwargs.get("chat_template") or _template(folder, settings)
        roles = {role: _content(settings[role]) for role in _ROLES if settings.get(role)}
        extra = settings.get("extra_special_tokens") or settings.get("additional_special_tokens")
        return cls(
            tokstream.load(path),
            special_tokens=roles,
            extra_special_tokens=[_content(token) for token in extra or ()],
            chat_template=template,
            truncation_side=kwargs.get("truncation_side", "left"),
            name_or_path=str(path_or_repo_id),
        )

    # facts

    def num_special_tokens_to_add(self) -> int:
        """Return how many ids the template adds to a text."""
        return self._hf.num_special_tokens_to_add(is_pair=False)

    @property
    def all_special_tokens(self) -> list[str]:
        """The texts of all special tokens: first those with a role."""
        return list(self._special)

    @property
    def all_special_ids(self) -> list[int]:
        """The ids of all special tokens, in the same order."""
        return list(self._special_ids)

    @property
    def bos_token(self) -> str | None:
        """The token that begins a text."""
        return self.special_tokens_map.get("bos_token")

    @property
    def eos_token(self) -> str | None:
        """The token that ends a text."""
        if (known := self.special_tokens_map.get("eos_token")) is not None:
            return known
        eos_id = self.native.eos_id
        return None if eos_id is None else self._hf.id_to_token(eos_id)

    @property
    def pad_token(self) -> str | None:
        """The token that fills a batch up."""
        return self.special_tokens_map.get("pad_token")

    @property
    def bos_token_id(self) -> int | None:
        """Id of the token that begins a text."""
        return self._hf.token_to_id(self.bos_token) if self.bos_token else None

    @property
    def eos_token_id(self) -> int | None:
        """Id of the token that ends a text."""
        return self._hf.token_to_id(self.eos_token) if self.eos_token else None

    @property
    def pad_token_id(self) -> int | None:
        """Id of the token that fills a batch up."""
        return self._hf.token_to_id(self.pad_token) if self.pad_token else None

    @property
    def backend_tokenizer(self) -> HuggingFaceTokenizer:
        """The view of the tokenizer with the interface of `tokenizers`.

        Not in the protocol, but vLLM asks it whether decoding a single token drops its blank.
        """
        return self._hf

    @property
    def vocab_size(self) -> int:
        """Number of tokens without added ones."""
        return self._hf.get_vocab_size(with_added_tokens=False)

    def __len__(self) -> int:
        """Return the number of tokens with added ones."""
        return len(self._vocab)

    @property
    def max_token_id(self) -> int:
        """The largest id."""
        return max(self._vocab.values())

    @property
    def max_chars_per_token(self) -> int:
        """Characters of the longest token, as the vocabulary spells it."""
        return max(map(len, self._vocab))

    def get_vocab(self) -> dict[str, int]:
        """Return token to id, added tokens included; a new dict."""
        return dict(self._vocab)

    def get_added_vocab(self) -> dict[str, int]:
        """Return added token to id; a new dict."""
        return dict(self._added)

    # encoding

    def encode(
        self,
        text: str,
        truncation: bool | None = None,
        max_length: int | None = None,
        add_special_tokens: bool = True,
    ) -> list[int]:
        """Return the ids of a text, its template included.

        Args:
            text: the text.
            truncation: keep at most `max_length` ids; by default if that is given.
            max_length: most ids, those of the template included.
            add_special_tokens: whether the template is applied.
        """
        if max_length is None or truncation is False:
            return self.native.encode(text, add_special_tokens=add_special_tokens, **self._choice)
        if max_length <= 0:
            return []
        cutting = self.native.as_hf()
        cutting.enable_truncation(max_length, direction=self.truncation_side)
        return list(cutting.encode(text, add_special_tokens=add_special_tokens).ids)

    def __call__(
        self,
        text: str | list[str],
        text_pair: str | None = None,
        add_special_tokens: bool = True,
        truncation: bool = False,
        max_length: int | None = None,
    ) -> Any:  # noqa: ANN401 - transformers' BatchEncoding
        """Return a `BatchEncoding` with `input_ids` and `attention_mask`.

        Raises:
            ConfigurationError: `text_pair` is given.
            MissingDependencyError: transformers is not installed.
        """
        if text_pair is not None:
            raise ConfigurationError("pairs of texts are not supported; encode one after the other")
        try:
            from transformers import BatchEncoding  # noqa: PLC0415 - heavy, and vLLM has it
        except ImportError as error:
            raise MissingDependencyError(
                "a BatchEncoding needs transformers; pip install transformers, or call encode"
            ) from error
        arguments = (truncation, max_length, add_special_tokens)
        if isinstance(text, str):
            ids = self.encode(text, *arguments)
            return BatchEncoding({"input_ids": ids, "attention_mask": [1] * len(ids)})
        batch = [self.encode(one, *arguments) for one in text]
        masks = [[1] * len(ids) for ids in batch]
        return BatchEncoding({"input_ids": batch, "attention_mask": masks})

    def stream(self, *, add_special_tokens: bool = True) -> EncodeStream:
        """Return a stream for a prompt that arrives in pieces; not in the protocol.

        What `feed` returns is final, so that prefill can begin with it.
        """
        return self.native.stream(add_special_tokens=add_special_tokens, **self._choice)

    async def encode_pieces(
        self, pieces: AsyncIterable[Text] | Iterable[Text], *, add_special_tokens: bool = True
    ) -> AsyncIterator[list[int]]:
        """Yield the ids of a prompt as its pieces arrive; joined, they are `encode`'s.

        For vLLM's `StreamingInput(prompt={"prompt_token_ids": ids})`. Not in the protocol.
        """
        stream = self.stream(add_special_tokens=add_special_tokens)
        if hasattr(pieces, "__aiter__"):
            async for piece in pieces:
                if ids := stream.feed(piece):
                    yield ids
        else:
            for piece in pieces:
                if ids := stream.feed(piece):
                    yield ids
        if ids := stream.finish():
            yield ids

    def conversation(self, *, add_special_tokens: bool = True) -> PrefixEncoder:
        """Return an encoder for prompts that begin as the last one did; not in the protocol.

        `encode` of it gives the ids of a whole prompt, and encodes only what is new.
        """
        return PrefixEncoder(self.native, add_special_tokens=add_special_tokens, **self._choice)

    @property
    def _choice(self) -> dict[str, Any]:
        # files of ranks refuse special tokens by default, and vLLM's prompts are full of them
        if self.native._parts is None:  # noqa: SLF001
            return {"allowed_special": "all", "disallowed_special": ()}
        return {}

    # chat

    def get_chat_template(
        self, chat_template: str | None = None, tools: list[dict[str, Any]] | None = None
    ) -> str:
        """Return the template that counts.

        Raises:
            UnknownNameError: there is none.
        """
        del tools  # templates by name, one of them for tools, are out of use
        if (found := chat_template or self.chat_template) is not None:
            return found
        raise UnknownNameError(
            f"{self.name_or_path} has no chat template; pass chat_template, or --chat-template"
        )

    def apply_chat_template(
        self,
        messages: list[Any] | None = None,
        tools: list[dict[str, Any]] | None = None,
        **kwargs: Any,  # noqa: ANN401 - vLLM's signature
    ) -> str | list[int]:
        """Return the prompt of a conversation: its ids, or its text with `tokenize=False`.

        Args:
            messages: the messages; also taken as `conversation`.
            tools: what the model may call.
            kwargs: `chat_template`, `tokenize`, `truncation`, `max_length`; all others go to the
                template.

        Raises:
            UnknownNameError: there is no template.
            MissingDependencyError: transformers is not installed.
        """
        try:
            from transformers.utils import chat_template_utils as rendering  # noqa: PLC0415
        except ImportError as error:
            raise MissingDependencyError(
                "chat templates are rendered by transformers; pip install transformers"
            ) from error
        conversation = kwargs.pop("conversation", messages)
        tokenize = kwargs.pop("tokenize", True)
        truncation, max_length = kwargs.pop("truncation", None), kwargs.pop("max_length", None)
        for ignored in ("return_dict", "padding", "return_tensors", "tokenizer_kwargs"):
            kwargs.pop(ignored, None)
        rendered, _ = rendering.render_jinja_template(
            conversations=[conversation],
            tools=tools,
            chat_template=self.get_chat_template(kwargs.pop("chat_template", None), tools),
            **{**self.special_tokens_map, **kwargs},
        )
        text: str = rendered[0]
        if not tokenize:
            return text
        return self.encode(text, truncation, max_length, add_special_tokens=False)

    # decoding

    def decode(self, ids: Sequence[int] | int, skip_special_tokens: bool = False) -> str:
        """Return the text of ids, or of one id."""
        listed = [ids] if isinstance(ids, int) else list(ids)
        return self._hf.decode(listed, skip_special_tokens=skip_special_tokens)

    def batch_decode(
        self, ids: Iterable[Sequence[int]], skip_special_tokens: bool = False
    ) -> list[str]:
        """Return the texts of several lists of ids."""
        return [self.decode(one, skip_special_tokens) for one in ids]

    @overload
    def convert_tokens_to_ids(self, tokens: str) -> int | None: ...

    @overload
    def convert_tokens_to_ids(self, tokens: list[str]) -> list[int | None]: ...

    def convert_tokens_to_ids(self, tokens: str | list[str]) -> int | list[int | None] | None:
        """Return the id of a token, or of each of several; of unknown ones the unknown token's."""
        if not isinstance(tokens, str):
            return [self.convert_tokens_to_ids(token) for token in tokens]
        found = self._hf.token_to_id(tokens)
        if found is None and (unknown := self.special_tokens_map.get("unk_token")):
            return self._hf.token_to_id(unknown)
        return found

    def convert_ids_to_tokens(
        self, ids: Sequence[int] | int, skip_special_tokens: bool = False
    ) -> list[str | None]:
        """Return the tokens of ids as the vocabulary spells them; None where there is none."""
        return [
            self._hf.id_to_token(token_id)
            for token_id in ([ids] if isinstance(ids, int) else ids)
            if not (skip_special_tokens and token_id in self._special_ids)
        ]

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        """Return the text of tokens as the vocabulary spells them."""
        decoder = self._hf.decoder
        return " ".join(tokens) if decoder is None else decoder.decode(tokens)

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt, (
            type(self),
            self.native,
            self.special_tokens_map,
            self._special,
            self.chat_template,
            self.truncation_side,
            self.name_or_path,
        )


_CONFIGURATION = "tokenizer_config.json"


def _rebuilt(
    kind: type[VllmTokenizer],
    native: Tokenizer,
    special_tokens: dict[str, str],
    extra: list[str],
    chat_template: str | None,
    truncation_side: str,
    name_or_path: str,
) -> VllmTokenizer:
    return kind(
        native,
        special_tokens=special_tokens,
        extra_special_tokens=extra,
        chat_template=chat_template,
        truncation_side=truncation_side,
        name_or_path=name_or_path,
    )


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ConfigurationError(f"{path} is no JSON ({error}); get the file again") from None
    return found if isinstance(found, dict) else {}


def _template(folder: Path, settings: Mapping[str, Any]) -> str | None:
    """Find a model's template: a file of its own, or a setting, which may be several by name."""
    path = folder / "chat_template.jinja"
    if path.is_file():
        return path.read_text("utf-8")
    found = settings.get("chat_template")
    if isinstance(found, list):
        named = {one.get("name"): one.get("template") for one in found if isinstance(one, dict)}
        found = named.get("default")
    return found if isinstance(found, str) else None


def _content(token: object) -> str:
    """Return the text of a token, which stands alone or in a description."""
    return str(token["content"]) if isinstance(token, dict) else str(token)
