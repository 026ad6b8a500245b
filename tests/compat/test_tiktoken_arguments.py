"""Arguments of odd kinds: the same results as tiktoken's, or errors of the same kinds."""

from __future__ import annotations

import array
import copy
import pickle
import random
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

import tokstream.compat.tiktoken as ours
from data import tiktoken_encoding
from tokstream import InvalidTokenIdError

EOT = "<|endoftext|>"


class Text(str):
    __slots__ = ()


class Number(int):
    pass


class Index:
    def __index__(self) -> int:
        return 15339


class Sequence:
    def __getitem__(self, k: int) -> int:
        return [15339, 1917][k]

    def __len__(self) -> int:
        return 2


NAMES = {
    "np": np,
    "array": array.array,
    "Text": Text,
    "Number": Number,
    "Index": Index,
    "BYTES": {bytes((byte,)): byte for byte in range(256)},
    "WIDE": {bytes((byte,)): np.int64(byte) for byte in range(256)},
}

# expressions of `e`, an encoding, and `t`, the module: both give the same
EQUAL = [
    "e.encode(Text('hello world'))",
    "e.encode(np.str_('hello world'))",
    "e.encode(text='a\\x00b')",
    "e.encode('\\udc4d\\ud83d')",
    f"e.encode('{EOT}', allowed_special=frozenset(['{EOT}']))",
    f"e.encode('a{EOT}', allowed_special={{'nope'}}, disallowed_special=())",
    "e.encode('anope', allowed_special={'nope'})",
    "e.encode('axb', disallowed_special={'x.b'})",
    "e.encode('a', disallowed_special=iter(['b']))",
    "e.encode('a', disallowed_special=0)",
    f"e.encode('{EOT}', allowed_special='all', disallowed_special='all')",
    "e.encode_to_numpy(Text('hello')).tolist()",
    "str(e.encode_to_numpy('').dtype)",
    "e.encode_batch('ab')",
    "e.encode_batch(iter(['a', 'b']), num_threads=1000)",
    "e.encode_batch({'a': 1, 'b': 2}, num_threads=True)",
    "e.encode_batch(np.array(['hello world', 'b']), num_threads=np.int64(2))",
    "e.encode_batch(['a', 'b'], num_threads=None)",
    "e.encode_batch([])",
    "e.encode_single_token(Text('hello'))",
    f"e.encode_single_token(b'{EOT}')",
    "e.encode_single_token('é')",
    "e.decode((15339, 1917))",
    "e.decode(np.array([15339, 1917], dtype=np.uint16))",
    "e.decode(array('I', [15339, 1917]))",
    "e.decode(range(10, 20))",
    "e.decode([True, False])",
    "e.decode([Number(15339), Index(), np.int64(15339), np.uint32(1917)])",
    "e.decode(bytearray(b'ab'))",
    "e.decode([])",
    "e.decode([9468, 239], errors='surrogateescape')",
    "e.decode_bytes(tokens=np.array([1, 2, 3]))",
    "e.decode_single_token_bytes(token=np.int64(15339))",
    "e.decode_single_token_bytes(True)",
    "e.decode_single_token_bytes(Index())",
    "e.decode_tokens_bytes({15339})",
    "e.decode_with_offsets(np.array([15339, 1917]))",
    "e.decode_batch(np.array([[1, 2], [3, 4]]))",
    "e.is_special_token(True)",
    "e.is_special_token(2**80)",
    "e._encode_single_piece(Text('hello world'))",
    "t.encoding_name_for_model(Text('gpt-4'))",
    "t.Encoding('x', pat_str='(?s:.)', mergeable_ranks=WIDE, special_tokens={}).encode('ab')",
    (
        "t.Encoding('x', pat_str='(?s:.)', mergeable_ranks=BYTES,"
        " special_tokens={'a': np.int64(300)}).encode('ab', allowed_special='all')"
    ),
    "t.Encoding(5, pat_str='(?s:.)', mergeable_ranks=BYTES, special_tokens={}).name",
]

