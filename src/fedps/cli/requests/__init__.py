"""``fedps requests``: pipelines that wait for a client's owner, shown in plain words and decided about."""
