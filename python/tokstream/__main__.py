"""`python -m tokstream`: the same as the `tokstream` command; nothing is held back."""

from __future__ import annotations

from tokstream.cli import main

if __name__ == "__main__":
    main()
