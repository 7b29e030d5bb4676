"""What goes wrong between rounds: a server that stops, and claims that cannot be true; where errors are shown."""
