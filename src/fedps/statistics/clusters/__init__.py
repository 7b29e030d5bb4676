"""Values and rows by their nearest centre, for k-means."""
