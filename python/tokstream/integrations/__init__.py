"""tokstream inside other packages: one module for each, imported only when it is used."""