# both raise; ours is of the same kind
REFUSED = [
    "e.encode('a', allowed_special='a')",
    "e.encode('a', allowed_special='a', disallowed_special=())",
    "e.encode('a', allowed_special={1})",
    "e.encode('a', allowed_special={b'x'}, disallowed_special=())",
    "e.encode('a', disallowed_special={1})",
    "e.encode('a', disallowed_special={b'a'})",
    "e.encode('a', disallowed_special=5)",
    "e.encode('a', allowed_special=5)",
    "e.encode('hello', 'all')",
    "e.encode()",
    "e.encode(['a'])",
    "e.encode_batch(['a'], num_threads='3')",
    "e.encode_batch(['a'], num_threads=-1)",
    "e.encode_batch(['a'], 3)",
    "e.encode_batch(None)",
    "e.encode_single_token(None)",
    "e.encode_single_token([300])",
    "e.decode([None])",
    "e.decode(np.array([15339.0]))",
    "e.decode(np.array([[15339, 1917]]))",
    "e.decode(np.array([[15339, 1917]], dtype=np.uint32))",
    "e.decode([np.int8(-1)])",
    "e.decode([15339, [1917]])",
    "e.decode([9468, 239], errors=None)",
    "e.decode_single_token_bytes(1.0)",
    "e.decode_single_token_bytes(100256)",
    "e.decode_single_token_bytes(2**32)",
    "e.decode_tokens_bytes(5)",
    "e.decode_batch([1])",
    "e.decode_batch([[1]], num_threads='2')",
    "e.decode_bytes_batch([[2**40]])",
    "e.is_special_token(100257.0)",
    "e.is_special_token(None)",
    "e._encode_bytes(5)",
    "e._encode_bytes([104, 101])",
    "e._encode_bytes('hello')",
    "e._encode_single_piece(5)",
    "e.nope",
    "t.get_encoding(b'gpt2')",
    "t.get_encoding('GPT2')",
    "t.encoding_for_model(None)",
    "t.encoding_for_model(['gpt-4'])",
    "t.encoding_for_model(b'gpt-4')",
    "t.Encoding('x', pat_str=None, mergeable_ranks=BYTES, special_tokens={})",
    "t.Encoding('x', pat_str=b'.', mergeable_ranks=BYTES, special_tokens={})",
    "t.Encoding('x', pat_str='(?s:.)', mergeable_ranks=BYTES, special_tokens={'a': -1})",
    "t.Encoding('x', pat_str='(?s:.)', mergeable_ranks=BYTES, special_tokens={'a': 2**32})",
    "t.Encoding('x', pat_str='(?s:.)', mergeable_ranks=BYTES, special_tokens={b'a': 300})",
    "t.Encoding('x', pat_str='(?s:.)', mergeable_ranks=BYTES, special_tokens={'a': '300'})",
    "t.Encoding('x', pat_str='(?s:.)', mergeable_ranks={**BYTES, 'ab': 300}, special_tokens={})",
    "t.Encoding('x', pat_str='(?s:.)', mergeable_ranks={**BYTES, b'ab': -5}, special_tokens={})",
    "t.Encoding('x', pat_str='(?s:.)', mergeable_ranks={**BYTES, b'ab': 2**33}, special_tokens={})",
    "t.Encoding('x', pat_str='(?s:.)', mergeable_ranks={**BYTES, b'ab': 1.5}, special_tokens={})",
]


def evaluated(expression: str) -> tuple[Any, Any]:
    """What both give, or raise."""
    found: list[Any] = []
    for module, encoding in (
        (tiktoken, tiktoken_encoding("cl100k_base")),
        (ours, ours.get_encoding("cl100k_base")),
    ):
        try:
            found.append(eval(expression, {"t": module, "e": encoding, **NAMES}))
        except Exception as error:  # noqa: BLE001 - which one is the question
            found.append(error)
    return found[0], found[1]


@pytest.mark.parametrize("expression", EQUAL)
def test_results_are_equal(expression: str) -> None:
    theirs, mine = evaluated(expression)
    assert not isinstance(theirs, Exception), theirs
    assert mine == theirs
    assert type(mine) is type(theirs)


@pytest.mark.parametrize("expression", REFUSED)
def test_errors_are_of_the_same_kind(expression: str) -> None:
    theirs, mine = evaluated(expression)
    assert isinstance(theirs, Exception)
    assert isinstance(mine, type(theirs)), repr(mine)
    assert str(mine)


