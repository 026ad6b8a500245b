"""tokstream."""
