"""`import tokstream` is light: no numpy, no network, nothing compiled; optional parts come later."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Everything of ours that the import brings. An addition is a decision: it costs every start.
OWN_MODULES = {"tokstream", "tokstream._light"}
# What the first id of an embedded encoding brings in addition.
OWN_MODULES_IN_USE = {
    "tokstream._arrays",
    "tokstream._buffers",
    "tokstream._core",
    "tokstream._tables",
    "tokstream.encodings",
    "tokstream.encodings.prepared",
    "tokstream.encodings.registry",
    "tokstream.errors",
    "tokstream.prepared",
    "tokstream.special",
    "tokstream.streaming",
    "tokstream.tokenizer",
    "tokstream.verbs",
    "tokstream.verbs.batch",
    "tokstream.verbs.ids",
    "tokstream.verbs.parts",
    "tokstream.verbs.spans",
    "tokstream.verbs.streams",
    "tokstream.verbs.threads",
    "tokstream.verbs.whole",
}
# Modules that a start can do without, however small they seem: some milliseconds each.
AVOIDED = {
    "collections",
    "contextlib",
    "dataclasses",
    "enum",
    "functools",
    "hashlib",
    "inspect",
    "pathlib",
    "re",
    "threading",
    "typing",
}
HEAVY = {
    "argparse",
    "asyncio",
    "concurrent.futures",
    "email",
    "http",
    "importlib.metadata",
    "json",
    "logging",
    "lzma",
    "multiprocessing",
    "numpy",
    "regex",
    "socket",
    "ssl",
    "subprocess",
    "tempfile",
    "tiktoken",
    "typing_extensions",
    "unicodedata",
    "urllib.request",
}

_PLAIN_USE = """
tokenizer = tokstream.get_encoding("gpt2")
ids = tokenizer.encode("hello world")
list(tokenizer.encode_iter("hello")), tokenizer.encode_batch(["a", "b"]), tokenizer.count("a b")
tokenizer.decode(ids), tokenizer.truncate("a b", 1), tokenizer.encode_with_offsets("a b")
stream = tokenizer.stream()
stream.feed("a"), stream.finish(), tokenizer.decode_stream().feed(ids)
"""


def _run(code: str) -> str:
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _imported(code: str) -> set[str]:
    out = _run(
        "import sys; before = set(sys.modules)\n"
        "import tokstream\n" + code + "\nprint(*sorted(set(sys.modules) - before))"
    )
    return set(out.split())


def test_what_the_import_brings() -> None:
    imported = _imported("")
    assert {m for m in imported if m.partition(".")[0] == "tokstream"} == OWN_MODULES
    assert not imported & (HEAVY | AVOIDED)


def test_what_the_first_id_brings() -> None:
    code = "tokstream.get_encoding('gpt2').encode('a')"
    _imported(code)  # the first time makes the tables
    imported = _imported(code)
    own = {m for m in imported if m.partition(".")[0] == "tokstream"}
    assert own == OWN_MODULES | OWN_MODULES_IN_USE
    assert not imported & (HEAVY | AVOIDED)


def test_plain_use_brings_little_more() -> None:
    _imported(_PLAIN_USE)
    imported = _imported(_PLAIN_USE)
    assert not imported & HEAVY
    assert not {m for m in imported if m.startswith(("tokstream.patterns", "tokstream.reference"))}


def test_the_import_reads_no_vocabulary() -> None:
    code = (
        "import sys, tokstream.encodings.registry as r\n"
        "assert not r._vocabularies and not tokstream.encodings._tokenizers"
    )
    _imported(code)


def test_without_numpy() -> None:
    code = (
        "import sys; sys.modules['numpy'] = None\n"
        "import tokstream\n" + _PLAIN_USE + "try:\n"
        "    tokenizer.encode_array('hello')\n"
        "except tokstream.MissingDependencyError as error:\n"
        "    print(isinstance(error, ImportError), error)\n"
    )
    out = _run(code)
    assert out.startswith("True ")
    assert 'pip install "tokstream[numpy]"' in out


@pytest.mark.parametrize("module", ["socket", "asyncio", "lzma"])
def test_import_where_a_module_is_missing(module: str) -> None:
    # some Pythons are built without: the import itself must work
    _run(
        f"import sys; sys.modules['{module}'] = None; import tokstream; tokstream.list_encoding_names()"
    )


def test_version() -> None:
    from importlib.metadata import version  # noqa: PLC0415

    import tokstream  # noqa: PLC0415

    assert tokstream.__version__ == version("tokstream")
    missing = "nothing"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        getattr(tokstream, missing)


def test_public_names() -> None:
    import tokstream  # noqa: PLC0415

    assert sorted(tokstream.__all__) == tokstream.__all__
    for name in tokstream.__all__:
        assert getattr(tokstream, name) is not None
