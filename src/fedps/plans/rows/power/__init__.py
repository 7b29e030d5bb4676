"""PowerTransformer on row-partitioned tables."""
