"""One-row tables of made-up cells, with the dtypes of tables that stay with the clients.

scikit-learn's own ``fit`` runs on them: see decision 004.

- ``dummy_row``: such a row in any container; ``array_cells``, ``polars_cells``: its cells by dtype
"""
