"""One-row tables of made-up cells, with the dtypes of tables that nobody may see."""
