"""What can be read from the cells of any table: numbers, categories, missing cells, targets."""
