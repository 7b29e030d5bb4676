"""What a table looks like, how many cells it lacks, and whether its numbers are usable."""
