"""``fedps policy check``: the command, and what it finds out about a table."""
