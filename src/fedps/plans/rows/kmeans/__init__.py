"""KMeans on row-partitioned tables."""
