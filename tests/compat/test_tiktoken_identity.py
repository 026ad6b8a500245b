"""Custom encodings, pickles, plug-ins, rank files, and taking tiktoken's place."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import tiktoken
import tiktoken.load

import tokstream
import tokstream.compat.tiktoken as ours
from data import gpt2_merge_list, gpt2_vocabulary_json, tiktoken_cache_dir, tiktoken_encoding
from tokstream.compat.tiktoken import load
from tokstream.prepared import Place, ranks
from tokstream.vocabulary import Vocabulary

if TYPE_CHECKING:
    from pathlib import Path

IM_START = "<|im_start|>"


def run(code: str, *, path: Path | None = None) -> str:
    command = [sys.executable, "-W", "error", "-c", code]
    environment = {"PATH": "", "TIKTOKEN_CACHE_DIR": str(tiktoken_cache_dir())}
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def extended(module: Any, base: Any) -> Any:
    """cl100k with a chat token, as tiktoken's documentation does it."""
    return module.Encoding(
        name="cl100k_im",
        pat_str=base._pat_str,
        mergeable_ranks=base._mergeable_ranks,
        special_tokens={**base._special_tokens, IM_START: 100264},
    )


@pytest.fixture(scope="module")
def extended_ours() -> ours.Encoding:
    return extended(ours, ours.get_encoding("cl100k_base"))  # type: ignore[no-any-return]


def test_extending(extended_ours: ours.Encoding) -> None:
    theirs = extended(tiktoken, tiktoken_encoding("cl100k_base"))
    text = f"{IM_START}user\nhello<|endoftext|>"
    assert extended_ours.encode(text, allowed_special="all") == theirs.encode(
        text, allowed_special="all"
    )
    assert extended_ours.encode(text, disallowed_special=()) == theirs.encode(
        text, disallowed_special=()
    )
    assert extended_ours.n_vocab == theirs.n_vocab
    with pytest.raises(ValueError, match="im_start"):
        extended_ours.encode(text)


def test_encodings_of_the_same_ranks_share_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    def built(*_: object) -> object:
        raise AssertionError("tables are made again")

    base = ours.get_encoding("cl100k_base")
    monkeypatch.setattr(ranks, "_built", built)
    monkeypatch.setattr(Place, "open", built)
    made = ours.Encoding(
        name="mine",
        pat_str=base._pat_str,
        mergeable_ranks=dict(base._mergeable_ranks),
        special_tokens={IM_START: 100264, "<|far|>": 2_000_000, "<|x": 100257, "<|x|>": 100300},
    )
    theirs = tiktoken.Encoding(
        name="mine",
        pat_str=base._pat_str,
        mergeable_ranks=base._mergeable_ranks,
        special_tokens=made._special_tokens,
    )
    text = f"{IM_START}user <|far|> <|endoftext|> hello, wörld"
    ids = made.encode(text, allowed_special="all")
    assert ids == theirs.encode(text, allowed_special="all")
    assert made.decode(ids) == text
    assert made.decode([100257]) == "<|x"
    assert made.n_vocab == theirs.n_vocab == 2_000_001
    for dropped in (100258, 100276):  # special tokens of the base alone
        with pytest.raises(KeyError):
            made.decode_bytes([dropped])
        assert base.decode_bytes([dropped])
    with pytest.raises(KeyError):
        made.encode_single_token("<|endofprompt|>")
    assert base.encode(text, disallowed_special=()) == made.encode(text, disallowed_special=())


def test_ranks_that_were_changed_are_not_taken_for_known_ones() -> None:
    base = ours.get_encoding("r50k_base")
    changed = dict(base._mergeable_ranks)
    changed[b" the"], changed[b" of"] = changed[b" of"], changed[b" the"]
    made = ours.Encoding(
        name="changed", pat_str=base._pat_str, mergeable_ranks=changed, special_tokens={}
    )
    assert made.encode(" the") == [changed[b" the"]] != base.encode(" the")
    with pytest.raises(ValueError, match="ordinary token"):
        ours.Encoding(
            name="taken",
            pat_str=base._pat_str,
            mergeable_ranks=base._mergeable_ranks,
            special_tokens={"<x>": 11},
        )


