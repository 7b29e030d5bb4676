"""One-row tables of made-up cells, with the dtypes of tables that stay with the clients."""
