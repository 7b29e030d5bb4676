"""Arrays and long integers as few bytes: what the codec packs them with."""
