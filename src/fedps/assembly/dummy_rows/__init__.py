"""Tables of made-up cells, with the dtypes of tables that stay with the clients.

scikit-learn's own ``fit`` runs on rows of them: see decision 004. The user's functions are tried on them.

- ``dummy_row``: such a row in any container; ``array_cells``, ``polars_cells``: its cells by dtype
- ``dummy_tables``: several rows like one; ``dummy_cells``: their cells
"""
