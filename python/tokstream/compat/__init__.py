"""Drop-ins: packages with the names and the behaviour of other tokenizer libraries."""