def test_ids_that_are_no_ranks_are_not_taken_for_ranks() -> None:
    tokens = [bytes((byte,)) for byte in range(256)]
    numbered = Vocabulary.from_tables(b"".join(tokens), [1] * 256, range(255, -1, -1))
    ordered = Vocabulary.from_ranks(numbered.to_ranks())
    assert list(ordered.ids) == list(range(256))
    assert Vocabulary.from_ranks(ordered.to_ranks()) is ordered
    with pytest.raises(tokstream.VocabularyError, match="single bytes"):
        Vocabulary.from_ranks(
            Vocabulary.from_tables(b"ab", [1, 1], [0, 1], require_all_bytes=False).to_ranks()
        )
    with pytest.raises(tokstream.VocabularyError, match="outside"):
        Vocabulary.from_ranks({**ordered.to_ranks(), b"xx": 2**40})


def test_single_tokens_of_odd_kinds() -> None:
    base: Any = ours.get_encoding("cl100k_base")
    theirs = tiktoken_encoding("cl100k_base")
    for _ in range(2):  # found, then kept
        for token in (" the", b" the", bytearray(b" the"), memoryview(b" the"), "<|endoftext|>"):
            assert base.encode_single_token(token) == theirs.encode_single_token(bytes_of(token))
        for missing in ("no such token", b"no such token", bytearray(b"no such token")):
            with pytest.raises(KeyError, match="not a token"):
                base.encode_single_token(missing)
        for wrong in (5, None, ["a"]):
            with pytest.raises(TypeError):
                base.encode_single_token(wrong)
        assert base.decode_single_token_bytes(279) == b" the"
        assert base.decode_tokens_bytes(iter([279, 100257])) == [b" the", b"<|endoftext|>"]
        for no_id in (279.0, "279", None):
            with pytest.raises(TypeError):
                base.decode_single_token_bytes(no_id)
        for bad in (-1, 100256, 2**32, 2**70):
            with pytest.raises(KeyError):
                base.decode_tokens_bytes([279, bad])


def bytes_of(token: str | bytes | bytearray | memoryview) -> bytes:
    return token.encode() if isinstance(token, str) else bytes(token)


def test_pickles(extended_ours: ours.Encoding) -> None:
    registered = ours.get_encoding("r50k_base")
    data = pickle.dumps(registered)
    assert len(data) < 200
    again = pickle.loads(data)
    assert again.encode("hello world") == registered.encode("hello world")
    assert len(pickle.dumps(again)) < 200
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        restored = pickle.loads(pickle.dumps(extended_ours, protocol))
        assert restored.encode(IM_START, allowed_special="all") == [100264]
    for encoding in (registered, extended_ours):
        assert copy.copy(encoding).encode("a b") == encoding.encode("a b")
        assert copy.deepcopy([encoding])[0].encode("a b") == encoding.encode("a b")


def test_pickles_of_tiktoken_are_read_where_we_take_its_place() -> None:
    theirs = [tiktoken_encoding("gpt2"), extended(tiktoken, tiktoken_encoding("r50k_base"))]
    theirs[1].name = "gpt2_im"
    code = (
        "import pickle, sys, tokstream.compat.tiktoken as ours; ours.install()\n"
        "for encoding in pickle.load(open(sys.stdin.fileno(), 'rb')):\n"
        "    print(type(encoding) is ours.Encoding, encoding.encode('hello world'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(theirs), capture_output=True, check=True
    )
    assert done.stdout.decode().splitlines() == ["True [31373, 995]"] * 2


