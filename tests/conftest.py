"""Test-wide settings: helper modules beside this file importable, examples the same at every run.

Prepared files are kept in a directory of the run's own.

`TOKSTREAM_TEST_EXPLORE=1` draws new examples instead, for a search that may take its time.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

from hypothesis import settings

_HERE = str(Path(__file__).parent)
if _HERE not in sys.path:
    sys.path.insert(0, _HERE)

# no deadline: a loaded machine is no failure
settings.register_profile("fixed", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, print_blob=True)
settings.load_profile("explore" if os.environ.get("TOKSTREAM_TEST_EXPLORE") else "fixed")

# for the processes that tests start, too
_CACHE = tempfile.mkdtemp(prefix="tokstream-tests-")
os.environ["TOKSTREAM_CACHE_DIR"] = _CACHE
atexit.register(shutil.rmtree, _CACHE, ignore_errors=True)
