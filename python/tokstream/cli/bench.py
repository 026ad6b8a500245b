"""`tokstream bench`: measurements anyone can repeat on texts and vocabularies of their own.

A group of commands: `program` finds each in the module `bench_NAME` beside this one.
"""

from __future__ import annotations

from typing import Final

__all__ = ["COMMANDS", "DESCRIPTION", "EPILOG"]

COMMANDS: Final = ("speed", "delay")
DESCRIPTION: Final = "Measure on a text and a vocabulary of your own."
EPILOG: Final = """\
commands:
  speed    rates, times to the first and last ids, memory; tiktoken and others beside it
  delay    how many bytes a stream is behind its text, and how many it has to be

`tokstream bench COMMAND --help` explains one.
"""
