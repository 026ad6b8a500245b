"""The drop-in has tiktoken's names, signatures and kinds of errors."""

from __future__ import annotations

import importlib
import inspect
from typing import TYPE_CHECKING, Any

import pytest
import tiktoken

import tokstream.compat.tiktoken as ours
from data import tiktoken_encoding
from tokstream import TokstreamError

if TYPE_CHECKING:
    from collections.abc import Callable

# not offered: what docs/compat/tiktoken.md names
LEFT_OUT = {"tiktoken._educational", "tiktoken._tiktoken"}
BYTES = {bytes((byte,)): byte for byte in range(256)}


def parameters(function: Callable[..., Any]) -> list[tuple[str, Any, Any]]:
    signature = inspect.signature(function)
    return [(p.name, p.kind, p.default) for p in signature.parameters.values()]


def test_version() -> None:
    assert ours.__version__ == tiktoken.__version__ == "0.14.0"


def test_every_member_of_the_class_is_there() -> None:
    for name, member in inspect.getmembers(tiktoken.Encoding):
        if name.startswith("__") and name != "__init__":
            continue
        own = getattr(ours.Encoding, name)
        assert callable(own) == callable(member), name
        if callable(member):
            assert parameters(own) == parameters(member), name


@pytest.mark.parametrize("module", ["", ".core", ".model", ".registry", ".load"])
def test_every_public_function_is_there(module: str) -> None:
    theirs = importlib.import_module(f"tiktoken{module}")
    mine = importlib.import_module(f"tokstream.compat.tiktoken{module}")
    for name, member in vars(theirs).items():
        if inspect.isfunction(member) and not name.startswith("_"):
            assert parameters(getattr(mine, name)) == parameters(member), name


def test_refusing_a_token() -> None:
    for name in ("tiktoken.core", "tokstream.compat.tiktoken.core"):
        module = importlib.import_module(name)
        with pytest.raises(ValueError, match="'<x>'"):
            module.raise_disallowed_special_token("<x>")
        assert importlib.import_module(name.replace("core", "model")).Encoding is module.Encoding


def test_models() -> None:
    from tiktoken import model as theirs  # noqa: PLC0415

    from tokstream.compat.tiktoken import model as mine  # noqa: PLC0415

    assert mine.MODEL_TO_ENCODING == theirs.MODEL_TO_ENCODING
    assert mine.MODEL_PREFIX_TO_ENCODING == theirs.MODEL_PREFIX_TO_ENCODING
    for name in [*theirs.MODEL_TO_ENCODING, *theirs.MODEL_PREFIX_TO_ENCODING, "gpt-4o-2030-01-01"]:
        try:
            expected = theirs.encoding_name_for_model(name)
        except KeyError:
            with pytest.raises(KeyError):
                mine.encoding_name_for_model(name)
            continue
        assert mine.encoding_name_for_model(name) == expected
        assert ours.encoding_for_model(name).name == expected


def test_a_model_that_the_program_adds(monkeypatch: pytest.MonkeyPatch) -> None:
    from tokstream.compat.tiktoken import model  # noqa: PLC0415

    monkeypatch.setitem(model.MODEL_TO_ENCODING, "my-model", "cl100k_base")
    assert ours.encoding_for_model("my-model").name == "cl100k_base"


def test_names_of_encodings() -> None:
    assert ours.list_encoding_names() == tiktoken.list_encoding_names()
    for name in ours.list_encoding_names():
        assert ours.get_encoding(name) is ours.get_encoding(name)