def test_from_tokenizer() -> None:
    ranks = b"".join(load_lines())
    tokenizer = tokstream.load(ranks, pattern=r"\w+|\W+", special_tokens={"<x>": 300})
    encoding = ours.Encoding.from_tokenizer(tokenizer)
    assert encoding.encode("ab<x>", allowed_special="all") == [256, 300]
    document = {"version": "1.0", "model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}}
    other = tokstream.load(json.dumps(document).encode())
    with pytest.raises(tokstream.ConfigurationError, match="use its own verbs"):
        ours.Encoding.from_tokenizer(other)


def load_lines() -> list[bytes]:
    from base64 import b64encode  # noqa: PLC0415

    tokens = [*(bytes((byte,)) for byte in range(256)), b"ab"]
    return [b"%b %d\n" % (b64encode(token), rank) for rank, token in enumerate(tokens)]


def test_rank_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    path = tmp_path / "some.tiktoken"
    path.write_bytes(b"".join(load_lines()))
    ranks = load.load_tiktoken_bpe(str(path))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    assert ranks == tiktoken.load.load_tiktoken_bpe(str(path))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert load.load_tiktoken_bpe(str(path), digest) == ranks
    with pytest.raises(ValueError, match="sha256"):
        load.load_tiktoken_bpe(str(path), "0" * 64)
    copied = tmp_path / "copied.tiktoken"
    load.dump_tiktoken_bpe(ranks, str(copied))
    assert copied.read_bytes() == path.read_bytes()
    path.write_bytes(b"YQ== 0\n!\n")
    with pytest.raises(ValueError, match=r"some\.tiktoken:2"):
        load.load_tiktoken_bpe(str(path))
    with pytest.raises(FileNotFoundError):
        load.load_tiktoken_bpe(str(tmp_path / "none"))


def test_rank_files_of_openai_are_not_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(blobpath: str) -> bytes:
        raise AssertionError(blobpath)

    monkeypatch.setattr(load, "read_file", fetch)
    for name, sha256 in tokstream.encodings.registry.RANK_FILE_SHA256.items():
        address = f"https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
        expected = ours.get_encoding(name)._mergeable_ranks
        assert load.load_tiktoken_bpe(address) == expected
        assert load.load_tiktoken_bpe("https://mirror.example/x", sha256) == expected


def test_the_cache_folder_is_tiktokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched = []

    def fetch(blobpath: str) -> bytes:
        fetched.append(blobpath)
        return b"".join(load_lines())

    address = "https://files.example/some.tiktoken"
    monkeypatch.setattr(load, "read_file", fetch)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "cache"))
    ranks = load.load_tiktoken_bpe(address)
    assert load.load_tiktoken_bpe(address) == ranks
    assert fetched == [address]
    assert tiktoken.load.load_tiktoken_bpe(address) == ranks
    kept = list((tmp_path / "cache").iterdir())
    assert [path.name for path in kept] == [hashlib.sha1(address.encode()).hexdigest()]
    kept[0].write_bytes(b"damaged")
    digest = hashlib.sha256(b"".join(load_lines())).hexdigest()
    assert load.load_tiktoken_bpe(address, digest) == ranks
    assert len(fetched) == 2


@pytest.mark.parametrize("clobber", [False, True])
def test_gpt2_files(tmp_path: Path, *, clobber: bool) -> None:
    merges, vocabulary = tmp_path / "vocab.bpe", tmp_path / "encoder.json"
    merges.write_bytes(gpt2_merge_list())
    vocabulary.write_bytes(gpt2_vocabulary_json())
    ranks = load.data_gym_to_mergeable_bpe_ranks(
        str(merges), str(vocabulary), clobber_one_byte_tokens=clobber
    )
    assert ranks == ours.get_encoding("gpt2")._mergeable_ranks
    merges.write_bytes(gpt2_merge_list()[:-20])
    with pytest.raises(ValueError, match=r"vocab\.bpe"):
        load.data_gym_to_mergeable_bpe_ranks(str(merges), str(vocabulary))


def test_plug_ins(tmp_path: Path) -> None:
    folder = tmp_path / "tiktoken_ext"
    folder.mkdir()
    (folder / "mine.py").write_text(
        "def double():\n"
        "    ranks = {bytes((byte,)): byte for byte in range(256)} | {b'ab': 256}\n"
        "    return {'name': 'double', 'pat_str': '(?s:.+)', 'mergeable_ranks': ranks,\n"
        "            'special_tokens': {}}\n"
        "ENCODING_CONSTRUCTORS = {'double': double}\n"
    )
    code = (
        "import pickle, tokstream.compat.tiktoken as tiktoken\n"
        "encoding = tiktoken.get_encoding('double')\n"
        "print(tiktoken.list_encoding_names()[-1], encoding.encode('abba'),\n"
        "      len(pickle.dumps(encoding)) < 200)\n"
    )
    assert run(code, path=tmp_path) == "double [256, 98, 97] True"
    (folder / "other.py").write_text("ENCODING_CONSTRUCTORS = {'gpt2': None}\n")
    (folder / "zero.py").write_text("")
    code = (
        "import tokstream.compat.tiktoken as tiktoken\n"
        "tiktoken.get_encoding('gpt2')\n"
        "for _ in range(2):\n"
        "    try:\n        tiktoken.get_encoding('nope')\n"
        "    except ValueError as error:\n        print(error)\n"
    )
    first, second = run(code, path=tmp_path).splitlines()
    assert first == second
    assert "tiktoken_ext.other" in first
    (folder / "other.py").unlink()
    assert "does not define ENCODING_CONSTRUCTORS" in run(code, path=tmp_path)


