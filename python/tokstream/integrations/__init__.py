"""tokstream inside other libraries, one module for each; a module needs its library."""
