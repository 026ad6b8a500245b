"""Make the texts that patterns are tested with importable here too."""

from __future__ import annotations

import sys
from pathlib import Path

_PATTERNS = str(Path(__file__).parent.parent / "patterns")
if _PATTERNS not in sys.path:
    sys.path.insert(0, _PATTERNS)
