"""The tables of one fit at a client, each at a place of the pipeline that the client agreed to.

- ``check_pipeline``: what is checked of a pipeline before anything is computed
- ``asked``: what a server asks, held against the declared questions
- ``told``: what a server tells, held against the pipeline
- ``places``: the tables; ``owner_places``: those with ``split="columns"``; ``derived_table``: one of them;
  ``applied``: one that an estimator makes
- ``drawn_rows``, ``row_folds``, ``sampled_rows``: samples and folds of the rows; ``held_rows``: rows that stay in
  their clusters
- ``select_columns``, ``functions``: which columns and functions a pipeline means
"""
