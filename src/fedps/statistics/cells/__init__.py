"""What a table looks like, and simple facts about its cells.

- ``schema``: names, dtypes and the number of rows (``Schema``)
- ``cell_counts``: missing cells per column (``Missing``), stored cells of a sparse table (``Stored``)
- ``finite``: whether all cells are finite numbers (``Finite``)
- ``positive``: whether all numbers are positive, which Box-Cox needs (``Positive``)
"""
