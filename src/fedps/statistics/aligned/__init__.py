"""Statistics about whole rows, where each client holds different columns of the same rows."""
