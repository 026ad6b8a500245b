"""The implementations whose stages are tested: the reference now, the native engine beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import native
import pytest

import tokstream.reference

if TYPE_CHECKING:
    from types import ModuleType

IMPLEMENTATIONS = {"reference": tokstream.reference, "core": native}


@pytest.fixture(params=IMPLEMENTATIONS)
def implementation(request: pytest.FixtureRequest) -> ModuleType:
    """Return a module with Chunks, Segments, Pretokens, MergeRules, Tokens and Stream."""
    return IMPLEMENTATIONS[request.param]
