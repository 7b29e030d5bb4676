"""IterativeImputer on row-partitioned tables."""
