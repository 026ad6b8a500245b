"""The tokenizer's verbs, one family per file; `Tokenizer` joins them."""