# an expression of `e`, an encoding, and `t`, the module; both raise, and ours is of the same kind
FAULTS = [
    't.get_encoding("nope")',
    "t.get_encoding(5)",
    't.get_encoding(["gpt2"])',
    't.encoding_for_model("nope")',
    "t.encoding_name_for_model('')",
    'e.encode("a<|endoftext|>")',
    'e.encode("a<|endoftext|>", disallowed_special={"<|endoftext|>"})',
    'e.encode("ab", disallowed_special={"b"})',
    'e.encode("a<|endoftext|>", disallowed_special="<")',
    'e.encode("ab", disallowed_special={""})',
    'e.encode_batch(["a", "<|endoftext|>"])',
    'e.encode_to_numpy("<|endoftext|>")',
    'e.encode_with_unstable("<|endoftext|>")',
    'e.encode_batch(["a"], num_threads=0)',
    "e.encode(b'ab')",
    "e.encode(None)",
    "e.encode_ordinary(b'ab')",
    "e.encode_to_numpy(5)",
    "e.encode_batch(['a', b'b'])",
    "e.encode_ordinary_batch([5])",
    "e.encode_with_unstable(b'a')",
    "e.encode_single_token('hello there')",
    "e.encode_single_token('')",
    "e.encode_single_token(b'\\xff\\xff\\xff')",
    "e.encode_single_token(5)",
    "e.encode_single_token('\\ud83d')",
    "e.decode([100277])",
    "e.decode([100256])",
    "e.decode([-1])",
    "e.decode([2**32])",
    "e.decode([2**70])",
    "e.decode(['a'])",
    "e.decode('a')",
    "e.decode(5)",
    "e.decode([1.5])",
    "e.decode([220, 126], errors='strict')",
    "e.decode([220, 126], errors='nope')",
    "e.decode_bytes([100277])",
    "e.decode_single_token_bytes(100277)",
    "e.decode_single_token_bytes(-1)",
    "e.decode_single_token_bytes(2**40)",
    "e.decode_single_token_bytes('a')",
    "e.decode_tokens_bytes([15339, 100277])",
    "e.decode_with_offsets([126])",
    "e.decode_with_offsets([100277])",
    "e.decode_batch([[15339], [100277]])",
    "e.decode_batch([[1]], num_threads=0)",
    't.Encoding("x", pat_str="a(", mergeable_ranks=BYTES, special_tokens={})',
    't.Encoding("x", pat_str=".", mergeable_ranks={}, special_tokens={})',
    't.Encoding("x", ".", BYTES, {})',
    (
        't.Encoding("x", pat_str="(?s:.)", mergeable_ranks=BYTES, special_tokens={"<x>": 300},'
        " explicit_n_vocab=257)"
    ),
    (
        't.Encoding("x", pat_str="(?s:.)", mergeable_ranks=BYTES, special_tokens={"<x>": 256},'
        " explicit_n_vocab=258)"
    ),
    't.Encoding("x", pat_str="(?s:.)", mergeable_ranks=BYTES, special_tokens={}).eot_token',
]


@pytest.mark.parametrize("expression", FAULTS)
def test_errors_are_of_the_same_kind(expression: str) -> None:
    def raised(module: Any, encoding: Any) -> Exception:
        with pytest.raises(Exception) as caught:  # noqa: PT011 - which kind is the question
            eval(expression, {"t": module, "e": encoding, "BYTES": BYTES})
        return caught.value

    expected = raised(tiktoken, tiktoken_encoding("cl100k_base"))
    found = raised(ours, ours.get_encoding("cl100k_base"))
    assert isinstance(found, type(expected)), repr(found)
    assert str(found)
    if not isinstance(expected, TypeError | UnicodeError | LookupError):
        assert isinstance(found, TokstreamError)


def test_messages_name_the_token_and_the_remedies() -> None:
    encoding = ours.get_encoding("cl100k_base")
    with pytest.raises(ValueError, match=r"<\|endoftext\|>.*allowed_special=.*disallowed_special="):
        encoding.encode("a<|endoftext|>")
    with pytest.raises(ValueError, match=r"unknown encoding 'nope'.*cl100k_base"):
        ours.get_encoding("nope")
    with pytest.raises(KeyError) as caught:
        encoding.decode([15339, 100277])
    assert "100277" in str(caught.value)
    assert "index 1" in str(caught.value)


def test_where_tiktoken_refuses_and_we_do_not() -> None:
    encoding = ours.get_encoding("cl100k_base")
    assert encoding.encode("a<|endoftext|>", allowed_special=["<|endoftext|>"]) == [64, 100257]  # type: ignore[arg-type]
    assert encoding.decode(iter([15339, 1917])) == "hello world"  # type: ignore[arg-type]
    assert encoding._encode_single_piece("") == []


def test_refused_here() -> None:
    partial = {"pat_str": r"\w+", "mergeable_ranks": BYTES, "special_tokens": {}}
    lacking = {"pat_str": "(?s:.)", "mergeable_ranks": {b"a": 0}, "special_tokens": {}}
    taken = {"pat_str": "(?s:.)", "mergeable_ranks": BYTES, "special_tokens": {"<x>": 5}}
    for parts, message in (
        (partial, "not total"),
        (lacking, "single bytes"),
        (taken, "id 5"),
    ):
        with pytest.raises(ValueError, match=message):
            ours.Encoding("x", **parts)  # type: ignore[arg-type]
