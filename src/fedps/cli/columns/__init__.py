"""``--split columns`` on engines: the options of fits and clients, and the commands that predict."""
