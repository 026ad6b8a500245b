"""Looking at streams: how far behind they are, and why.

`continuations` invents texts that may follow, `delay` measures with them, `explanation` words what
a stream holds back, `probe` tries how long a pattern can keep it waiting, `charts` draws. Nothing
here runs while text is encoded.
"""

from __future__ import annotations