def test_errors_of_single_tokens() -> None:
    """They write their message when it is read, and can be pickled like others."""
    encoding: Any = ours.get_encoding("cl100k_base")
    cases: list[Any] = [
        (encoding.encode_single_token, "no such token", "b'no such token' is not a token of"),
        (encoding.encode_single_token, b"\xff\xff", "is not a token of cl100k_base"),
        (encoding.decode_single_token_bytes, 100256, "no token of cl100k_base has the id 100256"),
        (encoding.decode_single_token_bytes, -1, "has the id -1"),
        (ours.encoding_for_model, "nope", "the encoding of model 'nope' is not known"),
    ]
    for verb, argument, message in cases:
        for _ in range(2):  # the second time it is known
            with pytest.raises(KeyError) as caught:
                verb(argument)
            assert message in str(caught.value)
        again = pickle.loads(pickle.dumps(caught.value))
        assert str(again) == str(caught.value)
        assert isinstance(copy.copy(caught.value), type(caught.value))
    with pytest.raises(InvalidTokenIdError) as no_id:
        encoding.decode_single_token_bytes(100256)
    assert (no_id.value.token_id, no_id.value.index) == (100256, None)


def test_prefixes_of_models_that_the_program_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    from tokstream.compat.tiktoken import model  # noqa: PLC0415

    changed = dict(model.MODEL_PREFIX_TO_ENCODING)
    monkeypatch.setattr(model, "MODEL_PREFIX_TO_ENCODING", changed)
    for _ in range(2):
        with pytest.raises(KeyError):
            ours.encoding_name_for_model("mine-1")
    changed["mine-"] = "gpt2"
    assert ours.encoding_name_for_model("mine-1") == "gpt2"
    changed["mine-"] = "r50k_base"
    assert ours.encoding_name_for_model("mine-1") == "r50k_base"
    del changed["mine-"]
    with pytest.raises(KeyError):
        ours.encoding_name_for_model("mine-1")
    for k in range(3000):
        with pytest.raises(KeyError):
            ours.encoding_name_for_model(f"unknown {k}")
    assert len(model._kept[1]) <= 1024
    assert ours.encoding_name_for_model("gpt-4o-2099") == "o200k_base"


@given(data=st.binary(max_size=40))
@settings(max_examples=200)
def test_any_bytes(data: bytes) -> None:
    theirs, mine = tiktoken_encoding("cl100k_base"), ours.get_encoding("cl100k_base")
    ids = mine._encode_bytes(data)
    assert ids == theirs._encode_bytes(data)
    assert mine.decode_bytes(ids) == data
    assert mine.decode(ids) == data.decode("utf-8", "replace")
    if data:
        assert mine._encode_single_piece(data) == theirs._encode_single_piece(data)


@given(texts=st.lists(st.text(), max_size=5), n=st.integers(1, 9))
@settings(max_examples=50)
def test_any_batch(texts: list[str], n: int) -> None:
    theirs, mine = tiktoken_encoding("cl100k_base"), ours.get_encoding("cl100k_base")
    batch = mine.encode_batch(texts, allowed_special="all", num_threads=n)
    assert batch == theirs.encode_batch(texts, allowed_special="all")
    assert mine.decode_batch(batch, num_threads=n) == texts
    assert mine.encode_ordinary_batch(texts) == theirs.encode_ordinary_batch(texts)


@given(text=st.text(max_size=12))
@settings(max_examples=60, deadline=None)
def test_what_may_follow_any_text(text: str) -> None:
    for name in ("r50k_base", "o200k_base"):
        theirs, mine = tiktoken_encoding(name), ours.get_encoding(name)
        ids, completions = theirs.encode_with_unstable(text, disallowed_special=())
        assert mine.encode_with_unstable(text, disallowed_special=()) == (ids, sorted(completions))


@pytest.mark.parametrize("begins", ["\udbff\udfff", "\U0010ffff", "\x7f", "ÿ"])
def test_what_may_follow_the_last_of_all_bytes(begins: str) -> None:
    theirs, mine = tiktoken_encoding("r50k_base"), ours.get_encoding("r50k_base")
    text = begins.encode("utf-16", "surrogatepass").decode("utf-16")
    ids, completions = theirs.encode_with_unstable(text)
    assert mine.encode_with_unstable(begins) == (ids, sorted(completions))


class Counting(ours.Encoding):
    """What programs do that add a verb."""

    def count(self, text: str) -> int:
        return len(self.encode(text, disallowed_special=()))


