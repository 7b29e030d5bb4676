"""``fedps transform``: the command, and how it reads, transforms and writes a file in pieces."""
