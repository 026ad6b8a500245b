"""The texts of the snippets."""

from __future__ import annotations

__all__ = ["CODE", "DOCUMENT", "MARKDOWN", "MESSAGES", "SENTENCES"]

SENTENCES = [
    "The quick brown fox jumps over the lazy dog.",
    "antidisestablishmentarianism",
    "お誕生日おめでとう",
    "2 + 2 = 4, and 1,000,000 - 1 = 999,999.",
    "It's what they've said: we'll see — naïve café.",
]
MESSAGES = [
    {"role": "system", "content": "You are a helpful assistant that answers in one sentence."},
    {"role": "user", "content": "What does a tokenizer do, and why are there so many of them?"},
    {"role": "assistant", "content": "It cuts text into the pieces that a model has seen before."},
    {"role": "user", "content": "Danke! Und auf Deutsch?"},
]
_PARAGRAPH = (
    "A tokenizer turns text into numbers. It looks for the pieces that its vocabulary holds, takes "
    "long ones where it can, and short ones where it must; so common words are one piece, and a "
    "name such as Przemysław is several. What a model reads, costs and remembers is counted in "
    "these pieces, which is why people want to know their number before they send a text.\n\n"
)
DOCUMENT = "".join(f"Section {k}. {_PARAGRAPH}" for k in range(1, 31))
CODE = "".join(
    f"def step_{k}(values: list[int]) -> int:\n"
    f'    """Return the sum of values above {k}."""\n'
    f"    return sum(value for value in values if value > {k})\n\n\n"
    for k in range(20)
)
MARKDOWN = (
    "# Tokens\n\nWhat they are.\n\n## Counting\n\n" + _PARAGRAPH + "## Cutting\n\n" + _PARAGRAPH
)