_EXTENDING = """
from tiktoken.load import load_tiktoken_bpe
from tiktoken_ext.openai_public import ENDOFTEXT, cl100k_base
def chat():
    import tiktoken.core
    given = cl100k_base()
    assert ENDOFTEXT in given["special_tokens"]
    ids = {**given["special_tokens"], "<|im_start|>": 100264}
    return {**given, "name": "chat", "special_tokens": ids}
ENCODING_CONSTRUCTORS = {"chat": chat}
"""
_HIDDEN = """
import importlib.abc, sys
class Hide(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "tiktoken" or name == "tiktoken_ext.openai_public":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Hide())
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: (
    None if name == "tiktoken" and name not in sys.modules else found(name, package))
"""


@pytest.mark.parametrize("installs", [False, True])
def test_plug_ins_that_extend_openais_without_tiktoken(tmp_path: Path, installs: bool) -> None:
    folder = tmp_path / "tiktoken_ext"
    folder.mkdir()
    (folder / "chat.py").write_text(_EXTENDING)
    imports = "import tokstream.compat.tiktoken as tiktoken\n"
    if installs:
        imports += "tiktoken.install(); import tiktoken\n"
    code = (
        f"{_HIDDEN}{imports}"
        "encoding = tiktoken.get_encoding('chat')\n"
        "print(encoding.encode('<|im_start|>user', allowed_special='all'), 'tiktoken' in sys.modules)"
    )
    assert run(code, path=tmp_path) == f"[100264, 882] {installs}"


def test_openais_encodings_as_a_plug_in_has_them() -> None:
    theirs = pytest.importorskip("tiktoken_ext.openai_public")
    from tokstream.compat.tiktoken import openai_public as mine  # noqa: PLC0415 - beside theirs

    for name, value in vars(theirs).items():
        if not name.startswith("__"):
            assert type(getattr(mine, name)) is type(value) or callable(value), name
        if isinstance(value, str) and not name.startswith("__"):
            assert getattr(mine, name) == value
    assert list(mine.ENCODING_CONSTRUCTORS) == list(theirs.ENCODING_CONSTRUCTORS)
    for name, make in mine.ENCODING_CONSTRUCTORS.items():
        encoding, given = ours.get_encoding(name), make()
        assert given.pop("mergeable_ranks") == encoding._mergeable_ranks
        assert given["special_tokens"] == encoding._special_tokens
        made = ours.Encoding(**make())
        assert made.encode("hello world\n 1234") == encoding.encode("hello world\n 1234")


def test_install() -> None:
    code = (
        "import tokstream.compat.tiktoken as ours; ours.install(); ours.install()\n"
        "import tiktoken, tiktoken.load, tiktoken.core; from tiktoken.model import encoding_for_model\n"
        "print(tiktoken is ours, tiktoken.core.Encoding is ours.Encoding,\n"
        "      isinstance(encoding_for_model('gpt-4o'), tiktoken.Encoding))\n"
        "ours.uninstall(); import tiktoken\n"
        "print(tiktoken is ours)\n"
    )
    assert run(code) == "True True True\nFalse"
    code = (
        "import tiktoken, tokstream.compat.tiktoken as ours\n"
        "try:\n    ours.install()\n"
        "except ValueError as error:\n    print(error)\n"
    )
    assert "first in the program" in run(code)


def test_share_type() -> None:
    code = (
        "import tiktoken, tokstream.compat.tiktoken as ours\n"
        "encoding = ours.get_encoding('gpt2')\n"
        "print(isinstance(encoding, tiktoken.Encoding))\n"
        "ours.share_type(); ours.share_type()\n"
        "print(isinstance(encoding, tiktoken.Encoding), isinstance(encoding, ours.Encoding))\n"
        "print(encoding.encode('hello world'), type(encoding).encode is ours.Encoding.encode)\n"
    )
    assert run(code) == "False\nTrue True\n[31373, 995] True"
    code = (
        "import sys; sys.modules['tiktoken'] = None\n"
        "import tokstream.compat.tiktoken as ours\n"
        "try:\n    ours.share_type()\n"
        "except ImportError as error:\n    print(error)\n"
    )
    assert "pip install tiktoken" in run(code)


def test_the_import_is_light() -> None:
    code = (
        "import sys, tokstream.compat.tiktoken as tiktoken\n"
        "tiktoken.get_encoding('gpt2').encode('hello')\n"
        "print({'numpy', 'regex', 'requests', 'blobfile', 'tiktoken', 'json'} & set(sys.modules),\n"
        "      [name for name in sys.modules if name.startswith('tokstream.patterns')])\n"
    )
    assert run(code) == "set() []"