def test_subclasses() -> None:
    base = ours.get_encoding("r50k_base")
    made = Counting(
        "counting",
        pat_str=base._pat_str,
        mergeable_ranks=base._mergeable_ranks,
        special_tokens=base._special_tokens,
    )
    assert made.count("hello world") == 2
    for same in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert type(same) is Counting
        assert same.count(f"hello {EOT}") == made.count(f"hello {EOT}")
    made.extra = 5  # type: ignore[attr-defined]
    assert vars(made)["extra"] == 5


def lowered(module: Any) -> Any:
    """A class with verbs of its own, of tiktoken's `Encoding` or of ours."""

    class Lowered(module.Encoding):  # type: ignore[misc]
        def encode(self, text: str, **options: Any) -> list[int]:
            self.options = options
            return [*super().encode(text.lower(), **options), len(text)]

        def encode_ordinary(self, text: str) -> list[int]:
            return [*self._encode_only_native_bpe(text.lower()), len(text)]

        def decode(self, tokens: Any, *, errors: str = "strict") -> str:
            return f"{errors}:{super().decode(tokens, errors)}"

        def decode_bytes(self, tokens: Any) -> bytes:
            return bytes(super().decode_bytes(tokens)).upper()

        def decode_single_token_bytes(self, token: int) -> bytes:
            return bytes(super().decode_single_token_bytes(token)).swapcase()

    return Lowered(
        "lowered", pat_str="\\w+|\\W+", mergeable_ranks=NAMES["BYTES"], special_tokens={"<Q>": 300}
    )


@pytest.mark.parametrize(
    "expression",
    [
        "e.encode_batch(['ABC', 'd', ''])",
        "e.encode_batch(('ABC<Q>', 'd'), allowed_special='all')",
        "e.encode_batch(['ABC<Q>', 'd'], disallowed_special=(), num_threads=1)",
        "e.encode_batch(['<q>'], allowed_special={'x'}), e.options",
        "e.encode_batch(['a'], allowed_special='all'), e.options",
        "e.encode_batch(['a']), e.options",
        "e.encode_batch(['a'], disallowed_special=['b']), e.options",
        "e.encode_batch([])",
        "e.encode_ordinary_batch(['ABC', 'd<Q>', ''])",
        "e.encode_ordinary_batch(['ABC'], num_threads=2)",
        "e.encode_to_numpy('ABC').tolist()",
        "e.encode_with_unstable('ABC')",
        "e.decode_batch([[65, 255], [66]])",
        "e.decode_batch([[65, 255], [66]], errors='replace', num_threads=2)",
        "e.decode_bytes_batch([[97, 98], []])",
        "e.decode_tokens_bytes([97, 66])",
        "e.decode_with_offsets([97, 66])",
        "e._encode_only_native_bpe('ABC')",
    ],
)
def test_verbs_that_a_subclass_replaces(expression: str) -> None:
    """Batches, and the other verbs that call them in tiktoken, call them."""
    found, expected = (eval(expression, {"e": lowered(module)}) for module in (ours, tiktoken))
    assert found == expected


def listing(module: Any) -> Any:
    """A class with special tokens of its own choice, and one of that class."""

    class Listing(module.Encoding):  # type: ignore[misc]
        @property
        def special_tokens_set(self) -> set[str]:
            return {"<Q>", "ab"}

    class Lower(Listing):
        pass

    return Lower(
        "listing",
        pat_str="\\w+|\\W+",
        mergeable_ranks=NAMES["BYTES"],
        special_tokens={"<Q>": 300, "<R>": 301},
    )


@pytest.mark.parametrize("text", ["<Q>", "<R>", "ab", "<Q><R>", "xy"])
@pytest.mark.parametrize(
    "options",
    [
        "",
        "allowed_special='all'",
        "allowed_special={'<Q>'}",
        "allowed_special={'<R>'}",
        "disallowed_special=()",
        "disallowed_special={'<R>'}",
        "allowed_special='all', disallowed_special=['<R>']",
    ],
)
def test_special_tokens_that_a_subclass_lists(text: str, options: str) -> None:
    """They are what "all" stands for."""
    for verb, argument in (
        ("encode", repr(text)),
        ("encode_batch", repr([text, "a"])),
        ("encode_to_numpy", repr(text)),
        ("encode_with_unstable", repr(text)),
    ):
        found = []
        for module in (ours, tiktoken):
            try:
                result = eval(f"e.{verb}({argument}, {options})", {"e": listing(module)})
                found.append(getattr(result, "tolist", lambda: result)())  # noqa: B023 - at once
            except ValueError:
                found.append(ValueError)
        assert found[0] == found[1], verb


