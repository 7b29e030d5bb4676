"""Where clients' tables do not fit together: what differs, and the way out. May import ``errors`` only."""
