"""The examples in the reference's docstrings print what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import tokstream.reference

MODULES = ["tokstream.reference"] + [
    f"tokstream.reference.{module.name}"
    for module in pkgutil.iter_modules(tokstream.reference.__path__)
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    module = importlib.import_module(name)
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 0
    assert result.failed == 0