def test_batches_of_what_a_subclass_replaces_check_their_threads() -> None:
    made = lowered(ours)
    for wrong in (0, -1):
        for verb in (made.encode_batch, made.encode_ordinary_batch):
            with pytest.raises(ValueError, match="num_threads"):
                verb(["a"], num_threads=wrong)


class Mixed:
    """Replaces a verb from beside, not from below."""

    def encode(self, text: str, **_: object) -> list[int]:
        return [len(text)]


class Beside(Mixed, ours.Encoding):
    pass


class Further(Beside):
    def encode_batch(self, text: Any, **options: Any) -> list[list[int]]:
        return [*super().encode_batch(text, **options), []]


def test_verbs_replaced_by_other_classes() -> None:
    options: Any = {"pat_str": "\\w+|\\W+", "mergeable_ranks": NAMES["BYTES"], "special_tokens": {}}
    assert Beside("x", **options).encode_batch(["ab"]) == [[2]]
    assert Further("x", **options).encode_batch(["ab"]) == [[2], []]
    assert Counting("x", **options).encode_batch(["ab"]) == [[97, 98]]


@pytest.mark.parametrize(
    "options",
    [
        {"allowed_special": {""}},
        {"allowed_special": frozenset({"", EOT})},
        {"allowed_special": {"", "x"}, "disallowed_special": ()},
        {"allowed_special": {""}, "disallowed_special": {"b"}},
        {"disallowed_special": {""}},
        {"allowed_special": {""}, "disallowed_special": {""}},
        {"allowed_special": {"", 5}},
    ],
)
def test_a_choice_of_the_empty_text(options: dict[str, Any]) -> None:
    """No text spells it where it is allowed; every text does where it is refused."""
    theirs, mine = tiktoken_encoding("r50k_base"), ours.get_encoding("r50k_base")
    for text in ("", "a", f"a{EOT}", "b"):
        for verb in ("encode", "encode_to_numpy", "encode_with_unstable"):
            try:
                expected = getattr(theirs, verb)(text, **options)
            except (TypeError, ValueError) as error:
                with pytest.raises(type(error)):
                    getattr(mine, verb)(text, **options)
                continue
            found = getattr(mine, verb)(text, **options)
            if verb == "encode_with_unstable":
                assert found == (expected[0], sorted(expected[1]))
            else:
                assert list(found) == list(expected)


def test_the_largest_id() -> None:
    """2**32 - 1 stands for no token here; tiktoken takes it."""
    for largest in ({"<q>": 2**32 - 2}, {"<q>": 2**32 - 1}):
        options: Any = {"pat_str": "\\w+|\\W+", "mergeable_ranks": NAMES["BYTES"]}
        theirs = tiktoken.Encoding("x", **options, special_tokens=largest)
        assert theirs.encode("<q>", allowed_special="all") == list(largest.values())
        if largest["<q>"] == 2**32 - 1:
            with pytest.raises(ValueError, match="use a smaller one"):
                ours.Encoding("x", **options, special_tokens=largest)
            continue
        mine = ours.Encoding("x", **options, special_tokens=largest)
        assert mine.encode("<q>", allowed_special="all") == [2**32 - 2]
        assert mine.decode([2**32 - 2]) == "<q>"
        assert mine.n_vocab == theirs.n_vocab


def counted(task: tuple[ours.Encoding, str]) -> list[int]:
    encoding, text = task
    return encoding.encode(text)


def test_processes_and_threads() -> None:
    rng = random.Random(5)
    encoding = ours.get_encoding("cl100k_base")
    texts = ["".join(rng.choices("ab 漢é\n👍", k=50)) for _ in range(40)]
    expected = tiktoken_encoding("cl100k_base").encode_batch(texts)
    tasks = [(encoding, text) for text in texts]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert list(pool.map(counted, tasks, chunksize=20)) == expected
    barrier = threading.Barrier(8)

    def all_at_once(_: int) -> list[list[int]]:
        barrier.wait()
        own = ours.get_encoding("p50k_edit")
        assert own is ours.get_encoding("p50k_edit")
        return [encoding.encode(text) for text in texts]

    with ThreadPoolExecutor(8) as threads:
        assert all(found == expected for found in threads.map(all_at_once, range(8)))
