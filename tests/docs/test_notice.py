"""NOTICE names what is compiled into the extension module."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]

# Used to build the module, or on other systems; nothing of them is in it.
NOT_IN_IT = {
    "autocfg",
    "bytemuck_derive",
    "heck",
    "indoc",
    "portable-atomic",
    "portable-atomic-util",
    "proc-macro2",
    "pyo3-build-config",
    "pyo3-macros",
    "pyo3-macros-backend",
    "quote",
    "rustversion",
    "syn",
    "target-lexicon",
    "unicode-ident",
}


def test_every_crate_is_named() -> None:
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text("utf-8"))["package"]
    crates = {package["name"] for package in locked if "source" in package}
    words = set(re.findall(r"[\w-]+", (ROOT / "NOTICE").read_text("utf-8")))
    missing = crates - NOT_IN_IT - words
    assert not missing, "name them in NOTICE, with their licence, or say why not"
    assert crates >= NOT_IN_IT, "these are not used any more"
